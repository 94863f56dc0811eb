//! Content code blurring (CCB): stretches of the source that are text and not code.
//!
//! Source: Gottron, *Content Code Blurring: A New Approach to Content Extraction*, DEXA/TIR 2008, as told by López, Silva,
//! Insa 2012 (§ 2: the vector of characters, each content or code, and the ratio of content around each) and Agarwal et
//! al. 2013.
//!
//! The idea: write the page as a vector of ones (characters of text) and zeros (characters of tags). Blur it with a
//! Gaussian. Where text stands among text the value stays near one; in a menu the tags around it pull it down. Text whose
//! blurred value is over a threshold is content. The *adapted* form (ACCB) leaves the tags of links out, so that a text
//! with many links is not taken for a menu.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | range | not at hand | 120 characters | measured, below |
//! | threshold | not at hand | 0.35 | measured, below |
//! | form | CCB, token based, adapted | CCB and adapted | |
//! | unit that is taken | character | text node, by the mean of its characters | half a text node is no node |
//!
//! We had no copy of the paper's body. White space is no character here, so that re-indenting changes nothing.
//!
//! Measured on WCXB dev, 2026-11-21, the algorithm by itself (`gleaner-lab evaluate DEV --bare --main-block NAME`),
//! word F1: CCB .779 (precision .761, recall .865), ACCB .765. At a threshold of .5, ranges of 40, 80, 120, 160, 240 and 400:
//! .767, .773, .769, .761, .740, .693; at a range of 120, thresholds of .35, .5, .65 and .75: .779, .769, .728, .673.
//!
//! The vector is not written out: it is runs of ones and zeros, and the blurred value at a character is a sum over the runs
//! in range of differences of the kernel's running total. Exact, and cheap where texts are long.
//!
//! Cost: characters of text times runs in range, at most twice the range.

use serde::{Deserialize, Serialize};

use super::source::{Piece, pieces};
use crate::main_block::{Choice, cover};
use crate::{
    error::ConfigError,
    html::{NodeId, Page, tag::Tag},
};

/// Settings of the algorithm `ccb`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ContentCodeBlurring"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Characters on either side that blurring looks at, 1 to 1000. Higher: larger stretches, less detail.
    pub range: usize,
    /// Blurred value, 0 to 1, that a text must reach. Higher: less is taken.
    pub threshold: f64,
    /// Leave the tags of links out of the vector (ACCB).
    pub adapted: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { range: 120, threshold: 0.35, adapted: false }
    }
}

/// Largest range: bounds the cost per character.
const MAX_RANGE: usize = 1000;

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if !(1..=MAX_RANGE).contains(&self.range) {
            return Err(ConfigError::out_of_range("main_block.ccb.range", self.range, "1 to 1000"));
        }
        ConfigError::unless_share("main_block.ccb.threshold", self.threshold)
    }
}

/// A run of text: from and to, in characters from the start of the source.
#[derive(Clone, Copy)]
struct CharRun {
    from: usize,
    to: usize,
    text: NodeId,
}

/// The texts with a high blurred value.
pub(crate) fn choose(page: &Page, settings: &Settings) -> Choice {
    let runs = text_runs(page, settings.adapted);
    let kernel = RunningKernel::new(settings.range);
    let mut kept = vec![false; page.len()];
    let mut first_in_range = 0;
    for run in &runs {
        while runs[first_in_range].to + settings.range <= run.from {
            first_in_range += 1;
        }
        let sum: f64 = (run.from..run.to)
            .map(|at| {
                runs[first_in_range..]
                    .iter()
                    .skip_while(|other| other.to + settings.range <= at)
                    .take_while(|other| other.from <= at + settings.range)
                    .map(|other| kernel.between(at, other.from, other.to))
                    .sum::<f64>()
            })
            .sum();
        let mean = sum / (run.to - run.from) as f64;
        kept[run.text.index()] = mean >= settings.threshold;
    }
    cover(page, &kept).into()
}

fn text_runs(page: &Page, adapted: bool) -> Vec<CharRun> {
    let mut runs = Vec::new();
    let mut at = 0;
    for piece in pieces(page, page.body()) {
        match piece {
            Piece::Text(id) => {
                let chars = page.own_chars(id);
                if chars > 0 {
                    runs.push(CharRun { from: at, to: at + chars, text: id });
                    at += chars;
                }
            }
            Piece::Start(id) | Piece::End(id) if adapted && page.tag(id) == Some(Tag::A) => {}
            Piece::Start(id) => at += start_tag_chars(page, id),
            Piece::End(id) => at += tag_name_chars(page, id) + "</>".len(),
        }
    }
    runs
}

fn tag_name_chars(page: &Page, id: NodeId) -> usize {
    match page.data(id) {
        kuchikiki::NodeData::Element(element) => element.name.local.len(),
        _ => 0,
    }
}

fn start_tag_chars(page: &Page, id: NodeId) -> usize {
    let kuchikiki::NodeData::Element(element) = page.data(id) else {
        return 0;
    };
    let attributes: usize = page
        .attributes(id)
        .iter()
        .map(|attribute| attribute.name.local.len() + attribute.value.len() + "=\"\"".len())
        .sum();
    element.name.local.len() + "<>".len() + attributes
}

/// Running totals of a Gaussian that ends at the range, its sum being one.
struct RunningKernel {
    range: usize,
    /// Total of the weights at offsets below `index - range`.
    totals: Vec<f64>,
}

impl RunningKernel {
    /// The range is two standard deviations.
    fn new(range: usize) -> RunningKernel {
        let sigma = range as f64 / 2.0;
        let mut totals = vec![0.0];
        let mut sum = 0.0;
        for index in 0..=2 * range {
            let distance = index as f64 - range as f64;
            sum += (-distance * distance / (2.0 * sigma * sigma)).exp();
            totals.push(sum);
        }
        for total in &mut totals {
            *total /= sum;
        }
        RunningKernel { range, totals }
    }

    /// Weight of the characters `from..to` as seen from the one at `at`.
    fn between(&self, at: usize, from: usize, to: usize) -> f64 {
        self.below(at, to) - self.below(at, from)
    }

    fn below(&self, at: usize, end: usize) -> f64 {
        let index = (end + self.range).saturating_sub(at);
        self.totals[index.min(self.totals.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    #[test]
    fn the_kernel_adds_up_to_one_and_is_even() {
        let kernel = RunningKernel::new(5);
        assert!((kernel.between(100, 0, 1000) - 1.0).abs() < 1e-12);
        assert!((kernel.between(100, 90, 100) - kernel.between(100, 101, 111)).abs() < 1e-12);
        assert!(kernel.between(100, 106, 200).abs() < 1e-12);
    }

    #[test]
    fn text_among_text_is_content_and_text_among_tags_is_not() {
        let menu = "<li class=menu-item><a class=menu-link href=/a/long/address>menu</a></li>".repeat(10);
        let html = format!("<ul id=menu>{menu}</ul><div id=text><p>{0}</p><p>{0}</p></div>", words(80));
        for adapted in [false, true] {
            let page = page(&html);
            let settings = Settings { adapted, ..Settings::default() };
            let kept = choose(&page, &settings).kept;
            assert_eq!(kept.last(), Some(&by_id(&page, "text")));
            // The last entry of the menu has the text within range.
            assert!(kept.len() <= 2, "{kept:?}");
        }
    }

    #[test]
    fn the_tags_of_links_are_no_code_in_the_adapted_form() {
        let text = format!("{} <a class=a-long-name-of-a-class href=/a/very/long/address/indeed>link</a> ", words(6));
        let html = format!("<p id=text>{}</p>", text.repeat(20));
        let page = page(&html);
        let kept = |adapted| {
            let settings = Settings { adapted, threshold: 0.6, ..Settings::default() };
            choose(&page, &settings).kept
        };
        let chars = |adapted| -> usize { kept(adapted).iter().map(|&id| page.chars(id)).sum() };
        assert!(chars(true) > chars(false));
    }
}
