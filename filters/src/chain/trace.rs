//! Records for every text node whether it was kept and which filter removed it; `gleaner-lab` measures by it.

use std::{ops::Range, time::Duration};

use crate::{
    html::{NodeId, NodeState, Page},
    outline::outline,
    report::Report,
};

/// A page's text, and what became of each of its text nodes.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The page as text.
    pub text: String,
    /// Every text node of the body that is ever shown, in document order, kept or not.
    pub texts: Vec<TracedText>,
    /// The page's blocks as a tree, in document order. The blocks below one hold all of its texts between them; of a page
    /// without text there are none.
    pub blocks: Vec<TracedBlock>,
    /// The page's own title.
    pub title: String,
    /// Report of the chain.
    pub report: Report,
    /// CPU time from the first byte to the text.
    pub cpu: Duration,
}

/// A text node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedText {
    /// The text as it is written in the page.
    pub text: String,
    /// Whether it is in the output.
    pub kept: bool,
}

/// A block that holds text, with the blocks that only wrap it; or text that stands beside blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedBlock {
    /// 0 for the body.
    pub depth: usize,
    /// Its tags, each with its id or first class: `div#page › main`.
    pub label: String,
    /// Which of [`Trace::texts`] stand in it.
    pub texts: Range<usize>,
    /// The filter that took it out as a whole.
    pub removed_by: Option<&'static str>,
}

pub(super) fn blocks(page: &Page) -> Vec<TracedBlock> {
    let mut removed = page.removed_roots().to_vec();
    removed.sort_unstable();
    let mut removed = removed.into_iter().peekable();
    // The subtree that the rows are in, where it was removed: where it ends, and who did it.
    let mut gone: Option<(NodeId, &'static str)> = None;
    let body = page.body();
    let rows = outline(page, (body.0..page.end(body).0).map(NodeId)).into_iter();
    rows.map(|row| {
        while let Some((root, by)) = removed.next_if(|&(root, _)| root <= row.id) {
            if gone.is_none_or(|(end, _)| root >= end) {
                gone = Some((page.end(root), by));
            }
        }
        let by = gone.filter(|&(end, _)| row.id < end).map(|(_, by)| by);
        TracedBlock { depth: row.depth, label: row.label, texts: row.texts, removed_by: by }
    })
    .collect()
}

pub(super) fn texts(page: &Page) -> Vec<TracedText> {
    let body = page.body();
    let mut gone_to = NodeId::DOCUMENT;
    let mut texts = Vec::new();
    for row in body.0..page.end(body).0 {
        let id = NodeId(row);
        if id >= gone_to && page.state(id) == NodeState::Removed {
            gone_to = page.end(id);
        }
        if page.own_chars(id) > 0
            && let Some(text) = page.text(id)
        {
            texts.push(TracedText { text: text.clone(), kept: id >= gone_to });
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn every_shown_text_is_told_with_its_fate() {
        let mut page = page("<p>one</p><div id=a><p>two</p><script>no()</script></div> <p>three</p>");
        let gone = by_id(&page, "a");
        page.remove(gone, "test");
        let told: Vec<(String, bool)> = texts(&page).into_iter().map(|text| (text.text, text.kept)).collect();
        let wanted = [("one", true), ("two", false), ("three", true)];
        assert_eq!(told, wanted.map(|(text, kept)| (text.to_owned(), kept)));
        let told: Vec<_> =
            blocks(&page).into_iter().map(|block| (block.label, block.texts, block.removed_by)).collect();
        let wanted = [("body", 0..3, None), ("p", 0..1, None), ("div#a › p", 1..2, Some("test")), ("p", 2..3, None)];
        let wanted = wanted.map(|(label, texts, by)| (label.to_owned(), texts, by));
        assert_eq!(told, wanted);
    }
}
