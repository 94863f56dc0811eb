//! Tables and sets that are asked for a page's own words, addresses and nodes some thousand times a page.
//! [`SeenFilter`] tells quickly that a key was never added.
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

/// A Bloom filter with one hash: it may report keys that were not added. Where most keys are new it answers faster than a
/// table, because it fits into the processor's nearest cache.
pub(crate) struct SeenFilter(Vec<u64>);

impl SeenFilter {
    const BITS: u32 = 17;

    pub(crate) fn new() -> SeenFilter {
        SeenFilter(vec![0; 1 << SeenFilter::BITS >> 6])
    }

    /// Adds a key, and tells whether it may have been met before.
    pub(crate) fn add(&mut self, key: u64) -> bool {
        let (place, bit) = SeenFilter::bit(key);
        let was_met = self.0[place] & bit != 0;
        self.0[place] |= bit;
        was_met
    }

    pub(crate) fn may_have(&self, key: u64) -> bool {
        let (place, bit) = SeenFilter::bit(key);
        self.0[place] & bit != 0
    }

    /// Where the bit of a key is.
    fn bit(key: u64) -> (usize, u64) {
        // Multiplicative hashing (Knuth, *The Art of Computer Programming* 3, § 6.4), the golden ratio in 64 bits.
        let number = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SeenFilter::BITS)) as usize;
        (number >> 6, 1 << (number & 63))
    }
}

/// The hash of a text, for tables of hashes: the same as long as the program runs.
pub(crate) fn hash_text(text: &str) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    STATE.hash_one(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_known_once_it_was_met() {
        let mut met = SeenFilter::new();
        let keys = || (0..1000).map(|key| key * key);
        let added = keys().filter(|&key| !met.add(key)).count();
        assert!(added > 990 && keys().all(|key| met.may_have(key) && met.add(key)));
        assert!((1_000_000..1_001_000).filter(|&key| met.may_have(key)).count() < 50);
    }

    #[test]
    fn texts_that_differ_have_hashes_that_differ() {
        let long = "https://example.org/a/path/of/some/length?and=more";
        let mut texts: Vec<String> = (0..=long.len()).map(|end| long[..end].to_owned()).collect();
        texts.extend((1..20).map(|count| "\0".repeat(count)));
        texts.extend((0..1000).map(|number| format!("/node/{number}")));
        let hashes: Set<u64> = texts.iter().map(|text| hash_text(text)).collect();
        assert_eq!(hashes.len(), texts.len());
    }
}
