//! Which sorts of phrases stand in a line: hundreds of phrases in tens of scripts are looked for at once, and hardly ever found.
//!
//! A set of bits by the first three bytes tells that no phrase begins here (all but one in some hundred places); only else they are
//! compared.

use std::collections::HashMap;

/// Sets of bits by three bytes.
const SETS: usize = 1024;

/// Phrases of three bytes at least, each of some sort.
pub(super) struct Phrases {
    may_begin: Vec<u64>,
    by_start: HashMap<usize, Vec<(&'static str, u8)>>,
}

impl Phrases {
    /// Lists of phrases in lower case, and the bit that tells each.
    pub(super) fn new(lists: &[(&'static [&'static str], u8)]) -> Phrases {
        let mut phrases = Phrases {
            may_begin: vec![0; SETS],
            by_start: HashMap::new(),
        };
        for &(list, bit) in lists {
            for phrase in list {
                if let Some(start) = phrase.as_bytes().first_chunk() {
                    let key = key(*start);
                    phrases.may_begin[key / 64] |= 1 << (key % 64);
                    phrases.by_start.entry(key).or_default().push((phrase, bit));
                }
            }
        }
        phrases
    }

    /// The bits of all that stand somewhere in a text, which is in lower case.
    pub(super) fn in_text(&self, text: &str) -> u8 {
        let bytes = text.as_bytes();
        let mut found = 0;
        for (at, start) in bytes.windows(3).enumerate() {
            let key = key([start[0], start[1], start[2]]);
            if self.may_begin[key / 64] & (1 << (key % 64)) == 0 {
                continue;
            }
            for (phrase, bit) in self.by_start.get(&key).into_iter().flatten() {
                if bytes[at..].starts_with(phrase.as_bytes()) {
                    found |= bit;
                }
            }
        }
        found
    }
}

/// 16 bits of three bytes.
fn key(start: [u8; 3]) -> usize {
    let [one, two, three] = start.map(usize::from);
    ((one << 8) ^ (two << 4) ^ three.wrapping_mul(0x9e5)) & (64 * SETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        let phrases = Phrases::new(&[
            (&["все права", "all rights"], 1),
            (&["follow us", "फॉलो"], 2),
        ]);
        for (text, bits) in [
            ("все права защищены", 1),
            ("© 2026, all rights", 1),
            ("पेज को फॉलो करें, all rights", 3),
            ("all right", 0),
            ("fo", 0),
            ("", 0),
        ] {
            assert_eq!(phrases.in_text(text), bits, "{text}");
        }
    }
}
