//! Random bytes.

use ring::rand::{SecureRandom, SystemRandom};

/// Random bytes from the operating system.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).expect("no system that Rust's hash maps work on is without random numbers");
    bytes
}
