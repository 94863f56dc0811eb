//! Files in the folder of lists. Those that cannot be written are kept in memory until the program ends.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use parking_lot::Mutex;

use super::MAX_LIST;
use crate::util::atomic_file::{self, Readers};

/// Contents of files that could not be written, by path. One map for the process, because configurations are replaced.
static UNWRITTEN: Mutex<BTreeMap<PathBuf, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// The bytes of a file.
pub(crate) fn read(file: &Path) -> io::Result<Vec<u8>> {
    if let Some(bytes) = UNWRITTEN.lock().get(file) {
        return Ok(bytes.clone());
    }
    crate::config::read_file(file, MAX_LIST)
}

/// Writes a file, or keeps it in memory where that fails.
pub(crate) fn write_or_keep(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let written = write(file, bytes);
    match &written {
        Ok(()) => UNWRITTEN.lock().remove(file),
        Err(_) => UNWRITTEN.lock().insert(file.to_owned(), bytes.to_owned()),
    };
    written
}

/// Writes a file whole, or not at all.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir)?;
    }
    atomic_file::write(file, bytes, Readers::Everybody)?;
    Ok(())
}

/// Why nothing can be written in this folder, which need not be there yet. Leaves nothing behind.
pub(crate) fn check(dir: &Path) -> io::Result<()> {
    let there = dir.ancestors().find(|dir| dir.exists()).unwrap_or(Path::new("."));
    let probe = there.join(format!(".gleaner-{}", process::id()));
    let written = fs::File::create_new(&probe)?.write_all(b"?");
    fs::remove_file(probe).and(written)
}
