//! Tables whose keys are hashes already.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher, RandomState},
    sync::LazyLock,
};

/// Gives equal keys equal numbers.
#[derive(Default)]
pub(super) struct Numbers(HashMap<u64, usize, Secret>);

/// The keys are hashes already, and anybody can work out which of them are alike. One multiplication by a number that nobody
/// knows parts them again (Dietzfelbinger, Hagerup, Katajainen, Penttonen, *A Reliable Randomized Algorithm for the
/// Closest-Pair Problem*, 1997).
#[derive(Clone, Copy, Default)]
pub(super) struct Secret;

static MULTIPLIER: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0) | 1);

impl BuildHasher for Secret {
    type Hasher = Product;

    fn build_hasher(&self) -> Product {
        Product(*MULTIPLIER)
    }
}

pub(super) struct Product(u64);

impl Hasher for Product {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let product = u128::from(key) * u128::from(self.0);
        let half = |half: u128| u64::try_from(half & u128::from(u64::MAX)).unwrap_or(0);
        self.0 = half(product) ^ half(product >> 64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Numbers {
    pub(super) fn of(&mut self, key: u64) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }
}
