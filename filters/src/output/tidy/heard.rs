//! Texts for screen readers only, which the page's style sheet kept out of sight.
//!
//! They stay out of sight, but where nothing else is said: a link whose drawing is gone, an item that was a spot of colour.

use html5ever::local_name;

use super::names;
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, style_sheets::Sheets, tag::Tag},
};

/// Visible characters up to which something may be a text for screen readers.
pub(super) const MAX_CHARS: usize = 200;

/// Levels above a text in which its link or item is looked for.
const LEVELS: usize = 4;

/// Whether an element is one, to be kept out of sight.
pub(super) fn is_only_heard(page: &AnalysedPage, id: NodeId, sheets: &Sheets) -> bool {
    (names::is_for_screen_readers(page, id) || sheets.clips(page, id))
        && page.chars(id) <= MAX_CHARS
        // Pages that draw their headline write it for screen readers only.
        && !page.headline.node.is_some_and(|h| page.contains(id, h))
        && !is_all(page, id)
}

/// Whether it is all that a link or an item holds.
fn is_all(page: &Page, id: NodeId) -> bool {
    let around =
        page.ancestors(id).take(LEVELS).find(|&up| matches!(page.tag(up), Some(Tag::A | Tag::Li | Tag::Td | Tag::Dd)));
    let shows = |inside: NodeId| {
        page.own_chars(inside) > 0
            || page.tag(inside).is_some_and(|tag| tag == Tag::Input || tag.is_media() && tag != Tag::Svg)
    };
    page.chars(id) > 0
        && around.is_some_and(|around| {
            // The sign that links to a heading, and its like.
            let leads_inside =
                page.attribute(around, &local_name!("href")).is_some_and(|href| href.trim().starts_with('#'));
            !leads_inside && page.live(around).all(|inside| page.contains(id, inside) || !shows(inside))
        })
}
