//! The proxy as its users meet it: real sockets, real TLS, real clients, an origin written for the tests.

// The harness is test code too, which the lint sees only inside of `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod harness;

mod blocking;
mod cli;
mod http;
mod https;
mod load;
mod pages;
mod panel;
mod upstream;
