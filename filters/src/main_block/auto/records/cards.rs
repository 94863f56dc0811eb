//! Recognises cards of a list that the scores of records miss: a linked picture with its name, and a linked heading
//! with the first lines of a story.

use html5ever::local_name;

use super::WordSums;
use crate::html::{NodeId, Page, tag::Tag};

/// Words of one on average, at most. The first lines of a story are 40 to 80 words.
pub(super) const WORDS: f32 = 120.0;

/// Different addresses that a story may lead to: it, its author, its topics. What has more is a list itself.
const MAX_PLACES: usize = 8;

/// Nodes of one that are looked at: a bound on the work where siblings are nested.
const MAX_NODES: usize = 60;

/// Whether most of them are.
pub(super) fn are_most(page: &Page, words: &[WordSums], members: &[NodeId]) -> bool {
    2 * members.iter().filter(|&&id| is_card(page, words, id)).count() > members.len()
}

fn is_card(page: &Page, words: &[WordSums], id: NodeId) -> bool {
    let is_heading = |id: NodeId| page.tag(id).is_some_and(Tag::is_heading);
    let mut places: Vec<&str> = Vec::new();
    let (mut has_heading, mut has_picture) = (false, false);
    for inside in page.live(id).take(MAX_NODES) {
        match page.tag(inside) {
            Some(Tag::A) => {
                // Headings of a manual lead to themselves.
                let place = page.attribute(inside, &local_name!("href")).filter(|place| !place.trim().starts_with('#'));
                places.extend(place);
                has_heading |= place.is_some() && page.ancestors(inside).take(2).any(is_heading);
            }
            Some(Tag::Img) => has_picture |= page.in_link(inside),
            Some(_) => has_heading |= page.in_link(inside) && is_heading(inside),
            None => {}
        }
    }
    places.sort_unstable();
    places.dedup();
    let words = words[id.index()];
    let is_linked = words.unlinked <= 0.5 * words.all;
    let has_text = words.blocks > 1;
    has_heading && has_text && (1..=MAX_PLACES).contains(&places.len()) || has_picture && is_linked && places.len() == 1
}
