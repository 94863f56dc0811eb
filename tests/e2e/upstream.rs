//! Connections to origins, and origins that answer early, late, wrongly or not at all.

mod connection_reuse;
mod dead_connections;
mod early_answers;
mod failed_connects;
mod host_and_authority;
mod http2;
mod network_changes;
mod pinned_connections;
mod posts_on_kept_connections;
mod resolver;
mod responses;
mod retries_http2;
mod tolerant_responses;
mod uploads;
mod via;
