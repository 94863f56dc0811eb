//! Pieces of a page that its server sends when they are ready, behind the rest, for a script to put in their places.
//!
//! React writes `<!--$?--><template id="B:0"></template>Loading…<!--/$-->` for a boundary whose content is to come, and
//! `<template id="P:1"></template>` for a part of such content. Behind the page follow `<div hidden id="S:0">…</div>` and a
//! script that puts its children in the place of the same number (react-dom, `ReactFizzConfigDOM`: `completeBoundary`,
//! `completeSegment`). An application may have a prefix of its own before the letters. Of the 1,497 pages of WCXB dev 33
//! have such pieces (2026-11-21).

use std::collections::HashMap;

use html5ever::local_name;
use kuchikiki::NodeRef;

use super::{attribute, move_children};
use crate::html::attributes::Attributes;

/// Most places that are filled; the most on a page of WCXB dev is 59. Each costs a walk up to the root.
const MAX_PLACES: usize = 4096;

/// Most ancestors of a place. It must not stand in its own piece, and to know that takes a walk up; deeper pages are refused
/// anyway by default.
const MAX_DEPTH: usize = 512;

/// Where a piece belongs.
struct SlotPlace<'a> {
    template: &'a NodeRef,
    /// Whether something stands in for the piece, up to a closing comment.
    is_boundary: bool,
}

/// Puts every piece that has a place there.
pub(super) fn place(attributes: &Attributes, document: &NodeRef, templates: &[NodeRef]) {
    let id = local_name!("id");
    let mut places: HashMap<String, SlotPlace> = HashMap::new();
    for template in templates {
        let piece = attribute(attributes, template, &id).and_then(piece_of);
        if let Some((piece, is_boundary)) = piece.filter(|_| places.len() < MAX_PLACES) {
            places.entry(piece).or_insert(SlotPlace { template, is_boundary });
        }
    }
    if places.is_empty() {
        return;
    }
    let pieces: Vec<(NodeRef, SlotPlace)> = document
        .descendants()
        .filter_map(|node| {
            let place = places.remove(attribute(attributes, &node, &id)?)?;
            Some((node, place))
        })
        .collect();
    for (piece, place) in pieces {
        let mut above = place.template.ancestors();
        let stands_in_piece = above.by_ref().take(MAX_DEPTH).any(|up| up == piece);
        if !stands_in_piece && above.next().is_none() {
            put(&piece, &place);
        }
    }
}

/// The id of the piece that belongs into a place, `S:1f` for `B:1f` and for `P:1f`, and whether it is that of a boundary.
fn piece_of(place: &str) -> Option<(String, bool)> {
    let (letter, number) = place.rsplit_once(':')?;
    let boundary = letter.strip_suffix('B');
    let prefix = boundary.or_else(|| letter.strip_suffix('P'))?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| (format!("{prefix}S:{number}"), boundary.is_some()))
}

fn put(piece: &NodeRef, place: &SlotPlace) {
    move_children(piece, place.template);
    piece.detach();
    if place.is_boundary {
        for node in stand_in(place.template) {
            node.detach();
        }
    }
    place.template.detach();
}

/// The nodes that stand in for the content of a boundary: all up to its closing comment. Nothing where there is none.
fn stand_in(place: &NodeRef) -> Vec<NodeRef> {
    let mut depth = 0;
    let mut nodes = Vec::new();
    for node in place.following_siblings() {
        if let Some(comment) = node.as_comment().map(std::cell::RefCell::borrow) {
            if comment.starts_with("/$") {
                if depth == 0 {
                    return nodes;
                }
                depth -= 1;
            } else if comment.starts_with('$') {
                depth += 1;
            }
        }
        nodes.push(node);
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use crate::testing::shown;

    #[test]
    fn a_piece_takes_the_place_of_what_stands_in_for_it() {
        let html = "<main><!--$?--><template id=\"B:0\"></template><p>Loading<!--$--><b>still</b><!--/$--></p>\
                    <!--/$--><p>end</p></main><div hidden id=\"S:0\"><h1>Head</h1><p>Text</p></div>";
        assert_eq!(shown(html), "<main><h1>Head</h1><p>Text</p><p>end</p></main>");
    }

    #[test]
    fn a_part_of_a_piece_leaves_what_follows() {
        let html = "<main><!--$?--><template id=\"B:a\"></template>…<!--/$--></main>\
                    <div hidden id=\"S:b\"><i>part</i></div>\
                    <div hidden id=\"S:a\"><p><template id=\"P:b\"></template> rest</p></div>";
        assert_eq!(shown(html), "<main><p><i>part</i> rest</p></main>");
    }

    #[test]
    fn numbers_have_a_prefix_where_the_application_has_one() {
        let html = "<p><template id=\"shop-P:1\"></template></p><div hidden id=\"shop-S:1\">text</div>";
        assert_eq!(shown(html), "<p>text</p>");
    }

    #[test]
    fn pieces_without_a_place_and_places_without_a_piece_stay() {
        let html = "<p><template id=\"B:1\"></template>Loading</p><div hidden=\"\" id=\"S:2\">text</div>";
        assert_eq!(shown(html), html);
        let html = "<p><template id=\"part:1\"></template></p><div hidden=\"\" id=\"S:1\">text</div>";
        assert_eq!(shown(html), html);
    }

    #[test]
    fn a_place_in_its_own_piece_stays() {
        let html = "<div hidden=\"\" id=\"S:1\"><p><template id=\"P:1\"></template>text</p></div>";
        assert_eq!(shown(html), html);
    }

    #[test]
    fn without_a_closing_comment_what_stands_in_stays() {
        let html =
            "<div><template id=\"B:1\"></template><p>text</p></div><div hidden=\"\" id=\"S:1\"><p>piece</p></div>";
        assert_eq!(shown(html), "<div><p>piece</p><p>text</p></div>");
    }
}
