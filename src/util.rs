//! General helpers: files, maps, tokens, random bytes, waiting, the host of a target or setting, and what differs between operating systems.

pub(crate) mod atomic_file;
pub(crate) mod byte_cache;
pub(crate) mod expiring_map;
pub(crate) mod host;
pub(crate) mod json_file;
pub(crate) mod platform;
pub(crate) mod random;
pub(crate) mod settle;
pub(crate) mod shutdown;
pub(crate) mod tokens;
