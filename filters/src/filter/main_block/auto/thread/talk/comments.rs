//! Comments on a post, which stand in it below its body: what somebody else says of an answer, with the name and the date.
//!
//! A comment is the smallest element around a name and a date in which something else is written, where the name is not that of the
//! post and does not stand where the names of posts do (there stands who changed it). It is no furniture, however short: where enough
//! of all comments is kept they all are, and each that is kept keeps its name and date.

use std::collections::{HashMap, HashSet};

use super::{
    Talk,
    around::{text_of, texts_of},
    dates::{is_machines, loose_place},
    outside::Outside,
};
use crate::{
    filter::main_block::auto::{
        blocks::{Block, Blocks},
        thread::posts::signs::{Sign, is_quote},
    },
    page::{NodeId, Page, tag::Tag},
};

/// Elements from a name up to its comment: a bound on the work.
const MAX_LEVELS: usize = 10;

/// Share of the words of all comments that is kept, at least, for the rest to come back.
const SHARE: f32 = 0.5;

/// Comments in which the same is written at the same place from which it is a button.
const BUTTONS: usize = 3;

/// The comments of a thread, by the blocks that they are made of.
pub(super) struct Comments {
    /// What they say.
    pub(super) said: HashSet<usize>,
    /// Where names and dates stand of those that are shown, and their texts.
    pub(super) signed: HashMap<usize, Vec<NodeId>>,
    /// Those that come back.
    pub(super) back: Vec<usize>,
}

impl Comments {
    /// Finds them. `chosen` are the texts of the names and dates of the posts, `cards` the places of those names.
    pub(super) fn of(
        page: &Page,
        blocks: &Blocks,
        talk: &Talk,
        outside: &Outside,
        chosen: &[NodeId],
        cards: &[u64],
        kept: &[bool],
    ) -> Comments {
        let all = comments(page, blocks, talk, outside, chosen, cards);
        let (back, shown) = shown(blocks, &all, kept);
        let mut signed: HashMap<usize, Vec<NodeId>> = HashMap::new();
        for comment in shown {
            let signs = comment.signs.iter().flat_map(|&sign| texts_of(page, sign));
            let signs: Vec<NodeId> = signs.collect();
            for &index in &comment.lines {
                signed.entry(index).or_default().extend(&signs);
            }
        }
        let said = all.iter().flat_map(|comment| &comment.said);
        Comments {
            said: said.copied().collect(),
            signed,
            back,
        }
    }
}

/// What somebody says of a post.
struct Comment {
    /// The blocks that hold the name or the date.
    lines: Vec<usize>,
    /// What else is written.
    said: Vec<usize>,
    /// The name and the date.
    signs: [NodeId; 2],
}

fn comments(
    page: &Page,
    blocks: &Blocks,
    talk: &Talk,
    outside: &Outside,
    chosen: &[NodeId],
    cards: &[u64],
) -> Vec<Comment> {
    let mut comments: Vec<Comment> = Vec::new();
    let mut over = NodeId::DOCUMENT;
    for name in &talk.names {
        let Some(post) = talk.owners.of_node(name.element) else {
            continue;
        };
        if name.element < over || outside.block(page, name.element).is_none() {
            continue;
        }
        let is_of_post = || {
            let is_chosen = holds(chosen, page, name.element);
            let card = outside.block(page, name.element);
            let place = card.map(|index| loose_place(page, post, blocks.list[index].container));
            is_chosen || place.is_some_and(|place| cards.binary_search(&place).is_ok())
        };
        if is_of_post() {
            continue;
        }
        if let Some((element, comment)) = around(page, blocks, talk, post, name, chosen) {
            over = page.end(element);
            comments.push(comment);
        }
    }
    without_buttons(blocks, talk, &mut comments);
    comments
}

/// The comment that somebody signed with a name.
fn around(
    page: &Page,
    blocks: &Blocks,
    talk: &Talk,
    post: NodeId,
    name: &Sign,
    chosen: &[NodeId],
) -> Option<(NodeId, Comment)> {
    let up = page.ancestors(name.element).take(MAX_LEVELS);
    let own = text_of(page, name.element);
    for element in up.take_while(|&up| up != post) {
        if is_quote(page, element)
            || talk.places.holds_body(page, element)
            || !talk.places.is_below_body(page, post, element)
            || holds(chosen, page, element)
        {
            return None;
        }
        let is_other = |other: &&Sign| text_of(page, other.element) != own;
        if within(&talk.names, page, element).any(|other| is_other(&other)) {
            return None;
        }
        // Once more for machines: `<div itemprop="datePublished">2018-05-21 20:37:55</div>`.
        let dates = within(&talk.dates, page, element);
        let Some(date) = dates.min_by_key(|date| is_machines(&text_of(page, date.element))) else {
            continue;
        };
        let mut comment = Comment {
            lines: Vec::new(),
            said: Vec::new(),
            signs: [name.element, date.element],
        };
        for index in blocks.inside(page, element) {
            let block = &blocks.list[index];
            let is_line = blocks.texts(block).iter().any(|&id| {
                let is_in = |sign: &Sign| page.contains(sign.element, id);
                within(&talk.names, page, element).any(is_in)
                    || within(&talk.dates, page, element).any(is_in)
            });
            // Once more for machines: `<div class="d-none" itemprop="name">Ann</div>`.
            if is_line || text_of(page, block.container) == own {
                comment.lines.push(index);
            } else if says_something(page, blocks, block) {
                comment.said.push(index);
            }
        }
        if !comment.said.is_empty() {
            return Some((element, comment));
        }
    }
    None
}

fn says_something(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let has_letters = |&id: &NodeId| {
        page.text(id)
            .is_some_and(|text| text.contains(char::is_alphabetic))
    };
    block.link_density() < 0.5
        && page.tag(block.container) != Some(Tag::Button)
        && blocks.texts(block).iter().any(has_letters)
}

/// Takes what stands in several comments alike out of what they say, and the comments of which nothing is left.
fn without_buttons(blocks: &Blocks, talk: &Talk, comments: &mut Vec<Comment>) {
    let key = |index: usize| {
        let block = &blocks.list[index];
        (block.stats.hash, talk.places.place(block.container))
    };
    let mut counts: HashMap<(u64, u64), usize> = HashMap::new();
    for &index in comments.iter().flat_map(|comment| &comment.said) {
        *counts.entry(key(index)).or_default() += 1;
    }
    let all = comments.len();
    for comment in &mut *comments {
        comment.said.retain(|&index| {
            let count = counts[&key(index)];
            count < BUTTONS || count * 2 < all
        });
    }
    comments.retain(|comment| !comment.said.is_empty());
}

/// The blocks of comments that come back, and the comments of which something is kept.
fn shown<'a>(
    blocks: &Blocks,
    comments: &'a [Comment],
    kept: &[bool],
) -> (Vec<usize>, Vec<&'a Comment>) {
    let words = |index: usize| blocks.list[index].stats.words;
    let (mut all, mut now) = (0.0, 0.0);
    for &index in comments.iter().flat_map(|comment| &comment.said) {
        all += words(index);
        now += if kept[index] { words(index) } else { 0.0 };
    }
    if now >= SHARE * all {
        let back = comments.iter().flat_map(|comment| &comment.said);
        return (back.copied().collect(), comments.iter().collect());
    }
    let is_kept = |comment: &&Comment| comment.said.iter().any(|&index| kept[index]);
    (Vec::new(), comments.iter().filter(is_kept).collect())
}

fn within<'a>(signs: &'a [Sign], page: &'a Page, id: NodeId) -> impl Iterator<Item = &'a Sign> {
    let start = signs.partition_point(|sign| sign.element < id);
    signs[start..]
        .iter()
        .take_while(move |sign| page.contains(id, sign.element))
}

/// Whether one of some nodes, in document order, stands in an element.
fn holds(nodes: &[NodeId], page: &Page, id: NodeId) -> bool {
    let next = nodes.partition_point(|&node| node < id);
    nodes.get(next).is_some_and(|&node| page.contains(id, node))
}

#[cfg(test)]
mod tests {
    use super::super::{Talk, around::Around};
    use crate::{
        filter::main_block::auto::{blocks::Blocks, thread::posts::signs::Signs},
        kind::KindNow,
        testing::page_at,
    };

    /// What is shown around the posts of a thread, comments with these words in it being kept.
    fn shown(words: &str) -> String {
        let comment = |name: &str, said: &str| {
            format!(
                "<li><p>{said}</p><span><a class=username href=/u/{name}>{name}</a> <time>3 May, 10:12</time></span></li>"
            )
        };
        let post = |name: &str, comments: &str| {
            format!(
                "<div class=post><div class=text><p>By a toll, for sixty years, and then by the county, says {name}.</p></div>\
                 <p><a class=username href=/u/{name}>{name}</a> <time>2 May, 09:00</time></p><ul>{comments}</ul></div>"
            )
        };
        let html = [
            post("Ann", &comment("Dee", "Thanks!")),
            post("Bo", &comment("Eve", "Wrong.")),
            post("Cy", ""),
        ];
        let page = page_at("https://forum.example.org/t/bridge/12", &html.concat());
        let blocks = Blocks::of(&page, &[]);
        let text = |block| -> String {
            let texts = blocks.texts(block).iter().filter_map(|&id| page.text(id));
            texts.map(|text| text.clone()).collect()
        };
        let list = blocks.list.iter();
        let mut kept: Vec<bool> = list
            .map(|block| text(block).contains("toll") || text(block).contains(words))
            .collect();
        let kind = KindNow::of(&page);
        let talk = Talk::of(&page, &blocks, &kind, &Signs::default(), &kept).unwrap();
        let around = Around::of(&page, &blocks, &talk, &kept);
        for &index in &around.back {
            kept[index] = true;
        }
        for &index in &around.gone {
            kept[index] = false;
        }
        let mut all = String::new();
        for (block, kept) in blocks.list.iter().zip(kept) {
            for id in blocks.texts(block) {
                if kept || around.texts.contains(id) {
                    all.extend(page.text(*id).map(|text| format!("{} ", text.trim())));
                }
            }
        }
        all
    }

    #[test]
    fn comments_that_are_kept_keep_their_names_and_the_others_with_them() {
        let all = shown("!");
        for said in [
            "Thanks!",
            "Dee",
            "Wrong.",
            "Eve",
            "3 May, 10:12",
            "Ann",
            "2 May, 09:00",
        ] {
            assert!(all.contains(said), "{said}: {all}");
        }
    }

    #[test]
    fn where_none_is_kept_none_comes_back() {
        let all = shown("nothing of that");
        for said in ["Thanks!", "Dee", "Wrong.", "Eve"] {
            assert!(!all.contains(said), "{said}: {all}");
        }
        assert!(all.contains("Bo"), "{all}");
    }
}
