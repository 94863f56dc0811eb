//! Whether a value holds one of some words: asked of the classes of every element of a page, and hardly ever so.

/// Words of ASCII, two letters at least, that are looked for all at once.
pub(crate) struct Parts {
    words: &'static [&'static str],
    /// By the first letter of a word, without its case: a bit for the second.
    starts: [u32; 32],
}

impl Parts {
    pub(crate) const fn new(words: &'static [&'static str]) -> Parts {
        let mut starts = [0; 32];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            starts[low(word[0]) as usize] |= 1 << low(word[1]);
            at += 1;
        }
        Parts { words, starts }
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
        let may_start = |pair: &[u8]| self.starts[low(pair[0]) as usize] >> low(pair[1]) & 1 == 1;
        bytes.windows(2).enumerate().any(|(at, pair)| {
            may_start(pair)
                && self.words.iter().any(|word| {
                    let here = bytes[at..].get(..word.len());
                    here.is_some_and(|here| is_same(here, word.as_bytes()))
                })
        })
    }
}

/// Five bits of a byte: the same for a letter and its capital.
const fn low(byte: u8) -> u8 {
    byte & 31
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Parts = Parts::new(&["author", "by-line"]);

    #[test]
    fn words_are_found_at_both_ends_and_in_the_middle() {
        for value in [
            "author",
            "an author",
            "authors",
            "the-author-box",
            "x by-line",
        ] {
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
    fn what_only_begins_alike_is_not_found() {
        for value in [
            "",
            "a",
            "au",
            "autho",
            "autumn",
            "by line",
            "ÄUTHOR",
            "by\u{d}line",
        ] {
            assert!(!WORDS.are_in(value), "{value}");
        }
    }
}
