//! The proxy as its users meet it: real sockets, real TLS, real clients, an origin written for the tests.

// The harness is test code too, which the lint sees only inside of `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod harness;

mod browser;
mod certificates;
mod charsets;
mod cli;
mod clients;
mod codings;
mod command_line;
mod connect;
mod corpus;
mod evaluate;
mod filtering;
mod forward;
mod framing;
mod headers;
mod hostile;
mod intercept;
mod limits;
mod load;
mod own_pages;
mod panel;
mod reload;
mod responses;
mod secrets;
mod shutdown;
mod targets;
mod timeouts;
mod websocket;
