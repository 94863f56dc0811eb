//! A table of contents: links to places further down the page that are called what the headings there say. What it says is said again
//! below, and readers scroll. With it goes its label ("Table of contents"), also where the rest has gone before, or a script
//! would have written it.
//!
//! Not in manuals, which are looked things up in, and whose references have theirs.
//!
//! Whether a list is one, its links tell: they lead to this page, and each says what a heading below it says, in the same order, or a
//! part of that. So a list of what a manual has on other pages stays, and so do the letters of an index, a ranking, ticks and
//! crosses beside the names, and any list with an entry that is said nowhere else. The label is known by where it stands, in a box of its own with
//! the list; without a box by its words.

use std::{ops::Range, sync::LazyLock};

use html5ever::local_name;

use super::super::blocks::{Block, Blocks};
use crate::{
    hashing::Set,
    kind::{Kind, KindNow},
    metadata::letters,
    page::{NodeId, Page, tag::Tag},
};

/// Links of one, at least. Lower: a "see below" with one more.
const LEAST: usize = 3;

/// Lists of a page that are looked at, and headings, at most: all of what people write.
const LISTS: usize = 30;
const HEADINGS: usize = 1000;

/// Letters of an entry, at least, that says a part only of what its heading says.
const PART: usize = 10;

/// Visible characters of a link, on average, at least. Letters of an index have one, years four.
const CHARS: f32 = 5.0;

/// Share of the characters of a text that stand in its links: a number before each does not.
const LINKED: f32 = 0.7;

/// Words of a label, at most: "Jump to a section".
const LABEL_WORDS: f32 = 5.0;

/// Words of a line before the list that ends in a colon, at most: "These are the topics that we will be covering:".
const LEAD_WORDS: f32 = 12.0;

/// Words of text that a box holds beside the list: the label, and what folds the list ("Show").
const BESIDE_WORDS: f32 = 8.0;

/// Elements from a text up to its link, to its heading, and from a label up to its box.
const LEVELS: usize = 4;

/// What a table of contents is called, whatever the case and the signs around it.
const LABELS: [&str; 74] = [
    "Contents",
    "Table of contents",
    "Table of content",
    "In this article",
    "In this post",
    "In this guide",
    "In this story",
    "In this section",
    "On this page",
    "Jump to",
    "Jump to a section",
    "Jump to section",
    "Quick links",
    "Quick navigation",
    "Inhalt",
    "Inhaltsverzeichnis",
    "In diesem Artikel",
    "Auf dieser Seite",
    "Sommaire",
    "Table des matières",
    "Dans cet article",
    "Sur cette page",
    "Índice",
    "Tabla de contenidos",
    "Tabla de contenido",
    "Contenido",
    "Contenidos",
    "En este artículo",
    "En esta página",
    "Indice",
    "Indice dei contenuti",
    "In questo articolo",
    "Sommario",
    "Conteúdo",
    "Neste artigo",
    "Sumário",
    "Inhoud",
    "Inhoudsopgave",
    "In dit artikel",
    "Innehåll",
    "Innehållsförteckning",
    "Indhold",
    "Indholdsfortegnelse",
    "Innhold",
    "Innholdsfortegnelse",
    "Sisällysluettelo",
    "Spis treści",
    "Obsah",
    "Tartalomjegyzék",
    "Cuprins",
    "Съдържание",
    "Садржај",
    "Sadržaj",
    "Содержание",
    "Оглавление",
    "Зміст",
    "Περιεχόμενα",
    "İçindekiler",
    "Daftar isi",
    "Mục lục",
    "สารบัญ",
    "目次",
    "もくじ",
    "目录",
    "目錄",
    "本文目录",
    "목차",
    "المحتويات",
    "جدول المحتويات",
    "فهرس المحتويات",
    "فهرست مطالب",
    "תוכן עניינים",
    "תוכן העניינים",
    "विषय सूची",
];

/// The letters of these: one look tells, where to compare 74 names takes 30,000 instructions.
static LETTERS: LazyLock<Set<String>> =
    LazyLock::new(|| LABELS.iter().map(|label| letters(label)).collect());

/// Drops them from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    let mut headings = None;
    let is_manual = || kind.get() == Some(Kind::Documentation);
    let (mut at, mut looked, mut left) = (0, 0, LISTS);
    // Words from the last kept text on, its own among them.
    let mut since = f32::INFINITY;
    while at < blocks.list.len() {
        let mut next = at + 1;
        let mut is_far = false;
        if at >= looked {
            // Menus mostly: nothing of one is kept, and no label that it could have.
            let rest = blocks.list[at..].iter();
            looked = at + rest.take_while(|block| is_mostly_linked(block)).count();
            is_far = since > BESIDE_WORDS + 1.0 && at < looked && !kept[at..looked].contains(&true);
        }
        if is_far {
            next = looked;
        } else {
            let list = list_at(page, blocks, at);
            if list.is_empty() {
                if kept[at] && is_lone_label(page, blocks, at, kind) {
                    kept[at] = false;
                }
            } else if left > 0 && has_entries(page, blocks, &list) && !is_manual() {
                left -= 1;
                let headings = headings.get_or_insert_with(|| Line::headings(page));
                if is_said_below(page, blocks, &list, headings) {
                    let with_label = label(page, blocks, &list, kept)..list.end;
                    kept[with_label].fill(false);
                }
            }
            next = next.max(list.end);
        }
        for (block, &kept) in blocks.list[at..next].iter().zip(&kept[at..next]) {
            let before = if kept { 0.0 } else { since };
            since = before + block.stats.words;
        }
        at = next;
    }
}

fn is_mostly_linked(block: &Block) -> bool {
    block.linked >= LINKED * block.chars
}

/// The run of texts from here on that do nothing but lead to places on this page.
fn list_at(page: &Page, blocks: &Blocks, at: usize) -> Range<usize> {
    let leads = |block: &&Block| {
        let mut links = blocks.links(page, block).peekable();
        is_mostly_linked(block)
            && links.peek().is_some()
            && links.all(|link| leads_down(page, link))
            && !is_heading(page, block)
    };
    at..at + blocks.list[at..].iter().take_while(leads).count()
}

/// Whether a text is a heading: those of some manuals lead to themselves.
fn is_heading(page: &Page, block: &Block) -> bool {
    let around = page.ancestors(block.container).take(LEVELS);
    let mut around = std::iter::once(block.container).chain(around);
    around.any(|up| page.tag(up).is_some_and(Tag::is_heading))
}

/// Whether a link leads to a place on its own page.
fn leads_down(page: &Page, link: NodeId) -> bool {
    let href = local_name!("href");
    let Some((before, place)) = page
        .attribute(link, &href)
        .and_then(|address| address.split_once('#'))
        .map(|(before, place)| (before.trim_start(), place.trim_end()))
    else {
        return false;
    };
    let is_here = || {
        let address = page.absolute(link, &href);
        address.is_some_and(|to| without_place(to.as_str()) == without_place(page.url().as_str()))
    };
    !place.is_empty() && (before.is_empty() || is_here())
}

/// An address up to its `#`.
fn without_place(address: &str) -> &str {
    address
        .split_once('#')
        .map_or(address, |(before, _)| before)
}

/// The links of a list.
fn entries<'a>(
    page: &'a Page,
    blocks: &'a Blocks,
    list: &Range<usize>,
) -> impl Iterator<Item = NodeId> + 'a {
    let list = blocks.list[list.clone()].iter();
    list.flat_map(|block| blocks.links(page, block))
}

fn has_entries(page: &Page, blocks: &Blocks, list: &Range<usize>) -> bool {
    let count = entries(page, blocks, list).take(LEAST).count();
    let chars: f32 = blocks.list[list.clone()]
        .iter()
        .map(|block| block.linked)
        .sum();
    let all = || entries(page, blocks, list).count();
    count >= LEAST && chars >= CHARS * all() as f32
}

/// Whether the headings below a list say what it says.
fn is_said_below(page: &Page, blocks: &Blocks, list: &Range<usize>, headings: &[Line]) -> bool {
    let end = blocks.list[list.end - 1].container;
    let mut below = headings.iter().skip_while(|heading| heading.node < end);
    entries(page, blocks, list).all(|entry| {
        let entry = Line::of(page, entry);
        below.any(|heading| heading.says(&entry))
    })
}

/// What an entry or a heading says.
struct Line {
    node: NodeId,
    /// Without the number before it, which some lists write and some headings.
    letters: String,
    /// Ticks, stars, arrows: what is neither letter nor punctuation.
    signs: String,
}

impl Line {
    fn of(page: &Page, node: NodeId) -> Line {
        let text = page.joined(page.live(node));
        let letters = letters(&text);
        let is_sign = |c: &char| {
            matches!(c, '+' | '−' | '±' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..)
                && !c.is_alphanumeric()
        };
        Line {
            node,
            letters: letters.trim_start_matches(char::is_numeric).to_owned(),
            signs: text.chars().filter(is_sign).collect(),
        }
    }

    /// The headings of a page.
    fn headings(page: &Page) -> Vec<Line> {
        let all = page.live(page.body());
        let headings = all.filter(|&id| page.tag(id).is_some_and(Tag::is_heading));
        headings
            .take(HEADINGS)
            .map(|id| Line::of(page, id))
            .collect()
    }

    /// Whether a heading says what an entry says.
    fn says(&self, entry: &Line) -> bool {
        let is_same = self.letters == entry.letters;
        (is_same || entry.letters.len() >= PART && self.letters.contains(&entry.letters))
            && (entry.signs.is_empty() || self.signs.contains(&entry.signs))
    }
}

/// The first text of what labels a list and stands right before it: all of a box that holds next to nothing else, or one that is
/// called so.
fn label(page: &Page, blocks: &Blocks, list: &Range<usize>, kept: &[bool]) -> usize {
    let words = |range: Range<usize>| -> f32 {
        let blocks = blocks.list[range].iter();
        blocks.map(|block| block.stats.words).sum()
    };
    let first = &blocks.list[list.start];
    let boxes = std::iter::once(first.container).chain(page.ancestors(first.container));
    let in_box = boxes
        .map(|up| blocks.inside(page, up))
        .take_while(|inside| {
            let beside = words(inside.clone())
                - words(inside.start.max(list.start)..inside.end.min(list.end));
            beside <= BESIDE_WORDS
        })
        .last();
    let start = in_box.map_or(list.start, |inside| inside.start.min(list.start));
    let headline = page.headline.node;
    let holds_headline =
        |at: usize| headline.is_some_and(|node| blocks.inside(page, node).contains(&at));
    if start < list.start {
        return if (start..list.start).any(holds_headline) {
            list.start
        } else {
            start
        };
    }
    let announces = |before: usize| {
        let block = &blocks.list[before];
        kept[before]
            && block.stats.words <= LEAD_WORDS
            && blocks.ends_with(page, before, &[':', '：'])
    };
    match list.start.checked_sub(1) {
        Some(before)
            if (is_label(page, blocks, before) || announces(before)) && !holds_headline(before) =>
        {
            before
        }
        _ => list.start,
    }
}

fn is_label(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let block = &blocks.list[at];
    block.stats.words <= LABEL_WORDS && LETTERS.contains(&letters(&blocks.text(page, block)))
}

/// Whether a text is the label of a list that a script would have written: a box of an article that holds nothing else.
fn is_lone_label(page: &Page, blocks: &Blocks, at: usize, kind: &KindNow<'_>) -> bool {
    let block = &blocks.list[at];
    let is_box = |up: NodeId| {
        page.tag(up)
            .is_some_and(|tag| matches!(tag, Tag::Div | Tag::Nav | Tag::Aside | Tag::Section))
            && up != page.body()
    };
    let is_alone = |up: NodeId| is_box(up) && page.chars(up) as f32 <= block.chars;
    let has_list = |up: NodeId| {
        page.live(up)
            .any(|id| matches!(page.tag(id), Some(Tag::Ul | Tag::Ol | Tag::Nav)))
    };
    let container = block.container;
    // The words tell more often than the box that there is nothing here, and cost less than what it holds.
    (is_box(page.parent(container)) || is_box(container))
        && is_label(page, blocks, at)
        && (is_alone(page.parent(container)) || is_alone(container) && has_list(container))
        && matches!(kind.get(), Some(Kind::Article | Kind::Documentation))
}

#[cfg(test)]
mod tests;
