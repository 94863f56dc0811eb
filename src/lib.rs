//! Gleaner: a filtering forward HTTP proxy. HTML responses go through the filter chain of
//! [`gleaner_filters`]; everything else passes untouched.
//!
//! # Life of a request
//!
//! | step | module | what comes out |
//! |---|---|---|
//! | accept, connection limit | `server` | a connection |
//! | the order of all that follows | `proxy` | a response |
//! | who is it, where users are configured | `credentials` | |
//! | which origin is meant | `authority` | a `Target` |
//! | may this client reach it | `acl` | a `Permit` |
//! | what to do with it | `route` | a `Route` |
//! | CONNECT, bytes both ways | `tunnel` | nothing to see |
//! | CONNECT, decrypted | `intercept`, `ca` | requests, back to `proxy` |
//! | fields that belong to one hop | `headers` | clean heads, both ways |
//! | resolve, check, connect, TLS, pool | `upstream` | a response, or a plain-word reason |
//! | is it a page for a reader | `rewrite::eligibility`, `rewrite::first_bytes` | codings to undo, or a `PassReason` |
//! | decode, charset, chain, encode | `rewrite` | a page, or the original bytes |
//! | web sockets over HTTP/2 | `websocket` | an ordinary upgrade |
//! | errors become pages | `respond` | an honest status |
//!
//! The control host is in `panel`; `config` says what is wanted, `running` is what that puts in force,
//! `reload` replaces it; `log` is what is told. `spelling` keeps the names of fields as they
//! are written, `clock` is one timer for many waits, `arrivals` spares reads that would come to nothing.

mod access_control;
mod admin;
mod authority;
mod body;
mod bypass_link;
mod ca;
mod client;
pub mod config;
mod credentials;
mod error;
mod error_pages;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod headers;
mod listener;
pub mod log;
mod mitm;
pub mod offline;
pub mod reload;
mod rewound;
mod rewrite;
mod route;
mod runtime_state;
mod server;
mod service;
mod shutdown;
mod tcp;
mod tunnel;
mod websocket;

pub use ca::{Authority, AuthorityError};
pub use config::{Config, ConfigError, RawConfig};
pub use credentials::hash_password;
pub use listener::serve;
pub use rewrite::decode_html;
pub use service::{Origin, Proxy, StartError};
