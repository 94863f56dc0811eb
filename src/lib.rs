//! Gleaner: a filtering forward HTTP proxy. HTML responses go through the filter chain of
//! [`gleaner_filters`]; everything else passes untouched.
//!
//! # The path of a request
//!
//! The modules in the order in which a request meets them; `docs/internals.md` draws it.
//!
//! | module | what it does | what comes out |
//! |---|---|---|
//! | `listener` | accepts connections; access and connection limits are decided before a byte is read | a socket that owns its permit |
//! | `server` | hyper's HTTP/1.1 server behind a strict parser, and its HTTP/2 server | a request, or why it was rejected |
//! | `service` | the order of all steps below, written once | a response |
//! | `credentials` | name and password, where users are configured | |
//! | `service::target_resolution`, `authority` | which origin is meant | a `Target` |
//! | `admin`, `panel`, `bypass_link` | our own pages; what was done, and settings; the page as it was | a response |
//! | `controls` | links of the bar on rewritten pages: which view of which page | a `View` |
//! | `access_control` | whether that origin may be reached | a `Permit` |
//! | `blocking` | whether lists of advertisements and trackers forbid the request | an empty resource |
//! | `route` | tunnel, intercept or forward | a `Route` |
//! | `device`, `trusted_devices` | which client program it is, and whether it trusts the authority | |
//! | `mitm`, `ca` | CONNECT whose first bytes decide; TLS with a minted leaf | a decrypted connection, back to `server` |
//! | `tunnel` | any other CONNECT, and upgraded connections | bytes both ways |
//! | `headers` | fields of one hop, `CDN-Loop`, `Via`; repairs after rewriting | clean heads, both ways |
//! | `websocket`, `service::upgrade` | web sockets, over HTTP/2 too | an ordinary upgrade |
//! | `client` | pool, resolver, connector, TLS, retries, timeouts | a response, or an `UpstreamError` |
//! | `rewrite` | is it a page? decode, charset, filter chain, encode | a page, or the original bytes |
//! | `error`, `error_pages` | what went wrong, as a status and a page | a response |
//! | `body`, `log` | every body counts its bytes, and holds the request's log entry until its end | one line |
//!
//! # Around it
//!
//! `config` is what the file says, `runtime_state` what is built from it and in force, `reload` replaces that, and
//! `service::proxy` outlives it.
//! `tokens` makes what only this program can make: tokens of links, forms, host names and `CDN-Loop`.
//! `records` keeps the last requests and totals for the panel. `shutdown` ends connections gracefully, `tcp` sets the
//! options of sockets. `cli` is the command line. `offline` runs the filter chain over files, for it and for the
//! measurements in `lab/`; `fetch` gets a list or a page for this program itself.

mod access_control;
mod addresses;
mod admin;
mod authority;
pub mod blocking;
mod body;
mod bypass_link;
mod ca;
pub mod cli;
mod client;
pub mod config;
mod controls;
mod credentials;
mod device;
mod device_looks;
mod error;
mod error_pages;
mod expiring_map;
mod fetch;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod headers;
mod idle;
mod listener;
mod log;
mod mitm;
pub mod offline;
mod panel;
mod private_file;
mod records;
pub mod reload;
mod rewrite;
mod route;
mod runtime_state;
mod server;
mod service;
mod shutdown;
mod tcp;
mod tokens;
mod trusted_devices;
mod tunnel;
mod websocket;

pub use addresses::local_addresses;
pub use ca::AuthorityError;
pub use config::{Config, ConfigError, RawConfig};
pub use credentials::hash_password;
pub use listener::serve;
pub use service::{Proxy, StartError};
pub use trusted_devices::{TrustedDevice, TrustedDevices};
