//! Which elements are the posts of a thread.

use std::collections::HashSet;

use html5ever::local_name;

use super::{MIN_POSTS, owners::Owners, signs::Sign};
use crate::page::{NodeId, Page, tag::Tag};

/// Kept words from which an element is a post.
pub(super) const POST_WORDS: f32 = 5.0;

/// Elements around a name in which its post is looked for. Raising it costs time on hostile pages.
const MAX_LEVELS: usize = 30;

/// Brothers of one tag that each hold a name and kept text.
struct Group {
    parent: NodeId,
    posts: Vec<NodeId>,
    /// Kept words in all of them.
    words: f32,
}

/// Groups of brothers that are looked at, the largest ones: a page has one thread, and talks inside of it.
const MAX_THREADS: usize = 50;

/// The posts of a page, in document order: those of the thread with most kept words, what stands before it with a name of its
/// own, and the replies inside of them.
pub(super) fn posts(page: &Page, words: &[f32], names: &[Sign]) -> Vec<NodeId> {
    let groups = groups(page, words, names);
    let mut all: Vec<NodeId> = Vec::new();
    let mut inside = Vec::new();
    if let Some(thread) = largest(&groups, page, page.body()) {
        let mut waiting = thread.posts.clone();
        while let Some(post) = waiting.pop() {
            // The answers to a question stand in one element beside it, and the replies to a post in the post.
            let inner = largest(&groups, page, post)
                .filter(|group| group.words * 2.0 > words[post.index()]);
            let is_post = inner.is_none_or(|group| {
                let look_of_post = look(page, post);
                look_of_post.is_some() && look_of_post == look(page, group.posts[0])
            });
            if is_post {
                all.push(post);
            }
            waiting.extend(inner.into_iter().flat_map(|group| &group.posts));
        }
        inside = replies(page, words, names, &all);
        all.extend(opening(page, words, names, thread.parent));
        all.extend(short(page, words, names, thread));
    }
    let items = items(page, words, names);
    if items.len() >= MIN_POSTS {
        inside.extend(items);
    }
    all.sort_unstable();
    all.dedup();
    with_replies(page, all, inside, names)
}

/// Posts with what was found in them and around them. What holds one post and nothing else that is signed is that post, and so
/// is the signed part of one post; what holds several is their thread.
fn with_replies(
    page: &Page,
    posts: Vec<NodeId>,
    mut found: Vec<NodeId>,
    names: &[Sign],
) -> Vec<NodeId> {
    found.sort_unstable();
    found.dedup();
    let within = |all: &[NodeId], outer: NodeId| {
        let start = all.partition_point(|&id| id <= outer);
        let after = &all[start..];
        after.partition_point(|&id| id < page.end(outer))
    };
    found.retain(|&id| posts.binary_search(&id).is_err() && within(&posts, id) != 1);
    if found.is_empty() {
        return posts;
    }
    let mut all = [posts.as_slice(), &found].concat();
    all.sort_unstable();
    let (before, now) = (Owners::of(page, &posts), Owners::of(page, &all));
    let is_signed = |owners: &Owners, post| owners.signs(page, post, names).next().is_some();
    let is_robbed = |post| is_signed(&before, post) && !is_signed(&now, post);
    let robbed_of_one = |&post: &NodeId| is_robbed(post) && within(&found, post) == 1;
    let whole: Vec<NodeId> = posts.iter().copied().filter(robbed_of_one).collect();
    all.retain(|&id| {
        let is_part = || whole.iter().any(|&post| page.contains(post, id));
        if posts.binary_search(&id).is_ok() {
            is_signed(&now, id) || whole.contains(&id)
        } else {
            is_signed(&now, id) && !is_part()
        }
    });
    all
}

/// The posts of a thread that say a word or two.
fn short<'a>(
    page: &'a Page,
    words: &'a [f32],
    names: &'a [Sign],
    thread: &'a Group,
) -> impl Iterator<Item = NodeId> + 'a {
    let look_of_post = look(page, thread.posts[0]);
    let is_signed = |id: NodeId| {
        let next = names.partition_point(|name| name.element < id);
        names
            .get(next)
            .is_some_and(|name| page.contains(id, name.element))
    };
    page.live_children(thread.parent).filter(move |&id| {
        words[id.index()] > 0.0
            && look_of_post.is_some()
            && look(page, id) == look_of_post
            && is_signed(id)
    })
}

/// What is built like a post, wherever it stands in one: replies, one or many.
fn replies(page: &Page, words: &[f32], names: &[Sign], posts: &[NodeId]) -> Vec<NodeId> {
    let looks: HashSet<_> = posts.iter().filter_map(|&post| look(page, post)).collect();
    let around: HashSet<NodeId> = posts.iter().map(|&post| page.parent(post)).collect();
    innermost(page, words, names, |id| {
        look(page, id).is_some_and(|look| looks.contains(&look))
            && page.ancestors(id).any(|up| around.contains(&up))
    })
}

/// Tag and first class of an element.
fn look(page: &Page, id: NodeId) -> Option<(Tag, &str)> {
    let class = page.attribute(id, &local_name!("class"))?;
    Some((page.tag(id)?, class.split_ascii_whitespace().next()?))
}

/// What the page itself calls posts, in microdata.
fn items(page: &Page, words: &[f32], names: &[Sign]) -> Vec<NodeId> {
    const POSTS: [&str; 5] = [
        "Comment",
        "UserComments",
        "Question",
        "Answer",
        "DiscussionForumPosting",
    ];
    let kind = local_name!("itemtype");
    innermost(page, words, names, |id| {
        page.attribute(id, &kind)
            .and_then(|kind| kind.trim().rsplit('/').next())
            .is_some_and(|kind| POSTS.contains(&kind))
    })
}

/// The innermost elements of a kind around each name that hold kept text.
fn innermost(
    page: &Page,
    words: &[f32],
    names: &[Sign],
    is_wanted: impl Fn(NodeId) -> bool,
) -> Vec<NodeId> {
    let around = |name: &Sign| {
        page.ancestors(name.element)
            .take(MAX_LEVELS)
            .find(|&up| is_wanted(up) && words[up.index()] >= POST_WORDS)
    };
    names.iter().filter_map(around).collect()
}

/// The group with most kept words inside an element; the outer one of two that have as many.
fn largest<'a>(groups: &'a [Group], page: &Page, within: NodeId) -> Option<&'a Group> {
    groups
        .iter()
        .find(|group| page.contains(within, group.parent))
}

/// The groups of a page, that with most kept words first.
fn groups(page: &Page, words: &[f32], names: &[Sign]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut of_parent = vec![usize::MAX; page.len()];
    for name in names {
        let mut at = name.element;
        while at != page.body() && at != NodeId::DOCUMENT {
            let parent = page.parent(at);
            if words[at.index()] >= POST_WORDS {
                let index = &mut of_parent[parent.index()];
                if *index == usize::MAX {
                    *index = groups.len();
                    groups.push(Group {
                        parent,
                        posts: Vec::new(),
                        words: 0.0,
                    });
                }
                let group = &mut groups[*index];
                if group.posts.last() == Some(&at) {
                    // Another name got here first, and went on from here.
                    break;
                }
                group.posts.push(at);
                group.words += words[at.index()];
            }
            at = parent;
        }
    }
    groups.retain(|group| {
        let tag = page.tag(group.posts[0]);
        group.posts.len() >= MIN_POSTS && group.posts.iter().all(|&post| page.tag(post) == tag)
    });
    groups.sort_by(|a, b| b.words.total_cmp(&a.words).then(a.parent.cmp(&b.parent)));
    groups.truncate(MAX_THREADS);
    groups
}

/// The post that stands before the thread in an element of its own.
fn opening(page: &Page, words: &[f32], names: &[Sign], thread: NodeId) -> Option<NodeId> {
    let name = names.iter().find(|name| name.element < thread)?;
    std::iter::once(name.element)
        .chain(page.ancestors(name.element))
        .take_while(|&up| !page.contains(up, thread))
        .find(|&up| words[up.index()] >= POST_WORDS)
}
