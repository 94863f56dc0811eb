//! All blocks of a page in order of relevance, its menus, and what kind of page it is.
//!
//! Source: López, Silva, Insa 2012, § 7: "we could detect the most relevant block; then, remove from the DOM tree all its
//! nodes, and detect the next relevant block in the remaining DOM tree", and "instead of using a ratio characters/nodes, we
//! could use a ratio hyperlinks/nodes to discover big concentrations of links […]. If we collect those concentrations of
//! links where the links contain less characters, we will find the menus". For telling index pages from articles see
//! [`super::core_ex`].
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | start set of menus | not said | nodes with 1.5 times the links per node of the whole page | a concentration is more than the page has everywhere |
//! | merging of menus | Algorithm 2 | only into a parent that is a concentration itself | two menus above and below a text are not one menu |
//! | least links | "big concentrations" | 3 | two links are a sentence |
//! | short links | "less characters" | at most 24 characters on average | the longest entry of a usual menu; teasers have 40 and more |
//!
//! Cost: one run of CNR for each block that is asked for, two passes for the menus. Reading only: nothing is removed.

use html5ever::LocalName;
use serde::Serialize;

use super::{
    cnr::{self, Children, Mask, Ratio},
    core_ex::{self, PageKind},
    describe,
};
use crate::{
    dom::Measures,
    filter::output,
    page::{NodeId, Page, tag::Tag},
};

/// Links per node of a concentration, as a multiple of the whole page's. Our choice: a menu of plain items has .3, a page
/// about .1. Higher: smaller and fewer menus.
const CONCENTRATION: f64 = 1.5;

/// Fewer links than this are no menu.
const MIN_MENU_LINKS: u32 = 3;

/// Visible characters of a link, on average, above which a list of links is content (headlines) and no menu.
const SHORT_LINK: f64 = 24.0;

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// The way to it from the body: `body > main > article`.
    pub path: String,
    /// Characters of text outside links, white space not counted.
    pub chars: u32,
    /// Nodes.
    pub weight: u32,
    /// Characters over nodes.
    pub ratio: f64,
}

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

/// What can be told of a page's parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageBlocks {
    /// The blocks, the most relevant first.
    pub blocks: Vec<Block>,
    /// The menus in document order.
    pub menus: Vec<Menu>,
    /// Whether the page is an article or leads to others.
    pub kind: PageKind,
    /// What that was told from: links per word of the page.
    pub links_per_word: f64,
    /// The page with `data-gleaner-block="1"` and so on at its blocks, `data-gleaner-menu` at its menus.
    #[serde(skip)]
    pub marked_html: String,
}

/// At most `most` blocks, the menus and the kind.
pub(crate) fn of_page(mut page: Page, settings: &cnr::Settings, most: usize) -> PageBlocks {
    let found = relevant(&page, settings, most);
    let blocks = found
        .iter()
        .map(|&(id, ratio)| Block {
            path: describe(&page, id),
            chars: ratio.chars,
            weight: ratio.weight,
            ratio: ratio.value(),
        })
        .collect();
    let menus = menus(&page);
    let described = menus
        .iter()
        .map(|&(id, links)| Menu {
            path: describe(&page, id),
            links: links.count,
            weight: links.weight,
            ratio: links.value(),
            link_chars: links.chars_per_link(),
        })
        .collect();
    let (kind, links_per_word) = core_ex::page_kind(&page);
    mark(&mut page, &found, &menus);
    PageBlocks {
        blocks,
        menus: described,
        kind,
        links_per_word,
        marked_html: output::html(
            &page,
            &output::Settings {
                style: output::Style::Original,
                ..output::Settings::default()
            },
            None,
        ),
    }
}

/// One block after the other, each found on what the ones before it have left.
pub(crate) fn relevant(page: &Page, settings: &cnr::Settings, most: usize) -> Vec<(NodeId, Ratio)> {
    let mut gone = Mask::default();
    let mut found = Vec::new();
    while found.len() < most {
        let Some((id, ratio)) = cnr::best_block(page, settings, &gone) else {
            break;
        };
        if ratio.chars == 0 {
            break;
        }
        found.push((id, ratio));
        gone.take(page, id);
    }
    found
}

/// Links and nodes of a subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Links {
    count: u32,
    chars: u32,
    weight: u32,
}

impl Links {
    fn value(self) -> f64 {
        if self.weight == 0 {
            0.0
        } else {
            f64::from(self.count) / f64::from(self.weight)
        }
    }

    fn chars_per_link(self) -> f64 {
        f64::from(self.chars) / f64::from(self.count.max(1))
    }
}

/// Concentrations of short links, in document order.
pub(crate) fn menus(page: &Page) -> Vec<(NodeId, Links)> {
    let counted = cnr::counted_nodes(page, &Mask::default());
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

fn link_counts(page: &Page, counted: &[NodeId]) -> Vec<Links> {
    let measures = Measures::of(page);
    let mut links = vec![Links::default(); page.len()];
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

fn mark(page: &mut Page, blocks: &[(NodeId, Ratio)], menus: &[(NodeId, Links)]) {
    for (number, &(id, _)) in blocks.iter().enumerate() {
        let element = element_of(page, id);
        let name = LocalName::from("data-gleaner-block");
        if !page.has_attribute(element, &name) {
            page.set_attribute(element, name, (number + 1).to_string());
        }
    }
    for &(id, _) in menus {
        let element = element_of(page, id);
        page.set_attribute(element, LocalName::from("data-gleaner-menu"), String::new());
    }
}

/// A text has no attributes; the element around it has.
fn element_of(page: &Page, id: NodeId) -> NodeId {
    match page.tag(id) {
        Some(Tag::Html) | None => page.parent(id),
        Some(_) => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    fn three_blocks() -> String {
        let part = |id, count| {
            format!(
                "<div><div id={id}><p>{0}</p><p>{0}</p></div></div>",
                words(count)
            )
        };
        format!(
            "<div><ul id=menu><li><a href=/1>Home</a><li><a href=/2>News</a><li><a href=/3>About</a></ul></div>{}{}{}",
            part("second", 150),
            part("first", 400),
            part("third", 60)
        )
    }

    #[test]
    fn blocks_come_in_order_of_relevance_and_share_no_text() {
        let page = page(&three_blocks());
        let settings = cnr::Settings {
            start: cnr::Start::Top,
            // Two texts and the paragraphs around them.
            top: 4,
            ..cnr::Settings::default()
        };
        let found = relevant(&page, &settings, 10);
        let names = ["first", "second", "third"];
        assert!(found.len() >= 3);
        for (name, (id, _)) in names.iter().zip(&found) {
            assert!(page.contains(by_id(&page, name), *id), "{name}");
        }
        for (at, (id, _)) in found.iter().enumerate() {
            assert!(
                found[..at]
                    .iter()
                    .all(|(other, _)| !page.contains(*other, *id))
            );
        }
        assert!(relevant(&page, &settings, 1).len() == 1);
    }

    #[test]
    fn menus_are_concentrations_of_short_links() {
        let long = "A headline that is a good deal longer than an entry of a menu";
        let headlines = format!(
            "<ul id=news>{}</ul>",
            format!("<li><a href=/x>{long}</a>").repeat(5)
        );
        let html = three_blocks() + &headlines;
        let page = page(&html);
        let found = menus(&page);
        let is_found = |name| {
            let node = by_id(&page, name);
            found
                .iter()
                .any(|&(id, _)| page.contains(id, node) || page.contains(node, id))
        };
        assert!(is_found("menu"));
        assert!(!is_found("news"));
        assert!(!is_found("first"));
    }

    #[test]
    fn blocks_and_menus_are_marked_in_the_page() {
        let told = of_page(page(&three_blocks()), &cnr::Settings::default(), 5);
        assert!(told.marked_html.contains("data-gleaner-block=\"1\""));
        assert!(told.marked_html.contains("data-gleaner-menu"));
        assert!(told.blocks[0].path.starts_with("body"));
        assert_eq!(told.kind, PageKind::Article);
    }
}
