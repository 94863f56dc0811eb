//! End-to-end tests: the proxy over real sockets and TLS, with real clients and origins written for the tests.

// The harness is test code too, which the lint sees only inside of `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod harness;

mod blocking;
mod cli;
mod http;
mod https;
mod icap;
mod load;
mod pages;
mod panel;
mod upstream;
