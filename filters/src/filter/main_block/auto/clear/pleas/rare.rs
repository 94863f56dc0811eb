//! What tells of most texts that they are no plea, before they are copied in lower case and their words are looked up: whoever asks says
//! so ("us"), or asks a question, or is loud at the end. Words of ASCII are looked for by a hash of their letters in a set of bits,
//! as the text is read once; a text with other letters may be a plea.

use std::sync::LazyLock;

use super::{PHRASES, is_speech, words};
use crate::text::has_plain_letters;

/// Bits of the hash of a word, and words of 64 bits that hold all its values. One in 300 other words is taken for one that is looked for.
const BITS: u32 = 15;
const SETS: usize = (1 << BITS) / 64;

/// Who asks, of the words of ASCII.
static ASKING: LazyLock<[u64; SETS]> = LazyLock::new(|| {
    let mut sets = [0; SETS];
    for word in words::ASKING.iter().chain(words::CALLS_US) {
        if word.is_ascii() {
            let hash = word.bytes().fold(0, add);
            sets[place(hash) / 64] |= 1 << (place(hash) % 64);
        }
    }
    sets
});

/// Whether a text of one line may be a plea; the last of an article may also ask to be passed on.
pub(super) fn may_be_plea(text: &str, is_last: bool) -> bool {
    if is_speech(text) {
        return false;
    }
    if !has_plain_letters(text) {
        return true;
    }
    let asking = &*ASKING;
    let is_asking = |hash: u32| asking[place(hash) / 64] & (1 << (place(hash) % 64)) != 0;
    let mut hash = 0;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            hash = add(hash, byte);
            continue;
        }
        if hash != 0 && is_asking(hash) || byte == b'?' || is_last && byte == b'!' {
            return true;
        }
        hash = 0;
    }
    hash != 0 && is_asking(hash) || PHRASES.in_text(text) != 0
}

/// The hash of a word and one more letter or digit, whatever its case.
fn add(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte | 0x20)).wrapping_mul(0x9e37_79b1)
}

fn place(hash: u32) -> usize {
    (hash >> (32 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_texts_are_none() {
        for text in [
            "The bridge opened on a clear morning in May, eleven months late.",
            "It was “late” – nobody complained…",
            "“Follow us,” she calls.",
            "Sendosta",
        ] {
            assert!(!may_be_plea(text, false), "{text}");
        }
        assert!(!may_be_plea("It is open!", false));
    }

    #[test]
    fn who_asks_is_seen() {
        for text in [
            "Follow US",
            "Read our letters.",
            "follow—us",
            "Subscriber? Log in",
            "Seuraa meitä",
            "SEND OS et tip",
            "Scrie-ne",
            "Mari bergabung",
        ] {
            assert!(may_be_plea(text, false), "{text}");
        }
        assert!(may_be_plea("Share the article!", true));
    }
}
