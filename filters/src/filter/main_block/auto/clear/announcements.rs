//! What a shop announces above every page (who pays no postage, what is cheaper this week) is no part of any. It stands above the
//! headline, and often once for each country, so that there is more of it than of the page.
//!
//! Measured on WCXB dev, 2026-11-22, five folds, on the halves of the domains (rules were looked for in the first only): word F1 of all
//! pages +.0016, nearly all of it from two pages of one shop, and +.0000; no page loses. What stands above the headline whatever it is
//! called: -.0015 and -.0033.

use super::super::{
    blocks::Blocks,
    called::{self, Names},
};
use crate::page::{Page, said::Hint, tag::Tag};

const NAMES: Names = Names::of(WORDS, Hint::Announcements);

pub(crate) const WORDS: &[&str] = &[
    "announcement",
    "announcements",
    "promo",
    "promos",
    "promotion",
    "promotions",
    "promobar",
    "ticker",
    "marquee",
    "usp",
];

/// Share of all kept words that one part may hold.
const MOST: f32 = 0.95;

/// Words that must be left.
const LEFT: f32 = 30.0;

/// Drops them from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let Some(heading) = first_heading(page, blocks, kept) else {
        return;
    };
    // Most pages keep nothing above it.
    if called::words(blocks, kept, 0..heading) == 0.0 {
        return;
    }
    let mut parts = called::parts(page, blocks, kept, &NAMES, MOST);
    parts.retain(|part| part.end <= heading);
    let words = parts
        .iter()
        .map(|part| called::words(blocks, kept, part.clone()));
    if called::words(blocks, kept, 0..kept.len()) - words.sum::<f32>() < LEFT {
        return;
    }
    for part in parts {
        kept[part].fill(false);
    }
}

/// The headline, or where the page has none the first heading that is kept.
fn first_heading(page: &Page, blocks: &Blocks, kept: &[bool]) -> Option<usize> {
    if let Some(headline) = page.headline.node {
        return Some(blocks.inside(page, headline).start);
    }
    let is_heading = |at: &usize| {
        let container = blocks.list[*at].container;
        page.tag(container).is_some_and(Tag::is_heading)
    };
    (0..blocks.list.len()).find(|at| kept[*at] && is_heading(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    /// Which texts are kept of a page with this above and below a heading, which may be its headline.
    fn kept(above: &str, below: &str, has_headline: bool) -> Vec<bool> {
        let mut page = page(&format!("{above}<h1 id=h>Kettles</h1>{below}"));
        page.headline.node = has_headline.then(|| by_id(&page, "h"));
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept
    }

    const PROMO: &str =
        "<div class=promo-bar><p>Free shipping from $40.</p><p>Livraison gratuite.</p></div>";

    #[test]
    fn what_a_shop_announces_above_the_headline_goes() {
        let text = format!("<p>{}</p>", words(40));
        for has_headline in [true, false] {
            assert_eq!(kept(PROMO, &text, has_headline), [false, false, true, true]);
        }
    }

    #[test]
    fn offers_below_the_headline_other_texts_above_it_and_all_there_is_stay() {
        let text = format!("<p>{}</p>", words(40));
        assert_eq!(kept("", &format!("{text}{PROMO}"), true), [true; 4]);
        let other = PROMO.replace("promo-bar", "introduction");
        assert_eq!(kept(&other, &text, true), [true; 4]);
        assert_eq!(kept(PROMO, "<p>Twelve of them.</p>", true), [true; 4]);
    }
}
