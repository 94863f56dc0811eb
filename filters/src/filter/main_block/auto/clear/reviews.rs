//! What buyers say of a product goes as one. It stands below its description, with a score, a name and a day above each opinion, and
//! is often longer than all that the shop says; some of it was always kept, so that a reader met a few opinions of many,
//! without who gave them. `favor: recall` keeps what is likely enough.
//!
//! A part that is called so, with short texts in it that have numbers: days, scores, how many there are. Without those it is what
//! the press says, or that there is no opinion yet.
//!
//! Measured on WCXB dev, 2026-11-22, five folds, on the halves of the domains (rules were looked for in the first only): word F1 of all
//! pages +.0004 and +.002, of products -.001 and +.03; where annotators marked the opinions (4050) they are lost.

use super::super::{
    blocks::{Block, Blocks},
    called::{self, Names},
};
use crate::page::{Page, said::Hint};

const NAMES: Names = Names::of(WORDS, Hint::Reviews);

/// Names of such a part in the languages of the shops that we know; most programs have the English ones in every country.
pub(crate) const WORDS: &[&str] = &[
    "review",
    "reviews",
    "bewertung",
    "bewertungen",
    "rezension",
    "rezensionen",
    "avis",
    "opiniones",
    "resenas",
    "recensione",
    "recensioni",
    "beoordelingen",
    "opinie",
    "otzyvy",
];

/// Short texts with a number, at least. From 2 to 4 it is nearly the same; with 6, fewer parts are known.
const SIGNS: usize = 3;

/// Words of a short text: "Reviewed in Germany on 1 January 2026".
const SHORT: f32 = 12.0;

/// Share of all kept words that one part may hold, and all of them. Above it the page is one of opinions.
const MOST_OF_PART: f32 = 0.95;
const MOST: f32 = 0.85;

/// Drops the opinions of buyers from the kept blocks of a product.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let parts = called::parts(page, blocks, kept, &NAMES, MOST_OF_PART);
    let is_sign = |block: &Block| {
        let has_number =
            |text: String| text.contains(|c: char| c.is_numeric() || matches!(c, '★' | '☆'));
        (0.0..=SHORT).contains(&block.stats.words) && has_number(blocks.text(page, block))
    };
    let inside = parts.iter().cloned().flatten();
    let signs = inside.filter(|&at| is_sign(&blocks.list[at])).count();
    let said: f32 = parts
        .iter()
        .map(|part| called::words(blocks, kept, part.clone()))
        .sum();
    let all = called::words(blocks, kept, 0..kept.len());
    if signs < SIGNS || said > MOST * all {
        return;
    }
    for part in parts {
        kept[part].fill(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, words};

    /// Which texts are kept of a page with a description of so many words.
    fn kept(described: usize, said: &str) -> Vec<bool> {
        let page = page(&format!("<p>{}</p>{said}", words(described)));
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept
    }

    const SAID: &str = "<div class=reviews><h2>Reviews</h2><b>4.8 of 5</b><div><p>Ann, 3 May 2026</p><p>It holds.</p></div>\
        <div><p>Bea, 12 May 2026</p><p>It broke.</p></div></div>";

    #[test]
    fn what_buyers_say_of_a_product_goes_as_one() {
        let all = kept(40, SAID);
        assert!(all[0] && all.len() == 7);
        assert!(all[1..].iter().all(|kept| !kept), "{all:?}");
        let german = SAID.replace("=reviews", "=produkt-bewertungen");
        assert_eq!(kept(40, &german), all);
    }

    #[test]
    fn opinions_are_kept_where_there_is_hardly_anything_else() {
        assert!(kept(2, SAID).iter().all(|&kept| kept));
    }

    #[test]
    fn what_the_press_says_of_a_product_stays() {
        let press = "<div class=reviews><p>“A masterpiece.” 9/10, The Daily Chair</p><p>“Sit down.”</p></div>";
        assert!(kept(40, press).iter().all(|&kept| kept));
    }
}
