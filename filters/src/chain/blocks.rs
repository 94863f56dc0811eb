//! All blocks of a page in order of relevance, its menus, and what kind of page it is.
//!
//! Source: López, Silva, Insa 2012, § 7: "we could detect the most relevant block; then, remove from the DOM tree all its
//! nodes, and detect the next relevant block in the remaining DOM tree". For menus see `main_block/papers/menus.rs`, for telling index
//! pages from articles [`core_ex`].
//!
//! Any algorithm can be asked for the blocks. Menus are looked for before, blocks after the filters that remove lists of
//! links and their like.
//!
//! Cost: one run of the algorithm for each block that is asked for.

use html5ever::LocalName;
use serde::Serialize;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, NodeState, Page, tag::Tag},
    main_block::{
        Settings,
        auto::forest::Forest,
        choice::{TextProbability, common_container, describe, kept_chars, outermost},
        choose,
        cnr::{self, Ratio},
        core_ex::{self, PageShape},
        menus::{Menu, MenuLinks, menus},
    },
    metadata::start_of_line,
    outline::outline,
    output,
    page_type::PageType,
    vocabulary::words::one_line,
};

/// Characters of a block's beginning that are reported: enough to recognise it.
const START_CHARS: usize = 80;

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// The way to it from the body: `body > main > article`. Of a block in several parts, to the innermost element around them.
    pub path: String,
    /// Parts that it consists of.
    pub parts: usize,
    /// Visible characters, white space not counted.
    pub chars: usize,
    /// Share of the page's visible characters, 0 to 1.
    pub share: f64,
    /// Nodes.
    pub weight: u32,
    /// Characters outside links over nodes.
    pub ratio: f64,
    /// Links.
    pub links: usize,
    /// The probability that its text is main content, on average, where the algorithm tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How its text begins.
    pub start: String,
}

/// The parts of a page: blocks and menus.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageBlocks {
    /// The blocks, the most relevant first.
    pub blocks: Vec<Block>,
    /// The menus in document order.
    pub menus: Vec<Menu>,
    /// The type of the page, as in [`crate::Metadata::kind`]; none where it is in doubt.
    pub kind: Option<PageType>,
    /// Whether the page is a text or leads to others.
    pub shape: PageShape,
    /// Links per word of the page, by which `shape` is decided.
    pub links_per_word: f64,
    /// The page as the tree of its blocks with the ratio of each, as `cnr` computes them.
    pub tree: Vec<TreeBlock>,
    /// The page with its blocks outlined and numbered (`data-gleaner-block="1"` and so on), its menus outlined
    /// (`data-gleaner-menu`), and what the other filters removed faded (`data-gleaner-removed`). No scripts.
    #[serde(skip)]
    pub marked_html: String,
}

/// A row of a page's tree: a block that holds text, with the blocks that only wrap it; or text that stands beside blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeBlock {
    /// 0 for the body.
    pub depth: usize,
    /// Its tags, each with its id or first class: `div#page › main`.
    pub label: String,
    /// Visible characters, white space not counted.
    pub chars: usize,
    /// Characters that are counted for the ratio: outside links and their like.
    pub counted: u32,
    /// Nodes.
    pub weight: u32,
    /// Counted characters over nodes.
    pub ratio: f64,
    /// The probability that its text is main content, on average, where the algorithm tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How its text begins.
    pub start: String,
}

/// A page as a reader would see it, before any filter took away what is there to be seen.
pub(crate) struct Whole {
    states: Vec<NodeState>,
    menus: Vec<(NodeId, MenuLinks)>,
    chars: usize,
    kind: Option<PageType>,
}

impl Whole {
    pub(crate) fn new(page: &Page, kind: Option<PageType>) -> Whole {
        Whole { states: page.states(), menus: menus(page), chars: page.chars(page.body()), kind }
    }
}

/// A block and where it stands.
pub(crate) struct FoundBlock {
    kept: Vec<NodeId>,
    block: Block,
}

/// At most `most` blocks of a page that the other filters have cleaned, the menus of the whole page, and its kind.
pub(crate) fn page_blocks(mut page: AnalysedPage, whole: &Whole, settings: &Settings, most: usize) -> PageBlocks {
    let cleaned = page.states();
    let (mut told, found, _) = tell(&mut page, whole, settings, most);
    mark_removed(&mut page, &cleaned);
    mark(&mut page, &found, &whole.menus);
    told.marked_html = output::marked(page, STYLE);
    told
}

/// The page's blocks by relevance and its menus, without a marked copy of the page, which is left whole; and the probability of
/// each text.
pub(crate) fn tell(
    page: &mut AnalysedPage,
    whole: &Whole,
    settings: &Settings,
    most: usize,
) -> (PageBlocks, Vec<FoundBlock>, Vec<TextProbability>) {
    let (shape, links_per_word) = core_ex::page_shape(page);
    let (found, probabilities) = relevant(page, settings, most, whole.chars);
    page.restore(&whole.states);
    let menus = whole.menus.iter();
    let menus = menus.map(|&(id, links)| Menu::new(page, id, links)).collect();
    let told = PageBlocks {
        blocks: found.iter().map(|found| found.block.clone()).collect(),
        menus,
        kind: whole.kind,
        shape,
        links_per_word,
        tree: tree(page, settings, &probabilities),
        marked_html: String::new(),
    };
    (told, found, probabilities)
}

/// The mean probability of the texts in a part of the page, by their words.
pub(crate) fn probability(page: &Page, probabilities: &[TextProbability], parts: &[NodeId]) -> Option<f64> {
    let (mut sum, mut words) = (0.0, 0.0);
    for &part in parts {
        let from = probabilities.partition_point(|text| text.place < part);
        for text in probabilities[from..].iter().take_while(|text| text.place < page.end(part)) {
            sum += text.probability * text.words;
            words += text.words;
        }
    }
    (words > 0.0).then(|| sum / words)
}

/// "Produce information about the CNRs of the DOM tree" (§ 5). What is inside a non-content node, such as `<nav>`, weighs
/// nothing of its own and is one row.
fn tree(page: &Page, settings: &Settings, probabilities: &[TextProbability]) -> Vec<TreeBlock> {
    let ratios = cnr::chars_nodes_ratios(page, &settings.cnr);
    let body = page.body();
    let texts: Vec<NodeId> = page.live(body).filter(|&id| page.own_chars(id) > 0).collect();
    let mut tree = Vec::new();
    let mut skipped_below = usize::MAX;
    for row in outline(page, page.live(body)) {
        if row.depth > skipped_below {
            continue;
        }
        let texts = &texts[row.texts];
        // A run of texts has no node of its own.
        let ratio = match page.tag(row.id) {
            Some(_) => ratios[row.id.index()],
            None => texts.iter().map(|id| ratios[id.index()]).sum(),
        };
        skipped_below = if ratio.weight == 0 { row.depth } else { usize::MAX };
        let start = texts.first().and_then(|&id| page.text(id));
        let start = one_line(start.as_deref().map_or("", String::as_str));
        tree.push(TreeBlock {
            depth: row.depth,
            label: row.label,
            chars: texts.iter().map(|&id| page.own_chars(id)).sum(),
            counted: ratio.chars,
            weight: ratio.weight,
            ratio: ratio.value(),
            probability: probability(page, probabilities, &[row.id]),
            start: start.chars().take(START_CHARS).collect(),
        });
    }
    tree
}

/// One block after the other, each found on what the ones before it have left. They are gone from the page afterwards.
fn relevant(
    page: &mut AnalysedPage,
    settings: &Settings,
    most: usize,
    page_chars: usize,
) -> (Vec<FoundBlock>, Vec<TextProbability>) {
    let mut found = Vec::new();
    let mut probabilities = Vec::new();
    while found.len() < most {
        let mut choice = choose(page, settings, &Forest::shipped());
        choice.kept = outermost(page, choice.kept);
        choice.dropped = outermost(page, choice.dropped);
        if found.is_empty() {
            probabilities = std::mem::take(&mut choice.probabilities);
        }
        let chars = kept_chars(page, &choice);
        if chars == 0 {
            break;
        }
        let mut block = described(page, &choice.kept, settings);
        block.probability = probability(page, &probabilities, &choice.kept);
        block.chars = chars;
        block.share = chars as f64 / page_chars.max(1) as f64;
        for &id in &choice.kept {
            page.drop_silently(id);
        }
        let is_all = choice.kept.contains(&page.body());
        let kept = choice.kept;
        found.push(FoundBlock { kept, block });
        if is_all {
            break;
        }
    }
    (found, probabilities)
}

fn described(page: &Page, kept: &[NodeId], settings: &Settings) -> Block {
    let ratios = cnr::chars_nodes_ratios(page, &settings.cnr);
    let ratio: Ratio = kept.iter().map(|id| ratios[id.index()]).sum();
    let start = kept.first().map(|&id| start_of_line(page, id));
    let start = start.unwrap_or_default();
    Block {
        path: describe(page, common_container(page, kept)),
        parts: kept.len(),
        chars: 0,
        share: 0.0,
        weight: ratio.weight,
        ratio: ratio.value(),
        links: kept.iter().map(|&id| links(page, id)).sum(),
        probability: None,
        start: start.chars().take(START_CHARS).collect(),
    }
}

pub(crate) fn links(page: &Page, id: NodeId) -> usize {
    page.live(id).filter(|&inside| page.tag(inside) == Some(Tag::A)).count()
}

/// How the marks look. Outlines take no room, so that the page keeps its shape; only the labels do.
const STYLE: &str = "[data-gleaner-block]{outline:3px solid #b3261e!important;outline-offset:-3px!important}\
[data-gleaner-menu]{outline:3px dashed #1a56b0!important;outline-offset:-3px!important}\
[data-gleaner-removed]{opacity:.4!important}\
[data-gleaner-block]::before,[data-gleaner-menu]::before{display:block!important;position:static!important;\
width:max-content!important;height:auto!important;margin:0!important;padding:0 .5em!important;\
font:bold 14px/1.6 sans-serif!important;color:#fff!important;text-indent:0!important;opacity:1!important}\
[data-gleaner-menu]::before{content:\"menu\"!important;background:#1a56b0!important}\
[data-gleaner-block]::before{content:\"block \" attr(data-gleaner-block)!important;background:#b3261e!important}";

fn mark(page: &mut Page, blocks: &[FoundBlock], menus: &[(NodeId, MenuLinks)]) {
    let name = LocalName::from("data-gleaner-block");
    for (number, found) in blocks.iter().enumerate() {
        for &id in &found.kept {
            let element = element_of(page, id);
            if !page.has_attribute(element, &name) {
                page.set_attribute(element, name.clone(), (number + 1).to_string());
            }
        }
    }
    for &(id, _) in menus {
        let element = element_of(page, id);
        page.set_attribute(element, LocalName::from("data-gleaner-menu"), String::new());
    }
}

/// Marks what the filters took out between the whole page, which this is, and these states.
fn mark_removed(page: &mut Page, cleaned: &[NodeState]) {
    let live: Vec<NodeId> = page.live(page.body()).collect();
    let gone = live.into_iter().filter(|id| cleaned[id.index()] == NodeState::Removed).collect();
    for id in outermost(page, gone) {
        let element = element_of(page, id);
        let name = LocalName::from("data-gleaner-removed");
        page.set_attribute(element, name, String::new());
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
pub(crate) mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    pub(crate) fn three_blocks() -> String {
        let part = |id, count| format!("<div><div id={id}><p>{0}</p><p>{0}</p></div></div>", words(count));
        format!(
            "<div><ul id=menu><li><a href=/1>Home</a><li><a href=/2>News</a><li><a href=/3>About</a></ul></div>{}{}{}",
            part("second", 150),
            part("first", 400),
            part("third", 60)
        )
    }

    #[test]
    fn blocks_come_in_order_of_relevance_and_share_no_text() {
        let mut page = page(&three_blocks());
        let mut settings = Settings::default().named("cnr").unwrap();
        settings.cnr.start = cnr::Start::Top;
        // Two texts and the paragraphs around them.
        settings.cnr.top = 4;
        let whole = page.states();
        let (found, _) = relevant(&mut page, &settings, 10, 1);
        page.restore(&whole);
        let names = ["first", "second", "third"];
        assert!(found.len() >= 3);
        for (name, found) in names.iter().zip(&found) {
            assert!(page.contains(by_id(&page, name), found.kept[0]), "{name}");
        }
        for (at, one) in found.iter().enumerate() {
            assert!(found[..at].iter().all(|other| !page.contains(other.kept[0], one.kept[0])));
        }
        assert!(relevant(&mut page, &settings, 1, 1).0.len() == 1);
    }

    #[test]
    fn a_block_around_one_that_was_taken_begins_with_its_own_text() {
        let html =
            format!("<div id=outer><div id=inner><p>{0}</p><p>{0}</p></div><p>Own words of it</p></div>", words(100));
        let mut page = page(&html);
        let mut settings = Settings::default().named("cnr").unwrap();
        settings.cnr.start = cnr::Start::Top;
        settings.cnr.top = 2;
        let (found, _) = relevant(&mut page, &settings, 5, 1);
        let own = found.iter().find(|found| found.block.chars < 50).unwrap();
        assert!(own.block.start.starts_with("Own words"), "{}", own.block.start);
    }

    #[test]
    fn every_algorithm_ends_when_nothing_is_left() {
        for name in Settings::names() {
            let mut page = page(&three_blocks());
            let before = page.chars(page.body());
            let settings = Settings::default().named(name).unwrap();
            let (found, _) = relevant(&mut page, &settings, 1000, 1);
            let chars: usize = found.iter().map(|found| found.block.chars).sum();
            assert!(found.len() < 20 && chars <= before, "{name}");
        }
    }

    #[test]
    fn blocks_menus_and_what_was_removed_are_marked_in_the_page() {
        let mut page = page(&three_blocks());
        let whole = Whole::new(&page, None);
        let (menu, third) = (by_id(&page, "menu"), by_id(&page, "third"));
        page.remove(menu, "link_lists");
        page.remove(third, "test");
        let told = page_blocks(page, &whole, &Settings::default(), 5);
        let html = told.marked_html;
        assert!(html.contains("data-gleaner-block=\"1\""));
        assert!(html.contains("data-gleaner-menu=\"\""));
        assert!(html.contains("<div id=\"third\" data-gleaner-removed=\"\">"), "{html}");
        assert!(html.contains("content:\"block \""));
        let block = &told.blocks[0];
        assert!(block.path.starts_with("body"));
        assert!(block.share > 0.5 && block.share <= 1.0);
        assert_eq!(told.menus.len(), 1);
        // The tree is that of the whole page: what was removed is in it.
        let of = |label: &str| told.tree.iter().find(|row| row.label.contains(label));
        let menu = of("ul#menu").unwrap();
        assert_eq!((menu.chars, menu.counted, menu.weight), (13, 0, 7));
        let third = of("div#third").unwrap();
        assert_eq!((third.chars, third.weight, third.depth), (480, 5, 1));
        assert!((third.ratio - 480.0 / 5.0).abs() < 1e-12);
        assert_eq!(told.tree[0].label, "body");
        assert_eq!(told.shape, PageShape::Text);
    }
}
