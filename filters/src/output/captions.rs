//! Captions of pictures, which plain text leaves out: it has no pictures, and between two paragraphs a line about what cannot be
//! seen reads as one of them. HTML and Markdown have picture and caption, and `images` of an extract tells both.
//!
//! A caption is what stands in the `<figcaption>` of a figure with a picture, or is called a caption and shares its box with a
//! picture and with no other text. One with a number ("Figure 2", 图 3) stays, because the text speaks of it. Where captions are much of
//! the page they are what it tells (a gallery), and stay. Pages that tell how to do something (`Recipe`, `HowTo`, schema.org) show
//! their steps so, and keep them all.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: annotators leave captions of articles out. See `docs/quality.md`.

use std::collections::HashMap;

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    measure::text::from_subtree,
    page_type::PageType,
    vocabulary::{any_of::AnyOf, words::one_line},
};

/// Share of a page's characters above which its captions are what it tells. Lower: photo essays lose theirs less often.
const SHARE: f64 = 0.25;

/// Pages whose pictures are their items, and what stands below them is what the items are called.
const SHELVES: [PageType; 3] = [PageType::Product, PageType::Collection, PageType::Listing];

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

/// Parts of the class names of captions.
static CAPTION: AnyOf = AnyOf::new(&["caption"]);

/// The captions that the text of a page leaves out, in the order of the page.
pub(super) fn left_out(page: &AnalysedPage) -> Vec<NodeId> {
    let kind = page.metadata.kind;
    if kind.is_some_and(|kind| SHELVES.contains(&kind)) {
        return Vec::new();
    }
    if page.claims.tells_how() {
        return Vec::new();
    }
    let captions = all(page).map(|(caption, _)| caption);
    let captions: Vec<NodeId> = captions.filter(|&caption| !is_numbered(page, caption)).collect();
    let chars: usize = captions.iter().map(|&id| page.chars(id)).sum();
    if chars as f64 > SHARE * page.chars(page.body()) as f64 {
        return Vec::new();
    }
    captions
}

/// The caption below each picture that has one.
pub(crate) fn by_picture(page: &Page) -> HashMap<NodeId, String> {
    let mut found = HashMap::new();
    for (caption, around) in all(page) {
        let text = one_line(&from_subtree(page, caption, 1));
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
