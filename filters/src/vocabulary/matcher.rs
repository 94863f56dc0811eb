//! Many words looked for in a text all at once (Aho, Corasick, *Efficient String Matching: An Aid to Bibliographic Search*,
//! Communications of the ACM 18, 1975).

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Words, each with what it stands for.
pub(crate) struct Matcher<T> {
    automaton: AhoCorasick,
    meanings: Vec<T>,
}

impl<T> Matcher<T> {
    /// For many long phrases: takes a few bytes for each of their letters.
    pub(crate) fn small<W: AsRef<[u8]>>(words: impl IntoIterator<Item = (W, T)>) -> Matcher<T> {
        Matcher::new(words, false, AhoCorasickKind::ContiguousNFA)
    }

    /// For some hundred words, in capitals or not: one look into a table for each letter of a text.
    pub(crate) fn fast<W: AsRef<[u8]>>(words: impl IntoIterator<Item = (W, T)>) -> Matcher<T> {
        Matcher::new(words, true, AhoCorasickKind::DFA)
    }

    fn new<W: AsRef<[u8]>>(
        words: impl IntoIterator<Item = (W, T)>,
        any_case: bool,
        kind: AhoCorasickKind,
    ) -> Matcher<T> {
        let (words, meanings): (Vec<W>, Vec<T>) = words.into_iter().unzip();
        let automaton = AhoCorasick::builder().ascii_case_insensitive(any_case).kind(Some(kind)).build(&words);
        Matcher { automaton: automaton.expect("the words of a list are some thousand letters"), meanings }
    }

    /// All places where a word stands, inside of other words too.
    pub(crate) fn find(&self, text: &str) -> impl Iterator<Item = (Range<usize>, &T)> {
        let found = self.automaton.find_overlapping_iter(text);
        found.map(|found| (found.range(), &self.meanings[found.pattern()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        let words = || [("date", 1), ("postdate", 2), ("at", 3), ("date", 4)];
        let found = |matcher: &Matcher<i32>, text| {
            let mut found: Vec<(Range<usize>, i32)> = matcher.find(text).map(|(at, of)| (at, *of)).collect();
            found.sort_by_key(|(at, of)| (at.start, *of));
            found
        };
        let small = Matcher::small(words());
        assert_eq!(found(&small, "ä postdate"), [(3..11, 2), (7..11, 1), (7..11, 4), (8..10, 3)]);
        assert_eq!(found(&small, "Date, POSTDATE"), [(1..3, 3)]);
        let fast = Matcher::fast(words());
        assert_eq!(found(&fast, "postDate"), found(&small, "postdate"));
        assert_eq!(found(&fast, ""), []);
    }
}
