//! The proxy as its users meet it: real sockets, real TLS, real clients, an origin written for the tests.

// The harness is test code too, which the lint sees only inside of `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod harness;

mod browser;
mod charsets;
mod cli;
mod codings;
mod connect;
mod corpus;
mod filtering;
mod forward;
mod framing;
mod headers;
mod hostile;
mod intercept;
mod limits;
mod load;
mod panel;
mod reload;
mod responses;
mod shutdown;
mod timeouts;
mod websocket;
