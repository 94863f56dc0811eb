//! Captions of pictures, which plain text leaves out: it has no pictures, and between two paragraphs a line about what cannot be
//! seen reads as one of them. HTML and Markdown have picture and caption, and `images` of an extract tells both.
//!
//! A caption is what stands in the `<figcaption>` of a figure with a picture, or is called a caption and shares its box with a
//! picture and with no other text. One with a number ("Figure 2", 图 3) stays, because the text speaks of it. Where captions are much of
//! the page they are what it tells (a gallery), and stay. So do those that are more than a caption, because the text would lack them: one
//! with a heading (a name, and who that is), what somebody said, a step of a list, all that stands between two headings, a row of them
//! right below a heading or a line that ends with a colon, the words of a comic, the figures of a chart. Pages that tell how to do something (`Recipe`, `HowTo`, schema.org) show
//! their steps so, and keep them all.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: annotators leave captions of articles out (those that are more than one too: two
//! articles lose .006 and .004). See `docs/quality.md`.

use std::{collections::HashMap, iter};

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    page_type::Kind,
    vocabulary::{parts::Parts, words::text_size},
};
use crate::{measure::text::of_subtree, vocabulary::words::one_line};

/// Share of a page's characters above which its captions are what it tells. Lower: photo essays lose theirs less often.
const SHARE: f64 = 0.25;

/// Pages whose pictures are their items, and what stands below them is what the items are called.
const SHELVES: [Kind; 3] = [Kind::Product, Kind::Collection, Kind::Listing];

/// Characters of a caption. More are a text of its own that stands below a picture.
const CHARS: usize = 600;

/// Boxes around what is called a caption in which its picture may stand.
const BOXES: usize = 3;

/// Characters beside a caption in its box: who took the picture.
const BESIDE: usize = 40;

/// Nodes of a figure that are looked at. In larger ones captions stay.
const NODES: usize = 300;

/// Bytes at the beginning of a caption in which its number stands.
const NUMBERED_BYTES: usize = 80;

/// Visible characters of what somebody says, at least: a Chinese one counts as three. Fewer are a name in quotes.
const SAID: usize = 30;

/// Bytes at the beginning of a caption in which somebody says it, and words of who that is, two at least: one is "Above".
const SAID_BYTES: usize = 300;
const WHO: usize = 5;

/// Quotes, as they open in one language or another.
const QUOTES: [char; 14] = ['"', '“', '„', '«', '»', '「', '『', '‘', '‚', '‹', '›', '״', '″', '＂'];

/// Quotes, as they close.
const CLOSE: [char; 14] = ['"', '”', '“', '»', '«', '」', '』', '’', '‘', '›', '‹', '״', '″', '＂'];

/// What stands before and behind what is said, where there are no quotes.
const DASHES: [char; 3] = ['—', '–', '―'];

/// Lines of a talk and figures of a list, at least.
const LINES: usize = 2;
const FIGURES: usize = 3;

/// What classes call a caption.
static CAPTION: Parts = Parts::new(&["caption"]);

/// The captions that the text of a page leaves out, in the order of the page.
pub(super) fn left_out(page: &AnalysedPage) -> Vec<NodeId> {
    let kind = page.metadata.kind;
    if kind.is_some_and(|kind| SHELVES.contains(&kind)) {
        return Vec::new();
    }
    if page.claims.tells_how() {
        return Vec::new();
    }
    let found: Vec<(NodeId, NodeId)> = all(page).collect();
    let rows = in_rows(page, &found);
    let captions: Vec<NodeId> = found
        .into_iter()
        .zip(rows)
        .filter(|&(_, in_row)| !in_row)
        .map(|(found, _)| found)
        .filter(|&(caption, around)| !is_card(page, caption) && !stands_alone(page, around))
        .map(|(caption, _)| caption)
        .filter(|&caption| !is_numbered(page, caption))
        .filter(|&caption| !is_said(page, caption) && !tells_what_is_seen(page, caption))
        .collect();
    let chars: usize = captions.iter().map(|&id| page.chars(id)).sum();
    if chars as f64 > SHARE * page.chars(page.body()) as f64 {
        return Vec::new();
    }
    captions
}

/// Whether it has a heading, as what is told of somebody has: their name, and who they are.
fn is_card(page: &Page, caption: NodeId) -> bool {
    let mut inside = page.live(caption).take(NODES);
    inside.any(|id| page.tag(id).is_some_and(Tag::is_heading))
}

/// Whether a picture with its caption is a step of a list, or all there is between two headings: without it the number, or the
/// heading, would stand for nothing.
fn stands_alone(page: &Page, around: NodeId) -> bool {
    let outer = outer(page, around);
    if page.tag(outer) == Some(Tag::Li) {
        return page.tag(page.parent(outer)) == Some(Tag::Ol);
    }
    let level = |id: NodeId| page.tag(id).and_then(Tag::heading_level);
    let is_text = |id: &NodeId| page.chars(*id) > 0;
    let before = page.live_children(page.parent(outer)).take_while(|&id| id != outer);
    let above = before.filter(is_text).last().and_then(level);
    let below = page.live_siblings_after(outer).find(is_text).and_then(level);
    above.is_some_and(|above| above > 1 && below.is_some_and(|below| below <= above))
}

/// The box around a picture with its caption and nothing else.
fn outer(page: &Page, around: NodeId) -> NodeId {
    iter::once(around)
        .chain(page.ancestors(around).take(BOXES))
        .take_while(|&up| page.chars(up) == page.chars(around))
        .last()
        .unwrap_or(around)
}

/// Which captions are of pictures that stand in a row right below a heading, or below a line that ends with a colon.
fn in_rows(page: &Page, found: &[(NodeId, NodeId)]) -> Vec<bool> {
    let mut in_rows = vec![false; found.len()];
    if found.len() < 2 {
        return in_rows;
    }
    let outer: Vec<NodeId> = found.iter().map(|(_, id)| outer(page, *id)).collect();
    let is_text = |id: &NodeId| page.chars(*id) > 0;
    let mut from = 0;
    while from < outer.len() {
        let mut to = from + 1;
        while to < outer.len() && page.live_siblings_after(outer[to - 1]).find(is_text) == Some(outer[to]) {
            to += 1;
        }
        if to - from > 1 && is_announced(page, outer[from]) {
            in_rows[from..to].fill(true);
        }
        from = to;
    }
    in_rows
}

/// Whether a heading of a chapter, or a line with a colon at its end, stands right above.
fn is_announced(page: &Page, id: NodeId) -> bool {
    let before = page.live_children(page.parent(id)).take_while(|&at| at != id);
    let Some(above) = before.filter(|&at| page.chars(at) > 0).last() else {
        return false;
    };
    if let Some(level) = page.tag(above).and_then(Tag::heading_level) {
        return level > 1;
    }
    let last = page.live(above).filter(|&at| page.own_chars(at) > 0).last();
    let text = last.and_then(|last| page.text(last));
    text.is_some_and(|text| text.trim_end().ends_with([':', '：']))
}

/// Whether it is what somebody said: a few words in quotes, and more, at its beginning or behind a name and a colon.
fn is_said(page: &Page, caption: NodeId) -> bool {
    let text = page.start_of_text(caption, NODES, SAID_BYTES);
    let text = text.trim_start();
    if is_in_quotes(text) {
        return true;
    }
    let colon = text.split_once([':', '：']);
    colon.is_some_and(|(who, said)| {
        (2..=WHO).contains(&who.split_whitespace().count()) && is_in_quotes(said.trim_start())
    })
}

/// Whether it is what several people say to each other, or a list of figures: the words of a comic, the numbers of a chart.
fn tells_what_is_seen(page: &Page, caption: NodeId) -> bool {
    let text = page.start_of_text(caption, NODES, CHARS * 4);
    let words = |text: &str| text.split_whitespace().count();
    let sentences = text.split_inclusive(['.', '!', '?', '。', '！', '？', '؟', '।']);
    let is_said = |sentence: &&str| {
        let (who, said) = sentence.split_once([':', '：']).unwrap_or_default();
        (1..WHO).contains(&words(who))
            && !sentence.contains(char::is_numeric)
            && (words(said) >= WHO || text_size(said) * 2 >= SAID && words(said) == 1)
    };
    let lines: Vec<&str> = sentences.filter(is_said).collect();
    // "Left: …. Right: …." is no talk.
    if lines.len() >= LINES && lines.iter().any(|line| line.ends_with(['?', '!', '？', '！', '؟'])) {
        return true;
    }
    let (_, figures) = text.split_once([':', '：']).unwrap_or_default();
    let parts = figures.split([',', ';', '、', '，', '；', '،']);
    let figures = parts.filter(|part| part.chars().any(char::is_numeric) && part.chars().any(char::is_alphabetic));
    figures.count() >= FIGURES
}

/// Whether it begins with a few words in quotes, or between two dashes, as French and Russian write it.
fn is_in_quotes(text: &str) -> bool {
    let mut rest = text.chars();
    let first = rest.next().unwrap_or_default();
    let rest = rest.as_str();
    let said = if DASHES.contains(&first) {
        rest.split_once(DASHES).map(|(said, _)| said)
    } else if QUOTES.contains(&first) {
        let mut ends = rest.char_indices().filter(|(_, c)| CLOSE.contains(c));
        // In a word it is an apostrophe.
        let is_end =
            |&(at, c): &(usize, char)| c != '’' || !rest[at + c.len_utf8()..].starts_with(char::is_alphanumeric);
        Some(ends.find(is_end).map_or(rest, |(at, _)| &rest[..at]))
    } else {
        None
    };
    said.is_some_and(|said| text_size(said) >= SAID)
}

/// What stands below each picture that has a caption.
pub(crate) fn by_picture(page: &Page) -> HashMap<NodeId, String> {
    let mut found = HashMap::new();
    for (caption, around) in all(page) {
        let text = one_line(&of_subtree(page, caption, 1));
        let pictures = page.live(around).take(NODES);
        for picture in pictures.filter(|&id| page.tag(id) == Some(Tag::Img)) {
            found.entry(picture).or_insert_with(|| text.clone());
        }
    }
    found
}

/// Captions, none of which is in another, each with the box that its picture is in.
fn all(page: &Page) -> impl Iterator<Item = (NodeId, NodeId)> {
    let mut over = page.body();
    page.live(page.body()).filter_map(move |id| {
        let may_be = id >= over && page.tag(id).is_some() && (1..=CHARS).contains(&page.chars(id));
        let around = may_be.then(|| box_of(page, id)).flatten()?;
        over = page.end(id);
        Some((id, around))
    })
}

/// The figure, or the box, whose caption this is.
fn box_of(page: &Page, id: NodeId) -> Option<NodeId> {
    if page.tag(id) == Some(Tag::Figcaption) {
        let mut around = page.ancestors(id);
        let figure = around.find(|&up| page.tag(up) == Some(Tag::Figure))?;
        let is_alone = page.chars(figure) <= page.chars(id) + BESIDE;
        return shows(page, figure).is_some_and(|picture| picture || is_alone).then_some(figure);
    }
    let class = page.attribute(id, &local_name!("class"))?;
    if !CAPTION.are_in(class) || !class.split_whitespace().any(calls_caption) || shows(page, id) != Some(false) {
        return None;
    }
    page.ancestors(id)
        .take(BOXES)
        .take_while(|&up| page.chars(up) <= page.chars(id) + BESIDE)
        .find(|&up| shows(page, up) == Some(true))
}

/// `caption`, `wp-caption-text`, `article__caption`; not `text-caption`, `Typography-caption`, `caption-s`, which are a size of letters.
fn calls_caption(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    let before = class.strip_suffix("-text").unwrap_or(&class);
    let Some(before) = before.strip_suffix("caption") else {
        return false;
    };
    before.is_empty()
        || before.ends_with(['-', '_']) && !["text-", "typography-", "type-"].iter().any(|size| before.ends_with(size))
}

/// "Figure 2.", "Abb. 3: …", 图4, "Fig. S3", "Plate IV", "(a)": a word and a number of one or two digits, or a letter and one, or in
/// Roman numerals.
fn is_numbered(page: &Page, caption: NodeId) -> bool {
    let text = page.start_of_text(caption, NODES, NUMBERED_BYTES);
    let text = text.trim_start();
    let digits = |text: &str| text.chars().take_while(|c| c.is_numeric()).count();
    let word = text.trim_start_matches(char::is_alphabetic);
    let number = word.trim_start_matches('.').trim_start();
    if (1..=2).contains(&digits(number)) || text.starts_with('(') {
        return true;
    }
    let second = number.split(|c: char| !c.is_alphanumeric()).next();
    word.len() < text.len()
        && second.is_some_and(|second| {
            let after = second.trim_start_matches(|c: char| c.is_ascii_uppercase());
            let is_roman = second.bytes().all(|byte| b"IVXL".contains(&byte));
            !second.is_empty()
                && (after.is_empty() && is_roman || second.len() - after.len() == 1 && (1..=2).contains(&digits(after)))
        })
}

/// Whether there is a picture; `None` where there is something else that has a caption: a table, code, a quotation, a chart.
fn shows(page: &Page, root: NodeId) -> Option<bool> {
    let mut shows = false;
    for (at, id) in page.live(root).enumerate() {
        match page.tag(id) {
            Some(Tag::Img | Tag::Video) => shows = true,
            // A chart is one of them: its caption says what it shows.
            Some(Tag::Table | Tag::Pre | Tag::Blockquote | Tag::Svg | Tag::Iframe) => return None,
            _ if at == NODES => return None,
            _ => {}
        }
    }
    Some(shows)
}

#[cfg(test)]
mod tests;
