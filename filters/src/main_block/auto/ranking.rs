//! Which blocks fit best as a whole: the likeliest, as far as that raises the expected word F (Ye, Chai, Lee, Chieu, *Optimizing
//! F-measures*, ICML 2012; `auto.rs` has the formula).

#[cfg(test)]
use super::blocks::TextBlocks;

/// Factors of the odds of every block, and the weight of each case: the logarithm of the odds is moved by a
/// normal deviate of σ = 2, taken at seven points within two σ of the middle. WCXB dev, 2026-11-21, five folds: with σ = 1.5,
/// 2 and 2.5 word F1 .8691, .8687, .8669, recall .937, .943, .948, pages harmed 2.7, 2.1, 2.0 %. Before, only pages whose expected F
/// was under .7 kept more (`β² = 2`): .8683, .935, 2.4 %.
pub(super) const ODDS_SHIFTS: [(f64, f64); 7] = [
    (0.01832, 0.0366),
    (0.06948, 0.1113),
    (0.2636, 0.2167),
    (1.0, 0.2707),
    (3.794, 0.2167),
    (14.39, 0.1113),
    (54.6, 0.0366),
];

pub(super) const NO_SHIFT: [(f64, f64); 1] = [(1.0, 1.0)];

pub(super) struct Scored {
    pub(super) probability: f64,
    pub(super) words: f64,
}

impl Scored {
    /// Each of these blocks with the same probability.
    #[cfg(test)]
    pub(super) fn all(blocks: &TextBlocks, probability: f64) -> Vec<Scored> {
        let words = blocks.list.iter().map(|block| block.stats.words.into());
        words.map(|words| Scored { probability, words }).collect()
    }

    /// How many of its words are to be expected in the main content where the odds are so many times what they are.
    fn expected(&self, odds: f64) -> f64 {
        let favorable = odds * self.probability;
        self.words * favorable / (favorable + 1.0 - self.probability)
    }
}

/// Blocks, the likeliest first.
pub(super) struct Ranking<'a> {
    blocks: &'a [Scored],
    order: Vec<usize>,
}

impl Ranking<'_> {
    pub(super) fn new(blocks: &[Scored]) -> Ranking<'_> {
        // No probability is below zero, and the bits of such numbers are in their order.
        let key = |(at, block): (usize, &Scored)| (!block.probability.to_bits(), at);
        let mut order: Vec<(u64, usize)> = blocks.iter().enumerate().map(key).collect();
        order.sort_unstable();
        let order = order.into_iter().map(|(_, at)| at).collect();
        Ranking { blocks, order }
    }

    /// Which blocks to keep, and the value of that: its mean over the cases, factors of all odds with their weights.
    pub(super) fn best(&self, beta_squared: f64, cases: &[(f64, f64)]) -> (Vec<bool>, f64) {
        let blocks = self.blocks;
        let mut values = vec![0.0; blocks.len()];
        let mut expected = Vec::with_capacity(blocks.len());
        for &(odds, weight) in cases {
            expected.clear();
            expected.extend(blocks.iter().map(|block| block.expected(odds)));
            let all: f64 = expected.iter().sum();
            let (mut hits, mut words) = (0.0, 0.0);
            for (value, &index) in values.iter_mut().zip(&self.order) {
                hits += expected[index];
                words += blocks[index].words;
                if hits > 0.0 {
                    *value += weight * (1.0 + beta_squared) * hits / (words + beta_squared * all);
                }
            }
        }
        let (mut count, mut most) = (0, 0.0);
        for (at, &value) in values.iter().enumerate() {
            if value > most {
                (count, most) = (at + 1, value);
            }
        }
        let mut kept = vec![false; blocks.len()];
        for &index in &self.order[..count] {
            kept[index] = true;
        }
        (kept, most)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the numbers are exact")]
mod tests {
    use super::{super::Favor, *};

    fn best(blocks: &[Scored], beta_squared: f64, cases: &[(f64, f64)]) -> (Vec<bool>, f64) {
        Ranking::new(blocks).best(beta_squared, cases)
    }

    fn scored(blocks: &[(f64, f64)]) -> Vec<Scored> {
        blocks.iter().map(|&(probability, words)| Scored { probability, words }).collect()
    }

    #[test]
    fn blocks_are_kept_as_long_as_they_raise_the_expected_f() {
        let blocks = scored(&[(0.1, 50.0), (0.9, 100.0), (0.5, 40.0), (0.2, 200.0)]);
        // 90 / (100 + 155) , 110 / (140 + 155), 150 / (340 + 155): the second is the highest.
        let (kept, value) = best(&blocks, 1.0, &NO_SHIFT);
        assert_eq!(kept, [false, true, true, false]);
        assert!((value - 220.0 / 295.0).abs() < 1e-9);
    }

    #[test]
    fn blocks_that_stand_and_fall_together_are_rather_kept() {
        let blocks = scored(&[(0.6, 100.0), (0.2, 200.0)]);
        assert_eq!(best(&blocks, 1.0, &NO_SHIFT).0, [true, false]);
        assert_eq!(best(&blocks, 1.0, &ODDS_SHIFTS).0, [true, true]);
    }

    #[test]
    fn the_cases_are_even() {
        let (product, sum) =
            ODDS_SHIFTS.iter().fold((1.0, 0.0), |(product, sum), (odds, weight)| (product * odds, sum + weight));
        assert!((product - 1.0_f64).abs() < 0.01, "{product}");
        assert!((sum - 1.0_f64).abs() < 0.001, "{sum}");
    }

    #[test]
    fn recall_keeps_more_and_precision_less() {
        let blocks = scored(&[(0.95, 100.0), (0.45, 40.0), (0.3, 60.0)]);
        let kept = |favor: Favor| {
            let (kept, _) = best(&blocks, favor.beta_squared(Some(crate::page_type::PageType::Service)), &NO_SHIFT);
            kept.iter().filter(|&&kept| kept).count()
        };
        assert_eq!(kept(Favor::Precision), 1);
        assert_eq!(kept(Favor::Balanced), 2);
        assert_eq!(kept(Favor::Recall), 3);
    }

    #[test]
    fn a_page_without_text_has_no_confidence() {
        assert_eq!(best(&[], 1.0, &ODDS_SHIFTS), (Vec::new(), 0.0));
        assert_eq!(best(&scored(&[(0.0, 0.0)]), 1.0, &ODDS_SHIFTS).1, 0.0);
    }
}
