//! Writes files whole or not at all: what reads one never sees a half of it.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process,
    time::SystemTime,
};

use super::platform;

/// Who may read a file.
#[derive(Clone, Copy)]
pub(crate) enum Readers {
    Owner,
    /// All users of the machine, as far as they may enter the folder.
    Everybody,
}

/// Writes the file, and returns when it was modified. Another process may have put another in its place by then.
pub(crate) fn write(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<Option<SystemTime>> {
    let mode = match readers {
        Readers::Owner => 0o600,
        Readers::Everybody => 0o644,
    };
    let temporary = path.with_extension(format!("{}.tmp", process::id()));
    let write = || {
        let mut open = platform::open_options(mode).write(true).create(true).truncate(true).open(&temporary)?;
        open.write_all(bytes)?;
        open.sync_all()?;
        let modified = open.metadata()?.modified().ok();
        fs::rename(&temporary, path)?;
        Ok(modified)
    };
    write().inspect_err(|_| {
        // A half must not take the place that a full disk has left.
        let _ = fs::remove_file(&temporary);
    })
}
