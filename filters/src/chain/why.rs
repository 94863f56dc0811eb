//! Why a page came out as it did: what each filter removed and by which rule, the blocks with their scores, and the page with
//! all of that marked in its place.
//!
//! It is the ordinary run of the chain. Afterwards what a reader would have seen is brought back, with a mark.

mod kind;
mod page;
mod rules;

use html5ever::{LocalName, local_name};
use serde::Serialize;

pub use kind::PartKind;

use super::{
    AD_SERVERS, Chain,
    blocks::{PageBlocks, Whole, links, probability, tell},
};
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, NodeState, Page, tag::Tag},
    main_block::{Steering, choice::describe},
    output::{Surroundings, why::MARK},
    page_type::PageType,
    report::Report,
    vocabulary::words::one_line,
};

/// Blocks that are told: the chosen one and its rivals.
const BLOCKS: usize = 5;

/// Nodes and bytes of a removed part's text that are read for its beginning.
const START_NODES: usize = 100;
const START_BYTES: usize = 200;

/// Characters of that beginning that are told.
const START_CHARS: usize = 80;

/// Most removed parts that are listed. Raising it costs memory on hostile pages.
const MAX_PARTS: usize = 2000;

/// Why a page came out as it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Report of the chain, filter by filter.
    pub report: Report,
    /// The way to the main block; none where the page is kept whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main_block: Option<String>,
    /// Visible parts that were removed, in document order.
    pub removed: Vec<RemovedPart>,
    /// Advertisements and trackers without a place on the page: scripts, style sheets, empty frames.
    pub unseen: Vec<RemovedPart>,
    /// Its blocks in order of relevance, its menus, and the tree of all blocks.
    #[serde(flatten)]
    pub page: PageBlocks,
    /// The whole page with what was removed marked and labelled, without scripts.
    #[serde(skip)]
    pub html: String,
}

/// A part of a page that a filter removed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RemovedPart {
    /// The filter's YAML name.
    pub filter: &'static str,
    /// What it is, as far as can be told.
    pub kind: PartKind,
    /// The probability that its text is main content, on average, where the algorithm tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Which of its rules.
    pub rule: String,
    /// The way to it from the body.
    pub path: String,
    /// Visible characters, white space not counted.
    pub chars: usize,
    /// Links.
    pub links: usize,
    /// How its text begins; of what cannot be seen, its address.
    pub start: String,
}

impl Chain {
    /// Explains a page that has gone through the filters.
    pub(super) fn explain(
        &self,
        mut page: AnalysedPage,
        report: Report,
        kind: Option<PageType>,
        around: Surroundings<'_>,
    ) -> Explanation {
        let end = page.states();
        let mut roots: Vec<(NodeId, &'static str)> = page.removed_roots().to_vec();
        roots.sort_unstable();
        bring_back(&mut page, &roots, |_| true);
        roots.dedup_by_key(|&mut (id, _)| id);
        let (mut roots, unseen): (Vec<_>, Vec<_>) = roots.into_iter().partition(|&(id, _)| shows_something(&page, id));
        roots.truncate(MAX_PARTS);
        let unseen = unseen.into_iter().filter(|(_, filter)| *filter == AD_SERVERS).take(MAX_PARTS);
        let unseen = unseen.map(|(id, filter)| self.unseen(&page, id, filter)).collect();
        // What showed nothing goes again: scripts, comments.
        page.restore(&end);
        bring_back(&mut page, &roots, |_| true);
        let mut removed: Vec<RemovedPart> = roots.iter().map(|&(id, filter)| self.part(&page, id, filter)).collect();
        let main_block = page.outcome.main_block;
        let whole = Whole::new(&page, kind);
        // The blocks are those of the page as the filters before the choice left it.
        page.restore(&end);
        bring_back(&mut page, &roots, |filter| filter == "main_block");
        let mut settings = self.main_block.clone();
        settings.steer(Steering::default());
        let (told, _, probabilities) = tell(&mut page, &whole, &settings, BLOCKS);
        for (part, &(id, _)) in removed.iter_mut().zip(&roots) {
            part.probability = probability(&page, &probabilities, &[id]).filter(|_| part.filter == "main_block");
        }
        for &(id, filter) in &roots {
            disarm(&mut page, id, filter);
        }
        if let Some(place) = main_block.filter(|&place| place != page.body()) {
            page.set_attribute(place, LocalName::from(MARK), "chosen".to_owned());
        }
        let mut explanation = Explanation {
            main_block: main_block.map(|place| describe(&page, place)),
            report,
            removed,
            unseen,
            page: told,
            html: String::new(),
        };
        // The main part is ours.
        for id in page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Main)).collect::<Vec<_>>() {
            page.retag(id, Tag::Section);
        }
        explanation.html = page::write(&page, &explanation, &roots, around);
        explanation
    }

    fn part(&self, page: &AnalysedPage, id: NodeId, filter: &'static str) -> RemovedPart {
        let start = one_line(&page.start_of_text(id, START_NODES, START_BYTES));
        RemovedPart {
            filter,
            kind: PartKind::from_part(page, id, filter, &start),
            probability: None,
            rule: rules::rule(page, id, filter, &*self.lists),
            path: describe(page, id),
            chars: page.chars(id),
            links: links(page, id),
            start: start.chars().take(START_CHARS).collect(),
        }
    }

    fn unseen(&self, page: &AnalysedPage, id: NodeId, filter: &'static str) -> RemovedPart {
        let address = [local_name!("src"), local_name!("href")].iter().find_map(|name| page.address(id, name));
        let start = address.map_or_else(String::new, |address| one_line(address.as_str()));
        RemovedPart { start: start.chars().take(START_BYTES).collect(), ..self.part(page, id, filter) }
    }
}

/// Makes subtrees live again that these filters removed.
fn bring_back(page: &mut Page, roots: &[(NodeId, &'static str)], wanted: impl Fn(&str) -> bool) {
    let mut states = page.states();
    for &(id, _) in roots.iter().filter(|(_, filter)| wanted(filter)) {
        states[id.index()] = NodeState::Keep;
    }
    page.restore(&states);
}

fn shows_something(page: &Page, id: NodeId) -> bool {
    let is_seen = |id| {
        page.own_chars(id) > 0
            || page.tag(id).is_some_and(|tag| tag.is_media() || matches!(tag, Tag::Input | Tag::Button))
    };
    !matches!(page.tag(id), Some(Tag::Script | Tag::Style | Tag::Noscript | Tag::Template | Tag::Link | Tag::Meta))
        && page.live(id).any(is_seen)
}

/// Marks a removed part, and lets it load nothing: no advertisement is fetched to show that it was removed.
fn disarm(page: &mut Page, root: NodeId, filter: &'static str) {
    for id in page.live(root).collect::<Vec<_>>() {
        let is_drawing = matches!(page.tag(id), Some(Tag::Svg | Tag::Foreign));
        page.drop_attributes(id, |name, _| {
            matches!(&**name, "src" | "srcset" | "poster" | "data" | "background") || is_drawing && &**name == "href"
        });
    }
    page.set_attribute(root, LocalName::from(MARK), filter.to_owned());
}
