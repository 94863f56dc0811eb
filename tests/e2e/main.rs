//! The proxy as its users meet it: real sockets, real TLS, real clients, an origin written for the tests.

// The harness is test code too, which the lint sees only inside of `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod harness;

mod alike;
mod as_it_was;
mod blocks;
mod browser;
mod certificates;
mod charsets;
mod cli;
mod clients;
mod codings;
mod command_line;
mod connect;
mod corpus;
mod domains;
mod duties;
mod extract;
mod filtering;
mod floods;
mod forward;
mod framed;
mod framing;
mod half_close;
mod head;
mod headers;
mod hostile;
mod inert;
mod intercept;
mod kept;
mod limits;
mod load;
mod log_lines;
mod look;
mod mistakes;
mod own_pages;
mod panel;
mod parts;
mod passing;
mod pressure;
mod readers;
mod readme;
mod reload;
mod reload_open;
mod request_line;
mod responses;
mod resumption;
mod secrets;
mod shutdown;
mod soak;
mod streams;
mod targets;
mod timeouts;
mod unprocessed;
mod upkeep;
mod websocket;
