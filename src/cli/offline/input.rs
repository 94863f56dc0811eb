//! Pages from files and standard input: read within bounds, decompressed, and refused where they are no HTML.

use std::{
    borrow::Cow,
    ffi::OsStr,
    fs,
    io::{self, Read},
    path::Path,
};

/// Most bytes of a page, as it is and unpacked: larger than any page that is meant to be read, small enough for every
/// core to hold one. `/dev/zero` ends here too.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Bytes that are looked at to recognise a page: the resource header of the MIME Sniffing Standard (§ 5.2).
const HEADER_BYTES: usize = 1445;

/// Why a page could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is not there or cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The path is that of a folder.
    #[error("is a folder, not a page")]
    Folder,
    /// The input is no page, or is too long.
    #[error("{0}")]
    Content(String),
}

/// The bytes of a page: of a file, or of standard input for `-`; unpacked if they are gzip, whatever the name. An error
/// where they are no page, or one that the proxy would pass on because it is longer.
pub fn read(file: &Path, max_bytes: usize) -> Result<Vec<u8>, ReadError> {
    if file.is_dir() {
        return Err(ReadError::Folder);
    }
    let mut bytes = if file == OsStr::new("-") {
        bounded(io::stdin().lock(), ReadError::Io)?
    } else {
        bounded(fs::File::open(file)?, ReadError::Io)?
    };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let broken = |error| ReadError::Content(format!("broken gzip: {error}"));
        bytes = bounded(flate2::read::MultiGzDecoder::new(&bytes[..]), broken)?;
    }
    if bytes.is_empty() {
        return Err(ReadError::Content("is empty".to_owned()));
    }
    if let Some(kind) = kind_of_binary(&bytes) {
        return Err(ReadError::Content(format!("is not a page but {kind}")));
    }
    if bytes.len() > max_bytes {
        return Err(ReadError::Content(format!(
            "the page has {} bytes, more than {max_bytes}; rewrite.max_html_bytes allows more",
            bytes.len()
        )));
    }
    Ok(bytes)
}

/// The text of a page. UTF-16 is recognised without a byte order mark too: a file comes without the `Content-Type` that
/// a server would send.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    let bytes = match unmarked_utf_16(bytes) {
        Some(mark) => Cow::Owned([mark, bytes].concat()),
        None => Cow::Borrowed(bytes),
    };
    crate::rewrite::decode_html(&bytes)
}

fn bounded(source: impl Read, failed: impl FnOnce(io::Error) -> ReadError) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ReadError::Content(format!("is longer than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

/// The type of a file that holds no text. The signatures are those of the MIME Sniffing Standard (§ 6, § 7.1): what
/// begins as HTML may hold any byte, another text no control characters.
fn kind_of_binary(bytes: &[u8]) -> Option<&'static str> {
    const SIGNS: [(&[u8], &str); 9] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF-", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x7fELF", "a program"),
        (b"\x28\xb5\x2f\xfd", "a file packed with zstd"),
        (b"BZh", "a file packed with bzip2"),
        (b"\xfd7zXZ\x00", "a file packed with xz"),
    ];
    if let Some((_, kind)) = SIGNS.iter().find(|(sign, _)| bytes.starts_with(sign)) {
        return Some(kind);
    }
    let header = &bytes[..bytes.len().min(HEADER_BYTES)];
    let is_marked = [&b"\xfe\xff"[..], b"\xff\xfe", b"\xef\xbb\xbf"].iter().any(|mark| header.starts_with(mark));
    let start = header.trim_ascii_start();
    let is_text = is_marked || start.starts_with(b"<") || unmarked_utf_16(bytes).is_some();
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    (!is_text && header.iter().any(is_binary)).then_some("something without text")
}

/// The byte order mark for UTF-16 markup without one: every other byte of it is zero, and no byte between.
fn unmarked_utf_16(bytes: &[u8]) -> Option<&'static [u8]> {
    /// Pairs of bytes that are looked at, and how many must match: markup is ASCII, its text need not be.
    const PAIRS: usize = 64;
    const SURE: usize = 48;
    let (pairs, _) = bytes.as_chunks::<2>();
    let pairs = &pairs[..pairs.len().min(PAIRS)];
    let count = |test: fn(&[u8; 2]) -> bool| pairs.iter().filter(|pair| test(pair)).count();
    let little = count(|pair| pair[0] != 0 && pair[1] == 0);
    let big = count(|pair| pair[0] == 0 && pair[1] != 0);
    let needed = SURE.min(pairs.len().max(4));
    match (little >= needed, big >= needed) {
        (true, _) => Some(b"\xff\xfe"),
        (_, true) => Some(b"\xfe\xff"),
        _ => None,
    }
}
