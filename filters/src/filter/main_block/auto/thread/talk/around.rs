//! What stands around the bodies of a thread: of each post one name and one date stay, and the furniture goes.

use std::collections::{HashMap, HashSet};

use super::{
    Talk,
    comments::Comments,
    dates::{Dates, loose_place},
    is_heading,
    outside::Outside,
    previews,
};
use crate::{
    filter::main_block::auto::{
        blocks::Blocks,
        called::Names,
        thread::posts::signs::{Sign, is_quote},
    },
    page::{NodeId, Page, tag::Tag},
    text::one_line,
};

/// Words of a block that can be furniture, and of all others at its place. Higher: comments below an answer go with it.
pub(super) const MAX_WORDS: f32 = 12.0;

/// Posts in which a place must be.
const MIN_ALIKE: usize = 2;

/// Visible characters beside the names in a list of names: "and 12 others like this".
const MAX_BESIDE_NAMES: f32 = 40.0;

/// What the author puts under everything.
const SIGNATURES: Names = Names::new(&["signature", "signatures", "sig"]);

/// What is to be done around the bodies.
#[derive(Default)]
pub(in super::super) struct Around {
    /// Texts that stay in any case: names, dates, and what stands between them.
    pub(in super::super) texts: Vec<NodeId>,
    /// Blocks that go.
    pub(in super::super) gone: Vec<usize>,
    /// Blocks that come back: comments on posts.
    pub(in super::super) back: Vec<usize>,
    /// What posts show of others.
    previews: Vec<NodeId>,
    /// How many posts have a date outside of their body.
    pub(in super::super) dated: usize,
    /// By post: who wrote it.
    pub(in super::super) writers: HashMap<NodeId, String>,
}

impl Around {
    pub(in super::super) fn of(page: &Page, blocks: &Blocks, talk: &Talk, kept: &[bool]) -> Around {
        let mut outside = Outside::of(page, blocks, talk);
        let mut around = Around::default();
        around.previews = previews::previews(page, blocks, talk, &outside);
        around.gone = outside.without(page, blocks, &around.previews);
        let dates = Dates::of(page, blocks, talk, &outside);
        let mut chosen: Vec<NodeId> = Vec::new();
        for &post in &talk.posts {
            if around.is_preview(page, post) {
                continue;
            }
            let date = dates.of_post(page, talk, &outside, post);
            let name = name(page, talk, &outside, post, date);
            if let Some(name) = name {
                around.writers.insert(post, text_of(page, name.element));
            }
            around.dated += usize::from(date.is_some());
            for sign in [name, date].into_iter().flatten() {
                chosen.extend(texts_of(page, sign.element));
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        if talk.places.have_body() {
            around.clear(page, blocks, talk, &outside, &chosen, kept);
        }
        around.texts.extend(chosen);
        around.texts.sort_unstable();
        around.texts.dedup();
        around
    }

    /// Whether an element stands in what a post shows of another.
    pub(in super::super) fn is_preview(&self, page: &Page, id: NodeId) -> bool {
        let next = self.previews.partition_point(|&preview| preview <= id);
        next > 0 && page.contains(self.previews[next - 1], id)
    }

    /// Finds the furniture.
    fn clear(
        &mut self,
        page: &Page,
        blocks: &Blocks,
        talk: &Talk,
        outside: &Outside,
        chosen: &[NodeId],
        kept: &[bool],
    ) {
        let is_chosen = |id: &NodeId| chosen.binary_search(id).is_ok();
        let places = outside.places(blocks, talk);
        let repeated = outside.repeated(blocks, talk, &self.writers);
        let (others, own_names) = self.named(page, talk, outside);
        let lists = lists_of_names(page, blocks, talk, outside, &others);
        let name_place = name_place(blocks, talk, outside, chosen);
        let mut cards: Vec<u64> = outside
            .blocks
            .iter()
            .filter(|(index, _)| own_names.contains(index))
            .filter(|(index, _)| blocks.texts(&blocks.list[*index]).iter().any(is_chosen))
            .map(|&(index, post)| loose_place(page, post, blocks.list[index].container))
            .collect();
        cards.sort_unstable();
        cards.dedup();
        let comments = Comments::of(page, blocks, talk, outside, chosen, &cards, kept);
        for &(index, post) in &outside.blocks {
            let block = &blocks.list[index];
            let texts = blocks.texts(block);
            if comments.said.contains(&index) {
                continue;
            }
            if let Some(signs) = comments.signed.get(&index) {
                self.gone.push(index);
                let is_sign = |id: &NodeId| signs.contains(id);
                if texts.iter().any(is_sign) {
                    self.texts.extend(signs);
                    self.texts
                        .extend(between(page, block.container, texts, is_sign));
                }
                continue;
            }
            let place = talk.places.place(block.container);
            let place_of = &places[&place];
            let is_short = block.stats.words <= MAX_WORDS && place_of.longest <= MAX_WORDS;
            if texts.iter().any(is_chosen) {
                if block.stats.words <= MAX_WORDS * 2.0 {
                    self.gone.push(index);
                    self.texts
                        .extend(between(page, block.container, texts, is_chosen));
                }
                continue;
            }
            let writer = self.writers.get(&post);
            let is_guest = writer.is_none() && Some(place) == name_place;
            if is_heading(page, block.container) {
                // The writer's name with a rank, and "Re: Bridge" above every post.
                let is_own = own_names.contains(&index) && block.stats.words <= MAX_WORDS;
                let headline = page.headline.node;
                let is_headline = headline.is_some_and(|node| page.contains(node, block.container));
                if is_own || repeated.contains(&index) && !is_headline {
                    self.gone.push(index);
                }
                continue;
            }
            if is_guest {
                continue;
            }
            if let Some(named) = others.get(&index) {
                let is_list =
                    || lists.contains(&place) && block.chars - named.chars <= MAX_BESIDE_NAMES;
                // Who changed a post stands where its writer does.
                let is_editor = || {
                    writer.is_some()
                        && block.stats.words <= MAX_WORDS
                        && cards
                            .binary_search(&loose_place(page, post, block.container))
                            .is_ok()
                };
                if is_list() || is_editor() {
                    self.gone.push(index);
                }
                continue;
            }
            let is_furniture =
                || is_short && place_of.posts >= MIN_ALIKE || repeated.contains(&index);
            let is_furniture = is_signature(page, post, block.container)
                || is_furniture() && !is_quoted(page, post, block.container);
            if is_furniture && page.tag(block.container) != Some(Tag::Pre) {
                self.gone.push(index);
            }
        }
        self.back = comments.back;
    }

    /// The blocks with a name that is not the writer's; and those with the writer's alone.
    fn named(
        &self,
        page: &Page,
        talk: &Talk,
        outside: &Outside,
    ) -> (HashMap<usize, Others>, HashSet<usize>) {
        let mut others: HashMap<usize, Others> = HashMap::new();
        let mut own = HashSet::new();
        for name in &talk.names {
            let Some(index) = outside.block(page, name.element) else {
                continue;
            };
            let post = talk.owners.of_node(name.element);
            let text = text_of(page, name.element);
            if post.and_then(|post| self.writers.get(&post)) == Some(&text) {
                own.insert(index);
            } else {
                let named = others.entry(index).or_default();
                named.count += 1;
                named.chars += page.chars(name.element) as f32;
            }
        }
        own.retain(|index| !others.contains_key(index));
        (others, own)
    }
}

/// Names in a block that are not the writer's.
#[derive(Default)]
struct Others {
    count: usize,
    /// Visible characters.
    chars: f32,
}

/// The surest name of a post, rather in the line of its date.
fn name<'a>(
    page: &'a Page,
    talk: &'a Talk,
    outside: &Outside,
    post: NodeId,
    date: Option<&Sign>,
) -> Option<&'a Sign> {
    let names = || {
        let names = talk.owners.signs(page, post, &talk.names);
        names.filter(|name| outside.block(page, name.element).is_some())
    };
    let headline = page.headline.node.filter(|&node| page.contains(post, node));
    let start = headline.unwrap_or(post);
    let name = names().min_by_key(|name| (name.element < start, name.rank, name.element))?;
    let text = text_of(page, name.element);
    let line = date.and_then(|date| outside.block(page, date.element));
    let beside_date = |other: &&Sign| {
        line.is_some()
            && outside.block(page, other.element) == line
            && text_of(page, other.element) == text
    };
    names().find(beside_date).or(Some(name))
}

/// Where most names stand.
fn name_place(blocks: &Blocks, talk: &Talk, outside: &Outside, chosen: &[NodeId]) -> Option<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for name in &talk.names {
        let text = chosen.partition_point(|&id| id < name.element);
        let index = chosen.get(text).and_then(|id| outside.of_text.get(id));
        if let Some(&index) = index {
            let place = talk.places.place(blocks.list[index].container);
            *counts.entry(place).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .max_by_key(|&(place, count)| (count, place))
        .map(|(place, _)| place)
}

/// Places where mostly names of others stand and no dates: who liked a post.
fn lists_of_names(
    page: &Page,
    blocks: &Blocks,
    talk: &Talk,
    outside: &Outside,
    others: &HashMap<usize, Others>,
) -> HashSet<u64> {
    let place = |index: usize| talk.places.place(blocks.list[index].container);
    // Blocks, and those with several names.
    let mut tallies: HashMap<u64, (usize, usize)> = HashMap::new();
    for (&index, named) in others {
        let (all, several) = tallies.entry(place(index)).or_default();
        *all += 1;
        *several += usize::from(named.count >= 2);
    }
    for date in &talk.dates {
        if let Some(index) = outside.block(page, date.element) {
            tallies.remove(&place(index));
        }
    }
    tallies.retain(|_, &mut (all, several)| all >= MIN_ALIKE && several * 2 >= all);
    tallies.into_keys().collect()
}

/// What stands between the chosen texts of a line: signs, and words of the line itself ("wrote on"), but no counts.
fn between<'a>(
    page: &'a Page,
    line: NodeId,
    texts: &'a [NodeId],
    is_chosen: impl Fn(&NodeId) -> bool,
) -> impl Iterator<Item = NodeId> + 'a {
    let first = texts.iter().position(&is_chosen).unwrap_or(0);
    let last = texts.iter().rposition(&is_chosen).unwrap_or(0);
    texts[first..=last].iter().copied().filter(move |&id| {
        let is_of_line = page.parent(id) == line;
        page.text(id).is_some_and(|text| {
            !text.contains(char::is_alphanumeric) || is_of_line && !text.contains(char::is_numeric)
        })
    })
}

/// Whether a text stands in a quote inside of a post.
fn is_quoted(page: &Page, post: NodeId, id: NodeId) -> bool {
    std::iter::once(id)
        .chain(page.ancestors(id))
        .take_while(|&up| up != post)
        .any(|up| is_quote(page, up))
}

fn is_signature(page: &Page, post: NodeId, id: NodeId) -> bool {
    std::iter::once(id)
        .chain(page.ancestors(id))
        .take_while(|&up| up != post)
        .any(|up| SIGNATURES.name(page, up))
}

pub(super) fn text_of(page: &Page, id: NodeId) -> String {
    const MAX_NODES: usize = 20;
    const MAX_BYTES: usize = 200;
    one_line(&page.start_of_text(id, MAX_NODES, MAX_BYTES))
}

pub(super) fn texts_of(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    page.live(id).filter(|&id| page.own_chars(id) > 0)
}
