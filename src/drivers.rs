//! The background tasks of a running proxy: accepting connections (`listener`), reloading the configuration (`reload`),
//! readiness and metrics (`health`), updating lists (`list_updates`), looking for a newer version (`update_check`).
//! `fuzzing` holds the entry points of fuzz targets.

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub(crate) mod health;
pub mod icap;
pub mod list_updates;
pub(crate) mod listener;
pub mod reload;
pub(crate) mod update_check;
