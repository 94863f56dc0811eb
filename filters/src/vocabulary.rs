//! Finds the words by which the parts of a page are known, in many languages: "Read also", "Leave a reply", "All rights reserved".
//!
//! The words are data: `data/<class>.txt`, in lower case, one word or phrase a line, `#` for comments. A line that ends in `*` is the
//! beginning of a word.

pub(crate) mod any_of;
pub(crate) mod lists;
pub(crate) mod matcher;
pub(crate) mod prefixes;
pub(crate) mod words;

use std::sync::LazyLock;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use matcher::Matcher;
use words::{is_unspaced, is_word_char, lower};

macro_rules! classes {
    ($($class:ident: $file:literal,)+) => {
        /// The subject of a phrase.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Class { $($class,)+ }

        impl Class {
            pub(crate) const ALL: &[Class] = &[$(Class::$class,)+];

            pub(crate) const fn bit(self) -> u32 {
                1 << self as u32
            }

            pub(crate) fn name(self) -> &'static str {
                match self { $(Class::$class => $file,)+ }
            }

            fn data(self) -> &'static str {
                match self { $(Class::$class => include_str!(concat!("../data/", $file, ".txt")),)+ }
            }
        }
    };
}

classes! {
    Related: "related",
    Tags: "tags",
    Newsletter: "newsletter",
    Follow: "follow",
    Support: "support",
    Consent: "consent",
    Share: "share",
    Tools: "tools",
    Rights: "rights",
    Advertisement: "advertisement",
    Action: "action",
    Author: "author",
    Posted: "posted",
    Mistakes: "mistakes",
    Neighbours: "neighbours",
    Contents: "contents",
    Endings: "endings",
    Stock: "stock",
    Comments: "comments",
    Reviews: "reviews",
}

/// Classes of phrases in the text that surrounds the content of a page.
pub(crate) const BOILERPLATE: u32 = Class::Related.bit()
    | Class::Newsletter.bit()
    | Class::Follow.bit()
    | Class::Support.bit()
    | Class::Consent.bit()
    | Class::Share.bit()
    | Class::Tools.bit()
    | Class::Rights.bit()
    | Class::Advertisement.bit()
    | Class::Action.bit()
    | Class::Author.bit()
    | Class::Posted.bit()
    | Class::Mistakes.bit()
    | Class::Neighbours.bit()
    | Class::Comments.bit();

/// Which classes a text has phrases of, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    /// Anywhere.
    pub(crate) any: u32,
    /// The text begins with one.
    pub(crate) start: u32,
    /// The text is one, signs around it aside.
    pub(crate) whole: u32,
}

struct Phrase {
    class: Class,
    is_beginning: bool,
}

static PHRASES: LazyLock<Matcher<Phrase>> = LazyLock::new(|| {
    let phrases = Class::ALL.iter().flat_map(|&class| {
        let lines = class.data().lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(move |line| {
            let text = line.trim_end_matches('*');
            (folded(text.to_owned()), Phrase { class, is_beginning: text.len() < line.len() })
        })
    });
    Matcher::small(phrases)
});

/// Looks for all phrases in a text.
pub(crate) fn hits(text: String) -> Hits {
    let text = folded(text);
    let is_sign = |c: char| !is_word_char(c);
    let start = text.len() - text.trim_start_matches(is_sign).len();
    let end = start.max(text.trim_end_matches(is_sign).len());
    let mut hits = Hits::default();
    for (at, phrase) in PHRASES.find(&text) {
        if is_inside_word(&text, at.start) || !phrase.is_beginning && is_inside_word(&text, at.end) {
            continue;
        }
        let bit = phrase.class.bit();
        hits.any |= bit;
        if at.start <= start {
            hits.start |= bit;
            if at.end >= end {
                hits.whole |= bit;
            }
        }
    }
    hits
}

/// In lower case, and composed where a letter can be written in two ways.
fn folded(mut text: String) -> String {
    if text.is_ascii() {
        text.make_ascii_lowercase();
        return text;
    }
    let text = lower(&text);
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    text.nfc().collect()
}

/// Whether no word may end, or begin, at a place in a text.
fn is_inside_word(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    before.chars().next_back().is_some_and(is_joined) && after.chars().next().is_some_and(is_joined)
}

/// Whether a character is one of a word that it does not make alone: Chinese, Japanese and Thai have no spaces between words.
fn is_joined(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { is_word_char(c) && !is_unspaced(c) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(text: &str) -> Hits {
        super::hits(text.to_owned())
    }

    #[test]
    fn phrases_count_as_whole_words_in_every_script() {
        let related = Class::Related.bit();
        for text in ["Read also: bread", "» READ ALSO «", "Читайте также", "関連記事はこちら", "यह भी पढ़ें"]
        {
            assert_eq!(hits(text).start & related, related, "{text}");
        }
        assert_eq!(hits("Related Posts »").whole & related, related);
        assert_eq!(hits("Relatedposts").any & related, 0);
        assert_eq!(hits("Those we spread also know").any & related, 0);
        assert_eq!(hits(""), Hits::default());
    }

    #[test]
    fn every_line_of_the_data_is_in_lower_case_and_found_by_itself() {
        for &class in Class::ALL {
            for line in class.data().lines().filter(|line| !line.starts_with('#')) {
                let word = line.trim_end_matches('*');
                assert_eq!(lower(word), word, "{}: {line}", class.name());
                assert!(hits(word).any & class.bit() != 0, "{}: {line}", class.name());
            }
        }
    }
}
