//! Linux, macOS and the BSDs.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io,
    net::TcpListener,
    os::{
        fd::AsFd,
        unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::Path,
    time::Duration,
};

use listenfd::ListenFd;
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::warn;

use super::ServiceState;

/// Options of a file that has these rights when it is new.
pub(crate) fn open_options(mode: u32) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(mode);
    options
}

/// Makes a folder, with those above it, that only its owner may use.
pub(crate) fn make_private_folder(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Checks the owner of a file or folder, and that not everybody may write there: else another user could put secrets of his own in the
/// place of ours.
pub(crate) fn check_owner(path: &Path) -> io::Result<Result<(), String>> {
    let metadata = fs::metadata(path)?;
    if metadata.mode() & 0o002 != 0 {
        return Ok(Err("everybody can write there; `chmod o-w` on it mends that".to_owned()));
    }
    // What root owns is of an administrator, who can do everything anyway.
    let (us, owner) = (user_id(), metadata.uid());
    if ![0, us].contains(&owner) {
        return Ok(Err(format!("it belongs to another user ({owner}; this program runs as {us}); `chown` mends that")));
    }
    Ok(Ok(()))
}

/// The rights of a file, where others than its owner have any.
pub(crate) fn rights_of_others(file: &Path) -> io::Result<Option<u32>> {
    let mode = fs::metadata(file)?.mode() & 0o777;
    Ok((mode & 0o077 != 0).then_some(mode))
}

/// The user that this program runs as.
pub(crate) fn user_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub(crate) fn make_executable(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, Permissions::from_mode(0o755))
}

/// Bytes that this user may still write on the disk of a folder.
pub(crate) fn room(dir: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(dir).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// The machine's name.
pub(crate) fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Lets this process have as many files and connections open as it may, and returns how many.
pub(crate) fn raise_descriptors() -> u64 {
    rlimit::increase_nofile_limit(u64::MAX).unwrap_or_else(|_| descriptors())
}

/// How many files and connections this process may have open.
pub(crate) fn descriptors() -> u64 {
    rlimit::Resource::NOFILE.get_soft().unwrap_or(1024)
}

/// Standard error, without the lock of [`io::stderr`], which is held while a write blocks.
pub(crate) fn own_standard_error() -> io::Result<File> {
    let own = io::stderr().as_fd().try_clone_to_owned()?;
    Ok(own.into())
}

/// Signals that end a program.
pub(crate) struct EndSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl EndSignals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next one. Returns the exit code that a shell gives a program that it ended: 128 and its number.
    pub(crate) async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }
}

/// The signal that has the configuration read again.
pub(crate) struct ReloadSignal(Signal);

impl ReloadSignal {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(signal(SignalKind::hangup())?))
    }

    pub(crate) async fn next(&mut self) {
        self.0.recv().await;
    }
}

/// Tells systemd the state of this program, where that started it (`sd_notify(3)`).
pub(crate) fn tell_service_manager(state: ServiceState) {
    let told = match state {
        ServiceState::Ready => sd_notify::notify(&[NotifyState::Ready]),
        ServiceState::Stopping => sd_notify::notify(&[NotifyState::Stopping]),
        ServiceState::Alive => sd_notify::notify(&[NotifyState::Watchdog]),
        ServiceState::Reloading => {
            // systemd.service(5), `Type=notify-reload`.
            let began = NotifyState::monotonic_usec_now().unwrap_or(NotifyState::MonotonicUsec(0));
            sd_notify::notify(&[NotifyState::Reloading, began])
        }
    };
    if let Err(error) = told {
        warn!(%error, "systemd cannot be notified");
    }
}

/// How often systemd wants to hear [`ServiceState::Alive`], if it does (`WatchdogSec=`).
pub(crate) fn watchdog_interval() -> Option<Duration> {
    // Half the time, as sd_watchdog_enabled(3) recommends.
    sd_notify::watchdog_enabled().map(|time| time / 2)
}

/// Listeners that systemd has opened for this program (systemd.socket(5)).
pub(crate) fn inherited_listeners() -> io::Result<Vec<TcpListener>> {
    let mut inherited = ListenFd::from_env();
    let listeners = (0..inherited.len()).map(|index| inherited.take_tcp_listener(index));
    listeners.filter_map(Result::transpose).collect()
}

/// Lets other threads of this machine go before this one, where a thread alone can.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    // An error leaves it as it is.
    let _ = rustix::process::nice(5);
}
