//! Figures, tables of data and lists: a line below a picture, "The tower at noon", the cells of a small table, or "200 g flour" with a
//! box to tick look like any other short lines, and the picture goes where its caption goes. A `<figure>` with a picture and a table of
//! data that are siblings of kept text stay with it (HTML Living Standard § 4.4.12: what the main flow refers to); a list stays between
//! two such texts, for what other pages there are stands below the last.

use super::Context;
use crate::{
    html::{NodeId, Page, tag::Tag},
    measure,
};

/// Keeps them.
pub(super) fn keep(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let mut companions = Vec::new();
    for id in page.live(page.body()) {
        if !is_companion(page, id) {
            continue;
        }
        let is_list = matches!(page.tag(id), Some(Tag::Ul | Tag::Ol));
        let own = blocks.inside(page, id);
        let (linked, chars) = blocks.list[own.clone()]
            .iter()
            .fold((0.0, 0.0), |(linked, chars), block| (linked + block.linked, chars + block.chars));
        let is_beside_text = || {
            let around = blocks.inside(page, page.parent(id));
            let has_text = |from: usize, to: usize| (from..to).any(|at| kept[at] && blocks.list[at].is_long());
            let (is_below, is_above) = (has_text(around.start, own.start), has_text(own.end, around.end));
            if is_list { is_below && is_above } else { is_below || is_above }
        };
        if linked * 2.0 <= chars && is_beside_text() {
            companions.extend(own);
        }
    }
    for at in companions {
        kept[at] = true;
    }
}

fn is_companion(page: &Page, id: NodeId) -> bool {
    match page.tag(id) {
        Some(Tag::Figure) => {
            page.live(id).any(|id| matches!(page.tag(id), Some(Tag::Img | Tag::Svg | Tag::Video | Tag::Canvas)))
        }
        Some(Tag::Table) => measure::table::is_data(page, id),
        Some(Tag::Ul | Tag::Ol) => true,
        _ => false,
    }
}
