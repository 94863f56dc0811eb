//! Word prefixes, indexed by their first byte, so that most texts are rejected by one comparison.

/// Words in small letters.
pub(crate) struct Prefixes {
    pub(crate) all: &'static [&'static str],
    /// Where the words that begin with a byte stand in the list: the first of them, counted from 1; 0 where there is none.
    firsts: [u8; 256],
    /// The next word that begins with the same byte, stored in the same way.
    nexts: [u8; Prefixes::MOST],
}

impl Prefixes {
    /// Words in one list, at most.
    const MOST: usize = 200;

    #[expect(clippy::cast_possible_truncation, reason = "there are at most 200 words")]
    pub(crate) const fn new(all: &'static [&'static str]) -> Prefixes {
        assert!(all.len() <= Prefixes::MOST, "a byte counts the words");
        let (mut firsts, mut nexts) = ([0; 256], [0; Prefixes::MOST]);
        let mut at = all.len();
        while at > 0 {
            let first = all[at - 1].as_bytes()[0] as usize;
            (nexts[at - 1], firsts[first]) = (firsts[first], at as u8);
            at -= 1;
        }
        Prefixes { all, firsts, nexts }
    }

    /// Words that begin with a byte, in the order of the list.
    pub(crate) fn beginning_with(&self, first: u8) -> impl Iterator<Item = &'static str> {
        let mut next = self.firsts[usize::from(first)];
        std::iter::from_fn(move || {
            let at = usize::from(next).checked_sub(1)?;
            next = self.nexts[at];
            Some(self.all[at])
        })
    }

    /// Whether a word of the list may start with this byte, in either case. Bytes outside ASCII always may.
    pub(crate) fn may_begin(&self, first: u8) -> bool {
        !first.is_ascii() || self.firsts[usize::from(first.to_ascii_lowercase())] > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_told_by_its_first_letter_in_either_case() {
        const STARTS: Prefixes = Prefixes::new(&["by", "écrit par"]);
        for first in *b"bB\xc3\xd0" {
            assert!(STARTS.may_begin(first), "{first}");
        }
        for first in *b"ax \0" {
            assert!(!STARTS.may_begin(first), "{first}");
        }
    }

    #[test]
    fn words_are_found_by_their_first_byte_in_their_order() {
        const STARTS: Prefixes = Prefixes::new(&["by", "écrit par", "from", "below"]);
        let beginning_with = |first| STARTS.beginning_with(first).collect::<Vec<_>>();
        assert_eq!(beginning_with(b'b'), ["by", "below"]);
        assert_eq!(beginning_with("é".as_bytes()[0]), ["écrit par"]);
        assert!(beginning_with(b'x').is_empty());
    }
}
