//! "By:" where the name behind it is gone: it was chosen away as a part of the page's furniture, and is told in the line under the
//! headline. The words are those that open a byline, in the languages in which they are known.

use crate::{
    metadata::is_byline_opener,
    page::{Fate, Kind, NodeId, Page},
};

/// Visible characters of such a word, at most.
const MAX_CHARS: usize = 20;

/// Nodes at the start of a page in which a byline would stand.
const START_NODES: usize = 400;

/// Rows behind a word in which what it stood before begins.
const MAX_ROWS: usize = 6;

/// Drops them.
pub(super) fn drop_lonely(page: &mut Page) {
    let lonely: Vec<NodeId> = page
        .live(page.body())
        .take(START_NODES)
        .filter(|&id| (1..=MAX_CHARS).contains(&page.own_chars(id)))
        .filter(|&id| page.text(id).is_some_and(|text| is_byline_opener(&text)))
        .filter(|&id| is_before_gap(page, id))
        .collect();
    for id in lonely {
        page.drop_silently(id);
    }
}

/// Whether what stood behind a text, in its own box or the next, was taken out, and no other word is left in its box.
fn is_before_gap(page: &Page, id: NodeId) -> bool {
    let is_alone = |up: &NodeId| {
        *up != page.body()
            && page
                .live(*up)
                .all(|inside| inside == id || page.own_chars(inside) == 0)
    };
    let frames = page.ancestors(id).take_while(is_alone);
    let outermost = frames.last().unwrap_or(id);
    let has_gap = |id: NodeId| {
        let behind = page.end(id).index()..page.end(page.parent(id)).index();
        behind
            .take(MAX_ROWS)
            .map(NodeId::from_row)
            .find(|&next| {
                page.fate(next) == Fate::Removed
                    || page.kind(next) != Kind::Text
                    || page.own_chars(next) > 0
            })
            .is_some_and(|next| {
                page.fate(next) == Fate::Removed && !page.raw_text(next, 20).trim().is_empty()
            })
    };
    let mut around = std::iter::once(id).chain(page.ancestors(id));
    around
        .by_ref()
        .take_while(|&up| up <= id && up >= outermost)
        .any(has_gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn left(html: &str) -> usize {
        let mut page = page(html);
        let gone = by_id(&page, "x");
        page.remove(gone, "main_block");
        drop_lonely(&mut page);
        page.chars(page.body())
    }

    #[test]
    fn a_word_before_a_name_that_is_gone_goes() {
        for html in [
            "<div><p>By:</p> <p id=x>Ann Ash</p></div><p>text",
            "<p>Автор: <a id=x>Анна</a></p><p>text",
            "<p><span>Written by</span> <b id=x>Ann</b></p><p>text",
        ] {
            assert_eq!(left(html), 4, "{html}");
        }
    }

    #[test]
    fn a_word_before_anything_else_stays() {
        for html in [
            "<p>By:</p><p>Ann</p><p id=x>text</p>",
            "<p>By <b id=x>Ann</b> and Ben</p>",
            "<p>Example: <b id=x>copy</b></p>",
            "<p>By:</p><p>text<b id=x>more</b>",
        ] {
            assert!(left(html) > 4, "{html}");
        }
    }
}
