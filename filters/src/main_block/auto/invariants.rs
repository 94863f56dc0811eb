//! What a reader may rely on, whatever was chosen: what is one thing stays or goes as one, a kept text keeps its heading, and a shop
//! keeps prices. Enforced here, after the choice and all rules, and nowhere else.

mod after;
mod beside;
mod between;
mod rankings;

use super::{
    blocks::{TextBlock, TextBlocks},
    records::Records,
};
use crate::{
    analysis::AnalysedPage,
    hashing::Table,
    html::{
        NodeId, NodeState, Page,
        attribute_hints::class_hints::{ClassHint, Landmark, RegionHints},
        tag::Tag,
    },
    measure::table,
    page_type::prices,
    vocabulary::{self, Class, words::is_question},
};

/// Share of the words of a unit from which the rest is kept too; below it the unit goes.
const MOST: f32 = 0.4;

/// Words of an item of a list that is one thing. Longer ones are posts, or texts of their own.
const ITEM_WORDS: f32 = 60.0;

/// Makes a choice keep or drop units as one, and headings with their text.
pub(super) fn enforce(page: &AnalysedPage, blocks: &TextBlocks, records: &Records, kept: &mut [bool]) {
    between::keep(page, blocks, records, kept);
    after::keep(page, blocks, kept);
    beside::keep(page, blocks, kept);
    keep_units(page, blocks, kept);
    keep_pairs(page, blocks, kept);
    rankings::keep(page, blocks, kept);
    keep_questions(page, blocks, kept);
    keep_headings(page, blocks, kept);
    drop_titles(page, blocks, kept);
}

/// Drops the title of a table of contents of which nothing is kept: what follows it is links that are all dropped.
fn drop_titles(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    /// Words of a title, at most.
    const WORDS: f32 = 6.0;
    for at in 0..kept.len().saturating_sub(1) {
        let (block, next) = (&blocks.list[at], &blocks.list[at + 1]);
        let is_lost = kept[at] && !kept[at + 1] && block.stats.words <= WORDS && next.linked * 2.0 > next.chars;
        if is_lost && vocabulary::hits(blocks.text(page, block)).whole & Class::Contents.bit() != 0 {
            kept[at] = false;
        }
    }
}

/// Rows of data tables, short items of lists, terms with what is said of them, questions that unfold with their answers.
fn keep_units(page: &AnalysedPage, blocks: &TextBlocks, kept: &mut [bool]) {
    let mut table_end = NodeId::DOCUMENT;
    for id in page.live(page.body()) {
        let is_unit = match page.tag(id) {
            Some(Tag::Table) if id >= table_end => {
                if table::is_data(page, id) {
                    table_end = page.end(id);
                    keep_first_row(page, blocks, id, kept);
                }
                false
            }
            Some(Tag::Tr) => id < table_end,
            Some(Tag::Ul | Tag::Ol) => {
                complete(page, blocks, id, kept);
                false
            }
            Some(Tag::Li | Tag::Dd | Tag::Details) => true,
            _ => false,
        };
        if is_unit {
            settle(page, blocks, id, kept);
        }
    }
}

/// Keeps the first row of a table of which most is kept: the names of its columns.
fn keep_first_row(page: &Page, blocks: &TextBlocks, table: NodeId, kept: &mut [bool]) {
    let Some(row) = page.live(table).find(|&id| page.tag(id) == Some(Tag::Tr)) else { return };
    let (first, all) = (blocks.inside(page, row), blocks.inside(page, table));
    let words = |at: usize| blocks.list[at].stats.words;
    let below = || first.end..all.end;
    let of_kept: f32 = below().filter(|&at| kept[at]).map(words).sum();
    let is_short = first.clone().map(words).sum::<f32>() <= ITEM_WORDS;
    if is_short && of_kept > 0.0 && 2.0 * of_kept >= below().map(words).sum() {
        kept[first].fill(true);
    }
}

/// Keeps the rest of a short list of which most is kept, links aside.
fn complete(page: &Page, blocks: &TextBlocks, list: NodeId, kept: &mut [bool]) {
    /// Texts of such a list, at most.
    const TEXTS: usize = 40;
    let inside = blocks.inside(page, list);
    if inside.len() > TEXTS {
        return;
    }
    let (mut all, mut of_kept) = (0.0, 0.0);
    for at in inside.clone() {
        all += blocks.list[at].stats.words;
        of_kept += if kept[at] { blocks.list[at].stats.words } else { 0.0 };
    }
    if of_kept < all && 2.0 * of_kept > all && all <= 2.0 * ITEM_WORDS {
        for at in inside {
            kept[at] |= blocks.list[at].linked == 0.0;
        }
    }
}

/// Keeps or drops a unit of which a part is kept.
fn settle(page: &AnalysedPage, blocks: &TextBlocks, unit: NodeId, kept: &mut [bool]) {
    let mut inside = blocks.over(page, unit);
    // What is said of a term begins with the term.
    if page.tag(unit) == Some(Tag::Dd) && inside.start > 0 {
        let before = blocks.list[inside.start - 1].container;
        inside.start -= usize::from(page.tag(before) == Some(Tag::Dt));
    }
    let (mut all, mut of_kept) = (0.0, 0.0);
    for (block, &kept) in blocks.list[inside.clone()].iter().zip(&kept[inside.clone()]) {
        all += block.stats.words;
        of_kept += if kept { block.stats.words } else { 0.0 };
    }
    let is_parted = of_kept > 0.0 && kept[inside.clone()].contains(&false);
    let holds_headline = page.headline.node.is_some_and(|node| page.contains(unit, node));
    let is_one = all <= ITEM_WORDS || page.tag(unit) != Some(Tag::Li) && !holds_headline;
    if is_parted && is_one {
        kept[inside].fill(holds_headline || of_kept >= MOST * all);
    }
}

/// Keeps or drops as one labels and their values, "97 %" and "Online", of records alike, and those alike in all of them.
fn keep_pairs(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let mut groups: Table<_, Vec<usize>> = Table::default();
    let mut at = 0;
    while at + 1 < kept.len() {
        let shape = shape_of_pair(page, blocks, at);
        at += if shape.is_some() { 2 } else { 1 };
        if let Some(shape) = shape {
            groups.entry(shape).or_default().extend([at - 2, at - 1]);
        }
    }
    for fields in groups.into_values().filter(|fields| fields.len() > 2) {
        let words = |fields: &[usize]| fields.iter().map(|&at| blocks.list[at].stats.words).sum::<f32>();
        let of_kept: Vec<usize> = fields.iter().copied().filter(|&at| kept[at]).collect();
        let is_most = words(&of_kept) >= MOST * words(&fields);
        for pair in fields.chunks(2) {
            if kept[pair[0]] != kept[pair[1]] {
                kept[pair[0]..=pair[1]].fill(is_most);
            }
        }
    }
}

/// The shapes of the elements of a label and its value that begin here, and of the one around both.
fn shape_of_pair<'a>(page: &'a Page, blocks: &TextBlocks, at: usize) -> Option<[(Option<Tag>, &'a str); 3]> {
    let pair = [&blocks.list[at], &blocks.list[at + 1]];
    // Words of a label: more are a sentence.
    if pair.iter().any(|block| block.stats.words > 8.0) {
        return None;
    }
    let around = page.ancestors(pair[1].container).find(|&up| page.contains(up, pair[0].container))?;
    let part = |id: NodeId| page.self_and_ancestors(id).find(|&up| page.parent(up) == around);
    let parts = [part(pair[0].container)?, part(pair[1].container)?];
    let [around, one, other] = [around, parts[0], parts[1]].map(|id| (page.tag(id), page.first_class(id)));
    let is_field = |at: usize| {
        let is_of_list = matches!(page.tag(parts[at]), Some(Tag::Td | Tag::Th | Tag::Li | Tag::Dt | Tag::Dd));
        !is_of_list && heading_of(page, pair[at].container).is_none() && blocks.inside(page, parts[at]).len() == 1
    };
    if one == other || !is_field(0) || !is_field(1) {
        return None;
    }
    let [first, second] = pair.map(|block| blocks.text(page, block));
    let is_word = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count() > 2;
    let is_value = |text: &str| text.contains(char::is_numeric) && !is_word(text);
    // A linked text below a number is navigation ("Read it"), not a value's label.
    let is_pair = first.trim_end().ends_with([':', '：'])
        || is_word(&first) && is_value(&second)
        || is_value(&first) && is_word(&second) && pair[1].linked == 0.0;
    is_pair.then_some([around, one, other])
}

/// Questions alike from which they have answers: others are asked of the reader ("Did you like it?").
const QUESTIONS: usize = 3;

/// Keeps questions that look alike where the text right below each is kept, and the names of what unfolds (`ignore.dead_controls`).
fn keep_questions(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let list = &blocks.list;
    let asks = |at: usize| {
        let (block, answer) = (&list[at], list[at + 1].container);
        let own = block.container;
        let around = || if blocks.inside(page, own).len() > 1 { own } else { scope(page, blocks, own) };
        let words = blocks.texts(block).iter().rev().find_map(|&id| page.text(id));
        kept[at + 1]
            && (page.state(own) == NodeState::Unwrapped || words.is_some_and(|text| is_question(&text)))
            && block.stats.words <= ITEM_WORDS
            && heading_of(page, answer).is_none()
            && page.contains(around(), answer)
    };
    let questions: Vec<usize> = (0..list.len().saturating_sub(1)).filter(|&at| asks(at)).collect();
    let shape = |at: usize| (page.tag(list[at].container), page.first_class(list[at].container));
    let (mut counts, mut said): (Table<_, usize>, Table<_, usize>) = (Table::default(), Table::default());
    for &at in &questions {
        *counts.entry(shape(at)).or_default() += 1;
        *said.entry(blocks.text(page, &list[at])).or_default() += 1;
    }
    for at in questions {
        // "More info" names nothing.
        kept[at] |= counts[&shape(at)] >= QUESTIONS && said[&blocks.text(page, &list[at])] == 1;
    }
}

/// A heading, and the element that holds it and what it heads.
struct Heading {
    id: NodeId,
    level: u8,
    scope: NodeId,
    /// The first text below it.
    text: Option<usize>,
}

/// Keeps the headings above a kept text: the nearest, if the text right below it is kept, and above that those of higher levels.
///
/// The only `h1` of a page is the headline or the name of the site, which is decided elsewhere.
fn keep_headings(page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
    let heads = heads(page, blocks);
    let is_first = |head: &&(NodeId, usize)| page.tag(head.0) == Some(Tag::H1);
    let only = heads.iter().flatten().find(is_first).map(|head| head.0);
    let only = only.filter(|&only| heads.iter().flatten().filter(is_first).all(|head| head.0 == only));
    for at in (0..kept.len()).rev() {
        if let Some((head, text)) = heads[at]
            && kept[at]
            && kept[text]
            && Some(head) != only
        {
            kept[blocks.over(page, head)].fill(true);
        }
    }
}

/// The heading above each block, if it has one, and what decides about it: of a text the first below the heading, of a
/// heading itself.
fn heads(page: &Page, blocks: &TextBlocks) -> Vec<Option<(NodeId, usize)>> {
    let mut open: Vec<Heading> = Vec::new();
    let mut heads = Vec::with_capacity(blocks.list.len());
    for (at, block) in blocks.list.iter().enumerate() {
        while open.pop_if(|heading| page.end(heading.scope) <= block.container).is_some() {}
        let Some(id) = heading_of(page, block.container) else {
            heads.push(open.last_mut().map(|heading| (heading.id, *heading.text.get_or_insert(at))));
            continue;
        };
        // Another line of the same heading.
        if open.last().is_some_and(|last| last.id == id) {
            heads.push(Some((id, at)));
            continue;
        }
        let level = page.tag(id).and_then(Tag::heading_level).unwrap_or(1);
        let heading = Heading { id, level, scope: scope(page, blocks, id), text: None };
        let is_over = |other: &mut Heading| other.level >= heading.level && page.contains(heading.scope, other.scope);
        while open.pop_if(is_over).is_some() {}
        heads.push(open.last().map(|heading| (heading.id, at)));
        open.push(heading);
    }
    pass_links(page, blocks, &mut heads);
    heads
}

/// Lets the first text below headings alike decide about them, where a line of links stands above it in each: "map", "website".
fn pass_links(page: &Page, blocks: &TextBlocks, heads: &mut [Option<(NodeId, usize)>]) {
    /// Words of such a line, at most.
    const WORDS: f32 = 6.0;
    /// Headings alike from which they are those of records: elsewhere a text behind a line of links is another's as often as not.
    const ALIKE: usize = 3;
    let is_line = |at: usize| blocks.list[at].stats.words <= WORDS && blocks.list[at].linked >= blocks.list[at].chars;
    let look = |id: NodeId| (page.tag(id), page.first_class(id));
    let mut alike: Table<_, Vec<((NodeId, usize), usize)>> = Table::default();
    for at in 0..heads.len() {
        let Some(head) = heads[at].filter(|&(_, text)| text == at && is_line(at)) else { continue };
        let below = (at + 1..heads.len()).take_while(|&next| heads[next] == Some(head));
        if let Some(text) = below.into_iter().find(|&next| !is_line(next)) {
            alike.entry((look(head.0), look(blocks.list[at].container))).or_default().push((head, text));
        }
    }
    let passed: Table<_, _> = alike.into_values().filter(|those| those.len() >= ALIKE).flatten().collect();
    for head in heads.iter_mut().flatten() {
        if let Some(&text) = passed.get(head) {
            head.1 = text;
        }
    }
}

/// The scope of a heading: the element around it, or around the boxes that hold nothing else.
fn scope(page: &Page, blocks: &TextBlocks, heading: NodeId) -> NodeId {
    let own = blocks.inside(page, heading);
    let mut around = page.ancestors(heading);
    around.find(|&up| blocks.inside(page, up) != own).unwrap_or(page.body())
}

/// The heading that an element is, or that it is a box of.
fn heading_of(page: &Page, id: NodeId) -> Option<NodeId> {
    const LEVELS: usize = 4;
    let mut around = page.self_and_ancestors(id).take(1 + LEVELS);
    around.find(|&up| page.tag(up).is_some_and(Tag::is_heading))
}

/// How many prices each block tells, and whether it stands in a landmark of the site: in its foot they are fine print, above and in boxes
/// that open over it promotions. Cards and articles have a head and a foot too.
pub(super) fn prices_of(page: &Page, blocks: &TextBlocks) -> Vec<(usize, bool)> {
    const SITE: u32 = Landmark::Header.bit() | Landmark::Nav.bit() | Landmark::Footer.bit() | Landmark::Dialog.bit();
    let is_main = |id: NodeId| RegionHints::new(page, id).is(Landmark::Main);
    let is_part = |id: NodeId| matches!(page.tag(id), Some(Tag::Main | Tag::Article | Tag::Section | Tag::Li));
    let is_of_site = |id: NodeId| {
        let marks = RegionHints::new(page, id);
        // The price of a card may be called that of a box too.
        let opens_over = || marks.class_hints & ClassHint::Overlay.bit() != 0 && blocks.inside(page, id).len() > 1;
        (marks.has_any(0, SITE) || opens_over()) && !page.ancestors(id).any(is_part)
    };
    let landmark_of = |block: &TextBlock| {
        let around = page.self_and_ancestors(block.container);
        around.take_while(|&up| up != page.body() && !is_main(up)).find(|&up| is_of_site(up))
    };
    let count = |block: &TextBlock| {
        let count = prices(&blocks.text(page, block));
        let landmark = if count > 0 { landmark_of(block) } else { None };
        let in_foot = landmark.is_some_and(|id| RegionHints::new(page, id).is(Landmark::Footer));
        (if in_foot { 0 } else { count }, landmark.is_some())
    };
    blocks.list.iter().map(count).collect()
}

/// Whether a choice would leave none of the prices of a page, of which it has so many at least, and one outside of the site's landmarks.
pub(super) fn loses_all(prices: &[(usize, bool)], kept: &[bool], least: usize) -> bool {
    let is_left = prices.iter().zip(kept).any(|(&(count, _), &kept)| kept && count > 0);
    let has_own = || prices.iter().any(|&(count, is_of_site)| count > 0 && !is_of_site);
    !is_left && prices.iter().map(|(count, _)| count).sum::<usize>() >= least && has_own()
}

#[cfg(test)]
mod tests;
