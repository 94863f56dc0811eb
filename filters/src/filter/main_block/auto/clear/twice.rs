//! What stands twice on a card is kept once: its name, day and price for two widths of screen, its name again for those who cannot see
//! the picture. The runs are too short for `auto/clear/copies.rs`, and on a page of cards there are many.
//!
//! Only on pages of cards, and no items of a list: what two offers or two chapters have in common an author says twice on purpose.
//! Shelves of a shop gain on one half of the domains and lose on the other, and are left as they are.
//!
//! Measured on WCXB dev, 2026-11-22, five folds, on the halves of the domains (rules were looked for in the first only): word F1 of all
//! pages +.0005 and +.0002, of listings +.007 and +.000. Where the two need not stand on one card it is +.0009 and +.0004, and the
//! second of two events in one house loses its place.

use super::super::blocks::Blocks;
use super::copies::stand_together;
use crate::{
    hashing::Table,
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// Words of a text, at least: two chairs have one price.
const LEAST_WORDS: f32 = 3.0;

/// Times that a text may stand on the page. More: it is a label of every card.
const TIMES: std::ops::RangeInclusive<usize> = 2..=3;

/// Kept texts from one place to the next, at most.
const NEAR: usize = 32;

/// Texts that stand twice, at least. Below it is by chance.
const LEAST: usize = 4;

/// Share of them that stands on one card, at most. Above it, the element around both is no card but the list of them.
const SHARE: f64 = 0.5;

/// Drops the later ones from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    let mut pairs = pairs(page, blocks, kept);
    if pairs.len() < LEAST || !matches!(kind.get(), Some(Kind::Listing | Kind::Product)) {
        return;
    }
    pairs.sort_unstable();
    let first = |at: usize| blocks.texts(&blocks.list[at]).first().copied();
    let begins = |pair: &(usize, usize)| first(pair.0).unwrap_or(NodeId::DOCUMENT);
    let is_on_a_card = |&(one, other): &(usize, usize)| {
        let (one, other) = (blocks.list[one].container, blocks.list[other].container);
        let mut around = page.ancestors(one);
        let card = around.find(|&up| page.contains(up, other));
        card.is_some_and(|card| {
            let before = pairs.partition_point(|pair| begins(pair) < card);
            let inside = pairs.partition_point(|pair| begins(pair) < page.end(card)) - before;
            inside as f64 <= SHARE * pairs.len() as f64
        })
    };
    let copies: Vec<usize> = pairs
        .iter()
        .filter(|pair| is_on_a_card(pair))
        .map(|pair| pair.1)
        .collect();
    if copies.len() >= LEAST {
        for at in copies {
            kept[at] = false;
        }
    }
}

/// The kept texts that stand twice or three times and near each other, each with the one before it.
fn pairs(page: &Page, blocks: &Blocks, kept: &[bool]) -> Vec<(usize, usize)> {
    let shown: Vec<usize> = (0..blocks.list.len())
        .filter(|&at| kept[at] && blocks.list[at].stats.words > 0.0)
        .collect();
    let mut places: Table<u64, Vec<usize>> = Table::default();
    for (number, &at) in shown.iter().enumerate() {
        if blocks.list[at].stats.words >= LEAST_WORDS {
            let hash = blocks.list[at].stats.hash;
            places.entry(hash).or_default().push(number);
        }
    }
    let is_near = |pair: &[usize]| {
        let (one, other) = (&blocks.list[shown[pair[0]]], &blocks.list[shown[pair[1]]]);
        pair[1] - pair[0] <= NEAR
            && !stand_together(page, one, other)
            && !is_in_rows(page, other.container)
    };
    places.retain(|_, places| TIMES.contains(&places.len()) && places.windows(2).all(is_near));
    let pairs = places.values().flat_map(|places| places.windows(2));
    pairs.map(|pair| (shown[pair[0]], shown[pair[1]])).collect()
}

fn is_in_rows(page: &Page, id: NodeId) -> bool {
    if page.tag(id) == Some(Tag::Li) {
        return true;
    }
    let holds_rows = |up: NodeId| matches!(page.tag(up), Some(Tag::Table | Tag::Dl | Tag::Pre));
    page.ancestors(id).any(holds_rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kind::Claims, testing::page_at};

    /// Which texts are kept of a page that says it is this, with so many cards.
    fn kept(open_graph: &str, count: usize, card: &str) -> Vec<bool> {
        let card = |number: usize| card.replace('#', &number.to_string());
        let mut page = page_at(
            "https://example.org/chair",
            &(0..count).map(card).collect::<String>(),
        );
        page.claims = Claims {
            open_graph: open_graph.to_owned(),
            ..Claims::default()
        };
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept
    }

    const CARD: &str = "<div><div class=wide><h3>Meeting of guild #</h3><p>Free</p></div>\
        <div class=narrow><b>Sales end soon</b><h3>Meeting of guild #</h3><p>Free</p></div></div>";

    #[test]
    fn what_stands_twice_on_a_card_is_kept_once() {
        let card = [true, true, true, false, true];
        assert_eq!(kept("product", 4, CARD), card.repeat(4));
    }

    #[test]
    fn what_stands_twice_stays_on_other_pages_and_where_it_is_by_chance() {
        assert_eq!(kept("article", 4, CARD), [true; 20]);
        assert_eq!(kept("product.group", 4, CARD), [true; 20]);
        assert_eq!(kept("product", 2, CARD), [true; 10]);
        // The same of two cards.
        let place = |number: usize| ["in the town hall", "at the old mill"][number / 2 % 2];
        let cards = (0..8).map(|number| {
            format!(
                "<div><h3>Meeting {number}</h3><p>{}</p></div>",
                place(number)
            )
        });
        assert_eq!(kept("product", 1, &cards.collect::<String>()), [true; 16]);
        // The same of every card, far from each other, or beside each other.
        let label = CARD.replace('#', "of smiths");
        assert_eq!(kept("product", 4, &label), [true; 20]);
        let far = CARD.replace("<div class=narrow>", &"<p>and</p>".repeat(40));
        assert!(kept("product", 4, &far).iter().all(|&kept| kept));
        let beside = "<div><p>Meeting of guild #</p><p>Meeting of guild #</p></div>";
        assert_eq!(kept("product", 4, beside), [true; 8]);
    }

    #[test]
    fn tables_and_lists_keep_what_they_have_in_common() {
        for rows in [
            "<table><tr><td><p>Open from nine #</p></table>",
            "<ul><li>Open from nine #</ul>",
        ] {
            let twice = format!("<div>{rows}</div><div>{rows}</div>");
            assert_eq!(kept("product", 4, &twice), [true; 8]);
        }
    }
}
