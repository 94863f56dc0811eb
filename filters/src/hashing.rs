//! Tables and sets that are asked for a page's own words, addresses and nodes some thousand times a page.
//!
//! The standard library's `SipHash` takes some 200 instructions for a short key, and was 3 % of the work behind the parse. `foldhash`
//! takes some 20, and its numbers too are drawn anew when the program starts, so that no page knows which keys are alike.

use std::{
    collections::{HashMap, HashSet},
    hash::BuildHasher,
    sync::LazyLock,
};

pub(crate) use foldhash::fast::RandomState;

/// A table.
pub(crate) type Table<K, V> = HashMap<K, V, RandomState>;

/// A set.
pub(crate) type Set<K> = HashSet<K, RandomState>;

/// The hash of a text, for tables of hashes: the same as long as the program runs.
pub(crate) fn of_text(text: &str) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    STATE.hash_one(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_have_hashes_that_differ() {
        let long = "https://example.org/a/path/of/some/length?and=more";
        let mut texts: Vec<String> = (0..=long.len()).map(|end| long[..end].to_owned()).collect();
        texts.extend((1..20).map(|count| "\0".repeat(count)));
        texts.extend((0..1000).map(|number| format!("/node/{number}")));
        let hashes: Set<u64> = texts.iter().map(|text| of_text(text)).collect();
        assert_eq!(hashes.len(), texts.len());
    }
}
