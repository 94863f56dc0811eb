//! Parts of a page by what its author calls them: a word in `class`, `id` and their like.

use std::ops::Range;

use html5ever::local_name;

use super::blocks::Blocks;
use crate::{
    page::{NodeId, Page, said::Hint},
    parts::Parts,
    text::words_of_identifier,
};

/// Names of one kind of part.
pub(super) struct Names {
    words: &'static [&'static str],
    /// The same, to be looked for quickly.
    parts: Parts,
    /// What an element must have to bear one, where that is known of every element.
    hint: Option<Hint>,
}

impl Names {
    pub(super) const fn new(words: &'static [&'static str]) -> Names {
        Names {
            words,
            parts: Parts::new(words),
            hint: None,
        }
    }

    /// Of words that stand in the list of a hint.
    pub(super) const fn of(words: &'static [&'static str], hint: Hint) -> Names {
        Names {
            hint: Some(hint),
            ..Names::new(words)
        }
    }

    /// Whether an element bears one of them.
    pub(super) fn name(&self, page: &Page, id: NodeId) -> bool {
        if self.hint.is_some_and(|hint| !page.said(id).has(hint)) {
            return false;
        }
        let mut is_named = false;
        page.each_attribute(id, |name, value| {
            let tells = || match *name {
                local_name!("class")
                | local_name!("id")
                | local_name!("role")
                | local_name!("itemprop")
                | local_name!("itemtype")
                | local_name!("aria-label") => true,
                local_name!("href") | local_name!("src") | local_name!("style") => false,
                _ => matches!(&**name, "data-testid" | "data-component" | "data-role"),
            };
            if !is_named && tells() && self.parts.are_in(value) {
                is_named = words_of_identifier(value).any(|word| self.words.contains(&&*word));
            }
        });
        is_named
    }
}

/// The blocks of the outermost parts that bear one of the names, of whose text something is kept: not what holds the headline, and
/// not what holds more than this share of all that is kept.
pub(super) fn parts(
    page: &Page,
    blocks: &Blocks,
    kept: &[bool],
    names: &Names,
    most: f32,
) -> Vec<Range<usize>> {
    let most = most * words(blocks, kept, 0..blocks.list.len());
    let headline = page.headline.node;
    let mut found = Vec::new();
    let mut over = NodeId::DOCUMENT;
    let may_be: Vec<NodeId> = match names.hint {
        Some(hint) => page.telling(hint.bit(), &[]),
        None => page.live(page.body()).skip(1).collect(),
    };
    for id in may_be {
        if id < over || page.tag(id).is_none() || !names.name(page, id) {
            continue;
        }
        let inside = blocks.inside(page, id);
        let own = words(blocks, kept, inside.clone());
        let holds_headline = headline.is_some_and(|node| page.contains(id, node));
        if own > 0.0 && own <= most && !holds_headline {
            found.push(inside);
            over = page.end(id);
        }
    }
    found
}

/// The kept words of a run of blocks.
pub(super) fn words(blocks: &Blocks, kept: &[bool], range: Range<usize>) -> f32 {
    let run = blocks.list[range.clone()].iter().zip(&kept[range]);
    run.filter(|(_, kept)| **kept)
        .map(|(block, _)| block.stats.words)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    const NAMES: Names = Names::new(&["review", "reviews"]);

    /// The blocks in the parts of a page of which all is kept.
    fn found(html: &str, most: f32) -> Vec<usize> {
        let mut page = page(&format!("<h1 id=h>Chair</h1>{html}<p>And so it goes on."));
        page.headline.node = Some(by_id(&page, "h"));
        let blocks = Blocks::of(&page, &[]);
        let kept = vec![true; blocks.list.len()];
        let parts = parts(&page, &blocks, &kept, &NAMES, most);
        parts.into_iter().flatten().collect()
    }

    #[test]
    fn a_part_is_known_by_a_word_of_its_name() {
        for name in [
            "class=product-reviews",
            "id=customerReviews",
            "itemprop=review",
            "data-testid=Reviews",
        ] {
            let html = format!("<div {name}><p>Good.</p><p class=review>Bad.</p></div>");
            assert_eq!(found(&html, 0.9), [1, 2], "{name}");
        }
        for name in ["class=preview", "class=reviewer", "title=reviews", ""] {
            assert!(
                found(&format!("<div {name}><p>Good.</p></div>"), 0.9).is_empty(),
                "{name}"
            );
        }
    }

    #[test]
    fn what_holds_nearly_all_of_the_page_is_no_part_and_what_is_in_it_may_be() {
        let html =
            "<div class=reviews><p class=review>Good.</p><p>Bad, and worse than that.</p></div>";
        assert_eq!(found(html, 0.9), [1, 2]);
        assert_eq!(found(html, 0.2), [1]);
    }

    #[test]
    fn what_holds_the_headline_is_no_part() {
        let mut page = page("<div class=reviews><h1 id=h>Chair</h1></div><p>Good.");
        page.headline.node = Some(by_id(&page, "h"));
        let blocks = Blocks::of(&page, &[]);
        assert!(parts(&page, &blocks, &[true; 2], &NAMES, 0.9).is_empty());
    }
}
