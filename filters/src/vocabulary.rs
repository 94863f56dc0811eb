//! Finds the words by which the parts of a page are known, in many languages: "Read also", "Leave a reply", "All rights reserved".
//!
//! The words are data: `data/<class>.txt`, in lower case, one word or phrase a line, `#` for comments. A line that ends in `*` is the
//! beginning of a word. One automaton (Aho, Corasick, *Efficient string matching*, CACM 1975) looks for all of them at once; what it
//! finds counts where it begins and ends with a word.

pub(crate) mod lists;
pub(crate) mod parts;
pub(crate) mod starts;
pub(crate) mod words;

use std::{borrow::Cow, sync::LazyLock};

use aho_corasick::AhoCorasick;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::vocabulary::words::{is_unspaced, is_word_char, lower};

macro_rules! classes {
    ($($class:ident: $file:literal,)+) => {
        /// What a phrase is about.
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

struct Vocabulary {
    automaton: AhoCorasick,
    phrases: Vec<Phrase>,
}

#[derive(Clone, Copy)]
struct Phrase {
    class: Class,
    is_beginning: bool,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let (mut words, mut phrases): (Vec<String>, _) = (Vec::new(), Vec::new());
    for &class in Class::ALL {
        let lines = class.data().lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let word = line.trim_end_matches('*');
            words.push(folded(word).into_owned());
            phrases.push(Phrase { class, is_beginning: word.len() < line.len() });
        }
    }
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("a test builds it");
    Vocabulary { automaton, phrases }
});

/// Looks for all phrases in a text.
pub(crate) fn hits(text: &str) -> Hits {
    let text = folded(text);
    let is_sign = |c: char| !is_word_char(c);
    let start = text.len() - text.trim_start_matches(is_sign).len();
    let end = start.max(text.trim_end_matches(is_sign).len());
    let mut hits = Hits::default();
    for found in VOCABULARY.automaton.find_overlapping_iter(&*text) {
        let phrase = VOCABULARY.phrases[found.pattern().as_usize()];
        if !is_boundary(&text, found.start()) || !phrase.is_beginning && !is_boundary(&text, found.end()) {
            continue;
        }
        let bit = phrase.class.bit();
        hits.any |= bit;
        if found.start() <= start {
            hits.start |= bit;
            if found.end() >= end {
                hits.whole |= bit;
            }
        }
    }
    hits
}

/// In lower case, which the automaton does not need where all is ASCII, and composed where a letter can be written in two ways.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let text = lower(text);
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Owned(text);
    }
    Cow::Owned(text.nfc().collect())
}

/// Whether a word may begin or end here. Chinese, Japanese and Thai have no spaces between words.
fn is_boundary(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at..].chars().next();
    let is_joined = |c: Option<char>| c.is_some_and(|c| is_word_char(c) && !is_unspaced(c));
    !(is_joined(before) && is_joined(after))
}

#[cfg(test)]
mod tests {
    use super::*;

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
