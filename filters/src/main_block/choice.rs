//! What an algorithm answers, and what can be said of an answer.

pub(crate) use crate::measure::outermost;
use crate::outline::tag_name;
use crate::{
    analysis::CommentNode,
    html::{NodeId, NodeState, Page, tag::Tag},
};

/// The result of an algorithm.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Choice {
    /// The main content, in any order; a node inside another of them says nothing of its own.
    pub(crate) kept: Vec<NodeId>,
    /// Nodes inside the kept ones that are no content.
    pub(crate) dropped: Vec<NodeId>,
    /// The posts of a thread among it, where the algorithm tells them apart.
    pub(crate) posts: Vec<NodeId>,
    /// The entries of a list (cards of a shelf, results of a search), where it is no thread.
    pub(crate) entries: Vec<NodeId>,
    /// The comments below an article, in document order, where they are wanted; they may stand outside of the kept nodes.
    pub(crate) comments: Vec<CommentNode>,
    /// Nodes in the comments that are none of them: forms, links to answer.
    pub(crate) beside_comments: Vec<NodeId>,
    /// Who wrote the first of the posts.
    pub(crate) starter: Option<String>,
    /// A remark for the report, beside the place.
    pub(crate) note: Option<String>,
    /// The probability of each text, in document order, where the algorithm scores them.
    pub(crate) probabilities: Vec<TextProbability>,
    /// Whether there is no step further: to more where the reader asked for more, else to less.
    pub(crate) at_end: bool,
    /// The word F1 that is to be expected, where the algorithm can tell.
    pub(crate) confidence: Option<f64>,
}

/// The probability that a text is main content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TextProbability {
    /// The innermost block around it.
    pub(crate) place: NodeId,
    pub(crate) probability: f64,
    pub(crate) words: f64,
}

impl From<Option<NodeId>> for Choice {
    fn from(node: Option<NodeId>) -> Choice {
        Choice::from(node.into_iter().collect::<Vec<_>>())
    }
}

impl From<Vec<NodeId>> for Choice {
    fn from(kept: Vec<NodeId>) -> Choice {
        Choice { kept, ..Choice::default() }
    }
}

/// Visible characters that a choice would leave.
pub(crate) fn kept_chars(page: &Page, choice: &Choice) -> usize {
    sum_of_kept(page, choice, Page::own_chars)
}

/// How much the text says that a choice would leave.
pub(crate) fn kept_size(page: &Page, choice: &Choice) -> usize {
    sum_of_kept(page, choice, Page::own_size)
}

/// Both lists of a choice are in document order.
fn sum_of_kept(page: &Page, choice: &Choice, measure: fn(&Page, NodeId) -> usize) -> usize {
    let mut sum = 0;
    let mut dropped = choice.dropped.iter().copied().peekable();
    for &kept in &choice.kept {
        let mut gone = NodeId::DOCUMENT;
        for id in page.live(kept) {
            while let Some(&next) = dropped.peek()
                && next <= id
            {
                gone = gone.max(page.end(next));
                dropped.next();
            }
            if id >= gone {
                sum += measure(page, id);
            }
        }
    }
    sum
}

/// The innermost element around all of them: the one itself where there is only one. In document order, so the first
/// and the last decide.
pub(crate) fn common_container(page: &Page, kept: &[NodeId]) -> NodeId {
    let (Some(&first), Some(&last)) = (kept.first(), kept.last()) else {
        return page.body();
    };
    std::iter::once(first)
        .chain(page.ancestors(first))
        .find(|&id| page.tag(id).is_some() && page.contains(id, last))
        .unwrap_or_else(|| page.body())
}

pub(crate) fn note(place: &str, nodes: usize, more: Option<String>) -> String {
    let mut note = if nodes == 1 { place.to_owned() } else { format!("{place}: {nodes} parts") };
    if let Some(more) = more {
        note.push_str("; ");
        note.push_str(&more);
    }
    note
}

/// The largest nodes whose whole text is kept, for algorithms that judge text nodes; one mark per row.
pub(crate) fn cover(page: &Page, kept: &[bool]) -> Vec<NodeId> {
    let body = page.body();
    // Texts of a subtree, and how many of them are kept.
    let mut counts = vec![(0u32, 0u32); page.len()];
    let live: Vec<NodeId> = page.live(body).collect();
    for &id in live.iter().rev() {
        if page.own_chars(id) > 0 {
            counts[id.index()] = (1, u32::from(kept[id.index()]));
        }
        if id != body {
            let (texts, kept) = counts[id.index()];
            let parent = &mut counts[page.parent(id).index()];
            parent.0 += texts;
            parent.1 += kept;
        }
    }
    let mut out = Vec::new();
    let mut at = body;
    while at < page.end(body) {
        let (texts, kept) = counts[at.index()];
        let is_settled = kept == 0 || kept == texts || page.state(at) == NodeState::Removed;
        if kept > 0 && kept == texts {
            out.push(at);
        }
        at = if is_settled { page.end(at) } else { NodeId(at.0 + 1) };
    }
    out
}

/// The way from the body to a node, as a person would write it: `body > main > article.post`.
pub(crate) fn describe(page: &Page, id: NodeId) -> String {
    let mut steps: Vec<String> = page
        .ancestors(id)
        .take_while(|&ancestor| page.tag(ancestor) != Some(Tag::Html))
        .filter(|&ancestor| page.tag(ancestor).is_some())
        .map(|ancestor| tag_name(page, ancestor))
        .collect();
    steps.reverse();
    steps.push(tag_name(page, id));
    steps.join(" > ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, ids, page};

    #[test]
    fn cover_names_the_largest_nodes_whose_text_is_kept() {
        let page = page("<div id=a><p id=b>one</p><p id=c><i id=i>two</i> <b id=d>three</b></p></div>");
        let mut kept = vec![false; page.len()];
        for id in ["b", "i"] {
            let text = page.live_children(by_id(&page, id)).next().unwrap();
            kept[text.index()] = true;
        }
        assert_eq!(ids(&page, &cover(&page, &kept)), ["b", "i"]);
        let all = vec![true; page.len()];
        assert_eq!(cover(&page, &all), [page.body()]);
    }

    #[test]
    fn a_set_of_nodes_is_kept_with_what_is_dropped_left_out() {
        let mut page = page("<div id=a><p id=b>one</p><p id=c>two</p></div><p id=d>three</p><p id=e>four</p>");
        let node = |id| by_id(&page, id);
        let choice = Choice {
            kept: outermost(&page, vec![node("d"), node("b"), node("a")]),
            dropped: vec![node("c")],
            ..Choice::default()
        };
        assert_eq!(ids(&page, &choice.kept), ["a", "d"]);
        assert_eq!(kept_chars(&page, &choice), 3 + 5);
        assert_eq!(common_container(&page, &choice.kept), page.body());
        let (kept, dropped) = (choice.kept, choice.dropped[0]);
        page.remove(dropped, "main_block");
        let body = page.body();
        page.keep_only(body, &kept, "main_block");
        assert_eq!(page.start_of_text(page.body(), 100, 100), "one three");
    }
}
