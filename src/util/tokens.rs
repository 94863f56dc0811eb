//! Tokens that only this program can make and recognize, and whoever shares its secret: in links, in forms, in host names and in
//! `CDN-Loop`.
//!
//! Each is a truncated HMAC-SHA-256 (RFC 2104 § 5) of its purpose and of what it is for; a fresh one, which every forwarded request has, is
//! SipHash-2-4 of them (Aumasson and Bernstein, "`SipHash`: a fast short-input PRF", 2012), in a twentieth of the instructions.

use std::{
    fs,
    hash::Hasher as _,
    io, iter,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use ring::hmac;
use siphasher::sip::SipHasher24;
use tracing::warn;

use super::{
    atomic_file::{self, Readers},
    platform,
    random::{nonce, random_bytes},
};

/// The secret, beside the authority: tokens are good after a restart, and at every proxy that shares the folder.
const FILE: &str = "controls.key";

const SECRET_BYTES: usize = 32;

/// A token: 128 bits, so that none is guessed.
pub(crate) type Token = [u8; 16];

/// Bytes of a fresh token's nonce, and of its MAC. 64 bits are enough where a guess costs a request and the token is short-lived.
const FRESH_BYTES: usize = 8;

/// Seconds that a fresh token is good for, and twice that at most.
const FRESH_FOR: u64 = 600;

/// Makes tokens and recognizes them.
pub(crate) struct Tokens {
    key: hmac::Key,
    fresh: SipHasher24,
}

impl Tokens {
    /// With the secret in the authority's folder; where there is none, with one for this process.
    pub(crate) fn open(dir: Option<&Path>) -> Self {
        let mut secret = random_bytes();
        if let Some(dir) = dir {
            let stored = stored_secret(dir, secret)
                .inspect_err(|error| warn!(%error, file = %dir.join(FILE).display(), "the secret of links cannot be kept: the links in the bar of pages work until this program ends"));
            secret = stored.unwrap_or(secret);
        }
        let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
        let fresh = SipHasher24::new_with_key(&first_bytes(&sign(&key, "fresh", iter::empty())));
        Self { key, fresh }
    }

    /// The key, for what is signed in another form. Its messages must not begin with a zero byte, as those of tokens do.
    pub(crate) fn key(&self) -> &hmac::Key {
        &self.key
    }

    /// The token of these parts. One of another purpose differs.
    pub(crate) fn token(&self, purpose: &str, parts: &[impl AsRef<[u8]>]) -> Token {
        first_bytes(&sign(&self.key, purpose, parts.iter().map(AsRef::as_ref)))
    }

    /// Whether this is the text of that token.
    pub(crate) fn is(&self, text: &str, purpose: &str, parts: &[impl AsRef<[u8]>]) -> bool {
        // Two integers: how long it takes to compare them says nothing of where they differ.
        let given = u128::from_str_radix(text, 16);
        text.len() == 2 * size_of::<Token>() && given == Ok(u128::from_be_bytes(self.token(purpose, parts)))
    }

    /// A token that is new each time, in hexadecimal digits.
    pub(crate) fn fresh(&self, purpose: &str, parts: &[impl AsRef<[u8]>]) -> String {
        let nonce = nonce();
        let mac = self.mac_of_fresh(nonce, period(), purpose, parts);
        format!("{:032x}", u128::from(u64::from_be_bytes(nonce)) << 64 | u128::from(mac))
    }

    /// Whether it was made by [`Tokens::fresh`] of these parts a while ago at most.
    pub(crate) fn is_fresh(&self, text: &str, purpose: &str, parts: &[impl AsRef<[u8]>]) -> bool {
        let half = |range| u64::from_str_radix(text.get(range)?, 16).ok();
        let (Some(nonce), Some(mac), 32) = (half(0..16), half(16..32), text.len()) else { return false };
        let now = period();
        [now, now.saturating_sub(1)]
            .into_iter()
            .any(|period| self.mac_of_fresh(nonce.to_be_bytes(), period, purpose, parts) == mac)
    }

    fn mac_of_fresh(&self, nonce: [u8; FRESH_BYTES], period: u64, purpose: &str, parts: &[impl AsRef<[u8]>]) -> u64 {
        let period = period.to_be_bytes();
        let mut hasher = self.fresh;
        for part in [&nonce, &period, purpose.as_bytes()].into_iter().chain(parts.iter().map(AsRef::as_ref)) {
            hasher.write_u64(part.len() as u64);
            hasher.write(part);
        }
        hasher.finish()
    }
}

/// Signs the parts, each with its length.
fn sign<'a>(key: &hmac::Key, purpose: &'a str, parts: impl Iterator<Item = &'a [u8]>) -> hmac::Tag {
    let mut context = hmac::Context::with_key(key);
    for part in iter::once(purpose.as_bytes()).chain(parts) {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    context.sign()
}

/// A token as it is written.
pub(crate) fn text(token: Token) -> String {
    format!("{:032x}", u128::from_be_bytes(token))
}

fn first_bytes<const N: usize>(mac: &hmac::Tag) -> [u8; N] {
    std::array::from_fn(|index| mac.as_ref()[index])
}

fn period() -> u64 {
    // A clock before 1970 is one that stands still.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / FRESH_FOR
}

/// The secret in the file, or where it has none this one, written there.
fn stored_secret(dir: &Path, secret: [u8; SECRET_BYTES]) -> io::Result<[u8; SECRET_BYTES]> {
    let file = &dir.join(FILE);
    for path in [dir, file].into_iter().filter(|path| path.exists()) {
        platform::check_owner(path)?.map_err(io::Error::other)?;
    }
    // A disk that was full may have left an empty file.
    if let Some(stored) = fs::read(file).ok().and_then(|bytes| bytes.try_into().ok()) {
        return Ok(stored);
    }
    platform::make_private_folder(dir)?;
    atomic_file::write(file, &secret, Readers::Owner)?;
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_kept_also_where_its_file_was_left_empty() {
        let dir = tempfile::tempdir().unwrap();
        let stored = |secret: u8| stored_secret(dir.path(), [secret; SECRET_BYTES]).unwrap()[0];
        assert_eq!([stored(1), stored(2)], [1, 1]);
        fs::write(dir.path().join(FILE), "").unwrap();
        assert_eq!([stored(3), stored(4)], [3, 3]);
    }

    #[test]
    fn a_token_is_of_its_purpose_its_parts_and_its_secret() {
        let (ours, others) = (Tokens::open(None), Tokens::open(None));
        let token = text(ours.token("form", &["a", "b"]));
        assert!(ours.is(&token, "form", &["a", "b"]));
        for (tokens, purpose, parts) in [
            (&others, "form", ["a", "b"]),
            (&ours, "link", ["a", "b"]),
            (&ours, "form", ["ab", ""]),
            (&ours, "form", ["a", "c"]),
        ] {
            assert!(!tokens.is(&token, purpose, &parts), "{purpose} {parts:?}");
        }
        assert!(!ours.is("", "form", &["a", "b"]) && !ours.is(&format!("0{token}"), "form", &["a", "b"]));
    }

    #[test]
    fn a_fresh_token_is_new_each_time_and_ends() {
        let tokens = Tokens::open(None);
        let [one, other] = [(); 2].map(|()| tokens.fresh("loop", &["a.example"]));
        assert_ne!(one, other);
        for token in [&one, &other] {
            assert!(tokens.is_fresh(token, "loop", &["a.example"]));
            assert!(!tokens.is_fresh(token, "loop", &["b.example"]));
            assert!(!tokens.is_fresh(&token[1..], "loop", &["a.example"]));
            assert!(!tokens.is_fresh(&format!("{token}0"), "loop", &["a.example"]));
        }
        let nonce = [1; FRESH_BYTES];
        let made = |ago| {
            format!(
                "{:016x}{:016x}",
                u64::from_be_bytes(nonce),
                tokens.mac_of_fresh(nonce, period() - ago, "loop", &[""])
            )
        };
        assert!(tokens.is_fresh(&made(0), "loop", &[""]) && tokens.is_fresh(&made(1), "loop", &[""]));
        assert!(!tokens.is_fresh(&made(3), "loop", &[""]));
    }
}
