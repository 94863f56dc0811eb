//! The floor: a choice that keeps next to nothing is not carried out, whatever algorithm made it.

use super::{Algorithm, Choice, Settings, choice::kept_chars};
use crate::page::{NodeId, Page, tag::Tag};

/// Why a choice must not be carried out, if it must not.
pub(super) fn objection(page: &Page, choice: &Choice, settings: &Settings) -> Option<String> {
    let (chars, of) = (kept_chars(page, choice), page.chars(page.body()));
    // `auto` says itself how sure it is.
    let min_share = match settings.algorithm {
        Algorithm::Auto => 0.0,
        _ => settings.min_share,
    };
    if chars < settings.min_chars || (chars as f64) < min_share * (of as f64) {
        return Some(format!("{chars} of {of} characters are too few to select"));
    }
    if chars < settings.picture_chars && leaves_pictures_behind(page, &choice.kept) {
        return Some(format!(
            "{chars} characters would leave the pictures behind"
        ));
    }
    None
}

/// Whether there are pictures on the page that lead nowhere, and so are there to be looked at, and the block has none.
fn leaves_pictures_behind(page: &Page, kept: &[NodeId]) -> bool {
    let mut outside = false;
    for id in page.live(page.body()) {
        if page.tag(id).is_some_and(is_picture) && !page.in_link(id) {
            if kept.iter().any(|&kept| page.contains(kept, id)) {
                return false;
            }
            outside = true;
        }
    }
    outside
}

fn is_picture(tag: Tag) -> bool {
    matches!(tag, Tag::Img | Tag::Video | Tag::Canvas)
}
