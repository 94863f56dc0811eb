//! The comments below an article, apart from it: a closed part at the end of the page, whole inside, that opens without a script.
//!
//! They are taken out of the page once it is tidied, so that neither its text nor its first lines or pictures are theirs, and written from
//! where they were.

use html5ever::local_name;

use super::{
    interface::{Interface, Label},
    tidy,
};
use crate::{
    analysis::AnalysedPage,
    html::{
        NodeId, Page,
        serialize::{self, Rules, escape_attribute},
    },
    measure::{outermost, text},
};

/// Reads what the comments say, and takes them out of the page where they stand apart from it.
pub(super) fn set_apart(page: &mut AnalysedPage) {
    let mut comments = std::mem::take(&mut page.outcome.comments);
    comments.retain(|comment| page.is_live(comment.element));
    let elements: Vec<NodeId> = comments.iter().map(|comment| comment.element).collect();
    for (at, comment) in comments.iter_mut().enumerate() {
        let end = page.end(comment.element);
        let mut left_out: Vec<NodeId> = elements[at + 1..].iter().copied().take_while(|&answer| answer < end).collect();
        left_out.extend(&comment.head);
        let text = text::without(page, comment.element, 2, &outermost(page, left_out));
        text.trim().clone_into(&mut comment.text);
    }
    page.outcome.comments = comments;
    if page.outcome.folds_comments {
        take_out(page, elements);
    }
}

fn take_out(page: &mut AnalysedPage, elements: Vec<NodeId>) {
    let outer = outermost(page, elements.clone());
    for id in elements {
        if outer.binary_search(&id).is_err() {
            tidy::records::set_apart(page, id);
        }
    }
    for &id in &outer {
        page.drop_silently(id);
    }
    // What held nothing else.
    for id in outer {
        let around: Vec<NodeId> = page.ancestors(id).take_while(|&up| up != page.body()).collect();
        for up in around.into_iter().take_while(|&up| is_empty(page, up)).collect::<Vec<_>>() {
            page.unwrap_element(up);
        }
    }
}

fn is_empty(page: &Page, id: NodeId) -> bool {
    page.live(id).skip(1).all(|id| page.own_chars(id) == 0 && page.tag(id).is_none_or(|tag| !tag.is_media()))
}

/// The outermost elements of the comments that stand apart.
pub(super) fn apart(page: &AnalysedPage) -> Vec<NodeId> {
    let comments = page.outcome.comments.iter().filter(|_| page.outcome.folds_comments);
    outermost(page, comments.map(|comment| comment.element).collect())
}

/// The line that opens them.
pub(super) fn name(page: &AnalysedPage, words: &Interface) -> String {
    words.counted(Label::Comments, page.outcome.comments.len())
}

/// Writes them as a closed part.
pub(super) fn write(page: &AnalysedPage, words: &Interface, rules: Rules<'_>, out: &mut String) {
    let apart = apart(page);
    if apart.is_empty() {
        return;
    }
    out.extend(["<details id=\"gleaner-comments\"><summary lang=\"", words.language, "\"><bdi>"]);
    out.push_str(&name(page, words));
    out.push_str("</bdi></summary>");
    let rules = Rules { after: None, without: None, ..rules };
    for comment in apart {
        out.push_str("<div data-gleaner=\"post\"");
        for name in [local_name!("id"), local_name!("lang"), local_name!("dir")] {
            if let Some(value) = page.attribute(comment, &name) {
                out.extend([" ", &name, "=\""]);
                escape_attribute(value, out);
                out.push('"');
            }
        }
        out.push('>');
        for child in page.live_children(comment) {
            serialize::write(page, child, rules, out);
        }
        out.push_str("</div>");
    }
    out.push_str("</details>");
}
