//! HTTP between the client and the proxy, and fields, bodies and upgrades that pass through: RFC 9110, 9112, 9113.

mod access;
mod across_versions;
mod connect_to_plain_http;
mod forward;
pub(crate) mod framing;
mod half_close;
mod head_requests;
mod headers;
mod home_network;
mod http2_streams;
mod pass_through;
pub(crate) mod private_targets;
mod request_line;
mod request_semantics;
mod revalidation;
mod target_spelling;
mod tunnels;
mod via_and_compression;
pub(crate) mod websocket;
