//! What differs between operating systems: private files and folders, signals, limits of open files, free disk space,
//! the machine's name, and the service manager.
//!
//! Each system has a file with the same functions.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// What this program tells the manager of services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServiceState {
    Ready,
    Reloading,
    Stopping,
    /// Still at work: where it is missing for the time of the watchdog, the program is started again.
    Alive,
}
