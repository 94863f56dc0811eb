//! Lists of words as data: `data/lists/<name>.txt`, one word or phrase a line, `#` for comments.

use std::sync::LazyLock;

/// The words of a file, in its order.
pub(crate) type WordList = LazyLock<Vec<&'static str>>;

/// The words of `data/lists/<name>.txt`.
macro_rules! words {
    ($name:literal) => {
        std::sync::LazyLock::new(|| {
            $crate::vocabulary::lists::lines(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/data/lists/",
                $name,
                ".txt"
            )))
        })
    };
}
pub(crate) use words;

pub(crate) fn lines(data: &'static str) -> Vec<&'static str> {
    data.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}
