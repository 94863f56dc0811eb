//! Searches a short value, such as the classes of an element, for any of a few words, and is fast where the answer is no, as nearly
//! always.
//!
//! All words are looked for at once, and most letters are not looked at: two letters in the middle of no word tell that none of them
//! stands here, and how far away the next may (Wu, Manber, *A Fast Algorithm for Multi-Pattern Searching*, University of Arizona
//! TR-94-17, 1994, with blocks of two letters).
//!
//! [`Matcher`](super::matcher::Matcher) in its place looks at every letter: a page took 69 % more instructions (60 pages of WCXB dev,
//! callgrind, 2026-11-28).

/// Words of ASCII, two letters at least, that are looked for all at once.
pub(crate) struct AnyOf {
    words: &'static [&'static str],
    /// Letters of the shortest word.
    shortest: usize,
    /// By two letters that stand where the shortest word would end: how far away a word may end at least.
    shifts: [[u8; 32]; 32],
}

impl AnyOf {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no shift is longer than the shortest word, which has less than 255 letters"
    )]
    pub(crate) const fn new(words: &'static [&'static str]) -> AnyOf {
        let mut shortest = 255;
        let mut at = 0;
        while at < words.len() {
            if words[at].len() < shortest {
                shortest = words[at].len();
            }
            at += 1;
        }
        assert!(shortest >= 2, "a word is two letters");
        let longest_shift = (shortest - 1) as u8;
        let mut shifts = [[longest_shift; 32]; 32];
        at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            let mut end = 1;
            while end < shortest {
                let shift = &mut shifts[low(word[end - 1]) as usize][low(word[end]) as usize];
                let own = (shortest - 1 - end) as u8;
                if own < *shift {
                    *shift = own;
                }
                end += 1;
            }
            at += 1;
        }
        AnyOf { words, shortest, shifts }
    }

    /// Whether one of the words stands somewhere in a value, in capitals or not.
    pub(crate) fn are_in(&self, value: &str) -> bool {
        self.find(value, <[u8]>::eq_ignore_ascii_case)
    }

    /// Whether one of the words stands somewhere in a value as it is written here.
    pub(crate) fn are_in_exactly(&self, value: &str) -> bool {
        self.find(value, |one, other| one == other)
    }

    #[inline]
    fn find(&self, value: &str, is_same: fn(&[u8], &[u8]) -> bool) -> bool {
        let bytes = value.as_bytes();
        // Where the shortest word would end.
        let mut end = self.shortest - 1;
        while let Some(&[before, last]) = bytes.get(end - 1..=end) {
            let shift = self.shifts[low(before) as usize][low(last) as usize];
            if shift > 0 {
                end += usize::from(shift);
                continue;
            }
            let here = &bytes[end + 1 - self.shortest..];
            let stands = |word: &&str| {
                let here = here.get(..word.len());
                here.is_some_and(|here| is_same(here, word.as_bytes()))
            };
            if self.words.iter().any(stands) {
                return true;
            }
            end += 1;
        }
        false
    }
}

/// Five bits of a byte: the same for a letter and its capital.
const fn low(byte: u8) -> u8 {
    byte & 31
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: AnyOf = AnyOf::new(&["author", "by-line"]);

    #[test]
    fn words_are_found_at_both_ends_and_in_the_middle() {
        for value in ["author", "an author", "authors", "the-author-box", "x by-line"] {
            assert!(WORDS.are_in(value), "{value}");
            assert!(WORDS.are_in_exactly(value), "{value}");
        }
    }

    #[test]
    fn capitals_are_the_same_where_they_are_to_be() {
        assert!(WORDS.are_in("postAuthor By-Line"));
        assert!(!WORDS.are_in_exactly("postAuthor By-Line"));
    }

    #[test]
    fn what_is_found_is_what_stands_there() {
        const SOME: AnyOf = AnyOf::new(&["date", "postdate", "at", "to-day", "dat"]);
        // All values of up to six of these letters.
        let letters = ["d", "a", "t", "e", "-", "po"];
        let mut values = vec![String::new()];
        for _ in 0..5 {
            let longer = values.iter().flat_map(|value| {
                let add = move |letter: &&str| format!("{value}{letter}");
                letters.iter().map(add)
            });
            values = longer.collect();
            for value in &values {
                let stands = SOME.words.iter().any(|word| value.contains(word));
                assert_eq!(SOME.are_in(value), stands, "{value}");
                assert_eq!(SOME.are_in_exactly(value), stands, "{value}");
            }
        }
    }

    #[test]
    fn what_only_begins_alike_is_not_found() {
        for value in ["", "a", "au", "autho", "autumn", "by line", "ÄUTHOR", "by\u{d}line"] {
            assert!(!WORDS.are_in(value), "{value}");
        }
    }
}
