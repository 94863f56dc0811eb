//! Programs and pages that a test needs and a machine may not have. Without them the test is skipped, with a line that says
//! so and what to do; `GLEANER_REQUIRE_ALL` makes that a failure.

use std::{env, fs, io::Read, path::PathBuf};

/// The program's path, if it is installed.
pub(crate) fn program(name: &str, package: &str) -> Option<PathBuf> {
    let found = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        // Where Debian puts nginx, which only root has in the path.
        .chain(["/usr/sbin".into()])
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    if found.is_none() {
        skip(&format!("{name} is not installed: apt install {package}"));
    }
    found
}

/// The folder of the WCXB pages, if it is there.
pub(crate) fn wcxb() -> Option<PathBuf> {
    let found = env::var_os("GLEANER_WCXB").map(PathBuf::from).filter(|folder| folder.join("html").is_dir());
    if found.is_none() {
        skip("GLEANER_WCXB names no folder with the WCXB pages in html/*.html.gz");
    }
    found
}

/// The files of every so many of the WCXB pages, sorted by name, from the one with this index.
pub(crate) fn wcxb_pages(first: usize, every: usize) -> Option<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(wcxb()?.join("html")).expect("a folder").map(|file| file.expect("a file").path()).collect();
    assert!(files.len() > 100, "only {} pages", files.len());
    files.sort();
    Some(files.into_iter().skip(first).step_by(every).collect())
}

/// What was packed with gzip, as the WCXB pages are.
pub(crate) fn unpacked(gzip: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(gzip).read_to_end(&mut plain).expect("it is packed with gzip");
    plain
}

/// Says why a test is skipped.
pub(crate) fn skip(reason: &str) {
    assert!(env::var_os("GLEANER_REQUIRE_ALL").is_none(), "{reason}");
    eprintln!("skipped: {reason}");
}
