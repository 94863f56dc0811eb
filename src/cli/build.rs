//! The text of `gleaner --version`: commit, system and features.

use std::{env::consts, sync::LazyLock};

/// The commit, which the tool that makes releases names; a build from the source has none.
const COMMIT: Option<&str> = option_env!("GLEANER_COMMIT");

/// The answer to `--version`.
pub(super) static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}\n{}", env!("CARGO_PKG_VERSION"), words().replace(", ", "\n")));

/// The commit, the system and the features, such as `commit 1234abcd, linux x86_64, features jemalloc`.
pub(super) fn words() -> String {
    let commit = COMMIT.map_or_else(|| "built from source".to_owned(), |commit| format!("commit {commit}"));
    let (library, has_jemalloc) =
        if cfg!(target_env = "musl") { (" static", true) } else { ("", cfg!(feature = "jemalloc")) };
    let features = if has_jemalloc { "jemalloc" } else { "none" };
    format!("{commit}, {} {}{library}, features: {features}", consts::OS, consts::ARCH)
}
