//! Tables and sets that are asked for a page's own words, addresses and nodes some thousand times a page.
//!
//! The standard library's `SipHash` takes some 200 instructions for a short key, and was 3 % of the work behind the parse. Here eight bytes
//! take one multiplication by a number that nobody knows, both halves of the product folded together. One multiplication of that
//! kind parts keys that somebody chose to be alike (Dietzfelbinger, Hagerup, Katajainen, Penttonen, *A Reliable Randomized Algorithm
//! for the Closest-Pair Problem*, 1997); the numbers are drawn anew when the program starts. What a page could gain by guessing them is
//! bounded: its tables are no larger than the page, and its time is limited.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, Hasher, RandomState},
    sync::LazyLock,
};

/// A table.
pub(crate) type Table<K, V> = HashMap<K, V, Secret>;

/// A set.
pub(crate) type Set<K> = HashSet<K, Secret>;

/// The hash of a text, for tables of hashes.
pub(crate) fn of_text(text: &str) -> u64 {
    let mut hasher = Secret.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Makes the hashers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Secret;

/// Where each begins, and what it multiplies by.
static NUMBERS: LazyLock<(u64, u64)> = LazyLock::new(|| {
    let random = RandomState::new();
    (random.hash_one(0), random.hash_one(1) | 1)
});

impl BuildHasher for Secret {
    type Hasher = Folded;

    #[inline]
    fn build_hasher(&self) -> Folded {
        let (state, multiplier) = *NUMBERS;
        Folded { state, multiplier }
    }
}

pub(crate) struct Folded {
    state: u64,
    multiplier: u64,
}

impl Hasher for Folded {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            self.write_u64(u64::from_le_bytes(*eight));
        }
        // The length parts what ends in zeros.
        let mut last = bytes.len() as u64;
        for &byte in rest {
            last = last << 8 | u64::from(byte);
        }
        self.write_u64(last);
    }

    #[inline]
    fn write_u8(&mut self, key: u8) {
        self.write_u64(u64::from(key));
    }

    #[inline]
    fn write_u32(&mut self, key: u32) {
        self.write_u64(u64::from(key));
    }

    #[inline]
    fn write_u64(&mut self, key: u64) {
        let product = u128::from(self.state ^ key) * u128::from(self.multiplier);
        #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
        let lower = product as u64;
        let upper = (product >> 64) as u64;
        self.state = lower ^ upper;
    }

    #[inline]
    fn write_usize(&mut self, key: usize) {
        self.write_u64(key as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
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

    #[test]
    fn keys_far_apart_fall_into_places_far_apart() {
        // A table takes its places from the lowest bits, and its first look from the seven highest.
        for shift in [0, 20, 40, 56] {
            let keys = (0..256u64).map(|key| key << shift);
            let hashes: Vec<u64> = keys.map(|key| Secret.hash_one(key)).collect();
            let low: Set<u64> = hashes.iter().map(|hash| hash & 0xfff).collect();
            let high: Set<u64> = hashes.iter().map(|hash| hash >> 57).collect();
            assert!(
                low.len() > 200 && high.len() > 64,
                "{shift}: {} {}",
                low.len(),
                high.len()
            );
        }
    }
}
