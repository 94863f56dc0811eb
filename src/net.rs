//! Clients and targets: addresses, devices and credentials of clients; targets, the route to them, and whether they may be reached
//! (`access_control`); hosts that are asked over TLS for clients in clear (`secure_hosts`); the names of our own pages (`control_host`).

pub(crate) mod access_control;
pub(crate) mod addresses;
pub(crate) mod client_program;
pub(crate) mod control_host;
pub(crate) mod credentials;
pub(crate) mod proxy_protocol;
pub(crate) mod route;
pub(crate) mod secure_hosts;
pub(crate) mod target;
pub(crate) mod tcp;
