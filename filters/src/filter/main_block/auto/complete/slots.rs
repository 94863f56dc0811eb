//! Rows that are no table: the dishes of a menu, each with what it is made of and what it costs, the hours of a day, in `<div>`s of
//! one class. Where most rows are kept at least in part, and a part of theirs is kept in some, it stays in all: the price of
//! the soup without that of the fish, or the fish without its name, is worse than either.
//!
//! A part is known by the tag and the class of its element and of the row's.
//!
//! WCXB dev, 2026-11-22, five folds: word F1 .8847 with and without, on either half of the domains; 17 pages of 1,497 change by .002 or
//! more, eight of them for the better: it is for the reader.

use html5ever::local_name;

use super::super::{Scored, blocks::Blocks};
use crate::{
    hashing::Table,
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// The least chance of what comes back, its words at most, and the share of its characters that may stand in links.
const CHANCE: f64 = 0.1;
const WORDS: f32 = 12.0;
const LINKED: f32 = 0.5;

/// Rows, at least; the share of them of which something is kept; and that of those in which the part is.
const ROWS: usize = 4;
const PARTLY: f64 = 0.7;
const KEPT: f64 = 0.3;

/// The tag and the class of a row and of a part of it.
type Look<'a> = (Tag, &'a str);

#[derive(Default)]
struct Count {
    all: usize,
    kept: usize,
}

/// Keeps them.
pub(super) fn keep(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    kept: &mut [bool],
) {
    // Of the cards of a shelf or of a list each part is judged by itself: many say what can be done with it.
    let is_text = matches!(
        kind.get(),
        None | Some(Kind::Article | Kind::Documentation | Kind::Service)
    );
    if !is_text {
        return;
    }
    let may_come = |at: usize| {
        let block = &blocks.list[at];
        !kept[at]
            && scored[at].chance >= CHANCE
            && block.stats.words <= WORDS
            && block.linked <= LINKED * block.chars
            && part(page, block.container).is_some()
    };
    // Nearly no page has any.
    let is_torn = |at: &usize| kept[*at - 1] && may_come(*at);
    if !(1..kept.len()).any(|at| is_torn(&at)) {
        return;
    }
    // Only rows that look as those do are counted, told by a bit of their look.
    let bit = |row: Look<'_>| 1u64 << ((row.0 as usize + 7 * row.1.len()) % 64);
    let mut wanted = 0;
    for at in (1..kept.len()).filter(|&at| may_come(at)) {
        wanted |= part(page, blocks.list[at].container).map_or(0, |(row, _)| bit(row));
    }
    let mut parts: Table<(Look<'_>, Look<'_>), Count> = Table::default();
    let mut rows: Table<Look<'_>, Count> = Table::default();
    let mut last: Option<(NodeId, bool)> = None;
    for (block, &kept) in blocks.list.iter().zip(kept.iter()) {
        let Some((row, own)) = part(page, block.container) else {
            continue;
        };
        let id = page.parent(block.container);
        if bit(row) & wanted == 0 {
            last = Some((id, false));
            continue;
        }
        let count = parts.entry((row, own)).or_default();
        count.all += 1;
        count.kept += usize::from(kept);
        let count = rows.entry(row).or_default();
        let (is_new, was_kept) = match last {
            Some((last, was_kept)) if last == id => (false, was_kept),
            _ => (true, false),
        };
        count.all += usize::from(is_new);
        count.kept += usize::from(kept && !was_kept);
        last = Some((id, was_kept || kept));
    }
    let is_mostly = |count: &Count, share: f64| count.kept as f64 >= share * count.all as f64;
    let found: Vec<usize> = (1..kept.len())
        .filter(|&at| may_come(at))
        .filter(|&at| {
            part(page, blocks.list[at].container).is_some_and(|(row, own)| {
                rows.get(&row)
                    .is_some_and(|rows| rows.all >= ROWS && is_mostly(rows, PARTLY))
                    && parts
                        .get(&(row, own))
                        .is_some_and(|part| is_mostly(part, KEPT))
            })
        })
        .collect();
    for at in found {
        kept[at] = true;
    }
}

/// What a text is a part of, and as what; `None` where that has no class.
fn part(page: &Page, container: NodeId) -> Option<(Look<'_>, Look<'_>)> {
    let look = |id: NodeId| {
        let tag = page.tag(id).filter(|tag| may_be(*tag))?;
        let class = page.attribute(id, &local_name!("class"))?;
        Some((tag, class))
    };
    let own = look(container)?;
    Some((look(page.parent(container))?, own))
}

fn may_be(tag: Tag) -> bool {
    tag.is_heading() || matches!(tag, Tag::Div | Tag::P | Tag::Span | Tag::Section | Tag::Li)
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};

    fn kept(html: &str, chance: f64) -> Vec<bool> {
        Trial::completed(html, chance, keep)
    }

    fn rows(parts: &[[&str; 3]]) -> String {
        let row = |[name, of, price]: &[&str; 3]| {
            format!(
                "<div class=dish><div class=name>{name}</div><p class=of>{of}</p><div class=price>{price}</div></div>"
            )
        };
        parts.iter().map(row).collect()
    }

    #[test]
    fn a_part_that_some_rows_keep_stays_in_all() {
        let mut dishes = [["kept: soup", "kept: leek", "kept: 7"]; 2].to_vec();
        dishes.extend([["Fish", "kept: cider", "24"]; 3]);
        assert_eq!(kept(&rows(&dishes), 0.15), [true; 15]);
        assert!(kept(&rows(&dishes), 0.05).contains(&false));
    }

    #[test]
    fn a_part_that_no_row_keeps_and_rows_that_are_not_kept_go() {
        let dishes = [["kept: soup", "kept: leek", "Order"]; 5];
        let left = kept(&rows(&dishes), 0.15);
        assert_eq!(left.iter().filter(|kept| **kept).count(), 10);
        let mut others = [["kept: soup", "kept: leek", "7"]; 2].to_vec();
        others.extend([["Chair", "Oak", "24"]; 6]);
        let left = kept(&rows(&others), 0.15);
        assert_eq!(left.iter().filter(|kept| **kept).count(), 4);
    }
}
