//! The proxy as its users meet it: real sockets, real TLS, real clients, an origin written for the tests.

// The harness is test code too, which the lint sees only inside of `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod harness;

mod browser;
mod certificates;
mod clients;
mod command_line;
mod connect;
mod corpus;
mod filtering;
mod forward;
mod headers;
mod intercept;
mod limits;
mod own_pages;
mod panel;
mod reload;
mod secrets;
mod shutdown;
mod targets;
mod websocket;
