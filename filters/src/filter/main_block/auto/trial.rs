//! Pages for tests of what a choice is completed with.

use super::{Scored, blocks::Blocks};
use crate::{
    kind::KindNow,
    page::Page,
    testing::{by_id, page_at},
};

/// A page with its texts, of which those that begin with "kept" are kept; all others have one chance.
pub(super) struct Trial {
    pub(super) page: Page,
    pub(super) blocks: Blocks,
    pub(super) scored: Vec<Scored>,
    pub(super) kept: Vec<bool>,
}

impl Trial {
    /// The element with the id `h` is the headline.
    pub(super) fn of(html: &str, chance: f64) -> Trial {
        let mut page = page_at("https://example.org/x/y", html);
        page.headline.node = html.contains("id=h>").then(|| by_id(&page, "h"));
        let blocks = Blocks::of(&page, &[]);
        let scored = blocks.list.iter().map(|block| Scored {
            chance,
            words: f64::from(block.stats.words),
        });
        let scored = scored.collect();
        let is_kept = |text: String| text.starts_with("kept");
        let kept = blocks.list.iter();
        let kept = kept.map(|block| is_kept(blocks.text(&page, block)));
        let kept = kept.collect();
        Trial {
            page,
            blocks,
            scored,
            kept,
        }
    }

    /// Which texts of a page are kept when a rule has completed the choice.
    pub(super) fn completed(
        html: &str,
        chance: f64,
        keep: fn(&Page, &Blocks, &[Scored], &KindNow<'_>, &mut [bool]),
    ) -> Vec<bool> {
        let mut trial = Trial::of(html, chance);
        let kind = KindNow::of(&trial.page);
        keep(
            &trial.page,
            &trial.blocks,
            &trial.scored,
            &kind,
            &mut trial.kept,
        );
        trial.kept
    }
}
