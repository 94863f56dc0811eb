//! The page of one thing that is for sale, without what stands around it on every page of the shop: what buyers say of it
//! (`auto/clear/reviews.rs`), other goods (`auto/clear/others.rs`), overlays (`auto/clear/overlays.rs`).

use super::super::{blocks::Blocks, called};
use super::{others, overlays, reviews};
use crate::{
    kind::{Kind, KindNow},
    page::Page,
};

/// Words that must be left: about what `main_block.min_chars` asks for. Below it the page tells little but these.
const LEFT: f32 = 30.0;

/// Drops all that from the kept blocks of a product.
pub(super) fn tidy(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if kind.get() != Some(Kind::Product) {
        return;
    }
    let before = kept.to_vec();
    reviews::drop(page, blocks, kept);
    others::drop(page, blocks, kept);
    overlays::drop(page, blocks, kept);
    if called::words(blocks, kept, 0..kept.len()) < LEFT {
        kept.copy_from_slice(&before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words},
    };

    /// Which texts are kept of a page that says it is this, with a description of so many words and an overlay.
    fn kept(open_graph: &str, described: usize) -> Vec<bool> {
        let html = format!(
            "<p>{}</p><div class=modal><p>Buyers pay.</p></div>",
            words(described)
        );
        let mut page = page_at("https://example.org/chair", &html);
        page.claims = Claims {
            open_graph: open_graph.to_owned(),
            ..Claims::default()
        };
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        tidy(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept
    }

    #[test]
    fn products_lose_what_stands_around_them_and_other_pages_nothing() {
        assert_eq!(kept("product", 40), [true, false]);
        assert_eq!(kept("article", 40), [true, true]);
    }

    #[test]
    fn a_product_of_which_too_little_would_be_left_stays_whole() {
        assert_eq!(kept("product", 29), [true, true]);
    }
}
