//! Which drawings (`<svg>`) are diagrams and which are icons.
//!
//! Icons are removed: without the page's style sheets they are as wide as the screen. A diagram is known by the words written
//! in it, by a figure around it, or by a name together with a size and many shapes; sizes alone tell nothing, icons are drawn
//! on fields of 24 units and of 1024.

use html5ever::{LocalName, local_name};

use super::states_small_size;
use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::visible_chars,
};

/// Visible characters written in a drawing, about two words, from which it is a diagram. Lower: badges ("NEW") stay.
const DIAGRAM_CHARS: usize = 10;

/// Shapes from which a drawing that has a name and a size is no icon: icons of common sets have up to six. Our choice.
const DIAGRAM_SHAPES: usize = 8;

/// Units of the field of a drawing without a stated size from which it can be a diagram.
const DIAGRAM_SIZE: f32 = 100.0;

/// Nodes of a drawing that are looked at.
const MAX_NODES: usize = 2000;

/// The contents of a drawing.
#[derive(Default)]
struct Drawing {
    /// Visible characters of its texts.
    chars: usize,
    shapes: usize,
    has_title: bool,
}

impl Drawing {
    fn of(page: &Page, svg: NodeId) -> Drawing {
        let mut drawing = Drawing::default();
        for id in page.live(svg).skip(1).take(MAX_NODES) {
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
pub(in crate::output) fn is_icon(page: &Page, id: NodeId) -> bool {
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
    let drawing = Drawing::of(page, id);
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
