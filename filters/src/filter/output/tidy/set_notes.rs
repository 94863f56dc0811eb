//! Notes that stand in the text right behind their mark, where the page's style sheet hid them until somebody pointed at it:
//! `a third.<sup>1</sup><span><sup>1</sup><span>1</span>Within 100 m.</span>`, as `LaTeXML` writes papers. Without the style
//! sheet that is "a third.111Within 100 m."
//!
//! A raised mark that is said again right behind it, once or twice, is said once, and the note stands in brackets.

use crate::page::{NodeId, Page, tag::Tag};

/// Characters of a mark, at most.
const MARK: usize = 3;

/// How often it is said again, at most.
const AGAIN: usize = 2;

/// Nodes behind a mark among which it is looked for, and visible characters of a note, at most.
const NEAR: usize = 12;
const NOTE: usize = 1500;

/// Puts the notes behind raised signs into brackets.
pub(super) fn set_in_brackets(page: &mut Page, raised: &[NodeId]) {
    let mut over = NodeId::DOCUMENT;
    for &mark in raised {
        if mark < over || !page.is_live(mark) {
            continue;
        }
        if let Some((note, copies)) = note(page, mark) {
            over = page.end(note);
            for copy in copies {
                page.drop_silently(copy);
            }
            set_one(page, note);
        }
    }
}

/// The note behind a mark, and the elements that repeat the mark.
fn note(page: &Page, mark: NodeId) -> Option<(NodeId, Vec<NodeId>)> {
    let said = said(page, mark)?;
    let rows = (page.end(mark).0..page.end(page.body()).0).map(NodeId);
    let texts = rows
        .take(NEAR)
        .filter(|&id| page.own_chars(id) > 0 && page.is_live(id));
    let copies: Vec<NodeId> = texts
        .map(|id| page.parent(id))
        .take_while(|&id| said_by(page, id, &said))
        .take(AGAIN)
        .collect();
    let first = *copies
        .first()
        .filter(|&&id| page.tag(id) == Some(Tag::Sup))?;
    let note = page
        .ancestors(first)
        .take_while(|&up| !page.contains(up, mark))
        .last()?;
    let is_line = page
        .live(note)
        .all(|id| !page.tag(id).is_some_and(Tag::is_block));
    let has_more = page.chars(note) > copies.iter().map(|&id| page.chars(id)).sum::<usize>();
    let holds_all = copies.iter().all(|&id| page.contains(note, id));
    (is_line && has_more && holds_all && page.chars(note) <= NOTE).then_some((note, copies))
}

/// What a mark says.
fn said(page: &Page, mark: NodeId) -> Option<String> {
    let mut texts = page.live(mark).filter(|&id| page.own_chars(id) > 0);
    let text = page.text(texts.next()?)?.trim().to_owned();
    (texts.next().is_none() && (1..=MARK).contains(&text.chars().count())).then_some(text)
}

/// Whether an element says that and nothing else.
fn said_by(page: &Page, id: NodeId, mark: &str) -> bool {
    matches!(page.tag(id), Some(Tag::Sup | Tag::Span)) && said(page, id).as_deref() == Some(mark)
}

fn set_one(page: &mut Page, note: NodeId) {
    let texts: Vec<NodeId> = page
        .live(note)
        .filter(|&id| page.own_chars(id) > 0 && page.text(id).is_some())
        .collect();
    let edit = |page: &mut Page, id: NodeId, edit: &dyn Fn(&str) -> String| {
        let edited = page.text(id).map(|text| edit(&text));
        if let Some(edited) = edited {
            page.set_text(id, &edited);
        }
    };
    if let [first, ..] = texts[..] {
        edit(page, first, &|text| format!(" ({}", text.trim_start()));
    }
    if let [.., last] = texts[..] {
        edit(page, last, &|text| format!("{})", text.trim_end()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn shown(html: &str) -> String {
        let mut page = page(html);
        let raised: Vec<NodeId> = page
            .live(page.body())
            .filter(|&id| page.tag(id) == Some(Tag::Sup))
            .collect();
        set_in_brackets(&mut page, &raised);
        let text = crate::text::of_subtree(&page, page.body(), 1);
        text.trim_end().to_owned()
    }

    #[test]
    fn a_note_behind_its_mark_stands_in_brackets() {
        let note = "<span><span><sup>1</sup><span>1</span>Within <i>100 m.</i></span></span>";
        assert_eq!(
            shown(&format!(
                "<p>a third.<sup>1</sup>{note} Others say more.</p>"
            )),
            "a third.1 (Within 100 m.) Others say more."
        );
    }

    #[test]
    fn other_raised_signs_stay() {
        for html in [
            "<p>2<sup>3</sup><span>3 is eight</span></p>",
            "<p>said.<sup>1</sup><sup>2</sup> Others</p>",
            "<p>said.<sup>1</sup><sup>1</sup></p>",
        ] {
            let plain = page(html);
            let whole = crate::text::of_subtree(&plain, plain.body(), 1);
            assert_eq!(shown(html), whole.trim_end(), "{html}");
        }
    }
}
