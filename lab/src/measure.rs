//! The measure of all commands: which words a text has, and word F1.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use regex::Regex;

/// Recall below which a page counts as harmed.
const HARMED: f64 = 0.5;

/// How often each word is in a text.
pub(crate) type Bag = HashMap<String, usize>;

/// The words of a text with their places: runs of letters, digits and underscores, in lower case. Soft hyphens are no part of a word.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\p{Alphabetic}\p{N}_\u{AD}]+").expect("the pattern is a constant"));
    let found = WORD.find_iter(text).map(|word| (word.range(), word.as_str().replace('\u{ad}', "").to_lowercase()));
    found.filter(|(_, word)| !word.is_empty())
}

/// The words of a text in their order.
pub(crate) fn list(text: &str) -> Vec<String> {
    words(text).map(|(_, word)| word).collect()
}

/// How often each word is in a text.
pub(crate) fn bag(text: &str) -> Bag {
    let mut bag = Bag::new();
    for (_, word) in words(text) {
        *bag.entry(word).or_insert(0) += 1;
    }
    bag
}

/// How many words two bags have in common.
pub(crate) fn common(one: &Bag, other: &Bag) -> usize {
    one.iter().map(|(word, count)| other.get(word).map_or(0, |other| *count.min(other))).sum()
}

/// The words of a kept text compared with those of its reference.
#[derive(Clone, Copy, Default)]
pub(crate) struct WordScore {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    /// Less than half of a reference's words were kept.
    pub(crate) harmed: bool,
}

impl WordScore {
    /// Two bags without a word are alike; an empty reference cannot be harmed.
    pub(crate) fn new(kept: &Bag, wanted: &Bag) -> WordScore {
        let (kept_words, wanted_words): (usize, usize) = (kept.values().sum(), wanted.values().sum());
        if wanted_words == 0 || kept_words == 0 {
            let alike = f64::from(u8::from(wanted_words == kept_words));
            return WordScore { precision: alike, recall: alike, f1: alike, harmed: wanted_words > 0 };
        }
        let common = common(kept, wanted) as f64;
        let (precision, recall) = (common / kept_words as f64, common / wanted_words as f64);
        let f1 = if common == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        WordScore { precision, recall, f1, harmed: recall < HARMED }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(kept: &str, wanted: &str) -> WordScore {
        WordScore::new(&bag(kept), &bag(wanted))
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_without_soft_hyphens() {
        assert_eq!(list("Don\u{ad}au\u{ad}dampf, 3rd_of \u{ad} ÄÖ!"), ["donaudampf", "3rd_of", "äö"]);
        assert_eq!(words("a b\u{ad}c").last(), Some((2..6, "bc".to_owned())));
    }

    #[test]
    fn scores_compare_bags() {
        // Kept: a a b; wanted: a b c d. Common: a, b.
        let WordScore { precision, recall, f1, harmed } = score("a A b", "a b c d");
        assert!((precision - 2.0 / 3.0).abs() < 1e-12);
        assert!((recall - 0.5).abs() < 1e-12);
        assert!((f1 - 4.0 / 7.0).abs() < 1e-12);
        assert!(!harmed && score("a", "a b c").harmed);
    }

    #[test]
    fn an_empty_reference_is_met_by_an_empty_text_only_and_never_harmed() {
        assert!((score("", "").f1 - 1.0).abs() < 1e-12);
        assert!(score("a", "").f1.abs() < 1e-12 && !score("a", "").harmed);
        assert!(score("", "a").harmed);
    }
}
