//! Who wrote each post, and when: on a thread of posts the scores drop the panel beside a post with all it holds (picture, rank,
//! joined, signature, buttons), and the name with it. Of each panel the name and the date are taken back, once per post.
//!
//! Posts are brothers of one tag that hold a name and kept text, with what stands before them and is built alike (a question
//! above its answers). A name is a short text that the page calls so in `itemprop`, `rel` or a class, or a link to a
//! profile by its address; a date is a `<time>` or what a class calls a date. Both are general vocabulary of such programs,
//! none of a site's own.
//!
//! And what stands in most posts alike but for its numbers ("Senior Member", "Posts: 20", "Re: the same title") goes from all of
//! them: it is furniture that repeats without varying.
//!
//! Measured on WCXB dev, 2026-11-21, five folds: see `docs/quality.md`; it is for the reader, who cannot follow a talk without
//! knowing who speaks.

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use super::blocks::Blocks;
use crate::page::{NodeId, Page, tag::Tag};

/// Visible characters of a name and of a date. Higher: panels pass for names.
const MAX_NAME: usize = 40;
const MAX_DATE: usize = 40;

/// Kept words from which an element is a post.
const POST_WORDS: f32 = 5.0;

/// Elements between a text and the one that says what it is.
const LEVELS: usize = 3;

/// The least number of posts, one beside the other.
const MIN_POSTS: usize = 2;

/// Something short that the page says is a name or a date.
struct Sign {
    element: NodeId,
    /// How sure that is; 0 is best.
    rank: u8,
    /// Whether it stands in kept text.
    is_kept: bool,
}

/// A thread as it is to be shown.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) posts: Vec<NodeId>,
    /// The text nodes of names and dates to be kept beside the kept blocks.
    pub(super) texts: Vec<NodeId>,
    /// Text nodes of kept blocks that are furniture.
    pub(super) without: Vec<NodeId>,
}

/// Finds the thread among the kept blocks, and takes the furniture out of its posts.
pub(super) fn tidy(page: &Page, blocks: &Blocks, kept: &mut [bool]) -> Thread {
    let words = kept_words(page, blocks, kept);
    let is_kept = kept_texts(page, blocks, kept);
    let names = signs(page, &is_kept, MAX_NAME, name_rank);
    if names.len() < MIN_POSTS {
        return Thread::default();
    }
    let posts = posts(page, &words, &names);
    let dates = signs(page, &is_kept, MAX_DATE, date_rank);
    let mut texts = Vec::new();
    for &post in &posts {
        let Some(name) = best(page, post, &names, post) else {
            continue;
        };
        if !has_kept(page, post, &names) {
            texts.extend(texts_of(page, name));
        }
        if !has_kept(page, post, &dates)
            && let Some(date) = best(page, post, &dates, name)
        {
            texts.extend(texts_of(page, date));
        }
    }
    let mut is_sign = vec![false; page.len()];
    for sign in names.iter().chain(&dates) {
        for text in texts_of(page, sign.element) {
            is_sign[text.index()] = true;
        }
    }
    let furniture = Furniture::of(page, blocks, kept, &posts, &is_sign);
    for index in furniture.blocks {
        kept[index] = false;
    }
    texts.retain(|&id| !is_kept[id.index()]);
    texts.sort_unstable();
    texts.dedup();
    Thread {
        posts,
        texts,
        without: furniture.lines,
    }
}

/// What stands in most posts alike but for its numbers: kept blocks, and lines of the blocks that hold a name or a date.
#[derive(Default)]
struct Furniture {
    blocks: Vec<usize>,
    lines: Vec<NodeId>,
}

impl Furniture {
    fn of(
        page: &Page,
        blocks: &Blocks,
        kept: &[bool],
        posts: &[NodeId],
        is_sign: &[bool],
    ) -> Furniture {
        let mut tally = Tally::default();
        for (index, block) in blocks.list.iter().enumerate() {
            let before = posts.partition_point(|&post| post <= block.container);
            let post = before.checked_sub(1).map(|at| posts[at]);
            let Some(post) = post.filter(|&post| page.contains(post, block.container)) else {
                continue;
            };
            if page.tag(block.container) == Some(Tag::Pre) {
                continue;
            }
            let texts = blocks.texts(block);
            if texts.iter().any(|text| is_sign[text.index()]) {
                let lines = texts.iter().filter(|&&id| stands_alone(page, id));
                for &id in lines.filter(|id| !is_sign[id.index()]) {
                    tally.add(shape(page, &[id]), post, Place::Line(id));
                }
            } else if block.stats.words <= MAX_FURNITURE {
                let place = if kept[index] {
                    Place::Block(index)
                } else {
                    Place::Gone
                };
                tally.add(shape(page, texts), post, place);
            }
        }
        tally.common(MIN_ALIKE.max(posts.len() * 3 / 5))
    }
}

enum Place {
    Block(usize),
    Line(NodeId),
    /// Not kept in any case, and counted.
    Gone,
}

#[derive(Default)]
struct Tally {
    /// By shape: the number of posts, and the last of them.
    posts_with: HashMap<String, (usize, NodeId)>,
    places: Vec<(String, Place)>,
}

impl Tally {
    fn add(&mut self, shape: String, post: NodeId, place: Place) {
        let (count, last) = self
            .posts_with
            .entry(shape.clone())
            .or_insert((0, NodeId::DOCUMENT));
        if *last != post {
            *count += 1;
            *last = post;
        }
        self.places.push((shape, place));
    }

    fn common(self, least: usize) -> Furniture {
        let mut furniture = Furniture::default();
        for (shape, place) in self.places {
            if self.posts_with[&shape].0 >= least {
                match place {
                    Place::Block(index) => furniture.blocks.push(index),
                    Place::Line(id) => furniture.lines.push(id),
                    Place::Gone => {}
                }
            }
        }
        furniture
    }
}

/// Whether a text is a line by itself, below a break.
fn stands_alone(page: &Page, id: NodeId) -> bool {
    page.own_chars(id) > 0
        && page
            .element_before(id)
            .is_some_and(|before| page.tag(before) == Some(Tag::Br))
        && page
            .live_siblings_after(id)
            .next()
            .is_none_or(|after| page.tag(after) == Some(Tag::Br))
}

/// A text with one sign for every number.
fn shape(page: &Page, texts: &[NodeId]) -> String {
    let mut shape = String::new();
    for text in texts.iter().filter_map(|&id| page.text(id)) {
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            if !c.is_numeric() {
                shape.extend(c.to_lowercase());
            } else if !shape.ends_with('0') {
                shape.push('0');
            }
        }
    }
    shape
}

/// Words of a block that can be furniture, and posts in which it must stand.
const MAX_FURNITURE: f32 = 8.0;
const MIN_ALIKE: usize = 3;

/// By row: words of kept blocks below.
fn kept_words(page: &Page, blocks: &Blocks, kept: &[bool]) -> Vec<f32> {
    let mut words = vec![0.0; page.len()];
    for (block, &kept) in blocks.list.iter().zip(kept) {
        if kept {
            words[block.container.index()] += block.stats.words;
        }
    }
    for row in (page.body().index() + 1..page.len()).rev() {
        let own = words[row];
        words[page.parent(NodeId::from_row(row)).index()] += own;
    }
    words
}

fn kept_texts(page: &Page, blocks: &Blocks, kept: &[bool]) -> Vec<bool> {
    let mut is_kept = vec![false; page.len()];
    for (block, &kept) in blocks.list.iter().zip(kept) {
        for id in blocks.texts(block) {
            is_kept[id.index()] = kept;
        }
    }
    is_kept
}

/// The outermost elements that hold one short text of a kind, in document order.
fn signs(
    page: &Page,
    is_kept: &[bool],
    max_chars: usize,
    rank: fn(&Page, NodeId) -> Option<u8>,
) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut over = NodeId::DOCUMENT;
    for id in page.live(page.body()).skip(1) {
        if id < over || page.tag(id).is_none() {
            continue;
        }
        let Some(first) = only_line(page, id, max_chars) else {
            continue;
        };
        let Some(rank) = rank(page, id) else { continue };
        over = page.end(id);
        signs.push(Sign {
            element: inner_link(page, id),
            rank,
            is_kept: is_kept[first.index()],
        });
    }
    signs
}

/// The link in a sign, where there is one: what stands beside it is a rank, or a number of posts.
fn inner_link(page: &Page, id: NodeId) -> NodeId {
    page.live(id)
        .find(|&inside| page.tag(inside) == Some(Tag::A) && page.chars(inside) > 0)
        .unwrap_or(id)
}

/// The first text of an element that holds one short line.
fn only_line(page: &Page, id: NodeId, max_chars: usize) -> Option<NodeId> {
    const MAX_NODES: usize = 20;
    let (mut chars, mut first) = (0, None);
    for (number, inside) in page.live(id).enumerate() {
        let ends_line = inside != id
            && page
                .tag(inside)
                .is_some_and(|tag| tag.is_block() || tag == Tag::Br);
        chars += page.own_chars(inside);
        if ends_line || chars > max_chars || number > MAX_NODES {
            return None;
        }
        if first.is_none() && page.own_chars(inside) > 0 {
            first = Some(inside);
        }
    }
    first
}

/// The posts of the thread with most kept words, and what stands before it with a name of its own.
fn posts(page: &Page, words: &[f32], names: &[Sign]) -> Vec<NodeId> {
    let mut of_parent: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    let mut index = vec![usize::MAX; page.len()];
    for name in names {
        let mut at = name.element;
        while at != page.body() && at != NodeId::DOCUMENT {
            let parent = page.parent(at);
            if words[at.index()] >= POST_WORDS {
                let slot = &mut index[parent.index()];
                if *slot == usize::MAX {
                    *slot = of_parent.len();
                    of_parent.push((parent, Vec::new()));
                }
                let posts = &mut of_parent[*slot].1;
                if posts.last() == Some(&at) {
                    // Another name got here first, and went on from here.
                    break;
                }
                posts.push(at);
            }
            at = parent;
        }
    }
    of_parent.retain(|(_, posts)| {
        let tag = page.tag(posts[0]);
        posts.len() >= MIN_POSTS && posts.iter().all(|&post| page.tag(post) == tag)
    });
    of_parent.sort_by(|a, b| {
        total(words, &b.1)
            .total_cmp(&total(words, &a.1))
            .then(a.0.cmp(&b.0))
    });
    of_parent.truncate(MAX_THREADS);
    let Some((parent, posts)) = largest(&of_parent, words, page, page.body()) else {
        return Vec::new();
    };
    let mut all: Vec<NodeId> = opening(page, words, names, *parent).into_iter().collect();
    let mut waiting: Vec<NodeId> = posts.iter().rev().copied().collect();
    while let Some(post) = waiting.pop() {
        // The answers to a question stand in one element beside it.
        let inner = largest(&of_parent, words, page, post)
            .filter(|(_, posts)| total(words, posts) * 2.0 > words[post.index()]);
        match inner {
            Some((_, posts)) => waiting.extend(posts.iter().rev()),
            None => all.push(post),
        }
    }
    all.sort_unstable();
    all
}

/// Groups of brothers that are looked at, the largest ones: a page has one thread, and talks inside of it.
const MAX_THREADS: usize = 50;

/// The group of brothers with most kept words inside an element.
fn largest<'a>(
    groups: &'a [(NodeId, Vec<NodeId>)],
    words: &[f32],
    page: &Page,
    within: NodeId,
) -> Option<&'a (NodeId, Vec<NodeId>)> {
    groups
        .iter()
        .filter(|(parent, _)| page.contains(within, *parent))
        .max_by(|a, b| {
            let by_words = total(words, &a.1).total_cmp(&total(words, &b.1));
            by_words.then(b.0.cmp(&a.0))
        })
}

fn total(words: &[f32], posts: &[NodeId]) -> f32 {
    posts.iter().map(|post| words[post.index()]).sum()
}

/// The post that stands before the thread in an element of its own.
fn opening(page: &Page, words: &[f32], names: &[Sign], thread: NodeId) -> Option<NodeId> {
    let name = names.iter().find(|name| name.element < thread)?;
    std::iter::once(name.element)
        .chain(page.ancestors(name.element))
        .take_while(|&up| !page.contains(up, thread))
        .find(|&up| words[up.index()] >= POST_WORDS)
}

fn within<'a>(
    page: &'a Page,
    post: NodeId,
    signs: &'a [Sign],
) -> impl Iterator<Item = &'a Sign> + 'a {
    let start = signs.partition_point(|sign| sign.element < post);
    signs[start..]
        .iter()
        .take_while(move |sign| page.contains(post, sign.element))
}

fn has_kept(page: &Page, post: NodeId, signs: &[Sign]) -> bool {
    within(page, post, signs).any(|sign| sign.is_kept)
}

/// The surest sign in a post; of equals the one that stands nearest to a place.
fn best(page: &Page, post: NodeId, signs: &[Sign], near: NodeId) -> Option<NodeId> {
    within(page, post, signs)
        .min_by_key(|sign| (sign.rank, sign.element.0.abs_diff(near.0)))
        .map(|sign| sign.element)
}

fn texts_of(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    page.live(id).filter(|&id| page.own_chars(id) > 0)
}

/// How sure an element is to be a name.
fn name_rank(page: &Page, id: NodeId) -> Option<u8> {
    let around = || {
        std::iter::once(id)
            .chain(page.ancestors(id))
            .take(LEVELS + 1)
    };
    let is_link = page.tag(id) == Some(Tag::A);
    let says_author = |up: NodeId| {
        ["itemprop", "rel"].iter().any(|name| {
            page.attribute(up, &LocalName::from(*name))
                .is_some_and(|value| {
                    value
                        .split_ascii_whitespace()
                        .any(|word| matches!(word, "author" | "creator"))
                })
        })
    };
    if is_link && around().any(says_author) || says_author(id) {
        return Some(0);
    }
    if says(page, id, &local_name!("class"), &NAMES) {
        return Some(1);
    }
    (is_link && leads_to_profile(page, id)).then_some(2)
}

/// Words in the class of a name.
const NAMES: [&str; 10] = [
    "author",
    "username",
    "creator",
    "poster",
    "nickname",
    "commenter",
    "postername",
    "authorname",
    "displayname",
    "byline",
];

/// Folders, files and parameters of addresses of profiles.
const PROFILES: [&str; 16] = [
    "user",
    "users",
    "u",
    "member",
    "members",
    "profile",
    "profiles",
    "author",
    "authors",
    "people",
    "account",
    "member.php",
    "memberlist.php",
    "profile.php",
    "viewprofile",
    "showuser",
];

fn leads_to_profile(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("href"))
        .is_some_and(|href| {
            let parts: Vec<&str> = href
                .split(['/', '?', '&', '=', ';', '#'])
                .filter(|part| !part.is_empty())
                .collect();
            let is_name = |part: &str| part.starts_with('~') || part.starts_with('@');
            parts.windows(2).any(|pair| {
                let folder = pair[0].to_ascii_lowercase();
                PROFILES.contains(&folder.as_str()) && !pair[1].is_empty()
            }) || parts.iter().any(|part| is_name(part))
        })
}

/// How sure an element is to be a date.
fn date_rank(page: &Page, id: NodeId) -> Option<u8> {
    if page.tag(id) == Some(Tag::Time) {
        return Some(0);
    }
    const CLASSES: [&str; 7] = [
        "date",
        "time",
        "postdate",
        "timestamp",
        "relativetime",
        "datetime",
        "postdetails",
    ];
    const PROPERTIES: [&str; 3] = ["datecreated", "datepublished", "date"];
    let is_date = says(page, id, &LocalName::from("itemprop"), &PROPERTIES)
        || says(page, id, &local_name!("class"), &CLASSES);
    let has_digit = || {
        page.live(id)
            .take(20)
            .filter_map(|id| page.text(id))
            .any(|text| text.contains(|c: char| c.is_numeric()))
    };
    (is_date && has_digit()).then_some(1)
}

/// Whether an attribute holds one of these words.
fn says(page: &Page, id: NodeId, name: &LocalName, wanted: &[&str]) -> bool {
    page.attribute(id, name).is_some_and(|value| {
        let folded = value.to_ascii_lowercase();
        // Nearly no element does, and words cost more.
        wanted.iter().any(|word| folded.contains(word))
            && words(&value).any(|word| wanted.contains(&word.as_str()))
    })
}

/// The words of a value: `post-author`, `postAuthor` and `post_author` hold "author".
fn words(value: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in value.chars() {
        let starts = c.is_uppercase() && was_lower;
        was_lower = c.is_lowercase();
        if starts || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    // `itemprop=dateCreated` is one name.
    words.push(value.to_lowercase());
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// The names and dates that are taken back; blocks of five words and more count as kept.
    fn taken(html: &str) -> Vec<String> {
        let page = page(html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept: Vec<bool> = blocks
            .list
            .iter()
            .map(|block| block.stats.words >= 5.0)
            .collect();
        tidy(&page, &blocks, &mut kept)
            .texts
            .into_iter()
            .map(|id| page.text(id).unwrap().trim().to_owned())
            .collect()
    }

    #[test]
    fn of_a_panel_the_name_is_kept_and_of_a_post_its_date() {
        let post = |name: &str, day: &str| {
            format!(
                "<div class=post><div class=panel><a class=username href=/members/7>{name}</a><br>Junior Member<br>12</div>\
                 <div class=head><span class=date>{day}</span> #7</div><div><p>what was written in this post here</p></div></div>"
            )
        };
        let html = format!("<div>{}{}</div>", post("Ann", "3 May"), post("Bo", "4 May"));
        assert_eq!(taken(&html), ["Ann", "3 May", "Bo", "4 May"]);
    }

    #[test]
    fn a_question_above_its_answers_has_a_name_too() {
        let foot = |name: &str| {
            format!(
                "<div><time>3 May</time></div><div itemprop=author><a href=/users/{name}>{name}</a><i>1,024</i></div>"
            )
        };
        let text = "<p>what was written in this post here</p>";
        let html = format!(
            "<main><div><h1>Why</h1>{text}{}</div><div><h2>2 answers</h2><div>{text}<div><a href=/users/ed>Ed</a></div>{}</div>\
             <div>{text}{}</div></div></main>",
            foot("Ann"),
            foot("Bo"),
            foot("Cy"),
        );
        assert_eq!(taken(&html), ["3 May", "Ann", "3 May", "Bo", "3 May", "Cy"]);
    }

    #[test]
    fn what_most_posts_hold_alike_but_for_its_numbers_goes() {
        let post = |name: &str, number: usize, text: &str| {
            format!(
                "<div><h3>Re: why</h3><p><a class=username>{name}</a></p><p>Posts: {number}</p><p>{text}</p><p>Thanks!</p></div>"
            )
        };
        let html = format!(
            "<div>{}{}{}{}</div>",
            post("Ann", 12, "what was written in this post here"),
            post("Bo", 3, "something else was written in this post"),
            post("Cy", 1024, "and this is the third of the posts"),
            "<div><a class=username>Di</a><p>and this is the fourth of the posts</p></div>",
        );
        let page = page(&html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        tidy(&page, &blocks, &mut kept);
        let gone: Vec<String> = blocks
            .list
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| !**kept)
            .map(|(block, _)| shape(&page, blocks.texts(block)))
            .collect();
        assert_eq!(gone.len(), 9);
        assert_eq!(gone[..3], ["re:why", "posts:0", "thanks!"]);
    }

    #[test]
    fn a_rank_below_a_name_goes_and_the_words_beside_it_stay() {
        let post = |name: &str| {
            format!(
                "<div><p>by <a class=username>{name}</a> in town<br>Senior Member<br>Velle</p><p>what {name} wrote in this post here</p></div>"
            )
        };
        let page = page(&format!(
            "<div>{}{}{}</div>",
            post("Ann"),
            post("Bo"),
            post("Cy")
        ));
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        let without = tidy(&page, &blocks, &mut kept).without;
        assert!(kept.iter().all(|&kept| kept));
        let texts: Vec<String> = without
            .iter()
            .map(|&id| page.text(id).unwrap().clone())
            .collect();
        assert_eq!(texts[..2], ["Senior Member", "Velle"]);
        assert_eq!(texts.len(), 6);
    }

    #[test]
    fn what_is_shown_already_is_not_taken_twice() {
        let post = "<li><div><a class=author>Ann</a> wrote this on the first <time>3 May</time></div>\
                    <p>what was written in this post here</p></li>";
        assert!(taken(&format!("<ol>{post}{post}</ol>")).is_empty());
    }

    #[test]
    fn names_beside_text_that_is_not_kept_stay_away() {
        let article =
            "<main><p>the text of the only article is here</p><a class=author>Ann</a></main>";
        let list = "<ul><li><a href=/u/bo>Bo</a> new<li><a href=/u/cy>Cy</a> new</ul>";
        assert!(taken(&format!("{article}{list}")).is_empty());
    }
}
