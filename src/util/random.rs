//! Random bytes.

use std::cell::RefCell;

use ring::rand::{SecureRandom, SystemRandom};

/// Random bytes from the operating system.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).expect("no system that Rust's hash maps work on is without random numbers");
    bytes
}

/// Random bytes for what is no secret and needed for each request. They are read from the operating system for 64 requests at once:
/// a call for each would be a tenth of a request's processor time.
pub(crate) fn nonce() -> [u8; 8] {
    thread_local! {
        static READ: RefCell<Vec<[u8; 8]>> = const { RefCell::new(Vec::new()) };
    }
    READ.with_borrow_mut(|read| {
        if read.is_empty() {
            read.extend_from_slice(random_bytes::<512>().as_chunks().0);
        }
        read.pop().unwrap_or_else(random_bytes)
    })
}
