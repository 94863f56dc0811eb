//! Words that texts may begin with. Nearly every text begins with a letter that none of them does.

/// Words in small letters.
pub(crate) struct Starts {
    pub(crate) all: &'static [&'static str],
    /// A bit for each byte of ASCII that begins one.
    firsts: u128,
}

impl Starts {
    pub(crate) const fn new(all: &'static [&'static str]) -> Starts {
        let mut firsts = 0;
        let mut at = 0;
        while at < all.len() {
            let first = all[at].as_bytes()[0];
            if first.is_ascii() {
                firsts |= 1 << first;
            }
            at += 1;
        }
        Starts { all, firsts }
    }

    /// Whether one may begin a text that begins with this byte: any other than ASCII may be a letter whose small one is a word's.
    pub(crate) fn may_begin(&self, first: u8) -> bool {
        !first.is_ascii() || self.firsts >> first.to_ascii_lowercase() & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_told_by_its_first_letter_in_either_case() {
        const STARTS: Starts = Starts::new(&["by", "écrit par"]);
        for first in *b"bB\xc3\xd0" {
            assert!(STARTS.may_begin(first), "{first}");
        }
        for first in *b"ax \0" {
            assert!(!STARTS.may_begin(first), "{first}");
        }
    }
}
