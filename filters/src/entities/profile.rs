//! How alike two texts are by the names in them.

use std::collections::{BTreeMap, BTreeSet};

use super::Recogniser;

/// A text as the shares that the words of its names have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Profile {
    shares: BTreeMap<String, f64>,
    names: usize,
}

/// Names below which a text is too small to be compared by its frequencies. Our choice: with two names the cosine takes
/// a handful of values.
const SMALL_TEXT_NAMES: usize = 3;

/// The bigger text's most frequent words that stand for it when the other one is small. Our choice.
const REPRESENTATIVES: usize = 10;

impl Profile {
    pub(crate) fn from_text(recogniser: &dyn Recogniser, text: &str) -> Profile {
        let entities = recogniser.entities(text);
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        for word in entities.iter().flat_map(|entity| &entity.words) {
            *counts.entry(word.clone()).or_insert(0.0) += 1.0;
        }
        let total: f64 = counts.values().sum();
        for share in counts.values_mut() {
            *share /= total;
        }
        Profile { shares: counts, names: entities.len() }
    }

    /// `Va·Vb / (|Va| |Vb|)`: 0 for nothing in common, 1 for the same distribution.
    pub(crate) fn cosine(&self, other: &Profile) -> f64 {
        let length =
            |profile: &Profile| -> f64 { profile.shares.values().map(|share| share * share).sum::<f64>().sqrt() };
        let product: f64 = self.shares.iter().filter_map(|(word, share)| Some(share * other.shares.get(word)?)).sum();
        let lengths = length(self) * length(other);
        if lengths > 0.0 { product / lengths } else { 0.0 }
    }

    /// How alike a small text is to the one of this profile. `text` is the small text itself: a single capital at its
    /// start may not have been taken for a name.
    pub(crate) fn similarity(&self, recogniser: &dyn Recogniser, text: &str) -> f64 {
        let small = Profile::from_text(recogniser, text);
        if small.names >= SMALL_TEXT_NAMES {
            return self.cosine(&small);
        }
        let lower = text.to_lowercase();
        let words: BTreeSet<&str> =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let representatives = self.representatives();
        let found =
            representatives.iter().filter(|word| words.contains(*word) || small.shares.contains_key(**word)).count();
        found as f64 / representatives.len().max(1) as f64
    }

    /// The most frequent words; of equally frequent ones the first in the alphabet.
    fn representatives(&self) -> Vec<&str> {
        let mut words: Vec<(&str, f64)> = self.shares.iter().map(|(word, share)| (word.as_str(), *share)).collect();
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        words.truncate(REPRESENTATIVES);
        words.into_iter().map(|(word, _)| word).collect()
    }
}
