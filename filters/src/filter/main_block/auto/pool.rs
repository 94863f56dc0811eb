//! What is one thing is kept or dropped as one: the cells of a table, the items of a list. Half a table is worse than none,
//! and its cells are too short to be judged one by one.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 .8693 with it and without.

use super::{Scored, blocks::Blocks};
use crate::page::{NodeId, Page, tag::Tag};

/// Words from which a block is a paragraph with a chance of its own, as in [`super::blocks::Block::is_long`]. A list that
/// holds most of its words in such blocks is one of posts, and none of it is pooled. Higher: longer items stand and fall
/// together.
const LONG: f64 = 20.0;

#[derive(Clone, Copy, Default)]
struct Sum {
    words: f64,
    /// Those of long blocks.
    long: f64,
    hits: f64,
}

/// Gives all blocks of a table or a list their mean chance, words as weights.
pub(super) fn pool(page: &Page, blocks: &Blocks, scored: &mut [Scored]) {
    let groups = groups(page, blocks);
    let mut sums = vec![Sum::default(); page.len()];
    for (group, scored) in groups.iter().zip(scored.iter()) {
        if let Some(group) = group {
            let sum = &mut sums[group.index()];
            sum.words += scored.words;
            if scored.words >= LONG {
                sum.long += scored.words;
            }
            sum.hits += scored.chance * scored.words;
        }
    }
    for (group, scored) in groups.iter().zip(scored) {
        let sum = group.map_or_else(Sum::default, |group| sums[group.index()]);
        if sum.words > 0.0 && sum.long < 0.5 * sum.words {
            scored.chance = sum.hits / sum.words;
        }
    }
}

/// The innermost table or list around each block.
fn groups(page: &Page, blocks: &Blocks) -> Vec<Option<NodeId>> {
    let mut group_of: Vec<Option<NodeId>> = vec![None; page.len()];
    let body = page.body();
    for row in body.index()..page.end(body).index() {
        let id = NodeId::from_row(row);
        group_of[row] = match page.tag(id) {
            Some(Tag::Table | Tag::Ul | Tag::Ol | Tag::Dl) => Some(id),
            Some(_) if id != body => group_of[page.parent(id).index()],
            _ => None,
        };
    }
    blocks
        .list
        .iter()
        .map(|block| group_of[block.container.index()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn pooled(html: &str, chances: &[f64]) -> Vec<f64> {
        let page = page(html);
        let blocks = Blocks::of(&page, &[]);
        let mut scored: Vec<Scored> = blocks
            .list
            .iter()
            .zip(chances)
            .map(|(block, &chance)| Scored {
                chance,
                words: f64::from(block.stats.words),
            })
            .collect();
        pool(&page, &blocks, &mut scored);
        scored.iter().map(|block| block.chance).collect()
    }

    #[test]
    fn cells_share_their_chance_and_paragraphs_do_not() {
        let html = "<p>one</p><table><tr><td>a b c<td>d</table><p>two</p>";
        assert_eq!(
            pooled(html, &[0.2, 0.25, 0.75, 0.1]),
            [0.2, 0.375, 0.375, 0.1]
        );
    }

    #[test]
    fn a_list_of_posts_is_no_group_and_a_list_inside_it_is() {
        let post = "word ".repeat(25);
        let html =
            format!("<ol><li><p>{post}</p><ul><li>a<li>b</ul><p>reply</p><li><p>{post}</p></ol>");
        let chances = pooled(&html, &[0.9, 0.25, 0.75, 0.1, 0.5]);
        assert_eq!(chances, [0.9, 0.5, 0.5, 0.1, 0.5]);
    }
}
