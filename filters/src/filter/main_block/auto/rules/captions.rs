//! Captions: a line below a picture, "The tower at noon", looks like any other short line, and the picture goes where its caption
//! goes. A `<figure>` with a picture that is a sibling of kept text stays with it (HTML Living Standard § 4.4.12: content that the main
//! flow refers to).

use super::Context;
use crate::page::{NodeId, Page, tag::Tag};

/// Words of a caption, at most. Longer texts have a score of their own.
const WORDS: f32 = 100.0;

/// Keeps them.
pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let mut captions = Vec::new();
    let figures = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Figure));
    for figure in figures.filter(|&id| has_picture(page, id)) {
        let caption = blocks.inside(page, figure);
        let words: f32 = blocks.list[caption.clone()].iter().map(|block| block.stats.words).sum();
        let is_linked = blocks.list[caption.clone()].iter().any(|block| block.link_density() > 0.5);
        let is_beside_text = blocks
            .inside(page, page.parent(figure))
            .any(|at| kept[at] && !caption.contains(&at) && blocks.list[at].is_long());
        if words <= WORDS && !is_linked && is_beside_text {
            captions.extend(caption);
        }
    }
    for at in captions {
        kept[at] = true;
    }
}

fn has_picture(page: &Page, figure: NodeId) -> bool {
    page.live(figure).any(|id| matches!(page.tag(id), Some(Tag::Img | Tag::Svg | Tag::Video | Tag::Canvas)))
}
