//! Limits, timeouts, overload, and changes while the proxy runs.

mod backpressure;
mod balancer;
mod connection_limits;
mod floods;
mod long_silences;
mod many_clients;
mod reload;
mod reload_with_open_connections;
mod shutdown;
mod slow_pages;
mod soak;
mod timeouts;
