//! The menus of a page: concentrations of short links.
//!
//! Source: López, Silva, Insa 2012, § 7: "instead of using a ratio characters/nodes, we could use a ratio
//! hyperlinks/nodes to discover big concentrations of links […]. If we collect those concentrations of links where the
//! links contain less characters, we will find the menus".
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | start set | not said | nodes with 1.5 times the links per node of the whole page | a concentration is more than the page has everywhere |
//! | merging | Algorithm 2 | only into a parent that is a concentration itself | two menus above and below a text are not one menu |
//! | least links | "big concentrations" | 3 | two links are a sentence |
//! | short links | "less characters" | at most 24 characters on average | the longest entry of a usual menu; teasers have 40 and more |
//!
//! On a page that is links throughout, no part has more of them than the rest, and no menu is found.
//!
//! Cost: two passes over the nodes. Reading only.

use serde::Serialize;

use super::cnr::{self, Children, Ratio};
use crate::{
    html::{NodeId, Page},
    main_block::choice::describe,
    measure::Measures,
};

/// Links per node of a concentration, as a multiple of the whole page's. Our choice: a menu of plain items has .3, a page
/// about .1. Higher: smaller and fewer menus.
const CONCENTRATION: f64 = 1.5;

/// Fewer links than this are no menu.
const MIN_MENU_LINKS: u32 = 3;

/// Visible characters of a link, on average, above which a list of links is content (headlines) and no menu.
const SHORT_LINK: f64 = 24.0;

/// A concentration of short links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Menu {
    /// The way to it from the body.
    pub path: String,
    /// Links.
    pub links: u32,
    /// Nodes.
    pub weight: u32,
    /// Links over nodes.
    pub ratio: f64,
    /// Characters of a link, on average.
    pub link_chars: f64,
}

impl Menu {
    pub(crate) fn new(page: &Page, id: NodeId, links: MenuLinks) -> Menu {
        Menu {
            path: describe(page, id),
            links: links.count,
            weight: links.weight,
            ratio: links.value(),
            link_chars: links.chars_per_link(),
        }
    }
}

/// Links and nodes of a subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MenuLinks {
    count: u32,
    chars: u32,
    weight: u32,
}

impl MenuLinks {
    fn value(self) -> f64 {
        if self.weight == 0 { 0.0 } else { f64::from(self.count) / f64::from(self.weight) }
    }

    fn chars_per_link(self) -> f64 {
        f64::from(self.chars) / f64::from(self.count.max(1))
    }
}

/// Concentrations of short links, in document order.
pub(crate) fn menus(page: &Page) -> Vec<(NodeId, MenuLinks)> {
    let counted = cnr::counted_nodes(page);
    let links = link_counts(page, &counted);
    let least = CONCENTRATION * links[page.body().index()].value();
    let mut start = vec![false; page.len()];
    for &id in &counted {
        start[id.index()] = links[id.index()].value() > least;
    }
    let no_ratios = vec![Ratio::default(); page.len()];
    let blocks = cnr::relevant_blocks(page, start, &no_ratios, |row, children: Children| {
        children.blocks >= 2 && links[row].value() > least
    });
    counted
        .iter()
        .map(|&id| (id, links[id.index()]))
        .filter(|&(id, _)| blocks[id.index()])
        .filter(|(_, links)| links.count >= MIN_MENU_LINKS && links.chars_per_link() <= SHORT_LINK)
        .collect()
}

fn link_counts(page: &Page, counted: &[NodeId]) -> Vec<MenuLinks> {
    let measures = Measures::from_page(page);
    let mut links = vec![MenuLinks::default(); page.len()];
    for &id in counted.iter().rev() {
        let measure = measures.get(id);
        let own = &mut links[id.index()];
        own.weight += 1;
        own.count = measure.links;
        own.chars = measure.linked;
        let weight = own.weight;
        if id != page.body() {
            links[page.parent(id).index()].weight += weight;
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chain::blocks::tests::three_blocks,
        testing::{by_id, page},
    };

    #[test]
    fn menus_are_concentrations_of_short_links() {
        let long = "A headline that is a good deal longer than an entry of a menu";
        let headlines = format!("<ul id=news>{}</ul>", format!("<li><a href=/x>{long}</a>").repeat(5));
        let html = three_blocks() + &headlines;
        let page = page(&html);
        let found = menus(&page);
        let is_found = |name| {
            let node = by_id(&page, name);
            found.iter().any(|&(id, _)| page.contains(id, node) || page.contains(node, id))
        };
        assert!(is_found("menu"));
        assert!(!is_found("news"));
        assert!(!is_found("first"));
    }
}
