//! Rows of small pictures, each in a box of its own: the customers of a firm, the marks of payment. The page's style set them beside
//! each other; without it they would be a column of a screen's height.

use html5ever::local_name;

use super::names;
use crate::{
    hashing::Table,
    html::{NodeId, Page, tag::Tag},
};

/// Pixels of the widest picture of a row: two stand beside each other on the smallest screen.
const WIDEST: f32 = 160.0;

/// Pictures from which they are a row.
const LEAST: usize = 3;

/// Boxes around each picture, at most.
const BOXES: usize = 3;

/// Takes the boxes away, so that the pictures stand in one line.
pub(super) fn join_rows(page: &mut Page, pictures: &[NodeId]) {
    let mut rows: Table<NodeId, Vec<NodeId>> = Table::default();
    for &picture in pictures.iter().filter(|&&picture| page.is_live(picture) && is_low(page, picture)) {
        let is_box =
            |up: &NodeId| matches!(page.tag(*up), Some(Tag::Div | Tag::P | Tag::Figure)) && holds_only(page, *up);
        let boxes: Vec<NodeId> = page.ancestors(picture).take(BOXES).take_while(is_box).collect();
        if let Some(&outer) = boxes.last() {
            rows.entry(page.parent(outer)).or_default().extend(boxes);
        }
    }
    for boxes in rows.into_values().filter(|boxes| boxes.len() >= LEAST) {
        for id in boxes {
            page.unwrap_element(id);
        }
    }
}

/// Whether a picture says that it is small enough, or is called a logo and does not say that it is larger.
fn is_low(page: &Page, picture: NodeId) -> bool {
    let width = page.attribute(picture, &local_name!("width"));
    match width.and_then(|width| width.trim().trim_end_matches("px").parse::<f32>().ok()) {
        Some(width) => width <= WIDEST,
        None => names::is_logo(page, picture),
    }
}

/// Whether an element holds one picture and nothing else.
fn holds_only(page: &Page, id: NodeId) -> bool {
    /// Nodes that are read of each.
    const NODES: usize = 12;
    page.chars(id) == 0
        && page.end(id).index() - id.index() <= NODES
        && page
            .live(id)
            .filter(|&inside| page.tag(inside).is_some_and(|tag| tag.is_media() && tag != Tag::Picture))
            .count()
            == 1
}
