//! Finds all words of the hint lists in an attribute value in one pass.

use std::sync::LazyLock;

use super::{
    AttributeHints, Hint,
    class_hints::WORDS as CLASS_HINTS,
    names::{AUTHOR_FOLDERS, AUTHORS, DATES, POSTERS, PROFILES, QUOTES},
};
use crate::vocabulary::matcher::Matcher;

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
    let bytes = value.as_bytes();
    let letter = |at: usize| bytes.get(at).filter(|byte| byte.is_ascii_alphabetic());
    let before = |at: usize| at.checked_sub(1).and_then(letter);
    // A small letter before a capital.
    let is_hump =
        |at: usize| before(at).is_some_and(u8::is_ascii_lowercase) && letter(at).is_some_and(u8::is_ascii_uppercase);
    let mut all = AttributeHints::default();
    for (at, own) in WORDS.find(value) {
        let (begins_run, ends_run) = (before(at.start).is_none(), letter(at.end).is_none());
        if (at.start + 1..at.end).any(is_hump) {
            all.hints |= if begins_run && ends_run { own.hints } else { 0 };
        } else if (begins_run || is_hump(at.start)) && (ends_run || is_hump(at.end)) {
            all.add(*own);
        }
    }
    all
}

/// Hints of an address: a folder or a parameter of profiles, a folder of authors' pages, each with something behind it.
pub(super) fn hints_of_address(address: &str) -> u32 {
    let bytes = address.as_bytes();
    let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| ENDS.contains(byte));
    let before = |at: usize| at.checked_sub(1).and_then(|before| bytes.get(before));
    let mut hints = 0;
    for (at, folder) in FOLDERS.find(address) {
        let is_whole = is_end(bytes.get(at.end)) && bytes[at.end..].iter().any(|byte| !ENDS.contains(byte));
        // What stands in a query is no folder.
        let in_path =
            before(at.start).is_none_or(|byte| *byte == b'/') && !matches!(bytes.get(at.end), Some(b'?' | b'#'));
        let counts = match folder {
            Folder::Profile => is_whole,
            Folder::AuthorPage => is_whole && in_path,
            Folder::StartOfProfile => true,
        };
        if counts && is_end(before(at.start)) {
            hints |= folder.hint().bit();
        }
    }
    hints
}

/// Characters between the parts of an address.
const ENDS: &[u8] = b"/?&=;#";

/// Class hints and hints of words.
static WORDS: LazyLock<Matcher<AttributeHints>> = LazyLock::new(|| {
    let class_hints = CLASS_HINTS.iter().map(|&(word, class_hints)| (word, AttributeHints { class_hints, hints: 0 }));
    let hints = lists().into_iter().flat_map(|(hint, list)| {
        let own = AttributeHints { class_hints: 0, hints: hint.bit() };
        list.iter().map(move |word| (*word, own))
    });
    Matcher::fast(class_hints.chain(hints))
});

/// A part of an address that tells whose page it leads to.
#[derive(Clone, Copy)]
enum Folder {
    Profile,
    AuthorPage,
    /// How a part begins: "~ann", "@ann", and "space-uid-12.html" of Discuz.
    StartOfProfile,
}

impl Folder {
    fn hint(self) -> Hint {
        match self {
            Folder::Profile | Folder::StartOfProfile => Hint::Profile,
            Folder::AuthorPage => Hint::AuthorPage,
        }
    }
}

static FOLDERS: LazyLock<Matcher<Folder>> = LazyLock::new(|| {
    let profiles = PROFILES.iter().map(|word| (*word, Folder::Profile));
    let authors = AUTHOR_FOLDERS.iter().map(|word| (*word, Folder::AuthorPage));
    let starts = ["~", "@", "space-uid-"].map(|start| (start, Folder::StartOfProfile));
    Matcher::fast(profiles.chain(authors).chain(starts))
});

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
        for &(word, bit) in CLASS_HINTS {
            assert_eq!(class_hints(word), bit, "{word}");
            assert_eq!(class_hints(&format!("x{word}x")), 0, "{word}");
        }
    }

    #[test]
    fn every_word_of_a_list_is_found_alone_and_among_others() {
        let count: usize = lists().iter().map(|(_, list)| list.len()).sum();
        assert!(count > 30);
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
