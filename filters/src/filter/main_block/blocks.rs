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
//! | start set of menus | not said | nodes with more than the page's mean of links per node | as for blocks |
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
    let mean = counted
        .iter()
        .map(|id| links[id.index()].value())
        .sum::<f64>()
        / counted.len().max(1) as f64;
    let mut start = vec![false; page.len()];
    for &id in &counted {
        start[id.index()] = links[id.index()].value() > mean;
    }
    let no_ratios = vec![Ratio::default(); page.len()];
    let blocks = cnr::relevant_blocks(page, start, &no_ratios, |row, children: Children| {
        children.blocks >= 2 && links[row].value() > mean
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
