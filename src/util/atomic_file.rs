//! Files that only their owner may read, written whole or not at all.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process,
    time::SystemTime,
};

use super::platform;

/// Writes the file, and returns when it was modified. Another process may have put another in its place by then.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<Option<SystemTime>> {
    let temporary = path.with_extension(format!("{}.tmp", process::id()));
    let write = || {
        let mut open = platform::open_options(0o600).write(true).create(true).truncate(true).open(&temporary)?;
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
