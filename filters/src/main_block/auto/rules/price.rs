//! The price of what a page sells. It is a short text among buttons and choices, and its probability is theirs; but a product without
//! its price is of no use.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: word F1 of its products .6517 with it and .6521 without (annotators differ): it is
//! for the reader.

use super::{super::blocks::TextBlocks, Context};
use crate::{
    html::{Page, tag::Tag},
    page_type::{self, PageType},
};

/// Words of a price with what belongs to it: "Sale price $40.00, regular price $55.00".
const MAX_WORDS: f32 = 12.0;

/// Words of a price and nothing else: "€ 9.450", "$ 40.00 each".
const BARE_WORDS: f32 = 4.0;

/// Texts from the headline to the price, at most: the maker, stars, pictures that are numbered.
const NEAR: usize = 30;

/// Texts from the headline to the price, at most, buttons and choices included.
const WITH_CHOICES: usize = 120;

/// Texts from the headline to a price that is that of the page, though it says that it is a shelf or an offer.
const CLOSE: usize = 4;

/// Texts above the headline in which its price is looked for if none is below: a bar with a button to buy.
const ABOVE: usize = 3;

/// Prices right after it that are kept with it: before and after a discount, either of which alone would mislead.
const BESIDE: usize = 2;

/// Keeps the first price below the headline of a product, else the one right above it.
pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, kind, .. } = *context;
    let below = blocks.below_headline(page, WITH_CHOICES);
    let first = below.start;
    let mut below = below.filter(|&at| !is_control(page, blocks, at)).take(NEAR);
    let unlinked = |at: &usize| is_price(page, blocks, *at) && is_mostly_text(blocks, *at);
    let mut above = (first.saturating_sub(1 + ABOVE)..first.saturating_sub(1)).rev();
    let above = || above.find(|&at| is_price(page, blocks, at));
    let Some(price) = below.find(unlinked).or_else(above) else {
        return;
    };
    let prices = (0..kept.len()).filter(|&at| is_price(page, blocks, at)).count();
    let is_its_own = kept[price]
        || match kind.get() {
            Some(PageType::Product) => true,
            // Advertisements of a house or a car mostly do not say what they are. There it is the next line, and nothing else.
            None if prices == 1 => true,
            None => price == first && blocks.list[price].stats.words <= BARE_WORDS,
            Some(PageType::Collection | PageType::Service | PageType::Listing) => {
                (first..first + CLOSE).contains(&price)
            }
            _ => false,
        };
    if is_its_own {
        let beside = (price + 1..blocks.list.len()).take(BESIDE);
        let beside = beside.take_while(|&at| is_price(page, blocks, at) && is_mostly_text(blocks, at));
        for at in std::iter::once(price).chain(beside) {
            kept[at] = true;
        }
    }
}

pub(super) fn is_price(page: &Page, blocks: &TextBlocks, at: usize) -> bool {
    let block = &blocks.list[at];
    block.stats.words <= MAX_WORDS && !is_control(page, blocks, at) && page_type::prices(&blocks.text(page, block)) > 0
}

/// A button, or one of the colours and sizes to choose from.
pub(super) fn is_control(page: &Page, blocks: &TextBlocks, at: usize) -> bool {
    let tag = page.tag(blocks.list[at].container);
    matches!(tag, Some(Tag::Button | Tag::Label | Tag::Option))
}

/// Whether no more of a text is linked than the sign of a footnote: prices in links are those of other goods.
pub(super) fn is_mostly_text(blocks: &TextBlocks, at: usize) -> bool {
    let block = &blocks.list[at];
    block.linked * 5.0 <= block.chars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, chair, page_at, words};

    /// Which texts are kept of a page that says it is this, of which only the last text is to begin with.
    fn kept(open_graph: &str, between: &str) -> Vec<bool> {
        let page = chair(open_graph, between);
        let blocks = TextBlocks::from_page(&page, &[]);
        let mut all = vec![false; blocks.list.len()];
        *all.last_mut().unwrap() = true;
        super::super::proposed(&page, &blocks, 0.5, all, keep)
    }

    #[test]
    fn the_only_price_of_a_page_that_does_not_say_what_it_is_stays() {
        assert_eq!(kept("", "<p>2017</p><p>€ 9.450</p>"), [false, false, true, true]);
        let two = "<p>2017</p><p>€ 9.450</p><p>2018</p><p>€ 9.900</p>";
        assert_eq!(kept("", two), [false, false, false, false, false, true]);
        assert_eq!(kept("", "<p>€ 9.450</p><p>2018</p><p>€ 9.900</p>"), [false, true, false, false, true]);
    }

    const PRICE: &str = "<p>Stars: 12</p><p>Sale price $<b>40</b>.00</p><p>Sizes</p><p>Last week $55.00</p>";

    #[test]
    fn the_price_of_a_product_stays() {
        assert_eq!(kept("product", PRICE), [false, false, true, false, false, true]);
    }

    #[test]
    fn a_price_of_before_and_that_of_now_stay_together() {
        let prices = "<p><s>$55.00</s></p><p>$40.00</p><p>Stars: 12</p><p>$60.00</p>";
        assert_eq!(kept("product", prices), [false, true, true, false, false, true]);
    }

    #[test]
    fn the_sign_of_a_footnote_makes_no_link_of_a_price() {
        let price = "<p>From $999 or $83.25 a month.<a href=#note>*</a></p>";
        assert_eq!(kept("product", price), [false, true, true]);
    }

    #[test]
    fn what_can_be_chosen_between_headline_and_price_is_not_counted() {
        let colours = "<label><input type=radio> Oak</label>".repeat(60);
        assert!(kept("product", &format!("{colours}<p>$40.00</p>"))[61]);
        let texts = "<p>Stars: 12</p>".repeat(40);
        assert!(!kept("product", &format!("{texts}<p>$40.00</p>"))[41]);
    }

    #[test]
    fn a_price_right_below_the_headline_of_an_offer_stays() {
        let price = "<h2>Available now</h2><h3>$399.99</h3>";
        assert_eq!(kept("product.group", price), [false, false, true, true]);
    }

    #[test]
    fn the_price_in_the_bar_above_the_headline_stays() {
        let bar = "<ul><li><a href=/buy>From $1,299.99</a></ul><h1 id=t>Oak chair</h1>";
        let html = format!("{bar}<p>{}</p>", words(30));
        let mut page = page_at("https://example.org/chair", &html);
        page.headline.node = Some(by_id(&page, "t"));
        page.claims.open_graph = "product".to_owned();
        let blocks = TextBlocks::from_page(&page, &[]);
        let all = super::super::proposed(&page, &blocks, 0.5, vec![false, false, true], keep);
        assert_eq!(all, [true, false, true]);
    }

    #[test]
    fn prices_elsewhere_in_links_or_on_buttons_are_left_to_their_chance() {
        let only_text = |kept: Vec<bool>| kept.iter().filter(|kept| **kept).count() == 1;
        assert!(only_text(kept("article", PRICE)));
        let far = format!("{}{PRICE}", "<p>Stars: 12</p>".repeat(4));
        assert!(only_text(kept("product.group", &far)));
        assert!(only_text(kept("product", "<p><a href=/x>$40.00</a></p>")));
        assert!(only_text(kept("product", "<button>Buy for $40.00</button>")));
    }
}
