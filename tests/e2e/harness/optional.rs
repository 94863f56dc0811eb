//! Programs and pages that a test needs and a machine may not have. Without them the test is skipped, with a line that says
//! so and what to do; `GLEANER_REQUIRE_ALL` makes that a failure.

use std::{env, path::PathBuf};

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

/// Says why a test is skipped.
pub(crate) fn skip(reason: &str) {
    assert!(env::var_os("GLEANER_REQUIRE_ALL").is_none(), "{reason}");
    eprintln!("skipped: {reason}");
}
