//! Files that only their owner may read, written whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
    process,
    time::SystemTime,
};

/// Checks the owner of a file or folder, and that not everybody may write there: else another user could put secrets of his own in the
/// place of ours.
pub(crate) fn check_owner(path: &Path) -> io::Result<Result<(), String>> {
    let metadata = fs::metadata(path)?;
    if metadata.mode() & 0o002 != 0 {
        return Ok(Err("everybody can write there; `chmod o-w` on it mends that".to_owned()));
    }
    // What root owns is of an administrator, who can do everything anyway.
    match effective_user() {
        Some(us) if ![0, us].contains(&metadata.uid()) => {
            let owner = metadata.uid();
            Ok(Err(format!("it belongs to another user ({owner}; this program runs as {us}); `chown` mends that")))
        }
        _ => Ok(Ok(())),
    }
}

/// The user that this program runs as (proc(5)); none where the system does not say so.
fn effective_user() -> Option<u32> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().nth(1)?.parse().ok()
}

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
