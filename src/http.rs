//! Messages of HTTP: fields, bodies, web sockets, and the log entry that follows a body to its end.

pub(crate) mod body;
pub(crate) mod headers;
pub(crate) mod history;
pub(crate) mod log;
pub(crate) mod outcome;
pub(crate) mod websocket;
