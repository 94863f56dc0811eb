//! Other goods on the page of one: what others bought, what was looked at last, what goes with it. Each is a picture, a price and a
//! link, as on a shelf (`auto/complete/goods.rs`), and there are several.
//!
//! Measured on WCXB dev, 2026-11-22, five folds, on the halves of the domains (rules were looked for in the first only): word F1 of all
//! pages +.0002 and +.0003, of products +.002 and +.004. Without the bound on their share it loses: a page told for a
//! product is now and then a shelf.

use super::super::{blocks::Blocks, called, complete::goods};
use crate::{
    kind,
    page::{NodeId, Page},
};

/// Cards from which they are others. Two may be the sizes in which a thing is sold.
const MIN_CARDS: usize = 3;

/// Share of all kept words that they may hold together.
const MOST: f32 = 0.5;

/// Texts from the headline to the price of the product itself, at most, as in `auto/complete/price.rs`.
const NEAR: usize = 30;

/// Drops the cards of other goods from the kept blocks of a product.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let headline = page.headline.node;
    let mut cards = goods::cards(page, blocks);
    let own = own_price(page, blocks);
    cards.retain(|&card| {
        let holds = |node: Option<NodeId>| node.is_some_and(|node| page.contains(card, node));
        !holds(headline) && !holds(own)
    });
    if cards.len() < MIN_CARDS {
        return;
    }
    let ranges: Vec<_> = cards
        .iter()
        .map(|&card| blocks.inside(page, card))
        .collect();
    let words = ranges
        .iter()
        .map(|range| called::words(blocks, kept, range.clone()));
    if words.sum::<f32>() > MOST * called::words(blocks, kept, 0..kept.len()) {
        return;
    }
    for range in ranges {
        kept[range].fill(false);
    }
}

/// The first price below the headline: that of the product itself.
fn own_price(page: &Page, blocks: &Blocks) -> Option<NodeId> {
    let mut below = blocks.below_headline(page, NEAR);
    let price = below.find(|&at| kind::prices(&blocks.text(page, &blocks.list[at])) > 0)?;
    Some(blocks.list[price].container)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    /// How many texts are kept of a page with a description of so many words.
    fn kept(described: usize, cards: usize) -> usize {
        const CARD: &str = "<li><a href=/c><img src=/c.jpg><p>Chair</p></a><p>$<b>40</b></p></li>";
        let page = page(&format!(
            "<p>{}</p><ul>{}</ul>",
            words(described),
            CARD.repeat(cards)
        ));
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept.into_iter().filter(|&kept| kept).count()
    }

    #[test]
    fn other_goods_on_the_page_of_one_go() {
        assert_eq!(kept(40, 4), 1);
    }

    #[test]
    fn the_product_itself_is_none_of_the_others() {
        const CARD: &str = "<li><a href=/c><img src=/c.jpg><p>Chair</p></a><p>$<b>40</b></p></li>";
        let html = format!(
            "<h1 id=h>Chair</h1><div><a href=/c.jpg><img src=/c.jpg></a><p>$60</p></div><p>{}</p><ul>{}</ul>",
            words(40),
            CARD.repeat(3)
        );
        let mut page = page(&html);
        page.headline.node = Some(by_id(&page, "h"));
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        assert_eq!(kept[..3], [true; 3]);
        assert!(kept[3..].iter().all(|kept| !kept), "{kept:?}");
    }

    #[test]
    fn goods_stay_in_small_number_and_where_they_are_most_of_the_page() {
        assert_eq!(kept(40, 2), 5);
        assert_eq!(kept(4, 4), 9);
    }
}
