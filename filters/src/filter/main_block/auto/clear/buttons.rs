//! The same button on every card ("add to cart", "compare", "quick view") is a tool of the page, not what a card tells. One that leads
//! somewhere stays where nothing else leads there: it is the way on.
//!
//! Measured on WCXB dev, 2026-11-22, five folds, on the halves of the domains (rules were looked for in the first only): word F1 of all
//! pages +.0003 and +.0001, of collections +.004 and +.001.

use html5ever::local_name;

use super::super::{
    blocks::{Block, Blocks},
    called::Names,
};
use crate::{
    hashing::Table,
    page::{NodeId, Page, tag::Tag},
};

/// Times that a text stands on the page, at least. Lower: two questions that are answered alike.
const TIMES: usize = 4;

/// Words of such a text.
const MAX_WORDS: f32 = 5.0;

/// Elements from a text up to the one that is or is called a button.
const LEVELS: usize = 4;

const NAMES: Names = Names::new(&["btn", "button", "buttons", "action", "actions", "cta"]);

/// Drops them from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let mut places: Table<u64, Vec<usize>> = Table::default();
    for (at, block) in blocks.list.iter().enumerate() {
        if kept[at] && block.stats.words > 0.0 && block.stats.words <= MAX_WORDS {
            places.entry(block.stats.hash).or_default().push(at);
        }
    }
    places.retain(|_, places| {
        let are_buttons = |at: &usize| is_button(page, blocks, &blocks.list[*at]);
        places.len() >= TIMES && places.iter().all(are_buttons)
    });
    if places.is_empty() {
        return;
    }
    let links = links(page);
    for at in places.into_values().flatten() {
        let leads = address(page, blocks, &blocks.list[at]);
        kept[at] = leads.is_some_and(|address| links.get(address).copied() == Some(1));
    }
}

fn is_button(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let first = blocks.texts(block).first().copied();
    let mut around = first
        .into_iter()
        .flat_map(|first| page.ancestors(first).take(LEVELS));
    around.any(|up| matches!(page.tag(up), Some(Tag::Button | Tag::Label)) || NAMES.name(page, up))
}

/// Where a text leads, if to another page.
fn address<'a>(page: &'a Page, blocks: &Blocks, block: &Block) -> Option<&'a str> {
    let first = blocks.texts(block).first().copied()?;
    let mut around = page.ancestors(first);
    let link = around.find(|&up: &NodeId| page.tag(up) == Some(Tag::A))?;
    page.attribute(link, &local_name!("href"))
        .filter(|address| !address.starts_with(['#']) && !address.starts_with("javascript:"))
}

/// How many links of the page lead to each address.
fn links(page: &Page) -> Table<&str, usize> {
    let mut links = Table::default();
    for id in page.live(page.body()) {
        if page.tag(id) == Some(Tag::A)
            && let Some(address) = page.attribute(id, &local_name!("href"))
        {
            *links.entry(address).or_default() += 1;
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// Which texts are kept of so many cards with this below their names.
    fn kept(count: usize, below: &str) -> Vec<bool> {
        let card = |number: usize| {
            let below = below.replace('#', &number.to_string());
            format!("<div><h3><a href=/{number}>Chair {number}</a></h3>{below}</div>")
        };
        let page = page(&(0..count).map(card).collect::<String>());
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept
    }

    #[test]
    fn the_same_button_on_every_card_goes() {
        let names = [true, false].repeat(4);
        for below in [
            "<button>Add to cart</button>",
            "<p><a href=/# class=btn-small>See more</a></p>",
            "<p><a href='#' role=button class=x>Compare</a></p>",
        ] {
            let below = below.replace("'#'", "'javascript:x'");
            assert_eq!(kept(4, &below), names, "{below}");
        }
    }

    #[test]
    fn a_button_that_is_the_way_on_stays() {
        let below = "<p><a class=button href=/more/#>Read more</a></p>";
        assert_eq!(kept(4, below), [true; 8]);
    }

    #[test]
    fn what_is_no_button_or_stands_on_few_cards_stays() {
        assert_eq!(kept(4, "<p>Acme</p>"), [true; 8]);
        assert_eq!(kept(3, "<button>Add to cart</button>"), [true; 6]);
        assert_eq!(kept(4, "<button>Add chair # to cart</button>"), [true; 8]);
    }
}
