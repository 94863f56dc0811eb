//! Pictures and films that show nothing or cannot be started, and rows of small pictures.
//!
//! A picture shows nothing without an address, or where its address is an empty picture that kept its place until
//! a script would have loaded the real one: one of one pixel, or an SVG without a shape. What is left of it is a box with a frame around
//! it. An alternative text that is the name of a file says nothing (WCAG 2.2, failure F30 of success criterion 1.1.1), and is left
//! empty. WCXB dev, 2026-11-22: 125 of 1,497 pages kept such a picture, 1,616 in all.
//!
//! Small pictures, each in a box of its own, are the customers of a firm or the marks of payment. The page's style set them beside
//! each other; without it they would be a column of a screen's height.
//!
//! A film or a sound with an address gets the browser's own controls (HTML § 4.8.11.13): the page's scripts drew the buttons. One
//! without shows its poster, or nothing and goes. WCXB dev, 2026-11-22: of 250 films on 58 pages 200 had no controls.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use html5ever::local_name;
use percent_encoding::percent_decode_str;

use crate::{
    hashing::Table,
    html::{NodeId, Page, tag::Tag},
    measure::pictures::{PORTRAIT_WIDTH, is_logo, stated},
};

/// Bytes of an address up to which it can be an empty picture. Those of the common tools take up to 250.
const MAX_EMPTY_BYTES: usize = 400;

/// Drops them.
pub(super) fn drop_empty(page: &mut Page, pictures: &[NodeId]) {
    for &id in pictures {
        if shows_nothing(page, id) {
            page.drop_silently(id);
            continue;
        }
        if is_named_by_file(page, id) {
            page.set_attribute(id, local_name!("alt"), String::new());
        }
        if states_nonsense(page, id) {
            page.drop_attributes(id, |name, _| matches!(*name, local_name!("width") | local_name!("height")));
        }
    }
}

/// Whether a picture states a size that none has: browsers draw no larger one than graphics cards, 16,384 pixels.
fn states_nonsense(page: &Page, id: NodeId) -> bool {
    const MOST: f32 = 16_384.0;
    [local_name!("width"), local_name!("height")]
        .iter()
        .any(|name| stated(page, id, name).is_some_and(|size| size > MOST))
}

fn shows_nothing(page: &Page, id: NodeId) -> bool {
    let is_empty = page.attribute(id, &local_name!("src")).is_none_or(|src| {
        // The largest picture by its size, and by its bytes the first to be painted: a page seems to load sooner.
        is_empty_picture(src.trim()) || src.trim().starts_with("data:") && states_nonsense(page, id)
    });
    is_empty && !has_set(page, id) && !is_in_full_picture(page, id)
}

/// Whether an address is none, or that of a picture without anything on it.
fn is_empty_picture(src: &str) -> bool {
    /// The first bytes of a GIF and of a PNG that are one pixel wide and high.
    const PIXELS: [&str; 3] =
        ["gif;base64,R0lGODlhAQABA", "gif;base64,R0lGODdhAQABA", "png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"];
    if src.is_empty() || src == "about:blank" {
        return true;
    }
    let Some(data) = src.strip_prefix("data:image/") else {
        return false;
    };
    PIXELS.iter().any(|pixel| data.starts_with(pixel))
        || src.len() <= MAX_EMPTY_BYTES && data.starts_with("svg+xml") && !is_drawn(data)
}

/// Whether there is more in an SVG than its own element.
fn is_drawn(data: &str) -> bool {
    let Some((kind, content)) = data.split_once(',') else {
        return false;
    };
    let is_packed = kind.trim_end().ends_with("base64");
    let markup = if is_packed {
        BASE64_STANDARD.decode(content.trim()).ok()
    } else {
        Some(percent_decode_str(content).collect())
    };
    let markup = String::from_utf8_lossy(markup.as_deref().unwrap_or(b"<unknown>"));
    let mut elements = markup.split('<').skip(1);
    elements.any(|element| !element.starts_with(['?', '!', '/']) && !element.starts_with("svg"))
}

fn has_set(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("srcset")).is_some_and(|set| {
        let set = set.trim();
        !set.is_empty() && !set.starts_with("data:")
    })
}

/// Whether a `<picture>` has another address for it.
fn is_in_full_picture(page: &Page, id: NodeId) -> bool {
    const MAX_SOURCES: usize = 10;
    let around = page.parent(id);
    page.tag(around) == Some(Tag::Picture)
        && page.live_children(around).take(MAX_SOURCES).any(|source| has_set(page, source))
}

/// Whether the alternative text is the name of a file: `1.png`, `IMG_2041.JPG`.
fn is_named_by_file(page: &Page, id: NodeId) -> bool {
    const ENDINGS: [&str; 7] = ["jpg", "jpeg", "png", "gif", "webp", "svg", "avif"];
    page.attribute(id, &local_name!("alt")).is_some_and(|alt| {
        alt.trim().rsplit_once('.').is_some_and(|(name, ending)| {
            !name.is_empty()
                && ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
                // "The logo of Acme, as in acme.svg" is a sentence.
                && name.split_whitespace().count() <= 3
        })
    })
}

/// Pictures from which they are a row.
const LEAST_OF_ROW: usize = 3;

/// Boxes around each picture, at most.
const BOXES_OF_ROW: usize = 3;

/// Takes the boxes away, so that the pictures stand in one line.
pub(super) fn join_rows(page: &mut Page, pictures: &[NodeId]) {
    let mut rows: Table<NodeId, Vec<NodeId>> = Table::default();
    for &picture in pictures.iter().filter(|&&picture| page.is_live(picture) && is_low(page, picture)) {
        let is_box =
            |up: &NodeId| matches!(page.tag(*up), Some(Tag::Div | Tag::P | Tag::Figure)) && holds_only(page, *up);
        let boxes: Vec<NodeId> = page.ancestors(picture).take(BOXES_OF_ROW).take_while(is_box).collect();
        if let Some(&outer) = boxes.last() {
            rows.entry(page.parent(outer)).or_default().extend(boxes);
        }
    }
    for boxes in rows.into_values().filter(|boxes| boxes.len() >= LEAST_OF_ROW) {
        for id in boxes {
            page.unwrap_element(id);
        }
    }
}

/// Whether a picture says that it is small enough, or is called a logo and does not say that it is larger.
fn is_low(page: &Page, picture: NodeId) -> bool {
    stated(page, picture, &local_name!("width")).map_or_else(|| is_logo(page, picture), |width| width <= PORTRAIT_WIDTH)
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

/// Makes them playable.
pub(super) fn repair_players(page: &mut Page, players: &[NodeId]) {
    for &id in players {
        if has_address(page, id) {
            page.set_attribute(id, local_name!("controls"), String::new());
        } else if !has_poster(page, id) {
            page.drop_silently(id);
        }
    }
}

fn has_address(page: &Page, id: NodeId) -> bool {
    /// Sources and tracks of one film are few.
    const MAX_NODES: usize = 40;
    let has = |id: NodeId| page.attribute(id, &local_name!("src")).is_some_and(|src| !src.trim().is_empty());
    has(id) || page.live(id).take(MAX_NODES).any(|inside| page.tag(inside) == Some(Tag::Source) && has(inside))
}

fn has_poster(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("poster")).is_some_and(|poster| !poster.trim().is_empty())
}
