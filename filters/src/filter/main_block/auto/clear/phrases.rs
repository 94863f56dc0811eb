//! Which sorts of phrases stand in a line: hundreds of phrases in tens of scripts are looked for at once, and hardly ever found.
//!
//! Two bytes tell how far away the end of the next phrase's beginning may be (Wu and Manber 1994, as in `parts.rs`); beginnings are
//! as long as the shortest phrase. Most bytes of a text in another script are never looked at.

use crate::hashing::Table;

/// Bits of the hash of two bytes.
const BITS: u32 = 12;

/// Bytes of a phrase, at least.
const LEAST: usize = 3;

/// Phrases of three bytes at least, each of some sort.
pub(super) struct Phrases {
    /// Bytes of a beginning.
    length: usize,
    /// By two bytes: how far the text may be gone on in.
    skips: Vec<u8>,
    by_start: Table<[u8; LEAST], Vec<(&'static [u8], u8)>>,
}

impl Phrases {
    /// Lists of phrases in lower case, and the bit that tells each.
    pub(super) fn new(lists: &[(&'static [&'static str], u8)]) -> Phrases {
        let all = || {
            let lists = lists.iter();
            lists.flat_map(|&(list, bit)| list.iter().map(move |phrase| (phrase.as_bytes(), bit)))
        };
        let shortest = all().map(|(phrase, _)| phrase.len()).min();
        let length = shortest.unwrap_or_default().clamp(LEAST, 32);
        let mut phrases = Phrases {
            length,
            skips: vec![small(length - 1); 1 << BITS],
            by_start: Table::default(),
        };
        for (phrase, bit) in all() {
            let (Some(start), Some(beginning)) = (phrase.first_chunk(), phrase.get(..length))
            else {
                continue;
            };
            for (at, two) in beginning.windows(2).enumerate() {
                let skip = &mut phrases.skips[key(two[0], two[1])];
                *skip = (*skip).min(small(length - 2 - at));
            }
            phrases
                .by_start
                .entry(*start)
                .or_default()
                .push((phrase, bit));
        }
        phrases
    }

    /// The bits of all that stand somewhere in a text, which is in lower case; letters of ASCII may be capitals.
    pub(super) fn in_text(&self, text: &str) -> u8 {
        let bytes = text.as_bytes();
        let small = |at: usize| bytes[at].to_ascii_lowercase();
        let (mut end, mut found) = (self.length, 0);
        while end <= bytes.len() {
            let skip = self.skips[key(small(end - 2), small(end - 1))];
            if skip > 0 {
                end += usize::from(skip);
                continue;
            }
            let at = end - self.length;
            let start = [small(at), small(at + 1), small(at + 2)];
            for &(phrase, bit) in self.by_start.get(&start).into_iter().flatten() {
                let there = bytes.get(at..at + phrase.len());
                if there.is_some_and(|there| there.eq_ignore_ascii_case(phrase)) {
                    found |= bit;
                }
            }
            end += 1;
        }
        found
    }
}

/// A length in a byte: beginnings are shorter.
fn small(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

/// Some bits of two bytes.
fn key(one: u8, two: u8) -> usize {
    let two = u32::from(one) << 8 | u32::from(two);
    (two.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        let phrases = Phrases::new(&[
            (&["все права", "all rights"], 1),
            (&["follow us", "फॉलो"], 2),
            (&["log"], 4),
        ]);
        for (text, bits) in [
            ("все права защищены", 1),
            ("© 2026, all rights", 1),
            ("पेज को फॉलो करें, All Rights", 3),
            ("all right", 0),
            ("a Log", 4),
            ("xfollow us", 2),
            ("fo", 0),
            ("", 0),
        ] {
            assert_eq!(phrases.in_text(text), bits, "{text}");
        }
    }

    #[test]
    fn where_all_are_long_most_of_a_text_is_passed_over() {
        let phrases = Phrases::new(&[(&["follow us", "все права", "subscribe"], 1)]);
        for before in 0..20 {
            for phrase in ["Follow Us", "все права", "SUBSCRIBE"] {
                let text = format!("{}{phrase}{}", "f".repeat(before), "e".repeat(20 - before));
                assert_eq!(phrases.in_text(&text), 1, "{text}");
            }
        }
        assert_eq!(phrases.in_text("we follow a us subscription"), 0);
    }
}
