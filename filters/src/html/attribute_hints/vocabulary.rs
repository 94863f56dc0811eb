//! The words that rules look for in names, found all at once.

use std::sync::LazyLock;

use super::{AttributeHints, Hint};
use super::{
    class_hints::WORDS as CLASS_HINTS,
    names::{AUTHOR_FOLDERS, AUTHORS, DATES, POSTERS, PROFILES, QUOTES},
};

/// The lists of words. All are of small letters.
fn lists() -> [(Hint, &'static [&'static str]); 5] {
    [
        (Hint::Authors, &AUTHORS),
        (Hint::Posters, POSTERS),
        (Hint::Quotes, QUOTES),
        (Hint::Dates, DATES[0]),
        (Hint::Dates, DATES[1]),
    ]
}

/// Class hints and hints of a name. Words are runs of letters; `camelCase` is two, and for hints one as well, because `itemprop=dateCreated` is one.
pub(super) fn hints(value: &str) -> AttributeHints {
    let known = &*WORDS;
    let bytes = value.as_bytes();
    let over = |class: u8, from: usize| {
        let mut rest = bytes[from..].iter();
        let same = rest.position(|byte| CLASSES[usize::from(*byte)] != class);
        same.map_or(bytes.len(), |length| from + length)
    };
    let mut all = AttributeHints::default();
    let mut at = over(OTHER, 0);
    while at < bytes.len() {
        let run = at;
        let mut word = at;
        loop {
            at = over(SMALL, over(CAPITAL, at));
            all.add(known.lookup(bytes, word, at));
            if bytes.get(at).is_none_or(|byte| CLASSES[usize::from(*byte)] == OTHER) {
                break;
            }
            word = at;
        }
        if run < word {
            all.hints |= known.lookup(bytes, run, at).hints;
        }
        at = over(OTHER, at);
    }
    all
}

/// Hints of an address: a folder or a parameter of profiles, a folder of authors' pages, each with something behind it.
pub(super) fn hints_of_address(address: &str) -> u32 {
    let known = &*FOLDERS;
    let bytes = address.as_bytes();
    let (mut hints, mut before, mut start) = (0, 0, 0);
    while start < bytes.len() {
        let rest = &bytes[start..];
        let end = rest.iter().position(|byte| ENDS[usize::from(*byte)]);
        let end = end.map_or(bytes.len(), |length| start + length);
        if start < end {
            hints |= before;
            before = known.lookup(bytes, start, end).hints;
            // What stands in a query is no folder.
            if start > 0 && bytes[start - 1] != b'/' || matches!(bytes.get(end), Some(b'?' | b'#')) {
                before &= !Hint::AuthorPage.bit();
            }
            // "~ann", "@ann", and "space-uid-12.html" of Discuz.
            if matches!(rest[0], b'~' | b'@') || rest[0] == b's' && rest.starts_with(b"space-uid-") {
                hints |= Hint::Profile.bit();
            }
        }
        start = end + 1;
    }
    hints
}

const OTHER: u8 = 0;
const SMALL: u8 = 1;
const CAPITAL: u8 = 2;

/// The class of each byte: small letter, capital or other.
const CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut letter = b'a';
    while letter <= b'z' {
        classes[letter as usize] = SMALL;
        classes[letter.to_ascii_uppercase() as usize] = CAPITAL;
        letter += 1;
    }
    classes
};

/// Characters between the parts of an address.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let signs = b"/?&=;#";
    let mut at = 0;
    while at < signs.len() {
        ends[signs[at] as usize] = true;
        at += 1;
    }
    ends
};

/// Letters that fit into a number. Longer words are told by their first ones, and stand for no class hint.
const MOST: usize = 16;

/// The letters of a word as a number, capitals as small ones; other signs may become the same number.
fn letters(bytes: &[u8], start: usize, end: usize) -> u128 {
    const SMALL: u128 = u128::from_le_bytes([b' '; MOST]);
    let length = (end - start).min(MOST);
    match bytes[start..].first_chunk() {
        Some(whole) => {
            let unwanted = 8 * (MOST - length);
            (u128::from_le_bytes(*whole) | SMALL) << unwanted >> unwanted
        }
        None => {
            bytes[start..start + length].iter().rev().fold(0, |letters, byte| letters << 8 | u128::from(byte | b' '))
        }
    }
}

/// Class hints and hints of words, found by the word's letters: several words stand in the `class` of every element of a page, so that
/// strings are not compared.
static WORDS: LazyLock<WordTable> = LazyLock::new(|| {
    let mut words = WordTable::new();
    for &(word, class_hints) in CLASS_HINTS {
        words.add(word, AttributeHints { class_hints, hints: 0 });
    }
    words.hint(&lists());
    words
});

/// Hints that the parts of an address stand for, by the letters of the part.
static FOLDERS: LazyLock<WordTable> = LazyLock::new(|| {
    let mut words = WordTable::new();
    words.hint(&[(Hint::Profile, &PROFILES), (Hint::AuthorPage, &AUTHOR_FOLDERS)]);
    words
});

struct WordTable {
    places: Vec<(u128, AttributeHints)>,
    /// A bit for each place that is taken. Most words of a page are none of these, and it is in the processor's nearest memory.
    taken: [u64; WordTable::PLACES / 64],
}

impl WordTable {
    /// More than four times as many as words: nearly all are found, or missed, at the first place.
    const PLACES: usize = 2048;

    fn new() -> WordTable {
        WordTable {
            places: vec![(0, AttributeHints::default()); WordTable::PLACES],
            taken: [0; WordTable::PLACES / 64],
        }
    }

    fn hint(&mut self, lists: &[(Hint, &[&str])]) {
        for (hint, list) in lists {
            for word in *list {
                let hints = hint.bit();
                self.add(word, AttributeHints { class_hints: 0, hints });
            }
        }
    }

    fn add(&mut self, word: &str, hints: AttributeHints) {
        let letters = letters(word.as_bytes(), 0, word.len());
        let place = self.place(letters);
        self.taken[place / 64] |= 1 << (place % 64);
        self.places[place].0 = letters;
        self.places[place].1.add(hints);
    }

    /// Class hints and hints of a stretch of a value.
    fn lookup(&self, bytes: &[u8], start: usize, end: usize) -> AttributeHints {
        if end <= start {
            return AttributeHints::default();
        }
        let hints = self.places[self.place(letters(bytes, start, end))].1;
        let class_hints = if end - start > MOST { 0 } else { hints.class_hints };
        AttributeHints { class_hints, ..hints }
    }

    /// Where a word stands, or would.
    fn place(&self, letters: u128) -> usize {
        // Multiplicative hashing (Knuth, *The Art of Computer Programming* 3, § 6.4), the golden ratio in 64 bits.
        let half = |word: u128| u64::try_from(word & u128::from(u64::MAX)).unwrap_or(0);
        let mixed = half(letters) ^ half(letters >> 64).rotate_left(29);
        let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = usize::try_from(mixed >> 53).unwrap_or(0) % WordTable::PLACES;
        while self.taken[at / 64] >> (at % 64) & 1 != 0 && self.places[at].0 != letters {
            at = (at + 1) % WordTable::PLACES;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::attribute_hints::class_hints::ClassHint;

    fn class_hints(value: &str) -> u32 {
        hints(value).class_hints
    }

    #[test]
    fn words_are_found_in_every_spelling() {
        let related = ClassHint::Related.bit();
        for value in ["related", "post-related", "RelatedPosts", "c_related__list"] {
            assert_ne!(class_hints(value) & related, 0, "{value}");
        }
        assert_eq!(class_hints("correlated unrelatedly"), 0);
    }

    #[test]
    fn every_word_of_the_cues_is_found_and_its_beginning_is_not() {
        assert!(CLASS_HINTS.len() > 300);
        for &(word, bit) in CLASS_HINTS.iter().filter(|(word, _)| !word.contains('-')) {
            assert!(word.len() <= MOST, "{word}");
            assert_eq!(class_hints(word), bit, "{word}");
            assert_eq!(class_hints(&format!("x{word}x")), 0, "{word}");
        }
    }

    #[test]
    fn every_word_of_a_list_is_found_alone_and_among_others() {
        let count: usize = lists().iter().map(|(_, list)| list.len()).sum();
        assert!(count > 30 && (count + CLASS_HINTS.len()) * 4 < WordTable::PLACES);
        for (hint, list) in lists() {
            for word in list {
                assert!(word.len() >= 2 && word.bytes().all(|b| b.is_ascii_lowercase()), "{word}");
                let mut capital = word.to_string();
                capital[..1].make_ascii_uppercase();
                for value in [
                    word.to_string(),
                    word.to_uppercase(),
                    format!("my-{word}"),
                    format!("my{capital}Box"),
                    format!("_{word}2"),
                ] {
                    assert!(hints(&value).has(hint), "{value}");
                }
                assert!(!hints(&format!("xq{word}")).has(hint), "{word}");
            }
        }
    }

    #[test]
    fn a_word_in_two_pieces_is_one_for_hints() {
        for value in ["dateCreated", "datePublished", "timeStamp"] {
            assert!(hints(value).has(Hint::Dates), "{value}");
        }
        assert!(hints("displayName").has(Hint::Posters));
        assert_eq!(class_hints("timeStamp"), class_hints("time"));
    }

    #[test]
    fn the_beginning_of_a_long_word_is_no_cue() {
        let word = CLASS_HINTS.iter().map(|(word, _)| *word);
        let longest = word.max_by_key(|word| word.len()).unwrap();
        assert_ne!(class_hints(longest), 0);
        let long = format!("{longest}{}", "x".repeat(MOST));
        assert_eq!(class_hints(&long), 0);
    }

    #[test]
    fn an_address_says_what_stands_in_a_folder_or_a_parameter() {
        for address in ["/~ann", "@ann", "a/space-uid-12.html", "?a=~ann", "/Users/ann", "x?uid=12", "/u/12#a"] {
            assert_eq!(hints_of_address(address), Hint::Profile.bit(), "{address}");
        }
        for address in ["https://a.example/x/contributors/ann?y", "journalist//ann"] {
            assert_eq!(hints_of_address(address), Hint::AuthorPage.bit(), "{address}");
        }
        for address in
            ["", "/", "//", "/a/b", "/users/", "/users?", "/userss/ann", "/contributors?x/y", "/x#contributors"]
        {
            assert_eq!(hints_of_address(address), 0, "{address}");
        }
    }
}
