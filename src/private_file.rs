//! Files that only their owner may read, written whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    process,
    time::SystemTime,
};

/// Writes the file, and returns when it was modified. Another process may have put another in its place by then.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<Option<SystemTime>> {
    let temporary = path.with_extension(format!("{}.tmp", process::id()));
    let write = || {
        let mut open = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
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
