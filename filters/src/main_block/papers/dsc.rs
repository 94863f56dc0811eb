//! Document slope curves (DSC): the runs of the page where tags are rare.
//!
//! Source: Pinto, Branstein, Coleman, Croft, King, Li, Wei, *`QuASM`: A System for Question Answering Using Semi-Structured
//! Data*, JCDL 2002, as told by Agarwal et al. 2013 ("a windowing technique is used to locate document regions in which word
//! tokens are more frequent than tag tokens"): body text extraction (`bte.rs`) for content in several pieces.
//!
//! The idea: a page is a sequence of words and tags; the curve of the tags counted so far is steep in menus and flat in text.
//! A window slides over it; where its slope is low for the page, its words are content.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | window | not known to us | 50 tokens | measured, below |
//! | low slope | under half of the page's own | .5 | |
//! | a text of which a part is content | | kept if most of its words are | a text node is not cut |
//!
//! We had no copy of the paper's body: what is here is what those who build on it say of it.
//!
//! Measured on WCXB dev, 2026-11-21, every third page, the algorithm by itself (`gleaner-lab evaluate DEV --bare --every 3 --variant
//! 'w25=main_block: {algorithm: dsc, dsc: {window: 25}}'`), word F1: windows of 25, 50 and 100 tokens .771, .755, .723; with 50 and
//! slopes of .3, .7 and 1 for .5: .687, .783, .774. A wider view of what is flat gains; the paper's half is the default.
//!
//! Cost: one reading of the text, three passes over words and tags.

use serde::{Deserialize, Serialize};

use super::source::{Piece, pieces};
use crate::main_block::{Choice, cover};
use crate::{
    error::ConfigError,
    html::{NodeId, Page},
    vocabulary::words::words,
};

/// Settings of the algorithm `dsc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Dsc"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Words and tags of a window, at least 1. Larger: longer runs, and short ones are lost.
    pub window: usize,
    /// Slope of a window, as a share of the page's (0 to 1), below which it is content. Higher: more is content.
    pub slope: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { window: 50, slope: 0.5 }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.window == 0 {
            return Err(ConfigError::out_of_range("main_block.dsc.window", self.window, "at least 1"));
        }
        ConfigError::unless_share("main_block.dsc.slope", self.slope)
    }
}

/// The texts in flat parts of the curve.
pub(crate) fn choose(page: &Page, settings: &Settings) -> Choice {
    let mut texts: Vec<(NodeId, usize, usize)> = Vec::new();
    // The curve: tags before each token, and after the last.
    let mut tags = vec![0usize];
    for piece in pieces(page, page.body()) {
        let (before, start) = (tags.last().copied().unwrap_or(0), tags.len() - 1);
        match piece {
            Piece::Start(_) | Piece::End(_) => tags.push(before + 1),
            Piece::Text(id) if page.own_chars(id) > 0 => {
                let count = page.text(id).map_or(0, |text| words(&text)) as usize;
                tags.resize(tags.len() + count, before);
                texts.push((id, start, start + count));
            }
            Piece::Text(_) => {}
        }
    }
    let flat = flat_tokens(&tags, settings);
    let mut kept = vec![false; page.len()];
    for (id, start, end) in texts {
        let content = flat[start..end].iter().filter(|flat| **flat).count();
        kept[id.index()] = 2 * content > end - start;
    }
    cover(page, &kept).into()
}

/// For each token whether some window with a low slope holds it.
fn flat_tokens(tags: &[usize], settings: &Settings) -> Vec<bool> {
    let tokens = tags.len() - 1;
    let all_tags = tags.last().copied().unwrap_or(0);
    let page_slope = all_tags as f64 / tokens.max(1) as f64;
    let most_tags = settings.slope * page_slope * settings.window as f64;
    let mut flat = vec![false; tokens];
    // Up to where tokens are marked already, so that each is marked once.
    let mut marked = 0;
    for start in 0..tokens.saturating_sub(settings.window - 1) {
        let end = start + settings.window;
        if ((tags[end] - tags[start]) as f64) < most_tags {
            flat[marked.max(start)..end].fill(true);
            marked = end;
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    #[test]
    fn windows_of_a_low_slope_are_content() {
        // Four tags, six words, two tags: the page's slope is a half.
        let tags = [0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 5, 6];
        let settings = Settings { window: 4, slope: 0.5 };
        // Fewer than one tag in four tokens: three windows of words alone.
        let flat = flat_tokens(&tags, &settings);
        let wanted: Vec<bool> = (0..12).map(|token| (4..10).contains(&token)).collect();
        assert_eq!(flat, wanted);
        // A page shorter than a window has no curve.
        assert_eq!(flat_tokens(&tags[..3], &settings), [false, false]);
    }

    #[test]
    fn content_in_several_pieces_is_found_where_one_run_would_take_the_menu_between() {
        let menu = |id| {
            let entries = "<li><a href=/x>menu</a></li>".repeat(10);
            format!("<ul>{entries}<li id={id}><a href=/x>menu</a></li>{entries}</ul>")
        };
        let text = words(120);
        let html = format!("{}<p id=one>{text}</p>{}<p id=two>{text}</p>", menu("a"), menu("b"));
        let page = page(&html);
        let kept = choose(&page, &Settings::default()).kept;
        let is_kept = |id| {
            let node = by_id(&page, id);
            kept.iter().any(|&kept| page.contains(kept, node))
        };
        assert!(is_kept("one") && is_kept("two"));
        assert!(!is_kept("a") && !is_kept("b"));
    }
}
