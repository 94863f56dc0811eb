//! Gleaner: a filtering forward HTTP proxy. HTML responses go through the filter chain of
//! [`gleaner_filters`]; everything else passes untouched.
//!
//! # Layers
//!
//! The modules of this folder, from the top: each uses only those below it. `tests/layout.rs` reads this table, and fails where a
//! module uses one above it. `docs/internals.md` tells the story of a request.
//!
//! | module | what is in it |
//! |---|---|
//! | `cli` | the command line: each command, `doctor`, the service of the system, and `offline`: the filter chain over files |
//! | `drivers` | the accept loop, reloading, readiness and metrics, updates of lists, the check for a newer version, entry points for fuzzing |
//! | `service` | the order of all steps of a request, written once |
//! | `pages` | our own pages: start page, panel, errors, blocked pages |
//! | `state` | what is in force, and what outlives a reload of it |
//! | `mitm` | CONNECT whose first bytes decide, the certificate authority, who trusts it, tunnels |
//! | `rewrite` | from a response to a page: decode, charset, filter chain, encode; the views of the bar |
//! | `server` | hyper's HTTP/1.1 server behind a strict parser, its HTTP/2 server, and connections of clients |
//! | `client` | pool, resolver, connector, TLS, retries, timeouts; `fetch`: what this program itself asks for |
//! | `blocking` | lists of advertisements and trackers |
//! | `http` | fields, bodies, web sockets, and the log entry that follows a body to its end |
//! | `net` | targets and who may reach them, clients and their devices, sockets |
//! | `config` | the configuration file, parsed and checked |
//! | `util` | files, maps, tokens, waiting |

pub mod blocking;
pub mod cli;
mod client;
pub mod config;
mod drivers;
mod http;
mod mitm;
mod net;
mod pages;
mod rewrite;
mod server;
mod service;
mod state;
mod util;

pub use cli::offline;
pub use config::{Config, ConfigError, RawConfig};
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use drivers::fuzzing;
pub use drivers::{icap, list_updates, listener::serve, reload};
pub use mitm::{
    authority::AuthorityError,
    trusted_devices::{TrustedDevice, TrustedDevices},
};
pub use net::{addresses::local_addresses, credentials::hash_password};
pub use state::{
    loaded_config::LoadedConfig,
    proxy::{Proxy, StartError},
};
