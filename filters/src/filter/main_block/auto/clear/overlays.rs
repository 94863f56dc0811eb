//! What opens over the page of a product, each time that something is pressed or pointed at, stands in it as a text among the others:
//! what "returns accepted" means, how to report an offer, that the basket has a new thing in it. It is about the shop.
//!
//! Only of products: overlays of companies hold what their cards tell in full. Measured on WCXB dev, 2026-11-22, five folds, on the halves
//! of the domains (rules were looked for in the first only): word F1 of all pages +.0003 and +.0001, of products +.004 and +.000.

use super::super::{
    blocks::Blocks,
    called::{self, Names},
};
use crate::page::{Page, said::Hint};

const NAMES: Names = Names::of(WORDS, Hint::Overlays);

pub(crate) const WORDS: &[&str] = &[
    "modal", "popup", "dialog", "tooltip", "popover", "toast", "flyout", "lightbox",
];

/// Share of all kept words that one of them may hold. Above it the page itself is called so.
const MOST: f32 = 0.2;

/// Drops overlays from the kept blocks of a product.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    for part in called::parts(page, blocks, kept, &NAMES, MOST) {
        kept[part].fill(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, words};

    /// Which texts are kept of a page of which all was.
    fn kept(overlay: &str) -> Vec<bool> {
        let page = page(&format!("<p>{}</p>{overlay}", words(40)));
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept
    }

    const OVERLAY: &str = "<div class=returns-tooltip><p>Buyers pay for the way back.</p></div>";

    #[test]
    fn what_opens_over_a_product_goes() {
        assert_eq!(kept(OVERLAY), [true, false]);
        assert_eq!(
            kept(&OVERLAY.replace("class=returns-tooltip", "role=dialog")),
            [true, false]
        );
    }

    #[test]
    fn overlays_stay_where_they_are_most_of_the_page() {
        let most = format!("<div class=modal><p>{}</p></div>", words(40));
        assert_eq!(kept(&most), [true, true]);
    }
}
