//! Windows. There a user's own folder is closed to other users, so that files in it need no rights of their own; and descriptors have
//! no limit that is worth asking for.

use std::{
    env,
    fs::{self, File, OpenOptions},
    future, io,
    net::TcpListener,
    os::windows::io::AsHandle,
    path::Path,
    time::Duration,
};

use tokio::signal::windows::{CtrlC, CtrlClose, CtrlShutdown, ctrl_c, ctrl_close, ctrl_shutdown};

use super::ServiceState;

/// Options of a file; its rights are those of the folder that it is in.
pub(crate) fn open_options(_: u32) -> OpenOptions {
    OpenOptions::new()
}

/// Makes a folder, with those above it, that only its owner may use.
pub(crate) fn make_private_folder(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)
}

/// Checks the owner of a file or folder; its rights are those of the folder that it is in.
pub(crate) fn check_owner(path: &Path) -> io::Result<Result<(), String>> {
    fs::metadata(path).map(|_| Ok(()))
}

/// The rights of a file, where others than its owner have any: those of its folder are not looked at.
pub(crate) fn rights_of_others(file: &Path) -> io::Result<Option<u32>> {
    fs::metadata(file).map(|_| None)
}

/// The user that this program runs as; Windows has no such numbers.
pub(crate) fn user_id() -> u32 {
    u32::MAX
}

pub(crate) fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Bytes that this user may still write on the disk of a folder: not known.
pub(crate) fn room(_: &Path) -> Option<u64> {
    None
}

/// The machine's name.
pub(crate) fn machine_name() -> String {
    env::var("COMPUTERNAME").unwrap_or_default()
}

/// Lets this process have as many files and connections open as it may, and returns how many.
pub(crate) fn raise_descriptors() -> u64 {
    descriptors()
}

/// How many files and connections this process may have open: the handles of a process.
pub(crate) fn descriptors() -> u64 {
    1 << 24
}

/// Standard error, without the lock of [`io::stderr`], which is held while a write blocks.
pub(crate) fn own_standard_error() -> io::Result<File> {
    let own = io::stderr().as_handle().try_clone_to_owned()?;
    Ok(own.into())
}

/// Events that end a program.
pub(crate) struct EndSignals {
    interrupt: CtrlC,
    close: CtrlClose,
    shutdown: CtrlShutdown,
}

impl EndSignals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { interrupt: ctrl_c()?, close: ctrl_close()?, shutdown: ctrl_shutdown()? })
    }

    /// Waits for the next one. Returns the exit code of a program that it ended.
    pub(crate) async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.close.recv() => 143,
            _ = self.shutdown.recv() => 143,
        }
    }
}

/// The signal that has the configuration read again: there is none, the watch on the file does it.
pub(crate) struct ReloadSignal;

impl ReloadSignal {
    #[expect(clippy::unnecessary_wraps, reason = "other systems have a signal that may fail")]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) async fn next(&mut self) {
        future::pending().await
    }
}

/// Tells the manager of services the state of this program: none wants to know it.
pub(crate) fn tell_service_manager(_: ServiceState) {}

/// How often the manager of services wants to hear [`ServiceState::Alive`], if it does.
pub(crate) fn watchdog_interval() -> Option<Duration> {
    None
}

/// Listeners that the manager of services has opened for this program.
#[expect(clippy::unnecessary_wraps, reason = "other systems may have a bad one")]
pub(crate) fn inherited_listeners() -> io::Result<Vec<TcpListener>> {
    Ok(Vec::new())
}

/// Lets other threads of this machine go before this one, where a thread alone can.
pub(crate) fn give_way() {}
