//! The outermost loops: accepting connections, reloading the configuration, updating lists, looking for a newer version; and the entry points of fuzz targets.

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub(crate) mod health;
pub mod list_updates;
pub(crate) mod listener;
pub mod reload;
pub(crate) mod update_check;
