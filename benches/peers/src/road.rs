//! What the benches of the forwarding road share: an origin, clients, and the proxies that are compared.

pub mod client;
pub mod interception;
pub mod origin;
pub mod proxies;
pub mod tls;
