//! Repeated records: the posts of a thread, the comments below an answer, the cards of a shelf, the rows of a programme.
//!
//! Records are elements of one shape (tag and first class). Their fields stand at the same place in each of them: what is reached by
//! the same tags and classes is one field, and all records share its mean probability ([`Records::smooth`]), so that an entry neither
//! loses its time nor a short answer its text because it is short. (Wrappers are induced the same way: Kushmerick 1997; Zhai, Liu,
//! *Web Data Extraction Based on Partial Tree Alignment*, WWW 2005.)
//!
//! Records that are signed and dated are posts; each keeps one name and one date ([`Records::posts`]).

mod cards;
mod comments;
pub(crate) mod mentions;
mod quotes;

use html5ever::local_name;

use super::{
    Scored,
    blocks::{TextBlock, TextBlocks},
    text::mix,
};
use crate::{
    hashing::Table,
    html::{NodeId, Page, tag::Tag},
    measure::outermost,
    page_type::prices,
};
pub(super) use comments::CommentEntry;
use mentions::{Mention, Mentions};

/// Records from which a page has a thread: with two, the second may be the box of the author. A forum may have one answer.
const LEAST: usize = 3;
const LEAST_IN_FORUM: usize = 2;

/// Siblings from which they are records.
const LEAST_SIBLINGS: usize = 3;

/// Most distinct link targets of a list entry (item, author, topic, comments). An element with more is itself a list.
const MAX_PLACES: usize = 4;

/// Words of a sibling on average, at most. Higher: sections of a text are taken for records.
const SIBLING_WORDS: f32 = 60.0;

/// Share of the records that have a name or a date, at least. Guests have no profile, and a deleted post no date.
const SIGNED: f32 = 0.7;

/// Elements around a name in which its record is looked for. Raising it costs time on hostile pages.
const MAX_LEVELS: usize = 30;

/// Looks that are compared, those with most members: a bound on the work.
const MAX_SHAPES: usize = 60;

/// The records of a page.
#[derive(Default)]
pub(crate) struct Records {
    /// The posts of its thread, in document order. A reply may stand in the post that it answers.
    posts: Vec<NodeId>,
    names: Vec<Mention>,
    dates: Vec<Mention>,
    /// By row: the innermost post around it.
    post_of: Vec<NodeId>,
    /// The posts with who wrote them, where the page marks elements around their texts as posts; else the posts.
    signed: Vec<NodeId>,
    /// By row: the innermost of these.
    signed_of: Vec<NodeId>,
    /// By block: the field that it is or is part of.
    fields: Vec<Option<u64>>,
    /// Alike siblings, with the number of their group.
    siblings: Table<NodeId, u64>,
    /// Siblings that only look like entries of a list, with the number of their group.
    cards: Table<NodeId, u64>,
}

/// The parts of a thread that are shown beside the kept blocks.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) posts: Vec<NodeId>,
    /// Who wrote the first of them.
    pub(super) starter: Option<String>,
    /// Text nodes of names and dates.
    pub(super) texts: Vec<NodeId>,
}

impl Records {
    pub(crate) fn from_page(page: &Page, blocks: &TextBlocks, is_forum: bool) -> Records {
        let Mentions { names, dates } = Mentions::from_page(page, blocks);
        let words = WordSums::from_blocks(page, blocks);
        let posts = posts(page, &words, &names, &dates, is_forum);
        let (siblings, cards) = siblings(page, &words);
        let post_of = innermost(page, &posts);
        let marked = marked_around(page, &posts).filter(|marked| is_signed(page, marked, &names));
        let signed_of = marked.as_ref().map_or_else(|| post_of.clone(), |marked| innermost(page, marked));
        let signed = marked.unwrap_or_else(|| posts.clone());
        let fields = Vec::new();
        let mut records = Records { posts, names, dates, post_of, signed, signed_of, fields, siblings, cards };
        records.fields = records.fields(page, blocks);
        records
    }

    /// By block, the field that it is part of.
    fn fields(&self, page: &Page, blocks: &TextBlocks) -> Vec<Option<u64>> {
        let mut keys = vec![0u64; page.len()];
        for id in page.live(page.body()).filter(|&id| page.tag(id).is_some()) {
            let above = keys[page.parent(id).index()];
            keys[id.index()] = if self.is_post(id) {
                POST
            } else if above == 0 {
                self.siblings.get(&id).copied().unwrap_or(0)
            } else {
                shape_from(page, id, above)
            };
        }
        let key = |block: &TextBlock| keys[block.container.index()];
        blocks.list.iter().map(|block| Some(key(block)).filter(|&key| key != 0)).collect()
    }

    /// Where a block stands among records: whether it is in a post, and whether it is part of a field.
    pub(super) fn place(&self, block: &TextBlock, at: usize) -> (bool, bool) {
        let post = self.post_of[block.container.index()];
        (post != NodeId::DOCUMENT, self.fields[at].is_some())
    }

    /// The innermost post around a block; the document where it stands in none.
    pub(super) fn post_around(&self, block: &TextBlock) -> NodeId {
        self.post_of.get(block.container.index()).copied().unwrap_or(NodeId::DOCUMENT)
    }

    pub(super) fn count(&self) -> usize {
        self.posts.len()
    }

    fn is_post(&self, id: NodeId) -> bool {
        self.posts.binary_search(&id).is_ok()
    }

    /// Gives all blocks of one field their mean probability, words as weights.
    pub(super) fn smooth(&self, scored: &mut [Scored]) {
        let mut sums: Table<u64, (f64, f64)> = Table::default();
        for (field, scored) in self.fields.iter().zip(&*scored) {
            if let Some(field) = field {
                let sum = sums.entry(*field).or_default();
                sum.0 += scored.words;
                sum.1 += scored.words * scored.probability;
            }
        }
        for (field, scored) in self.fields.iter().zip(scored) {
            let sum = field.and_then(|field| sums.get(&field));
            if let Some(&(words, hits)) = sum.filter(|sum| sum.0 > 0.0) {
                scored.probability = hits / words;
            }
        }
    }

    /// Keeps the group of records that tells most prices.
    pub(super) fn keep_priced(&self, page: &Page, blocks: &TextBlocks, kept: &mut [bool]) {
        let mut found: Table<u64, usize> = Table::default();
        let count = |id: NodeId| -> usize {
            let texts = page.live(id).filter_map(|id| page.text(id));
            texts.map(|text| prices(&text)).sum()
        };
        for (&id, &group) in &self.siblings {
            *found.entry(group).or_default() += count(id);
        }
        let Some((&group, _)) =
            found.iter().filter(|(_, count)| **count > 0).max_by_key(|(group, count)| (**count, **group))
        else {
            return;
        };
        for (&id, _) in self.siblings.iter().filter(|(_, of)| **of == group) {
            kept[blocks.over(page, id)].fill(true);
        }
    }

    /// The alike siblings of which something is kept, outermost first: groups in which most members lead
    /// somewhere, but not to so many places that they are lists themselves; and cards that hold none of these.
    pub(super) fn entries(&self, page: &Page, blocks: &TextBlocks, kept: &[bool]) -> Vec<NodeId> {
        let kept_groups = |siblings: &Table<NodeId, u64>| {
            let mut groups: Table<u64, Vec<NodeId>> = Table::default();
            // A figure of an article is no card, though its caption leads to who made it.
            let is_card = |id: NodeId| !matches!(page.tag(id), Some(Tag::Tr | Tag::Td | Tag::Figure));
            for (&id, &group) in siblings.iter().filter(|(id, _)| is_card(**id)) {
                if kept[blocks.over(page, id)].contains(&true) {
                    groups.entry(group).or_default().push(id);
                }
            }
            groups.retain(|_, members| members.len() >= LEAST_SIBLINGS);
            groups
        };
        let mut groups = kept_groups(&self.siblings);
        let leads_on = |id: &&NodeId| {
            let links = page.live(**id).filter(|&id| page.tag(id) == Some(Tag::A));
            let mut places: Vec<&str> = links.filter_map(|id| page.attribute(id, &local_name!("href"))).collect();
            places.sort_unstable();
            places.dedup();
            (1..=MAX_PLACES).contains(&places.len())
        };
        groups.retain(|_, members| 2 * members.iter().filter(leads_on).count() > members.len());
        let mut cards = kept_groups(&self.cards);
        let mut all: Vec<NodeId> = groups.values().chain(cards.values()).flatten().copied().collect();
        all.sort_unstable();
        let holds_another = |&id: &NodeId| {
            let next = all.get(all.partition_point(|&other| other <= id));
            next.is_some_and(|&next| next < page.end(id))
        };
        cards.retain(|_, members| !members.iter().any(holds_another));
        outermost(page, groups.into_values().chain(cards.into_values()).flatten().collect())
    }

    /// The mention right above a post that has none, between it and the post before: bbPress writes the day as a line of its own.
    fn above<'a>(&self, page: &Page, post: NodeId, mentions: &'a [Mention]) -> Option<&'a Mention> {
        let mention = &mentions[mentions.partition_point(|mention| mention.element < post).checked_sub(1)?];
        let before = self.signed.partition_point(|&other| other < post).checked_sub(1);
        let is_of_other = before.is_some_and(|at| mention.element < page.end(self.signed[at]));
        (!is_of_other && page.contains(page.parent(post), mention.element)).then_some(mention)
    }

    /// The posts of which something is kept, each with one name and one date.
    pub(super) fn posts(&self, page: &Page, blocks: &TextBlocks, kept: &[bool]) -> Thread {
        let mut is_kept = vec![false; page.len()];
        let mut has_text: Vec<NodeId> = Vec::new();
        for (block, _) in blocks.list.iter().zip(kept).filter(|(_, kept)| **kept) {
            for &text in blocks.texts(block) {
                is_kept[text.index()] = true;
            }
            has_text.push(self.signed_of[block.container.index()]);
        }
        has_text.sort_unstable();
        let mut thread = Thread::default();
        let has_date = |&&post: &&NodeId| {
            let next = self.dates.partition_point(|mention| mention.element < post);
            self.dates.get(next).is_some_and(|mention| mention.element < page.end(post))
        };
        let are_dated = 2 * self.signed.iter().filter(has_date).count() > self.signed.len();
        for &post in self.signed.iter().filter(|post| has_text.binary_search(post).is_ok()) {
            thread.posts.push(post);
            let of_post = |mention: &&Mention| self.signed_of[mention.element.index()] == post;
            let within = |mentions: &[Mention]| {
                let start = mentions.partition_point(|mention| mention.element < post);
                let end = mentions.partition_point(|mention| mention.element < page.end(post));
                start..end
            };
            let names = &self.names[within(&self.names)];
            let name = names.iter().filter(of_post).min_by_key(|mention| (mention.doubt(), mention.element));
            let dates = &self.dates[within(&self.dates)];
            let near = name.map_or(post, |name| name.element);
            let date = dates.iter().filter(of_post).min_by_key(|date| (date.doubt(), date.element.0.abs_diff(near.0)));
            let date = date.or_else(|| self.above(page, post, &self.dates).filter(|_| !are_dated));
            if thread.posts.len() == 1 {
                thread.starter = name.map(|name| mentions::text_of(page, name)).filter(|name| !name.is_empty());
            }
            // What says the same, or says it as well: the name beside the picture and the one above the text.
            let is_shown = |wanted: &Mention, mentions: &[Mention]| {
                let is_kept = |mention: &&Mention| of_post(mention) && is_kept[mention.text.index()];
                let says_it = |mention: &Mention| {
                    mention.doubt() <= wanted.doubt()
                        || mentions::text_of(page, mention) == mentions::text_of(page, wanted)
                };
                mentions.iter().filter(is_kept).any(says_it)
            };
            for (mention, all) in [(name, names), (date, dates)] {
                if let Some(mention) = mention.filter(|mention| !is_shown(mention, all)) {
                    thread.texts.extend(page.live(mention.element).filter(|&id| page.own_chars(id) > 0));
                }
            }
        }
        thread
    }
}

const POST: u64 = 1;

/// Sums over the blocks below each element, by row.
#[derive(Clone, Copy, Default)]
struct WordSums {
    all: f32,
    unlinked: f32,
    blocks: u32,
}

impl WordSums {
    fn from_blocks(page: &Page, blocks: &TextBlocks) -> Vec<WordSums> {
        let mut sums = vec![WordSums::default(); page.len()];
        for block in &blocks.list {
            let all = block.stats.words;
            sums[block.container.index()].add(WordSums {
                all,
                unlinked: all * (1.0 - block.link_density()),
                blocks: 1,
            });
        }
        let body = page.body();
        for row in (body.index() + 1..page.end(body).index()).rev() {
            let sum = sums[row];
            if sum.blocks > 0 {
                sums[page.parent(NodeId::from_row(row)).index()].add(sum);
            }
        }
        sums
    }

    fn add(&mut self, other: WordSums) {
        self.all += other.all;
        self.unlinked += other.unlinked;
        self.blocks += other.blocks;
    }
}

/// The elements around some posts, one around each, that their microdata call posts: the text of a post may name others, and so seem
/// to be all of it.
fn marked_around(page: &Page, posts: &[NodeId]) -> Option<Vec<NodeId>> {
    const TYPES: [&str; 3] = ["Comment", "Answer", "DiscussionForumPosting"];
    let is_marked = |id: &NodeId| {
        let kind = page.attribute(*id, &local_name!("itemtype"));
        kind.and_then(|kind| kind.trim().rsplit('/').next()).is_some_and(|kind| TYPES.contains(&kind))
    };
    let around = |&post: &NodeId| page.ancestors(post).take(MAX_LEVELS).find(is_marked);
    let mut marked = posts.iter().map(around).collect::<Option<Vec<NodeId>>>()?;
    marked.dedup();
    (marked.len() == posts.len()).then_some(marked)
}

/// The posts of the thread: of the shapes with most text whose members are nearly all signed and dated, in a forum else one of both, the
/// one with most members.
fn posts(page: &Page, words: &[WordSums], names: &[Mention], dates: &[Mention], is_forum: bool) -> Vec<NodeId> {
    let least = if is_forum { LEAST_IN_FORUM } else { LEAST };
    let mut shapes: Table<u64, Vec<NodeId>> = Table::default();
    let mut is_seen = vec![false; page.len()];
    for mention in names.iter().chain(dates) {
        let around = page.ancestors(mention.element).take(MAX_LEVELS);
        for up in around.take_while(|&up| up != page.body()) {
            if std::mem::replace(&mut is_seen[up.index()], true) {
                break;
            }
            if let Some(shape) = shape(page, up) {
                shapes.entry(shape).or_default().push(up);
            }
        }
    }
    let mut shapes: Vec<Vec<NodeId>> = shapes.into_values().filter(|members| members.len() >= least).collect();
    for members in &mut shapes {
        members.sort_unstable();
    }
    shapes.sort_by_key(|members| (usize::MAX - members.len(), members[0]));
    shapes.truncate(MAX_SHAPES);
    let text = |members: &[NodeId]| {
        let mut over = NodeId::DOCUMENT;
        let outer = members.iter().filter(|&&id| {
            let is_outer = id >= over;
            over = over.max(page.end(id));
            is_outer
        });
        outer.map(|&id| words[id.index()].unlinked).sum::<f32>()
    };
    let is_signed = |members: &[NodeId], mentions: &[Mention]| is_signed(page, members, mentions);
    let is_both = |members: &[NodeId]| is_signed(members, names) && is_signed(members, dates);
    shapes.retain(|members| is_both(members) || is_forum && (is_signed(members, names) || is_signed(members, dates)));
    let most = shapes.iter().map(|members| text(members)).fold(0.0, f32::max);
    // What holds all posts of a page has as much text as they have, and fewer members.
    shapes.retain(|members| text(members) > 0.6 * most && most > 0.0);
    let rank = |members: &Vec<NodeId>| (is_both(members), members.len(), std::cmp::Reverse(members[0]));
    shapes.into_iter().max_by_key(rank).unwrap_or_default()
}

/// Whether nearly all of some elements have a mention of their own, before the next of them begins.
fn is_signed(page: &Page, members: &[NodeId], mentions: &[Mention]) -> bool {
    let has_own = |(at, &id): (usize, &NodeId)| {
        let end = members.get(at + 1).map_or(page.end(id), |&inner| inner.min(page.end(id)));
        let next = mentions.partition_point(|mention| mention.element < id);
        mentions.get(next).is_some_and(|mention| mention.element < end)
    };
    let signed = members.iter().enumerate().filter(|&member| has_own(member)).count();
    signed as f32 >= SIGNED * members.len() as f32
}

/// Alike siblings that are short and hold several texts each, and the number of their group; and others that are cards.
fn siblings(page: &Page, words: &[WordSums]) -> (Table<NodeId, u64>, Table<NodeId, u64>) {
    let with_text = |id: &NodeId| page.tag(*id).is_some() && words[id.index()].blocks > 0;
    let elements: Vec<NodeId> = page.live(page.body()).skip(1).filter(with_text).collect();
    let mut children = vec![0; page.len()];
    for &id in &elements {
        children[page.parent(id).index()] += 1;
    }
    let elements = elements.into_iter().filter(|&id| children[page.parent(id).index()] >= LEAST_SIBLINGS);
    let mut shapes: Vec<_> = elements.map(|id| (page.parent(id), shape_from(page, id, 3), id)).collect();
    shapes.sort_unstable();
    let (mut records, mut found_cards) = (Table::default(), Table::default());
    for alike in shapes.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
        if alike.len() < LEAST_SIBLINGS {
            continue;
        }
        let (parent, shape, _) = alike[0];
        let members: Vec<NodeId> = alike.iter().map(|&(.., id)| id).collect();
        let sum = |of: &dyn Fn(NodeId) -> f32| members.iter().map(|&id| of(id)).sum::<f32>();
        let count = members.len() as f32;
        let all = sum(&|id| words[id.index()].all);
        let blocks = sum(&|id| words[id.index()].blocks as f32);
        let group = mix(mix(shape, u64::from(parent.0)), 4);
        if blocks >= 2.0 * count && all <= SIBLING_WORDS * count {
            records.extend(members.into_iter().map(|id| (id, group)));
        } else if all <= cards::WORDS * count && cards::are_most(page, words, &members) {
            found_cards.extend(members.into_iter().map(|id| (id, group)));
        }
    }
    (records, found_cards)
}

/// By row: the innermost of some elements around it.
pub(super) fn innermost(page: &Page, elements: &[NodeId]) -> Vec<NodeId> {
    let mut owners = vec![NodeId::DOCUMENT; page.len()];
    if elements.is_empty() {
        return owners;
    }
    let mut around: Vec<NodeId> = Vec::new();
    let mut next = elements.iter().copied().peekable();
    for (row, owner) in owners.iter_mut().enumerate() {
        let id = NodeId::from_row(row);
        while around.last().is_some_and(|&outer| id >= page.end(outer)) {
            around.pop();
        }
        around.extend(next.next_if_eq(&id));
        *owner = around.last().copied().unwrap_or(NodeId::DOCUMENT);
    }
    owners
}

/// Tag and first class of an element, or its identifier where that is numbered; digits in them aside.
fn shape(page: &Page, id: NodeId) -> Option<u64> {
    let first = Some(page.first_class(id)).filter(|first| !first.is_empty());
    let numbered = || {
        let id = page.attribute(id, &local_name!("id"))?;
        id.bytes().any(|byte| byte.is_ascii_digit()).then_some(id)
    };
    let is_row = || matches!(page.tag(id), Some(Tag::Table | Tag::Tr | Tag::Li | Tag::Article)).then_some("");
    let name = first.or_else(numbered).or_else(is_row)?;
    let above = if name.is_empty() { u64::from(page.parent(id).0) } else { 0 };
    Some(key(page, id, name, mix(1, above)))
}

/// A hash of an element's tag and first class, and of the way down to it.
fn shape_from(page: &Page, id: NodeId, above: u64) -> u64 {
    key(page, id, page.first_class(id), above)
}

fn key(page: &Page, id: NodeId, name: &str, above: u64) -> u64 {
    let tag = page.tag(id).map_or(255, |tag| tag as u64);
    let letters = name.bytes().filter(|byte| !byte.is_ascii_digit());
    letters.fold(mix(above, tag + 1), |key, byte| mix(key, u64::from(byte)))
}

#[cfg(test)]
mod tests;
