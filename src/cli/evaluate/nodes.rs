//! Precision and recall by text nodes, as the papers of CNR and `CoreEx` have them.
//!
//! The references are texts, not nodes. A text node belongs to the reference if at least half of its words are
//! aligned with it (`align.rs`). Where less than 90 % of the reference's words find a place on the page (text from
//! scripts, another version of the page), the page has no node scores.

use gleaner_filters::TracedText;
use serde::Serialize;

use super::align::{align, words};

/// Share of a node's words that must belong to the reference. Our choice: more belongs to it than not.
const NODE_SHARE: f64 = 0.5;

/// Share of the reference's words that must be found on the page. Our choice; lower: more pages, less certain nodes.
const FOUND_SHARE: f64 = 0.9;

/// Text nodes that were kept and should have been.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct NodeScore {
    pub(super) precision: f64,
    pub(super) recall: f64,
}

/// Which text nodes of a page belong to the reference.
pub(super) struct Mapping {
    texts: Vec<String>,
    /// None where the reference is not to be found on the page.
    wanted: Option<Vec<bool>>,
}

impl Mapping {
    pub(super) fn new(texts: &[TracedText], reference: &str) -> Mapping {
        Mapping {
            wanted: wanted(texts, reference),
            texts: texts.iter().map(|text| text.text.clone()).collect(),
        }
    }

    /// Whether it was made for these nodes.
    pub(super) fn is_of(&self, texts: &[TracedText]) -> bool {
        self.texts.len() == texts.len() && self.texts.iter().zip(texts).all(|(a, b)| *a == b.text)
    }

    /// The score of what was kept; nothing kept scores nothing.
    pub(super) fn score(&self, texts: &[TracedText]) -> Option<NodeScore> {
        let wanted = self.wanted.as_ref()?;
        let of_wanted = wanted.iter().filter(|wanted| **wanted).count();
        let kept = texts.iter().filter(|text| text.kept).count();
        let both = texts.iter().zip(wanted);
        let both = both.filter(|(text, wanted)| text.kept && **wanted).count();
        let share = |of: usize| {
            if of == 0 {
                0.0
            } else {
                both as f64 / of as f64
            }
        };
        Some(NodeScore {
            precision: share(kept),
            recall: share(of_wanted),
        })
    }
}

fn wanted(texts: &[TracedText], reference: &str) -> Option<Vec<bool>> {
    let right: Vec<String> = words(reference).map(|(_, word)| word).collect();
    if right.is_empty() {
        return None;
    }
    let mut left = Vec::new();
    let mut ends = Vec::with_capacity(texts.len());
    for text in texts {
        left.extend(words(&text.text).map(|(_, word)| word));
        ends.push(left.len());
    }
    let aligned = align(&left, &right);
    let found = aligned.right.iter().filter(|found| **found).count();
    if (found as f64) < FOUND_SHARE * right.len() as f64 {
        return None;
    }
    let mut start = 0;
    let wanted = ends.into_iter().map(|end| {
        let own = &aligned.left[start..end];
        start = end;
        let found = own.iter().filter(|found| **found).count();
        found > 0 && found as f64 >= NODE_SHARE * own.len() as f64
    });
    Some(wanted.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[(&str, bool)]) -> Vec<TracedText> {
        let text = |&(text, kept): &(&str, bool)| TracedText {
            text: text.to_owned(),
            kept,
        };
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
        let reference =
            "A headline of the page. The first paragraph is a long one with words. The second one.";
        let score = Mapping::new(&page, reference).score(&page).unwrap();
        assert!((score.precision - 2.0 / 3.0).abs() < 1e-12);
        assert!((score.recall - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_reference_that_is_not_on_the_page_gives_no_score() {
        let page = texts(&[("Only this stands here", true)]);
        let mapping = Mapping::new(&page, "Only this stands here and much more from a script");
        assert_eq!(mapping.score(&page), None);
        assert_eq!(Mapping::new(&page, "").score(&page), None);
    }

    #[test]
    fn a_node_with_a_word_by_chance_does_not_belong_to_the_reference() {
        let page = texts(&[
            ("Read the long story of the river here", true),
            ("Share it now with all", true),
        ]);
        let reference = "Read the long story of the river here now";
        let score = Mapping::new(&page, reference).score(&page).unwrap();
        assert!((score.precision - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_kept_scores_nothing() {
        let page = texts(&[("Only this stands here", false)]);
        let score = Mapping::new(&page, "only this stands here").score(&page);
        let nothing = NodeScore {
            precision: 0.0,
            recall: 0.0,
        };
        assert_eq!(score, Some(nothing));
    }
}
