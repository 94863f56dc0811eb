//! Pictures that show nothing: those without an address, and those whose address is an empty picture that kept their place until
//! a script would have loaded them. What is left of them is a box with a frame around it.
//!
//! An empty picture is one of one pixel, or an SVG without a shape. An alternative text that is the name of a file says nothing
//! (WCAG 2.2, failure F30 of success criterion 1.1.1), and is left empty.
//!
//! WCXB dev, 2026-11-22: 125 of 1,497 pages kept such a picture, 1,616 in all.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use html5ever::local_name;
use percent_encoding::percent_decode_str;

use crate::html::{NodeId, Page, tag::Tag};

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
    [local_name!("width"), local_name!("height")].iter().any(|name| {
        let size = page.attribute(id, name).and_then(|size| size.trim().trim_end_matches("px").parse::<f32>().ok());
        size.is_some_and(|size| size > MOST)
    })
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
