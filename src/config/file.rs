//! Reads files that settings name, with a size limit, so that `/dev/zero` or a video named by mistake does not fill the
//! memory.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Most bytes of a configuration file: hundreds of times what is written by hand.
pub(crate) const MAX_CONFIG: u64 = 4 << 20;

/// Most bytes of an ad list or of a file of certificates: several times the largest public hosts files.
/// Raising it lets a wrong file cost more memory before it is refused.
pub(super) const MAX_LIST: u64 = 128 << 20;

/// A path of a setting: `~/` is the user's home, as in a shell, and a relative path starts at the configuration's folder.
pub(super) fn under(base: &Path, path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), etcetera::home_dir()) {
        (Ok(rest), Ok(home)) => home.join(rest),
        _ => base.join(path),
    }
}

/// The file's bytes, if there are no more than so many.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than allowed shows that the file is longer, whatever its metadata says.
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let problem = format!("it is longer than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `most` bytes. Anything else, such as a named pipe, could make the program wait for ever.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() { read(path, most) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Reads a regular file of at most `most` bytes that holds a secret: one that strangers may read, or that others may write, is refused.
pub(super) fn read_private(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let bytes = read_regular(path, most)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(path)?.permissions().mode() & 0o777;
        if mode & 0o027 != 0 {
            let problem = format!("others may read or write it (its mode is {mode:o}; `chmod 600` makes it private)");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
    }
    Ok(bytes)
}

/// Reads a regular file of at most `most` bytes as UTF-8 text.
pub(super) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_regular(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// The text without the byte order mark that some editors put in front of UTF-8.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_starts_at_home_or_at_the_configuration() {
        let base = Path::new("/etc/gleaner");
        assert_eq!(under(base, Path::new("my.txt")), base.join("my.txt"));
        assert_eq!(under(base, Path::new("/my.txt")), Path::new("/my.txt"));
        let home = etcetera::home_dir().unwrap();
        assert_eq!(under(base, Path::new("~/my.txt")), home.join("my.txt"));
        // Another user's home is not looked up, and a name may begin with `~`.
        assert_eq!(under(base, Path::new("~my.txt")), base.join("~my.txt"));
    }
}
