//! The learned choice: every text block of the page is scored, and the set of blocks is kept that fits best as a whole.
//!
//! The idea:
//!
//! 1. The page is cut into text blocks, as a reader sees them (`auto/blocks.rs`).
//! 2. Each gets numbers about itself, its surroundings and the page, the answers of simple rules
//!    among them (`auto/features.rs`); a forest of small trees makes them a probability `p` that the block is main content
//!    (`auto/forest.rs`).
//! 3. With `w` words to a block, the blocks of highest `p` are kept as far as that raises the expected word F of the
//!    whole: `(1 + β²) Σ(p w, kept) / (Σ(w, kept) + β² Σ(p w, all))` (Ye, Chai, Lee, Chieu, *Optimizing F-measures*, ICML
//!    2012, for independent blocks). There is no threshold. Blocks of one page are not independent: whoever counts one
//!    card or answer as content counts them all. So the mean of that value is taken over a page whose blocks are all
//!    likelier, or all less likely, than scored (`ODDS_SHIFTS`). `β` is [`Favor`]. The value of the blocks as scored, at `β = 1`,
//!    is the *confidence*: the expected word F1 (`auto/ranking.rs`). Before that, blocks that belong together get their mean
//!    probability: cells of a table (`auto/smooth_groups.rs`), the same field of all posts or cards (`auto/records.rs`).
//! 4. Rules add and remove blocks that they know better than the scores (`auto/rules.rs`): standfirst, footnotes and price are
//!    added; duplicates, the next article and lists of related articles are removed. Then the invariants are enforced
//!    (`auto/invariants.rs`): a kept text keeps its heading, and a shop keeps prices.
//! 5. The main block is the smallest element around all kept blocks, less the elements with text of which none is kept. Figures
//!    and code among kept text stay (`auto/prune.rs`), the forms that the page is for (`main_block/forms.rs`), and the names and
//!    dates of the posts of a thread (`auto/records.rs`). Headings of which nothing is left go (`main_block/headings.rs`).
//!
//! | constant | here | why |
//! |---|---|---|
//! | `β` | .5, 1, 2 | the usual ones of F.5, F1 and F2 (van Rijsbergen 1979) |
//! | `ODDS_SHIFTS` | normal, σ = 2 | measured; the wider, the more is kept where the page is in doubt |
//! | [`Settings::min_confidence`] | .4 | measured; below it whole pages do better |
//!
//! Cost: some passes over the nodes, 138 numbers and up to 4,200 comparisons for each block.

pub(crate) mod blocks;
mod comments;
pub(crate) mod features;
pub(crate) mod forest;
mod invariants;
mod prune;
mod ranking;
pub(crate) mod records;
mod rules;
mod smooth_groups;
pub(crate) mod text;

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    Choice, Comments,
    choice::TextProbability,
    forms::{FEW_WORDS, Forms},
    headings,
};
use crate::{
    analysis::AnalysedPage,
    error::ConfigError,
    page_type::{LazyPageType, PageType},
};
use blocks::TextBlocks;
use comments::CommentSection;
use forest::Forest;
use ranking::{NO_SHIFT, ODDS_SHIFTS, Ranking, Scored};
use records::Records;
use rules::Context;

/// How text is treated that may or may not belong to the main content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Favor {
    /// Keep more: recall counts twice as much as precision (F2).
    Recall,
    /// Both alike (F1).
    #[default]
    Balanced,
    /// Keep less: precision counts twice as much as recall (F.5).
    Precision,
}

impl Favor {
    /// `β²` for a page of this kind. For articles and threads extra text hurts more, for shops and offers missing text.
    ///
    /// WCXB dev by five folds, 2026-11-25, `β²` of 1 and of .5: articles .9548 and .9577, forums .7914 and .8111, services .8620 and
    /// .8544, documentation .9453 and .9424; snippets .9265 and .9398, their precision .884 and .916.
    fn beta_squared(self, kind: Option<PageType>) -> f64 {
        match self {
            Favor::Recall => 4.0,
            Favor::Balanced if matches!(kind, None | Some(PageType::Article | PageType::Forum)) => 0.5,
            Favor::Balanced => 1.0,
            Favor::Precision => 0.25,
        }
    }

    /// Enforces monotonicity: `recall` keeps all that `balanced` keeps, and `precision` nothing else. The rules alone do not
    /// guarantee it, because they depend on the blocks that are kept: a list that is kept whole announces what half of it does not.
    fn enforce_monotonicity<T>(
        self,
        (mut kept, own): (Vec<bool>, T),
        balanced: impl FnOnce() -> (Vec<bool>, T),
    ) -> (Vec<bool>, T) {
        if self == Favor::Balanced {
            return (kept, own);
        }
        let (usual, found) = balanced();
        for (kept, usual) in kept.iter_mut().zip(usual) {
            *kept = match self {
                Favor::Recall => *kept | usual,
                _ => *kept & usual,
            };
        }
        let found = if self == Favor::Recall { own } else { found };
        (kept, found)
    }

    /// The front page of a site is looked over for what is new: a teaser too many costs a glance, one too few is never seen.
    /// WCXB dev, 2026-11-21, five folds: recall of its 66 front pages .827 without, .907 with it; word F1 .757 and .751.
    fn on(self, url: &Url) -> Favor {
        let is_front = url.has_host() && url.path() == "/" && url.query().is_none();
        match self {
            Favor::Balanced if is_front => Favor::Recall,
            favor => favor,
        }
    }
}

/// `β²` of a reader's steps to less of a page, and to more: from those of [`Favor`] on by factors of four.
const LESS: [f64; 5] = [0.25, 0.06, 0.015, 0.004, 0.001];
const MORE: [f64; 4] = [4.0, 16.0, 64.0, 256.0];

/// Settings of the algorithm `auto`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Auto"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The expected word F1 (0 to 1) below which the page is kept whole. Higher: fewer pages are reduced to a main block.
    pub min_confidence: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { min_confidence: 0.4 }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        ConfigError::unless_share("main_block.auto.min_confidence", self.min_confidence)
    }
}

/// The main content, and how sure that is.
pub(crate) fn choose(page: &AnalysedPage, settings: &super::Settings, forest: &Forest) -> Choice {
    let super::Settings { favor, keep_headline, steering, comments, .. } = *settings;
    let blocks = TextBlocks::from_page(page, &text::hashes(&page.headline.text));
    let kind = LazyPageType::new(page, &page.claims);
    let records = Records::from_page(page, &blocks, kind.is_forum());
    let rows = features::rows(page, &blocks, &records, None);
    let mut scored: Vec<Scored> = blocks
        .list
        .iter()
        .zip(forest.probabilities(&rows))
        .map(|(block, probability)| Scored { probability: f64::from(probability), words: f64::from(block.stats.words) })
        .collect();
    smooth_groups::smooth(page, &blocks, &mut scored);
    records.smooth(&mut scored);
    let section = if matches!(kind.get(), None | Some(PageType::Article | PageType::Service)) {
        CommentSection::from_page(page, &blocks, &records, &scored)
    } else {
        CommentSection::default()
    };
    let ranking = Ranking::new(&scored);
    let as_scored = ranking.best(1.0, &NO_SHIFT);
    let confidence = as_scored.1;
    // Prices of which one at least must be left, where there are so many. What does not say that it is a text may be a shelf.
    let prices = || match kind.get() {
        Some(PageType::Article) if !page.claims.is_text() => 3,
        Some(PageType::Article | PageType::Documentation | PageType::Forum) => usize::MAX,
        None | Some(PageType::Product | PageType::Collection) => 1,
        Some(PageType::Service | PageType::Listing) => 3,
    };
    let of_blocks = OnceCell::new();
    let loses_prices = |kept: &[bool]| {
        let least = prices();
        least < usize::MAX
            && invariants::loses_all(of_blocks.get_or_init(|| invariants::prices_of(page, &blocks)), kept, least)
    };
    let settle = |mut kept: Vec<bool>, favor: Favor| {
        let context = Context { page, blocks: &blocks, scored: &scored, kind: &kind, favor, keep_headline };
        let rules = rules::apply(&context, &mut kept);
        records.settle_quotes(page, &blocks, &mut kept);
        invariants::enforce(page, &blocks, &records, &mut kept);
        if loses_prices(&kept) {
            records.keep_priced(page, &blocks, &mut kept);
            invariants::enforce(page, &blocks, &records, &mut kept);
        }
        section.settle(page, &blocks, &mut kept);
        (kept, rules)
    };
    let settled = |favor: Favor| settle(select_blocks(&ranking, &as_scored.0, favor.on(page.web_url()), &kind), favor);
    let (mut kept, mut rules) = favor.enforce_monotonicity(settled(favor), || settled(Favor::Balanced));
    for more in [Favor::Balanced, Favor::Recall] {
        if loses_prices(&kept) {
            (kept, rules) = settled(more);
        }
    }
    let is_doubtful = confidence < settings.auto.min_confidence;
    let at = |beta_squared: f64, favor: Favor| settle(ranking.best(beta_squared, &ODDS_SHIFTS).0, favor).0;
    let at_end = if steering.steps == 0 {
        let mut less = kept.clone();
        page.has_bar && !is_doubtful && step(&mut less, -1, false, at) && less == kept
    } else {
        step(&mut kept, steering.steps, is_doubtful, at)
    };
    let count = kept.iter().filter(|&&kept| kept).count();
    let mut note = format!("{count} of {} texts, confidence {confidence:.2}", kept.len());
    if !rules.is_empty() {
        note = format!("{note}, rules: {}", rules.join(" "));
    }
    let is_whole = at_end && steering.steps > 0 || !steering.is_forced() && (is_doubtful || loses_prices(&kept));
    let mut choice = if is_whole {
        Choice::default()
    } else {
        let thread = records.posts(page, &blocks, &kept);
        let texts = scored.iter().zip(&kept);
        let words: f64 = texts.filter(|(_, kept)| **kept).map(|(scored, _)| scored.words).sum();
        // A thread is not there for its forms, however short it is.
        let is_thread = !thread.posts.is_empty();
        let forms = Forms::from_page(page, if is_thread { words.max(FEW_WORDS) } else { words });
        let mut choice = prune::choice(page, &blocks, &kept, &thread, &forms);
        choice.posts = thread.posts;
        if !is_thread {
            choice.entries = records.entries(page, &blocks, &kept);
        }
        choice.starter = thread.starter;
        if comments != Comments::Drop {
            (choice.comments, choice.beside_comments) = (section.comments, section.beside);
        }
        headings::drop_dead(page, &mut choice);
        choice
    };
    choice.note = Some(note);
    choice.confidence = Some(confidence);
    choice.at_end = at_end;
    let texts = blocks.list.iter().zip(&scored);
    choice.probabilities = texts
        .map(|(block, scored)| TextProbability {
            place: block.container,
            probability: scored.probability,
            words: scored.words,
        })
        .collect();
    // Text may stand around a block as well as before it.
    choice.probabilities.sort_by_key(|text| text.place);
    choice
}

/// Goes some steps to more texts or to less, each a change, and says whether it is at the end: at the least that can be
/// chosen, or beyond the most. In doubt the whole page was shown, so that the first step to less is the choice as it is.
fn step(kept: &mut Vec<bool>, steps: i8, is_doubtful: bool, at: impl Fn(f64, Favor) -> Vec<bool>) -> bool {
    let is_more = steps > 0;
    let (favor, dial) = if is_more { (Favor::Recall, &MORE[..]) } else { (Favor::Precision, &LESS[..]) };
    let mut left = steps.unsigned_abs();
    if is_doubtful && is_more {
        return true;
    }
    left -= u8::from(is_doubtful);
    for &beta_squared in dial {
        let mut next = at(beta_squared, favor);
        for (next, &kept) in next.iter_mut().zip(kept.iter()) {
            *next = if is_more { *next | kept } else { *next & kept };
        }
        if next == *kept || !next.contains(&true) {
            continue;
        }
        if left == 0 {
            return false;
        }
        *kept = next;
        left -= 1;
    }
    !is_more || left > 0
}

/// Which blocks fit best as a whole. A page in doubt keeps more, but not where one thing is for sale: there the doubt is about what
/// stands below it on every page of the shop (reviews, questions, other goods, terms), and a reader knows where to find that.
///
/// WCXB dev, 2026-11-22, five folds: word F1 of its products .6631 with the exception and .6525 without, recall .855 and .878; on
/// either half of the domains alike, and no more pages harmed. With `favor: precision` more pages would be.
fn select_blocks(ranking: &Ranking<'_>, as_scored: &[bool], favor: Favor, kind: &LazyPageType<'_>) -> Vec<bool> {
    if favor == Favor::Balanced && kind.get() == Some(PageType::Product) {
        return as_scored.to_vec();
    }
    ranking.best(favor.beta_squared(kind.get()), &ODDS_SHIFTS).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(blocks: &[(f64, f64)]) -> Vec<Scored> {
        blocks.iter().map(|&(probability, words)| Scored { probability, words }).collect()
    }

    #[test]
    fn a_product_keeps_nothing_out_of_doubt_unless_it_is_asked_for() {
        let blocks = scored(&[(0.6, 100.0), (0.2, 200.0)]);
        let wanted = |open_graph: &str, favor: Favor| {
            let mut page = crate::testing::page_at("https://example.org/chair", "<p>Chair");
            page.claims.open_graph = open_graph.to_owned();
            let ranking = Ranking::new(&blocks);
            let (as_scored, _) = ranking.best(1.0, &NO_SHIFT);
            select_blocks(&ranking, &as_scored, favor, &LazyPageType::new(&page, &page.claims))
        };
        assert_eq!(wanted("product", Favor::Balanced), [true, false]);
        assert_eq!(wanted("product", Favor::Recall), [true, true]);
    }

    #[test]
    fn the_dial_keeps_more_or_less_of_the_same() {
        let kept = |favor: Favor| {
            let own = (vec![true, true, false, false], ());
            let usual = || (vec![true, false, true, false], ());
            favor.enforce_monotonicity(own, usual).0
        };
        assert_eq!(kept(Favor::Precision), [true, false, false, false]);
        assert_eq!(kept(Favor::Balanced), [true, true, false, false]);
        assert_eq!(kept(Favor::Recall), [true, true, true, false]);
    }

    #[test]
    fn a_front_page_keeps_more_unless_told_otherwise() {
        let on = |favor: Favor, url: &str| favor.on(&url.parse().unwrap());
        assert_eq!(on(Favor::Balanced, "https://example.org/"), Favor::Recall);
        assert_eq!(on(Favor::Precision, "https://example.org/"), Favor::Precision);
        for url in ["https://example.org/a", "https://example.org/?page=2", "about:blank"] {
            assert_eq!(on(Favor::Balanced, url), Favor::Balanced, "{url}");
        }
    }
}
