//! The goods of a shop's shelf. Shelves carry an essay for search engines, and beside it the cards have a low chance; but whoever
//! opens a shelf came for what is on it.

use super::super::blocks::{Block, Blocks};
use crate::{
    kind::{self, Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// Cards from which there is a shelf. A text about goods shows three or four of them.
const MIN_CARDS: usize = 8;

/// Elements from a price up to its card.
const LEVELS: usize = 12;

/// Kept words above the first card, at most, or half as many as on all cards. Below the description of one thing stands what
/// others bought; a shelf has a few lines of introduction.
const MAX_WORDS_ABOVE: f32 = 120.0;

/// Words of a headline, at most.
const HEADLINE: f32 = 20.0;

/// Nodes of a card, at most: they have pictures of five colours, but not a hundred. Higher: more time on hostile pages.
const MAX_NODES: usize = 400;

/// Words of a text on a card, at most: its name, its price, what it is made of.
const MAX_WORDS: f32 = 30.0;

/// Marks the texts of the cards, where the page is a shelf and most of its cards would be lost.
pub(super) fn keep(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    let cards = cards(page, blocks);
    let is_on = |at: usize, card: NodeId| page.contains(card, blocks.list[at].container);
    let begins_before =
        |block: &Block, card: NodeId| blocks.texts(block).iter().any(|&text| text < card);
    let first = |card: NodeId| {
        blocks
            .list
            .partition_point(|block| begins_before(block, card))
    };
    let on = |card: NodeId| (first(card)..blocks.list.len()).take_while(move |&at| is_on(at, card));
    let shown = cards
        .iter()
        .filter(|&&card| on(card).any(|at| kept[at]))
        .count();
    if cards.len() < MIN_CARDS || shown * 2 > cards.len() {
        return;
    }
    let above: f32 = cards.first().map_or(0.0, |&card| {
        let before = blocks.list.iter().zip(kept.iter()).take(first(card));
        before
            .filter(|(_, kept)| **kept)
            .map(|(block, _)| block.stats.words)
            .sum()
    });
    let goods: f32 = cards
        .iter()
        .flat_map(|&card| on(card))
        .map(|at| blocks.list[at].stats.words)
        .filter(|&words| words <= MAX_WORDS)
        .sum();
    if above > MAX_WORDS_ABOVE.max(goods / 2.0) {
        return;
    }
    let is_shelf = match kind.get() {
        Some(Kind::Collection) => true,
        Some(Kind::Product | Kind::Forum) => false,
        // A headline, and then goods: the essay below them makes it look like an article.
        _ => above > 0.0 && above <= HEADLINE,
    };
    if !is_shelf {
        return;
    }
    for card in cards {
        for at in on(card) {
            let is_button = page.tag(blocks.list[at].container) == Some(Tag::Button);
            kept[at] |= !is_button && blocks.list[at].stats.words <= MAX_WORDS;
        }
    }
}

/// The smallest elements around a price that hold a picture and a link too, in document order.
pub(in super::super) fn cards(page: &Page, blocks: &Blocks) -> Vec<NodeId> {
    // Few texts do, and putting one together costs more.
    let may_hold_price = |block: &Block| {
        let mut texts = blocks.texts(block).iter().filter_map(|&id| page.text(id));
        texts.any(|text| kind::may_hold_price(&text))
    };
    let prices = blocks
        .list
        .iter()
        .filter(|block| block.stats.words <= MAX_WORDS && may_hold_price(block))
        .filter(|block| kind::prices(&blocks.text(page, block)) > 0)
        .filter_map(|block| blocks.texts(block).first().copied());
    let mut cards: Vec<NodeId> = Vec::new();
    for price in prices {
        if cards.last().is_some_and(|&card| page.contains(card, price)) {
            continue;
        }
        let card = page
            .ancestors(price)
            .take(LEVELS)
            .find(|&up| is_card(page, up));
        cards.extend(card.filter(|&card| cards.last().is_none_or(|&last| page.end(last) <= card)));
    }
    cards
}

fn is_card(page: &Page, id: NodeId) -> bool {
    if page.end(id).index() - id.index() > MAX_NODES {
        return false;
    }
    let has = |wanted: fn(&Page, NodeId) -> bool| page.live(id).any(|at| wanted(page, at));
    has(|page, at| page.tag(at) == Some(Tag::Img)) && has(Page::in_link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words},
    };

    /// How many of the texts are kept of a shelf with these cards, of whose texts only the first is to begin with.
    fn kept(above: usize, card: &str, count: usize, claims: Claims) -> usize {
        let html = format!("<p>{}</p><ul>{}</ul>", words(above), card.repeat(count));
        let mut page = page_at("https://example.org/shelf", &html);
        page.claims = claims;
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![false; blocks.list.len()];
        kept[0] = true;
        keep(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept.iter().filter(|&&kept| kept).count()
    }

    const CARD: &str =
        "<li><a href=/c><img src=/c.jpg><p>Chair</p></a><p>$<b>40</b></p><button>Buy</button></li>";

    fn shelf() -> Claims {
        Claims {
            open_graph: "product.group".to_owned(),
            ..Claims::default()
        }
    }

    #[test]
    fn the_goods_of_a_shelf_stay() {
        assert_eq!(kept(20, CARD, 10, shelf()), 21);
        // Right below the headline, whatever else the page is.
        assert_eq!(kept(3, CARD, 10, Claims::default()), 21);
        // A long introduction, and more goods than that.
        assert_eq!(kept(140, CARD, 200, shelf()), 401);
    }

    #[test]
    fn goods_below_a_text_on_another_page_or_in_small_number_are_left_to_their_chance() {
        assert_eq!(kept(200, CARD, 10, shelf()), 1);
        assert_eq!(kept(30, CARD, 10, Claims::default()), 1);
        assert_eq!(kept(20, CARD, 7, shelf()), 1);
        assert_eq!(
            kept(20, &CARD.replace("<img src=/c.jpg>", ""), 10, shelf()),
            1
        );
    }
}
