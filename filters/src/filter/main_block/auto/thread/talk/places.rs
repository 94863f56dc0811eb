//! Where things stand in a post, and which place is its body.

use std::collections::HashMap;

use html5ever::local_name;

use super::key;
use crate::{
    filter::main_block::auto::{
        blocks::Blocks,
        called::Names,
        text::mix,
        thread::posts::{owners::Owners, signs::Sign},
    },
    page::{NodeId, Page, tag::Tag},
};

/// Share of the words that are no links which the body of the posts holds, at least.
const SHARE: f32 = 0.6;

/// What a word counts that is not kept. Boxes beside a post can say more than the post.
const WEIGHT: f32 = 0.25;

/// Words of a line with a name or a date, which counts for nothing.
const LINE: f32 = 14.0;

/// Share of the posts in which the body stands at its place, at least.
const SAME: f32 = 0.8;

/// Bodies that may stand in one post, on the mean; a post that says nothing has a longer line below it. Higher: a paragraph is taken for
/// the body.
const PER_POST: f32 = 1.1;

/// Share of the words of its post below which an element is beside the body that looks like it: the line below a post.
const ASIDE: f32 = 0.3;

/// Elements from a post down to its body, at most: a bound on the work.
const MAX_DEPTH: usize = 30;

/// The places of a thread.
pub(super) struct Places {
    /// By row: the way down to it from its post; 0 where it is in none.
    keys: Vec<u64>,
    /// Where the body of each post stands, if that is told apart.
    body: Option<u64>,
    /// By row of a post: its body.
    bodies: HashMap<NodeId, NodeId>,
    /// The bodies in document order.
    in_order: Vec<NodeId>,
}

#[derive(Default)]
struct Place {
    above: u64,
    words: f32,
    elements: usize,
    posts: usize,
    last: NodeId,
}

const POST: u64 = 1;

impl Places {
    pub(super) fn of(
        page: &Page,
        blocks: &Blocks,
        kept: &[bool],
        [names, dates]: [&[Sign]; 2],
        posts: &[NodeId],
        owners: &Owners,
    ) -> Places {
        let mut keys = vec![0u64; page.len()];
        let mut words = vec![0.0f32; page.len()];
        let mut is_sign = vec![false; page.len()];
        for sign in names.iter().chain(dates) {
            for id in page.live(sign.element) {
                is_sign[id.index()] = true;
            }
        }
        let is_signature = signatures(page, posts);
        for (block, &kept) in blocks.list.iter().zip(kept) {
            let texts = || blocks.texts(block).iter();
            if is_signature[block.container.index()]
                || block.stats.words <= LINE && texts().any(|id| is_sign[id.index()])
            {
                continue;
            }
            let weight = if kept { 1.0 } else { WEIGHT };
            let own = weight * block.stats.words * (1.0 - block.link_density());
            words[block.container.index()] += own;
        }
        let mut rows: Vec<NodeId> = Vec::new();
        // Rows and cells without a class are told apart by their number.
        let mut cells = vec![0u64; page.len()];
        for post in super::outer(page, posts) {
            for id in page.live(post).filter(|&id| page.tag(id).is_some()) {
                keys[id.index()] = if owners.of_node(id) == owners.of_node(page.parent(id)) {
                    let above = page.parent(id).index();
                    let class = page.attribute(id, &local_name!("class")).unwrap_or("");
                    let number = match page.tag(id) {
                        Some(Tag::Tr | Tag::Td) if class.is_empty() => {
                            cells[above] += 1;
                            cells[above]
                        }
                        _ => 0,
                    };
                    key(page, id, class, mix(keys[above], number))
                } else {
                    POST
                };
                rows.push(id);
            }
        }
        for &id in rows.iter().rev() {
            if keys[id.index()] != POST {
                let own = words[id.index()];
                words[page.parent(id).index()] += own;
            }
        }
        let mut places: HashMap<u64, Place> = HashMap::new();
        for &id in rows.iter().filter(|&&id| words[id.index()] > 0.0) {
            let post = owners.of_node(id).unwrap_or_default();
            // One paragraph is not all that a post may say.
            if page.tag(id) == Some(Tag::P) {
                continue;
            }
            let place = places.entry(keys[id.index()]).or_default();
            place.above = if keys[id.index()] == POST {
                0
            } else {
                keys[page.parent(id).index()]
            };
            place.words += words[id.index()];
            let of_post = words[post.index()];
            place.elements += usize::from(words[id.index()] >= ASIDE * of_post);
            place.posts += usize::from(place.last != post);
            place.last = post;
        }
        let body = body(&places);
        let bodies = bodies(page, &rows, &keys, body, posts, owners, &words);
        let is_in_body = |name: &&Sign| {
            let post = owners.of_node(name.element);
            let body = post.and_then(|post| bodies.get(&post));
            body.is_some_and(|&body| page.contains(body, name.element))
        };
        let is_signed = names.iter().filter(|name| !is_in_body(name)).count();
        let is_signed = is_signed as f32 >= SAME * posts.len() as f32;
        let mut in_order: Vec<NodeId> = bodies.values().copied().collect();
        in_order.sort_unstable();
        Places {
            keys,
            in_order,
            body: is_signed.then_some(body).filter(|&body| body != POST),
            bodies,
        }
    }

    /// Whether a node of a post stands in its body.
    pub(super) fn body(&self, page: &Page, post: NodeId, id: NodeId) -> bool {
        match self.bodies.get(&post) {
            Some(&body) if self.body.is_some() => page.contains(body, id),
            _ => true,
        }
    }

    /// Whether a node of a post stands behind its body.
    pub(super) fn is_below_body(&self, page: &Page, post: NodeId, id: NodeId) -> bool {
        let body = self.bodies.get(&post);
        body.is_some_and(|&body| page.end(body) <= id)
    }

    /// Whether an element is a body or holds one.
    pub(super) fn holds_body(&self, page: &Page, id: NodeId) -> bool {
        let next = self.in_order.partition_point(|&body| body < id);
        self.in_order
            .get(next)
            .is_some_and(|&body| page.contains(id, body))
    }

    /// Whether the posts have a body that is less than all of them.
    pub(super) fn have_body(&self) -> bool {
        self.body.is_some()
    }

    /// The place of an element.
    pub(super) fn place(&self, id: NodeId) -> u64 {
        self.keys[id.index()]
    }
}

/// The body of each post: what stands at the place, and where nothing does (the question above its answers, the first post of some
/// programs) what looks the same in that post.
fn bodies(
    page: &Page,
    rows: &[NodeId],
    keys: &[u64],
    body: u64,
    posts: &[NodeId],
    owners: &Owners,
    words: &[f32],
) -> HashMap<NodeId, NodeId> {
    let mut bodies: HashMap<NodeId, NodeId> = HashMap::new();
    for &id in rows.iter().filter(|&&id| keys[id.index()] == body) {
        let Some(post) = owners.of_node(id) else {
            continue;
        };
        // Beside the panel of its writer a post stands behind it.
        if words[id.index()] >= ASIDE * words[post.index()] {
            bodies.insert(post, id);
        } else {
            bodies.entry(post).or_insert(id);
        }
    }
    let class = |id| page.attribute(id, &local_name!("class")).unwrap_or("");
    let look = |id| key(page, id, class(id), 0);
    let example = rows.iter().find(|&&id| keys[id.index()] == body);
    let Some(wanted) = example
        .filter(|&&id| !class(id).is_empty())
        .map(|&id| look(id))
    else {
        return bodies;
    };
    let lost: Vec<NodeId> = posts
        .iter()
        .copied()
        .filter(|post| !bodies.contains_key(post))
        .collect();
    for post in lost {
        let mut inside = page.live(post).skip(1);
        let is_body = |&id: &NodeId| owners.of_node(id) == Some(post) && look(id) == wanted;
        if let Some(body) = inside.find(is_body) {
            bodies.insert(post, body);
        }
    }
    bodies
}

/// What the author puts under everything. Some programs say of a body that there is a "sig" below.
const SIGNATURES: Names = Names::new(&["signature", "signatures"]);

/// By row: whether it stands in a signature.
fn signatures(page: &Page, posts: &[NodeId]) -> Vec<bool> {
    let mut is_signature = vec![false; page.len()];
    for post in super::outer(page, posts) {
        for id in page.live(post).filter(|&id| page.tag(id).is_some()) {
            is_signature[id.index()] =
                is_signature[page.parent(id).index()] || SIGNATURES.name(page, id);
        }
    }
    is_signature
}

/// Down from the post to the last place that holds enough.
fn body(places: &HashMap<u64, Place>) -> u64 {
    let Some(post) = places.get(&POST) else {
        return POST;
    };
    let mut at = POST;
    for _ in 0..MAX_DEPTH {
        let inner = places
            .iter()
            .filter(|(_, place)| place.above == at)
            .max_by(|one, other| {
                one.1
                    .words
                    .total_cmp(&other.1.words)
                    .then(one.0.cmp(other.0))
            });
        let Some((&key, place)) = inner else {
            return at;
        };
        let is_body = place.words >= SHARE * post.words
            && place.posts as f32 >= SAME * post.posts as f32
            && place.elements as f32 <= PER_POST * place.posts as f32;
        if !is_body {
            return at;
        }
        at = key;
    }
    at
}
