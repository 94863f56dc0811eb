//! What a post shows of another one: the beginning of the post that it answers, which opens where the pointer rests on its name.
//!
//! Blocks in posts, or between them, most of whose words stand in the body of an earlier post, with the frame around them: the
//! outermost element that holds no body and not the last name of its post. Quotes are none: `thread/quotes.rs` decides on them.

use std::collections::HashSet;

use super::{Talk, outside::Outside};
use crate::{
    filter::main_block::auto::{
        blocks::{Block, Blocks},
        thread::{posts::signs::is_quoted, quotes::runs},
    },
    page::{NodeId, Page},
};

/// Words of a block that can be one, at least. Lower: what two say alike is taken for one.
const LEAST_WORDS: f32 = 8.0;

/// Elements from such a block up to its frame: a bound on the work.
const MAX_LEVELS: usize = 12;

/// The previews, in document order and not within each other.
pub(super) fn previews(
    page: &Page,
    blocks: &Blocks,
    talk: &Talk,
    outside: &Outside,
) -> Vec<NodeId> {
    let Some((span, true)) = talk.span(page).map(|span| (span, talk.have_body())) else {
        return Vec::new();
    };
    let is_body = |block: &Block| talk.in_body(page, block.container).is_some();
    let may_be = |block: &Block| {
        span.contains(&block.container)
            && block.stats.words >= LEAST_WORDS
            && block.link_density() < 0.5
            && !is_body(block)
            && !is_quoted(page, block.container)
    };
    let candidates: Vec<usize> = (0..blocks.list.len())
        .filter(|&index| may_be(&blocks.list[index]))
        .collect();
    let Some(&last) = candidates.last() else {
        return Vec::new();
    };
    let mut said: HashSet<u64> = HashSet::new();
    let mut found: Vec<NodeId> = Vec::new();
    for (index, block) in blocks.list[..=last].iter().enumerate() {
        if is_body(block) {
            said.extend(runs(page, blocks, index..index + 1));
        }
        let is_in_last = |&last: &NodeId| page.contains(last, block.container);
        if candidates.binary_search(&index).is_err() || found.last().is_some_and(is_in_last) {
            continue;
        }
        let (mut copied, mut all) = (0, 0);
        for run in runs(page, blocks, index..index + 1) {
            copied += usize::from(said.contains(&run));
            all += 1;
        }
        if all > 0 && copied * 4 >= all * 3 {
            found.push(frame(page, talk, outside, block.container));
        }
    }
    found
}

/// The outermost element around a preview that holds nothing else.
fn frame(page: &Page, talk: &Talk, outside: &Outside, id: NodeId) -> NodeId {
    let post = talk.owners.of_node(id);
    let is_signed_without = |up: NodeId| {
        post.is_none_or(|post| {
            let mut names = talk.owners.signs(page, post, &talk.names);
            names.any(|name| {
                !page.contains(up, name.element) && outside.block(page, name.element).is_some()
            })
        })
    };
    let is_free = |&up: &NodeId| !talk.holds_body(page, up) && is_signed_without(up);
    let around = page.ancestors(id).take(MAX_LEVELS).take_while(is_free);
    around.last().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::super::around::Around;
    use super::*;
    use crate::{
        filter::main_block::auto::thread::posts::signs::Signs, kind::KindNow, testing::page_at,
    };

    #[test]
    fn the_beginning_of_the_post_that_is_answered_goes_with_its_writer() {
        let said =
            "By a toll, for sixty years, and then by the county when nobody would pay any more.";
        let post = |name: &str, before: &str, text: &str| {
            format!(
                "<li class=post>{before}<div class=main><p><a class=username href=/u/{name}>{name}</a> 3 May 2026, 10:12</p><div class=text><p>{text}</p></div></div></li>"
            )
        };
        let preview = format!(
            "<div class=parent><p><a class=username href=/u/Ann>Ann</a></p><div class=short><p>{said}</p></div></div>"
        );
        let html = [
            post("Ann", "", said),
            post(
                "Bo",
                &preview,
                "Not so, it was the town that paid, and it never had its money back.",
            ),
            post(
                "Cy",
                "",
                "Who says so, and where can that be read by all of us here?",
            ),
        ];
        let page = page_at("https://forum.example.org/t/bridge/12", &html.concat());
        let blocks = Blocks::of(&page, &[]);
        let kept = vec![true; blocks.list.len()];
        let kind = KindNow::of(&page);
        let talk = Talk::of(&page, &blocks, &kind, &Signs::default(), &kept).unwrap();
        let around = Around::of(&page, &blocks, &talk, &kept);
        let gone = around
            .gone
            .iter()
            .map(|&at| blocks.text(&page, &blocks.list[at]));
        let gone: Vec<String> = gone.collect();
        assert!(gone.iter().any(|text| text == said), "{gone:?}");
        assert!(gone.iter().any(|text| text == "Ann"), "{gone:?}");
        assert_eq!(around.writers[&talk.posts[1]], "Bo");
        assert_eq!(gone.iter().filter(|text| *text == said).count(), 1);
    }
}
