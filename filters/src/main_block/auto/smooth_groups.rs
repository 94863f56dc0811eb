//! Gives the blocks of one unit (the cells of a table, the items of a list, the lines of code, a short quotation with
//! its source, the paragraphs, headings and code that follow each other in one element) a common probability, so that
//! the unit is kept or dropped as a whole. Half a table is worse than none, its cells are too short to be judged one by
//! one, and a long text must not end in the middle because its end is far from the headline.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8683 with all of it and without: it is for the reader.

use super::{Scored, blocks::TextBlocks};
use crate::{
    html::{NodeId, Page, tag::Tag},
    measure::table::lays_out,
    vocabulary::words::count,
};

/// Words from which a block is a paragraph with a probability of its own, as in [`super::blocks::TextBlock::is_long`]. A list that
/// holds most of its words in such blocks is one of posts, and none of it is pooled. Higher: longer items stand and fall
/// together.
const LONG: f64 = 20.0;

#[derive(Clone, Copy, Default)]
struct GroupSum {
    words: f64,
    /// Words of long blocks ([`LONG`]).
    long: f64,
    hits: f64,
}

impl GroupSum {
    fn mean(self, otherwise: f64) -> f64 {
        if self.words > 0.0 { self.hits / self.words } else { otherwise }
    }
}

/// Gives blocks that belong together their mean probability, words as weights.
pub(super) fn smooth(page: &Page, blocks: &TextBlocks, scored: &mut [Scored]) {
    let groups = groups(page, blocks);
    let sums_of_groups = sums(page, &groups, scored);
    for ((group, sum), scored) in groups.iter().zip(sums_of_groups).zip(scored.iter_mut()) {
        if let (Some(group), Some(sum)) = (*group, sum)
            && (page.tag(group) == Some(Tag::Pre) || sum.long < 0.5 * sum.words)
        {
            scored.probability = sum.mean(scored.probability);
        }
    }
    // Only for code is it asked what runs around it.
    let (mut words, mut is_running) = (Vec::new(), Vec::new());
    if page.has_any(&[Tag::Pre]) {
        words = words_below(page, blocks, scored);
        is_running = running(page, blocks, &words);
    }
    let flows: Vec<Option<NodeId>> = blocks
        .list
        .iter()
        .zip(&groups)
        .map(|(block, group)| {
            // What is mostly links, such as the way to the next page, is no running text.
            let is_text = block.linked * 2.0 <= block.chars;
            is_text.then(|| flow(page, &words, &is_running, group.unwrap_or(block.container)))?
        })
        .collect();
    let sums_of_flows = sums(page, &flows, scored);
    for (sum, scored) in sums_of_flows.into_iter().zip(scored) {
        if let Some(sum) = sum {
            scored.probability = sum.mean(scored.probability);
        }
    }
}

/// The element whose running text a paragraph, a heading or code is part of. Code is wrapped in elements of its own, with its
/// caption, its line numbers and its button, or is an item of a list: it belongs to the text around them.
fn flow(page: &Page, words: &[f64], running: &[bool], at: NodeId) -> Option<NodeId> {
    match page.tag(at)? {
        Tag::Pre => {
            let own = words[at.index()];
            page.ancestors(at).find(|up| words[up.index()] > own && running[up.index()])
        }
        tag if is_running(tag) => Some(page.parent(at)),
        _ => None,
    }
}

fn is_running(tag: Tag) -> bool {
    matches!(tag, Tag::P | Tag::Blockquote) || tag.is_heading()
}

/// By row: whether paragraphs or headings stand directly in the element.
fn running(page: &Page, blocks: &TextBlocks, words: &[f64]) -> Vec<bool> {
    let mut running = vec![false; page.len()];
    for block in &blocks.list {
        let id = block.container;
        if page.tag(id).is_some_and(is_running) && words[id.index()] > 0.0 {
            running[page.parent(id).index()] = true;
        }
    }
    running
}

fn words_below(page: &Page, blocks: &TextBlocks, scored: &[Scored]) -> Vec<f64> {
    let mut words = vec![0.0; page.len()];
    for (block, scored) in blocks.list.iter().zip(scored) {
        words[block.container.index()] += scored.words;
    }
    for row in (page.body().index() + 1..page.len()).rev() {
        let own = words[row];
        words[page.parent(NodeId::from_row(row)).index()] += own;
    }
    words
}

/// The sum of each block's group.
fn sums(page: &Page, groups: &[Option<NodeId>], scored: &[Scored]) -> Vec<Option<GroupSum>> {
    // By row: where its sum is, counted from 1.
    let mut places = vec![0u32; page.len()];
    let mut sums: Vec<GroupSum> = Vec::new();
    for (group, scored) in groups.iter().zip(scored.iter()) {
        let Some(group) = group else { continue };
        let place = &mut places[group.index()];
        if *place == 0 {
            sums.push(GroupSum::default());
            *place = count(sums.len());
        }
        let sum = &mut sums[*place as usize - 1];
        sum.words += scored.words;
        if scored.words >= LONG {
            sum.long += scored.words;
        }
        sum.hits += scored.probability * scored.words;
    }
    let of = |group: NodeId| sums[places[group.index()] as usize - 1];
    groups.iter().map(|group| group.map(of)).collect()
}

/// The innermost table of data, list, code or quotation around each block.
fn groups(page: &Page, blocks: &TextBlocks) -> Vec<Option<NodeId>> {
    let body = page.body();
    // What stands between one block and the next is left or entered; elements that are open and pool are few.
    let mut open: Vec<NodeId> = Vec::new();
    let mut next = body;
    let mut groups = Vec::with_capacity(blocks.list.len());
    for block in &blocks.list {
        let container = block.container;
        if container < next {
            // A container that goes on behind one inside it.
            let around = open.iter().rev();
            groups.push(around.copied().find(|&id| page.contains(id, container)));
            continue;
        }
        for row in next.0..=container.0 {
            let id = NodeId(row);
            if matches!(page.tag(id), Some(Tag::Table | Tag::Ul | Tag::Ol | Tag::Dl | Tag::Pre | Tag::Blockquote))
                && !(page.tag(id) == Some(Tag::Table) && lays_out(page, id))
            {
                while open.last().is_some_and(|&last| !page.contains(last, id)) {
                    open.pop();
                }
                open.push(id);
            }
        }
        next = NodeId(container.0 + 1);
        let around = open.iter().rev();
        groups.push(around.copied().find(|&id| page.contains(id, container)));
    }
    // The bar beside a quotation ("Share", "Tweet this") is none of it.
    for (group, block) in groups.iter_mut().zip(&blocks.list) {
        let is_quote = |id: &NodeId| page.tag(*id) == Some(Tag::Blockquote);
        if block.linked * 2.0 > block.chars && group.as_ref().is_some_and(is_quote) {
            *group = None;
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn pooled(html: &str, probabilities: &[f64]) -> Vec<f64> {
        let page = page(html);
        let blocks = TextBlocks::from_page(&page, &[]);
        let mut scored: Vec<Scored> = blocks
            .list
            .iter()
            .zip(probabilities)
            .map(|(block, &probability)| Scored { probability, words: f64::from(block.stats.words) })
            .collect();
        smooth(&page, &blocks, &mut scored);
        scored.iter().map(|block| block.probability).collect()
    }

    #[test]
    fn cells_share_their_chance_and_paragraphs_do_not() {
        let html = "<div><p>one</p></div><table><tr><td>a b c<td>d</table><div><p>two</p></div>";
        assert_eq!(pooled(html, &[0.2, 0.25, 0.75, 0.1]), [0.2, 0.375, 0.375, 0.1]);
    }

    #[test]
    fn running_text_with_its_headings_and_code_stands_and_falls_together() {
        let html = "<main><h2>head</h2><p>one two</p><div><div><pre>code</pre></div></div></main><p>other</p>";
        let probabilities = pooled(html, &[0.25, 0.75, 0.25, 0.125]);
        assert_eq!(probabilities, [0.5, 0.5, 0.5, 0.125]);
    }

    #[test]
    fn code_in_an_item_or_a_figure_belongs_to_the_text_around_it() {
        let html = "<main><p>one two</p><figure><figcaption>a</figcaption><pre>code</pre></figure>\
                    <ul><li>x<pre>more</pre></li></ul><p>end</p></main>";
        let probabilities = pooled(html, &[0.75, 0.1, 0.25, 0.5, 0.25, 0.75]);
        assert_eq!(probabilities, [0.55, 0.1, 0.55, 0.5, 0.55, 0.55]);
    }

    #[test]
    fn the_lines_of_code_are_one() {
        let probabilities = pooled("<div><pre><div>one</div><div>two</div></pre></div>", &[0.25, 0.75]);
        assert_eq!(probabilities, [0.5, 0.5]);
    }

    #[test]
    fn a_quotation_goes_with_whose_it_is() {
        let probabilities = pooled("<blockquote><p>a b c</p>Ann</blockquote>", &[0.25, 0.65]);
        assert!((probabilities[0] - 0.35).abs() < 1e-9 && probabilities[0].total_cmp(&probabilities[1]).is_eq());
    }

    #[test]
    fn a_list_of_posts_is_no_group_and_a_list_inside_it_is() {
        let post = "word ".repeat(25);
        let html = format!("<ol><li><p>{post}</p><ul><li>a<li>b</ul><p>reply</p><li><p>{post}</p></ol>");
        let probabilities = pooled(&html, &[0.9, 0.25, 0.75, 0.1, 0.5]);
        assert_eq!(probabilities, [0.9, 0.5, 0.5, 0.1, 0.5]);
    }
}
