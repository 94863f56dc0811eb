//! Icons: signs of fonts, drawings (`<svg>`), and SVG files without a size of their own.
//!
//! - The signs of a font go: without it they are boxes or words.
//! - A drawing is a diagram if words are written in it, a figure stands around it, or it has a name together with a size and many
//!   shapes. All others are icons and are removed: without the page's style sheets they are as wide as the screen. Sizes alone tell nothing, icons
//!   are drawn on fields of 24 units and of 1024.
//! - An SVG file without a stated size is as wide as the column, were it a tick or an arrow, because most of them state only the
//!   proportions of their field (`viewBox`). Marks keep it small: `icon` where its file is called so; `line`, as high as the line, where
//!   it stands in a line with words or its file is shown again and again; `sign`, a few lines high, where it stands over the heading of
//!   a card, in a link or an item, or in a row of its like, such as logos of customers. All others, above all diagrams, stay as they
//!   are; so does what stands in a figure and is shown once. WCXB dev, 2026-11-22: 108 of 1,497 pages have 1,007 such pictures.

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::{
    html::{NodeId, Page, tag::Tag},
    measure::pictures::{is_in_figure, is_sizeless, source, states_small_size},
    vocabulary::{
        any_of::AnyOf,
        words::{trim, visible_chars},
    },
};

/// Words that a font draws as signs, one word a sign (`chevron_right`): Material Icons and Symbols. Without the font they are words.
pub(in crate::output) fn drop_names_of_icons(page: &mut Page) {
    const FONTS: AnyOf = AnyOf::new(&["material-icons", "material-symbols"]);
    let is_of_font = |name: &LocalName, value: &str| *name == local_name!("class") && FONTS.are_in(value);
    if !page.any_attribute(is_of_font) {
        return;
    }
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let names: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| page.own_chars(id) > 0)
        .filter(|&text| {
            let frame = page.parent(text);
            let is_sign = page.attribute(frame, &local_name!("class")).is_some_and(|class| FONTS.are_in(class));
            is_sign && page.text(text).is_some_and(|name| trim(&name).chars().all(is_name))
        })
        .collect();
    for id in names {
        page.drop_silently(id);
    }
}

/// Signs of fonts that are drawn as icons: without the font they are boxes (Unicode, private use).
pub(super) fn drop_glyphs(page: &mut Page) {
    let is_glyph = |c: char| matches!(c, '\u{e000}'..='\u{f8ff}');
    let glyphs: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| {
            page.text(id).is_some_and(|text| {
                let text = trim(&text);
                !text.is_empty() && text.chars().all(|c| is_glyph(c) || c.is_whitespace())
            })
        })
        .collect();
    for id in glyphs {
        page.drop_silently(id);
    }
}

/// Visible characters written in a drawing, about two words, from which it is a diagram. Lower: badges ("NEW") stay.
const DIAGRAM_CHARS: usize = 10;

/// Shapes from which a drawing that has a name and a size is no icon: icons of common sets have up to six. Our choice.
const DIAGRAM_SHAPES: usize = 8;

/// Units of the field of a drawing without a stated size from which it can be a diagram.
const DIAGRAM_SIZE: f32 = 100.0;

/// Nodes of a drawing that are looked at.
const DRAWING_NODES: usize = 2000;

/// The contents of a drawing.
#[derive(Default)]
struct Drawing {
    /// Visible characters of its texts.
    chars: usize,
    shapes: usize,
    has_title: bool,
}

impl Drawing {
    fn from_svg(page: &Page, svg: NodeId) -> Drawing {
        let mut drawing = Drawing::default();
        for id in page.live(svg).skip(1).take(DRAWING_NODES) {
            if let Some(text) = page.text(id) {
                let parent = page.parent(id);
                if ["title", "desc", "style", "script", "metadata"]
                    .iter()
                    .all(|name| !page.has_local_name(parent, name))
                {
                    drawing.chars += visible_chars(&text);
                }
            }
            drawing.has_title |= page.has_local_name(id, "title");
            drawing.shapes += usize::from(is_shape(page, id));
        }
        drawing
    }
}

/// A drawing inside a link or a button, hidden from screen readers, or without a size of its own is decoration; one that
/// stands in a figure, or is written in, is not.
pub(in crate::output) fn is_drawn_icon(page: &Page, id: NodeId) -> bool {
    let is_in = |levels: usize, wanted: fn(Tag) -> bool| {
        page.ancestors(id).take(levels).any(|up| page.tag(up).is_some_and(wanted))
    };
    if is_in(usize::MAX, |tag| tag == Tag::Figure) {
        return false;
    }
    let in_control = is_in(4, |tag| matches!(tag, Tag::Button | Tag::Summary | Tag::Label));
    let stated = states_small_size(page, id);
    if page.in_link(id) || in_control || stated == Some(true) {
        return true;
    }
    let drawing = Drawing::from_svg(page, id);
    if drawing.chars >= DIAGRAM_CHARS {
        return false;
    }
    let says = |name: &str| page.attribute(id, &LocalName::from(name));
    if says("aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return true;
    }
    let is_named = drawing.has_title || says("aria-label").is_some() || says("aria-labelledby").is_some();
    // A pointer, a ring: laid over the page by its style.
    if drawing.chars == 0 && !is_named && is_over(page, id) {
        return true;
    }
    let is_diagram = is_named && drawing.shapes >= DIAGRAM_SHAPES && is_large(page, id);
    stated.unwrap_or(!is_diagram)
}

fn is_over(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("style")).is_some_and(|style| {
        let style: String = style.split_whitespace().collect();
        style.contains("position:absolute") || style.contains("position:fixed")
    })
}

fn is_shape(page: &Page, id: NodeId) -> bool {
    page.tag(id) == Some(Tag::Foreign)
        && ["path", "rect", "circle", "ellipse", "line", "polyline", "polygon"]
            .iter()
            .any(|name| page.has_local_name(id, name))
}

fn is_large(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &LocalName::from("viewBox")).is_some_and(|field| {
        let sizes = field.split([' ', ',']).filter(|part| !part.is_empty());
        sizes.skip(2).all(|size| size.parse().is_ok_and(|size: f32| size >= DIAGRAM_SIZE))
    })
}

/// Times that one file is shown from which it is a sign.
const REPEATED: usize = 3;

/// Visible characters of a card for each of its pictures, at most. More is the text of an article.
const CARD_CHARS: usize = 300;

/// Visible characters of words that a picture stands in a line with, at most: a label. A longer text stands beside a picture.
const LINE_CHARS: usize = 120;

/// Levels above a picture in which its card is looked for.
const LEVELS: usize = 8;

/// Nodes of a card that are looked at.
const CARD_NODES: usize = 200;

/// Marks what is to be kept small.
pub(super) fn mark_small(page: &mut Page, pictures: &[NodeId]) {
    let vectors: Vec<NodeId> = pictures
        .iter()
        .copied()
        .filter(|&id| is_sizeless(page, id) && !page.has_attribute(id, &LocalName::from(MARK)))
        .filter(|&id| page.is_live(id))
        .collect();
    if vectors.is_empty() {
        return;
    }
    let mut shown: HashMap<&str, usize> = HashMap::new();
    for &id in &vectors {
        *shown.entry(source(page, id)).or_default() += 1;
    }
    let marks: Vec<(NodeId, &str)> = vectors
        .iter()
        .filter_map(|&id| {
            let repeated = shown.get(source(page, id)).copied().unwrap_or(0);
            Some((id, kind_of_vector(page, id, repeated)?))
        })
        .collect();
    for (id, kind_of_vector) in marks {
        page.set_attribute(id, LocalName::from(MARK), kind_of_vector.to_owned());
    }
}

fn kind_of_vector(page: &Page, id: NodeId, repeated: usize) -> Option<&'static str> {
    if repeated >= REPEATED {
        return Some("line");
    }
    if is_in_figure(page, id) {
        return None;
    }
    if is_in_line(page, id) {
        return Some("line");
    }
    is_in_card(page, id).then_some("sign")
}

/// Whether words stand in the same line: no block and no break between.
fn is_in_line(page: &Page, id: NodeId) -> bool {
    let Some(block) = page.ancestors(id).take(LEVELS).find(|&up| page.tag(up).is_some_and(is_box)) else {
        return false;
    };
    let mut chars = 0;
    let mut has_passed = false;
    for inside in page.live(block).skip(1).take(CARD_NODES) {
        if inside == id {
            has_passed = true;
        } else if page.tag(inside).is_some_and(|tag| is_box(tag) || tag == Tag::Br) {
            if has_passed {
                break;
            }
            chars = 0;
        } else {
            chars += page.own_chars(inside);
        }
    }
    has_passed && (1..=LINE_CHARS).contains(&chars)
}

fn is_box(tag: Tag) -> bool {
    tag.is_block() || matches!(tag, Tag::Td | Tag::Th)
}

/// Whether a picture belongs to few words: over a heading, in a link or an item, in a row of other pictures.
fn is_in_card(page: &Page, id: NodeId) -> bool {
    let Some(card) = page
        .ancestors(id)
        .take(LEVELS)
        .take_while(|&up| up != page.body())
        .find(|&up| page.live(up).take(CARD_NODES).any(|id| page.own_chars(id) > 0))
    else {
        return false;
    };
    let (mut chars, mut pictures, mut nodes) = (0, 0, 0);
    let mut next = None;
    for inside in page.live(card) {
        nodes += 1;
        if nodes > CARD_NODES {
            return false;
        }
        chars += page.own_chars(inside);
        let is_picture = page.tag(inside) == Some(Tag::Img);
        pictures += usize::from(is_picture);
        if inside > id && next.is_none() && (is_picture || page.own_chars(inside) > 0) {
            next = Some(inside);
        }
    }
    if chars > CARD_CHARS * pictures {
        return false;
    }
    let in_item = || {
        let mut around = page.ancestors(id).take_while(|&up| up != page.parent(card));
        around.any(|up| matches!(page.tag(up), Some(Tag::A | Tag::Li | Tag::Td | Tag::Th)))
    };
    let is_before = next.is_some_and(|next| {
        page.tag(next) == Some(Tag::Img)
            || page.ancestors(next).take(LEVELS).any(|up| page.tag(up).is_some_and(Tag::is_heading))
    });
    page.in_link(id) || in_item() || is_before || pictures >= REPEATED
}
