//! Quotations in the posts of a thread.

use super::{super::blocks::TextBlocks, Records, mentions};
use crate::html::{NodeId, Page};

/// Words of a quotation that stays with what answers it, at most. WCXB dev, whose annotators leave quotations out: word F1 of forums .8273
/// without any, .8248 at 60, .808 for all.
const MAX_WORDS: f32 = 60.0;

impl Records {
    /// Keeps a short quotation with the text below it: an answer is of no use without what it answers. Others stay or go as one: "Ann wrote"
    /// without her words stands above those of somebody else.
    pub(in super::super) fn settle_quotes(&self, page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
        let mut end = NodeId::DOCUMENT;
        for id in self.posts.iter().flat_map(|&post| page.live(post)) {
            if id < end || !mentions::is_quotation(page, id) {
                continue;
            }
            end = page.end(id);
            let quote = blocks.over(page, id);
            let words = |at: usize| blocks.list[at].stats.words;
            let all: f32 = quote.clone().map(words).sum();
            let of_kept: f32 = quote.clone().filter(|&at| kept[at]).map(words).sum();
            let is_answered = all <= MAX_WORDS && kept.get(quote.end) == Some(&true);
            for at in quote.clone() {
                // "Click to expand" is no part of it, and whose words they are is its beginning.
                let is_part = kept[at] || at == quote.start || blocks.list[at].link_density() < 0.5;
                kept[at] = is_part && (is_answered || 2.0 * of_kept > all);
            }
        }
    }
}
