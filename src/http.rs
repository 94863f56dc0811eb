//! HTTP messages: header fields, bodies and web sockets; and what is recorded about a request (`outcome`, `log`, `history`), because a
//! body holds the log entry to its end.

pub(crate) mod body;
pub(crate) mod cookie_jar;
pub(crate) mod headers;
pub(crate) mod history;
pub(crate) mod log;
pub(crate) mod outcome;
pub(crate) mod websocket;
