//! What stands between two kept texts is part of what they say, whatever its probability: a short list, a note, a quotation, a line of
//! code, the name of a step, the time of an entry. A reader who meets both texts misses what led from one to the other.
//!
//! Not: links, controls, what has the words of boilerplate ("Share this"), and what is called clutter or stands in a landmark of its
//! own, as far as neither of the two texts stands in it too.

use std::iter;

use html5ever::{LocalName, local_name};

use super::super::{
    blocks::{TextBlock, TextBlocks},
    records::{Records, mentions::is_written_date},
};
use super::heading_of;
use crate::{
    analysis::AnalysedPage,
    hashing::{Set, Table},
    html::{
        NodeId, NodeState, Page,
        attribute_hints::class_hints::{ClassHint, Landmark, RegionHints},
        tag::Tag,
    },
    vocabulary::{self, Class, any_of::AnyOf},
};

/// Words of all that stands between two texts, at most, items of lists without links aside. More is a part of the page with a probability of
/// its own.
const MOST_WORDS: f32 = 120.0;

/// Words of a label, a name or a time beside a text.
const LABEL_WORDS: f32 = 6.0;

/// Labels that look alike from which they are the fields of entries.
const ALIKE: usize = 2;

/// Elements around a text that are asked what they are.
const LEVELS: usize = 12;

/// Links in a row from which they are the list that the text above announces.
const LIST: usize = 3;

/// Names of clutter. Not those of side bars and of forms: on every third page of WCXB dev, elements that are called `widget` (as Elementor
/// calls all of its parts), `sidebar`, `rail` or `field` (Drupal) hold main content on a quarter of the pages and more.
const CLUTTER: u32 = ClassHint::Comment.bit()
    | ClassHint::Related.bit()
    | ClassHint::Share.bit()
    | ClassHint::Footer.bit()
    | ClassHint::Ad.bit()
    | ClassHint::Newsletter.bit()
    | ClassHint::Consent.bit()
    | ClassHint::Overlay.bit()
    | ClassHint::Pager.bit();

/// Landmarks beside the text.
const BESIDE: u32 = Landmark::Nav.bit()
    | Landmark::Footer.bit()
    | Landmark::Aside.bit()
    | Landmark::Dialog.bit()
    | Landmark::Form.bit()
    | Landmark::Hidden.bit();

/// A list of tags or a table of contents is no part of what two texts say either.
const BOILERPLATE: u32 = vocabulary::BOILERPLATE | Class::Tags.bit() | Class::Contents.bit();

/// Notes of a text: Sphinx and Material (`admonition`), GitHub (`markdown-alert`), Bootstrap (`alert`), GOV.UK and `WordPress`
/// (`notice`). Of WCXB dev's texts in what is called an alert or a notice a sixth is main content; these stand between texts.
const NOTES: AnyOf = AnyOf::new(&["alert", "notice", "admonition", "callout"]);

/// Posts of other sites and cards of links, as these sites and the programs of forums and blogs call them.
const EMBEDS: AnyOf = AnyOf::new(&[
    "twitter-tweet",
    "twitter-video",
    "instagram-media",
    "tiktok-embed",
    "bluesky-embed",
    "mastodon-embed",
    "reddit-embed",
    "reddit-card",
    "fb-post",
    "text-post-media",
    "unfurl",
    "onebox",
    "bookmark-card",
]);

/// Keeps what stands between kept texts.
pub(super) fn keep(page: &AnalysedPage, blocks: &TextBlocks, records: &Records, kept: &mut [bool]) {
    keep_embeds(page, blocks, kept);
    keep_gaps(page, blocks, records, kept);
    keep_announced(page, blocks, kept);
    keep_lists_of_links(page, blocks, kept);
    keep_facts(page, blocks, records, kept);
    // A step has a number and a name.
    for _ in 0..2 {
        keep_labels(page, blocks, records, kept);
    }
}

/// Keeps a list of links that ends a section with a heading and a kept text, where other kept texts follow: the notes of a show, the files
/// of a project. A list in the middle of a text leads to other articles as often as not.
fn keep_lists_of_links(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let list = &blocks.list;
    let Some(end) = (0..list.len()).rev().find(|&at| kept[at] && list[at].is_long()) else { return };
    for at in 0..end {
        if !kept[at] || kept[at + 1] || !list[at].is_long() {
            continue;
        }
        let text = list[at].container;
        let next = page.live_siblings_after(text).find(|&next| page.tag(next).is_some());
        let Some(links) = next.filter(|&next| matches!(page.tag(next), Some(Tag::Ul | Tag::Ol))) else { continue };
        let own = blocks.inside(page, links);
        let section = blocks.inside(page, page.parent(links));
        let is_headed = page.tag(list[section.start].container).is_some_and(Tag::is_heading);
        let is_list = own.start == at + 1 && own.len() > 1 && own.end <= end && own.end == section.end && is_headed;
        if is_list
            && stands_well(page, links, &[text])
            && !list[own.clone()].iter().any(|block| is_boilerplate(page, blocks, block))
        {
            kept[own].fill(true);
        }
    }
}

/// Keeps a list of short facts between the headline and the first text: "5 rooms", "142 m²". Not a day and the time that reading takes.
fn keep_facts(page: &AnalysedPage, blocks: &TextBlocks, records: &Records, kept: &mut [bool]) {
    /// Texts below the headline that are looked at.
    const NEAR: usize = 30;
    let list = &blocks.list;
    let below = blocks.below_headline(page, NEAR);
    let Some(first) = below.clone().find(|&at| kept[at] && list[at].is_long()) else { return };
    let mut at = below.start;
    while at < first {
        let around = page.ancestors(list[at].container).take(3);
        let mut around = iter::once(list[at].container).chain(around);
        let found = around.find(|&up| matches!(page.tag(up), Some(Tag::Ul | Tag::Ol | Tag::Dl)));
        let Some(own) = found.map(|id| blocks.inside(page, id)).filter(|own| own.end <= first && own.contains(&at))
        else {
            at += 1;
            continue;
        };
        let texts: Vec<String> = list[own.clone()].iter().map(|block| blocks.text(page, block)).collect();
        let is_fact = |(block, text): (&TextBlock, &String)| {
            let in_post = records.post_around(block) != NodeId::DOCUMENT;
            !in_post && block.stats.words <= LABEL_WORDS && block.linked == 0.0 && !is_written_date(text.trim())
        };
        let numbers = texts.iter().filter(|text| text.contains(char::is_numeric)).count();
        let are_facts = own.len() > 1 && 2 * numbers >= own.len() && list[own.clone()].iter().zip(&texts).all(is_fact);
        if are_facts && found.is_some_and(|id| stands_well(page, id, &[list[first].container])) {
            kept[own.clone()].fill(true);
        }
        at = own.end;
    }
}

/// Keeps what is short between two kept texts of some length.
fn keep_gaps(page: &Page, blocks: &TextBlocks, records: &Records, kept: &mut [bool]) {
    let list = &blocks.list;
    let texts: Vec<usize> = (0..list.len()).filter(|&at| kept[at] && list[at].is_long()).collect();
    // What was shown twice was dropped once.
    let shown: Set<u64> = (0..list.len()).filter(|&at| kept[at]).map(|at| list[at].stats.hash).collect();
    for pair in texts.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        // Between two posts stands who wrote them, of which one name is kept elsewhere.
        if records.post_around(&list[before]) != records.post_around(&list[after]) {
            continue;
        }
        let mut missing = (before + 1..after).filter(|&at| !kept[at]).peekable();
        let is_any = missing.peek().is_some();
        let words: f32 = missing.filter(|&at| !is_item(page, &list[at])).map(|at| list[at].stats.words).sum();
        if !is_any || words > MOST_WORDS {
            continue;
        }
        let ends = [list[before].container, list[after].container];
        let is_part = |at: usize| {
            let block = &list[at];
            leads_nowhere(page, blocks, block)
                && !shown.contains(&block.stats.hash)
                && stands_as(page, blocks, block, &ends)
                && !tells_of_text(page, block.container)
                && !is_written_date(blocks.text(page, block).trim())
                && is_content(page, blocks, block, &ends)
        };
        // From the last to the first: a line above something that goes is the name of that, but for the items of a list.
        for at in (before + 1..after).rev().filter(|&at| !kept[at]).collect::<Vec<_>>() {
            let names_lost = list[at].stats.words <= LABEL_WORDS && !kept[at + 1] && !is_item(page, &list[at]);
            kept[at] = !names_lost && is_part(at);
        }
    }
}

/// Whether a text is a part of texts by what it is (an item, a quotation, a heading, a cell, a note, a file that is to be had), or stands
/// where one of two others does, or in a box that looks like theirs. What has a box of its own kind is often a prompt.
fn stands_as(page: &Page, blocks: &TextBlocks, block: &TextBlock, ends: &[NodeId]) -> bool {
    const LEVELS: usize = 4;
    let own = block.container;
    let around = || page.self_and_ancestors(own).take(1 + LEVELS);
    let is_part = |up: NodeId| {
        page.tag(up).is_some_and(|tag| {
            tag.is_heading() || matches!(tag, Tag::Li | Tag::Dt | Tag::Dd | Tag::Blockquote | Tag::Td | Tag::Pre)
        }) || NOTES.are_in(page.class(up))
    };
    let box_of = page.parent(own);
    let stands_there = |end: &NodeId| {
        let other = page.parent(*end);
        let is_alike = !page.first_class(other).is_empty() && page.first_class(box_of) == page.first_class(other);
        own == other || box_of == other || is_alike
    };
    around().any(is_part)
        || ends.iter().any(stands_there)
        || block.linked > 0.0 && blocks.links(page, block).all(|link| leads_to_file(page, link))
}

/// Whether an element is called something that tells of a text and is no part of it: who wrote it, when, the caption of a picture,
/// which stays with the picture.
pub(super) fn tells_of_text(page: &Page, id: NodeId) -> bool {
    const LEVELS: usize = 3;
    const CLASS_HINTS: u32 = ClassHint::Meta.bit() | ClassHint::Author.bit() | ClassHint::Caption.bit();
    iter::once(id).chain(page.ancestors(id).take(LEVELS)).any(|up| {
        page.tag(up) == Some(Tag::Figcaption)
            || page.hints(up).class_hints & CLASS_HINTS != 0 && page.chars(up) <= MAX_META
    })
}

/// Visible characters of what tells of a text, at most.
const MAX_META: usize = 200;

/// Whether a text is that of an item of a list, and leads nowhere.
fn is_item(page: &Page, block: &TextBlock) -> bool {
    let mut around = page.self_and_ancestors(block.container).take(3);
    block.linked == 0.0 && around.any(|up| matches!(page.tag(up), Some(Tag::Li | Tag::Dt | Tag::Dd)))
}

/// Keeps links in a row below a text that announces them, among its own siblings, up to another kept text.
fn keep_announced(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let list = &blocks.list;
    for before in 0..list.len().saturating_sub(LIST + 1) {
        if !kept[before] || kept[before + 1] || !announces(page, blocks, before) {
            continue;
        }
        let text = list[before].container;
        let is_beside = |at: usize| page.parent(list[at].container) == page.parent(text);
        let is_link = |&at: &usize| {
            let block = &list[at];
            !kept[at] && is_beside(at) && block.linked * 2.0 > block.chars && is_content(page, blocks, block, &[text])
        };
        let links = (before + 1..list.len()).take_while(is_link).count();
        let after = before + 1 + links;
        if links >= LIST && kept.get(after) == Some(&true) && is_beside(after) {
            kept[before + 1..after].fill(true);
        }
    }
}

/// Words from which a text that ends in a colon announces what follows: fewer are a label ("Share:").
const ANNOUNCING_WORDS: f32 = 4.0;

/// Whether a text ends in a colon and announces what follows: a part of this page, not other articles.
pub(super) fn announces(page: &Page, blocks: &TextBlocks, at: usize) -> bool {
    let block = &blocks.list[at];
    if block.stats.words < ANNOUNCING_WORDS || block.linked * 2.0 >= block.chars {
        return false;
    }
    let text = blocks.text(page, block);
    let is_colon = text.trim_end().ends_with([':', '：']);
    is_colon && (block.is_long() || vocabulary::hits(text).any & vocabulary::BOILERPLATE == 0)
}

/// Whether a text holds no link to another page: none at all, or to files that are to be had.
fn leads_nowhere(page: &Page, blocks: &TextBlocks, block: &TextBlock) -> bool {
    block.linked * 4.0 <= block.chars || blocks.links(page, block).all(|link| leads_to_file(page, link))
}

pub(super) fn leads_to_file(page: &Page, link: NodeId) -> bool {
    const FILES: [&str; 24] = [
        ".pdf", ".zip", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".csv", ".epub", ".mp3", ".txt",
        ".gz", ".xz", ".tgz", ".exe", ".msi", ".dmg", ".pkg", ".deb", ".rpm", ".apk", ".iso",
    ];
    page.has_attribute(link, &LocalName::from("download"))
        || page.address(link, &local_name!("href")).is_some_and(|url| {
            let path = url.path().to_ascii_lowercase();
            FILES.iter().any(|file| path.ends_with(file))
        })
}

/// Whether a text between two others, given by where they stand, is no control and no clutter by its words and by what is around it.
pub(super) fn is_content(page: &Page, blocks: &TextBlocks, block: &TextBlock, ends: &[NodeId]) -> bool {
    stands_well(page, block.container, ends) && !is_boilerplate(page, blocks, block)
}

fn is_boilerplate(page: &Page, blocks: &TextBlocks, block: &TextBlock) -> bool {
    const MOST: f32 = 15.0;
    block.stats.words <= MOST && vocabulary::hits(blocks.text(page, block)).start & BOILERPLATE != 0
}

/// Whether nothing around an element is clutter or a control, up to what holds one of these as well.
pub(super) fn stands_well(page: &Page, id: NodeId, ends: &[NodeId]) -> bool {
    let is_over = |up: &NodeId| ends.iter().any(|&end| page.contains(*up, end));
    let own = page.self_and_ancestors(id).take(LEVELS);
    own.take_while(|up| !is_over(up)).all(|up| {
        let marks = RegionHints::new(page, up);
        let is_control =
            matches!(page.tag(up), Some(Tag::Button | Tag::Label)) && page.state(up) != NodeState::Unwrapped;
        let mut clutter = CLUTTER;
        let class = || page.class(up);
        if marks.class_hints & ClassHint::Overlay.bit() != 0 && NOTES.are_in(class()) {
            clutter &= !ClassHint::Overlay.bit();
        }
        // A role of its own says the same of a note.
        let beside = match page.attribute(up, &local_name!("role")) {
            Some("alert") => 0,
            _ if is_fact_box(page, up, ends) => BESIDE & !Landmark::Aside.bit(),
            _ => BESIDE,
        };
        !is_control && !marks.has_any(clutter, beside)
    })
}

/// Whether an element holds a list in which nothing is a link, and stands beside two texts in the element that holds both: the figures or the
/// days of an article.
fn is_fact_box(page: &Page, id: NodeId, ends: &[NodeId]) -> bool {
    /// Nodes of such a box, at most: it is read once for each text in it.
    const NODES: usize = 400;
    page.tag(id) == Some(Tag::Aside)
        && page.end(id).index() - id.index() <= NODES
        && ends.len() > 1
        && ends.iter().all(|&end| page.contains(page.parent(id), end))
        && page.live(id).any(|at| matches!(page.tag(at), Some(Tag::Ul | Tag::Ol | Tag::Dl)))
        && !page.live(id).any(|at| page.in_link(at))
}

/// Keeps the posts of other sites and the cards of links beside kept texts, whole.
fn keep_embeds(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    /// Elements around an embedded post that hold nothing else, and one that holds the text.
    const FRAMES: usize = 4;
    let is_embed = |name: &LocalName, value: &str| *name == local_name!("class") && EMBEDS.are_in(value);
    if !page.any_attribute(is_embed) {
        return;
    }
    let mut over = NodeId::DOCUMENT;
    for id in page.live(page.body()).skip(1) {
        let class = local_name!("class");
        if id < over || !page.attribute(id, &class).is_some_and(|value| is_embed(&class, value)) {
            continue;
        }
        over = page.end(id);
        let own = blocks.inside(page, id);
        let is_beside = page.ancestors(id).take(FRAMES).any(|up| {
            let around = blocks.inside(page, up);
            let is_text = |at: usize| kept[at] && !own.contains(&at);
            // Between two texts, or in the running text of one.
            let (before, after) = ((around.start..own.start).any(is_text), (own.end..around.end).any(is_text));
            before && after || (before || after) && is_flow(page, blocks, up, kept)
        });
        if is_beside {
            kept[own].fill(true);
        }
    }
}

/// Whether an element holds kept text directly.
pub(super) fn is_flow(page: &Page, blocks: &TextBlocks, id: NodeId, kept: &[bool]) -> bool {
    blocks.inside(page, id).any(|at| {
        let container = blocks.list[at].container;
        kept[at] && (container == id || page.tag(container) == Some(Tag::P) && page.parent(container) == id)
    })
}

/// Keeps short labels, names and times that stand directly above a kept text in one box with it, where several look alike.
fn keep_labels(page: &Page, blocks: &TextBlocks, records: &Records, kept: &mut [bool]) {
    let list = &blocks.list;
    let mut alike: Table<_, (usize, Vec<usize>)> = Table::default();
    for at in 0..list.len().saturating_sub(1) {
        let block = &list[at];
        let in_post = records.post_around(block) != NodeId::DOCUMENT;
        if in_post || block.stats.words > LABEL_WORDS || !kept[at + 1] || block.linked > 0.0 {
            continue;
        }
        // A number above a link is no name of it: "62 %" and "Read it".
        let next = &list[at + 1];
        if next.linked * 2.0 > next.chars && heading_of(page, next.container).is_none() {
            continue;
        }
        let own = outermost_with(page, blocks, at);
        let around = page.parent(own);
        if !page.contains(around, list[at + 1].container) {
            continue;
        }
        let look = (page.tag(around), page.first_class(around), page.first_class(own));
        let (count, missing) = alike.entry(look).or_default();
        *count += 1;
        if !kept[at] && is_content(page, blocks, block, &[list[at + 1].container]) {
            missing.push(at);
        }
    }
    for (_, missing) in alike.into_values().filter(|(count, _)| *count >= ALIKE) {
        for at in missing {
            kept[at] = true;
        }
    }
}

/// The element around a block and nothing else.
fn outermost_with(page: &Page, blocks: &TextBlocks, at: usize) -> NodeId {
    let first = blocks.texts(&blocks.list[at])[0];
    let is_alone = |up: &NodeId| blocks.inside(page, *up) == (at..at + 1);
    page.ancestors(first).take(LEVELS).take_while(is_alone).last().unwrap_or(first)
}
