//! Precision and recall by text nodes, as the papers of CNR and `CoreEx` have them: each node counting one (López, Silva,
//! Insa 2012, § 5; Prasad, Paepcke 2008, § 3.3, "node-based"), and each counting its words (the same, "text-based").
//!
//! The references are texts, not nodes. A text node belongs to the reference if at least half of its words are
//! aligned with it (`align.rs`). Where less than 90 % of the reference's words find a place on the page (text from
//! scripts, another version of the page), the page has no node scores.

use gleaner_filters::TracedText;
use serde::Serialize;

use super::align::align;
use crate::measure::{list, words};

/// Share of a node's words that must belong to the reference. Our choice: more belongs to it than not.
const NODE_SHARE: f64 = 0.5;

/// Share of the reference's words that must be found on the page. Our choice; lower: more pages, less certain nodes.
const FOUND_SHARE: f64 = 0.9;

/// Text nodes that were kept and should have been.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct NodeScore {
    pub(super) precision: f64,
    pub(super) recall: f64,
    /// Precision where each node weighs as much as it has words.
    pub(super) text_precision: f64,
    pub(super) text_recall: f64,
}

/// Which text nodes of a page belong to the reference.
pub(super) struct Mapping {
    texts: Vec<String>,
    /// Words of each.
    words: Vec<usize>,
    wanted: Vec<bool>,
    /// Share of the reference's words that were found; none without a reference.
    found: Option<f64>,
}

impl Mapping {
    pub(super) fn new(texts: &[TracedText], reference: &str) -> Mapping {
        let right = list(reference);
        let mut left = Vec::new();
        let mut ends = Vec::with_capacity(texts.len());
        for text in texts {
            left.extend(words(&text.text).map(|(_, word)| word));
            ends.push(left.len());
        }
        let aligned = align(&left, &right);
        let found = aligned.right.iter().filter(|found| **found).count();
        let mut mapping = Mapping {
            texts: texts.iter().map(|text| text.text.clone()).collect(),
            words: Vec::with_capacity(texts.len()),
            wanted: Vec::with_capacity(texts.len()),
            found: (!right.is_empty()).then(|| found as f64 / right.len() as f64),
        };
        let mut start = 0;
        for end in ends {
            let own = &aligned.left[start..end];
            start = end;
            let found = own.iter().filter(|found| **found).count();
            let is_wanted = found > 0 && found as f64 >= NODE_SHARE * own.len() as f64;
            mapping.words.push(own.len());
            mapping.wanted.push(is_wanted);
        }
        mapping
    }

    /// Whether it was made for these nodes.
    pub(super) fn is_of(&self, texts: &[TracedText]) -> bool {
        self.texts.len() == texts.len() && self.texts.iter().zip(texts).all(|(a, b)| *a == b.text)
    }

    /// For each node whether it belongs to the reference, as far as can be told.
    pub(super) fn wanted(&self) -> &[bool] {
        &self.wanted
    }

    /// Share of the reference's words that stand in the page's text nodes; none without a reference.
    pub(super) fn found(&self) -> Option<f64> {
        self.found
    }

    /// The score of what was kept; nothing kept scores nothing. None where too little of the reference is on the page.
    pub(super) fn score(&self, texts: &[TracedText]) -> Option<NodeScore> {
        self.found.filter(|found| *found >= FOUND_SHARE)?;
        // Kept, wanted, and both: nodes, then words.
        let mut sums = [[0usize; 3]; 2];
        for ((text, &wanted), &words) in texts.iter().zip(&self.wanted).zip(&self.words) {
            for (sum, size) in sums.iter_mut().zip([1, words]) {
                sum[0] += if text.kept { size } else { 0 };
                sum[1] += if wanted { size } else { 0 };
                sum[2] += if text.kept && wanted { size } else { 0 };
            }
        }
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let [[kept, wanted, both], [kept_words, wanted_words, both_words]] = sums;
        Some(NodeScore {
            precision: share(both, kept),
            recall: share(both, wanted),
            text_precision: share(both_words, kept_words),
            text_recall: share(both_words, wanted_words),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[(&str, bool)]) -> Vec<TracedText> {
        let text = |&(text, kept): &(&str, bool)| TracedText { text: text.to_owned(), kept };
        list.iter().map(text).collect()
    }

    #[test]
    fn nodes_are_counted_whatever_their_length() {
        let page = texts(&[
            ("Home", true),
            ("A headline of the page", false),
            ("The first paragraph is a long one with words", true),
            ("The second one", true),
            ("Imprint", false),
        ]);
        let reference = "A headline of the page. The first paragraph is a long one with words. The second one.";
        let score = Mapping::new(&page, reference).score(&page).unwrap();
        assert!((score.precision - 2.0 / 3.0).abs() < 1e-12);
        assert!((score.recall - 2.0 / 3.0).abs() < 1e-12);
        // By their words: 9 and 3 of 9 + 3 + 1 kept, and of 9 + 3 + 5 wanted.
        assert!((score.text_precision - 12.0 / 13.0).abs() < 1e-12);
        assert!((score.text_recall - 12.0 / 17.0).abs() < 1e-12);
    }

    #[test]
    fn a_reference_that_is_not_on_the_page_gives_no_score() {
        let page = texts(&[("Only this stands here", true)]);
        let mapping = Mapping::new(&page, "Only this stands here and much more from a script");
        assert_eq!(mapping.score(&page), None);
        // What can be found of it is known all the same.
        assert_eq!(mapping.wanted(), [true]);
        assert_eq!(mapping.found(), Some(0.4));
        let empty = Mapping::new(&page, "");
        assert_eq!((empty.score(&page), empty.found()), (None, None));
    }

    #[test]
    fn a_node_with_a_word_by_chance_does_not_belong_to_the_reference() {
        let page = texts(&[("Read the long story of the river here", true), ("Share it now with all", true)]);
        let reference = "Read the long story of the river here now";
        let score = Mapping::new(&page, reference).score(&page).unwrap();
        assert!((score.precision - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_kept_scores_nothing() {
        let page = texts(&[("Only this stands here", false)]);
        let score = Mapping::new(&page, "only this stands here").score(&page);
        let nothing = NodeScore { precision: 0.0, recall: 0.0, text_precision: 0.0, text_recall: 0.0 };
        assert_eq!(score, Some(nothing));
    }
}
