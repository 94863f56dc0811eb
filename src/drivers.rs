//! The parts that drive the program: they accept connections, watch files, keep lists up to date, and call the rest.

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod list_updates;
pub(crate) mod listener;
pub mod reload;
