//! Which elements are the posts: of one look, and nearly all of them signed and dated.

use std::collections::HashMap;

use html5ever::local_name;

use crate::{
    filter::main_block::auto::{blocks::Blocks, text::mix, thread::posts::signs::Sign},
    page::{NodeId, Page, tag::Tag},
};

/// Share of the elements of a look that are signed and dated, at least. Posts of guests have no name that is a link.
const SIGNED: f32 = 0.8;

/// Share of the words in the widest look that another must hold to be chosen for its number.
const EQUAL: f32 = 0.6;

/// Share of the words in one of them, at most, where nothing but dates tells posts.
const MOST_IN_ONE: f32 = 0.8;

/// Elements around a name that are looked at. Raising it costs time on hostile pages.
const MAX_LEVELS: usize = 30;

/// Looks that are looked at, those with most members first: a bound on the work.
const MAX_LOOKS: usize = 60;

/// How posts are known.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// By names and dates; one may stand in another, or hold nearly all words.
    Named,
    /// By dates alone.
    Dated,
    /// The same, of tables and rows that have no name.
    Bare,
}

/// Elements of one look.
struct Alike {
    members: Vec<NodeId>,
    words: f32,
}

/// The elements that are most likely the posts, in document order.
pub(super) fn posts(
    page: &Page,
    blocks: &Blocks,
    names: &[Sign],
    dates: &[Sign],
    least: usize,
    way: Way,
) -> Option<Vec<NodeId>> {
    let mut groups: HashMap<u64, Vec<NodeId>> = HashMap::new();
    let mut is_seen = vec![false; page.len()];
    for name in names {
        let around = page.ancestors(name.element).take(MAX_LEVELS);
        for up in around.take_while(|&up| up != page.body()) {
            if std::mem::replace(&mut is_seen[up.index()], true) {
                break;
            }
            let look = match way {
                Way::Bare => bare_look(page, up),
                Way::Named | Way::Dated => look(page, up),
            };
            if let Some(look) = look {
                groups.entry(look).or_default().push(up);
            }
        }
    }
    let words = words_before(blocks);
    // Before the replies inside of it.
    let has_own = |signs: &[Sign], id: NodeId, inner: Option<&NodeId>| {
        let end = inner.map_or(page.end(id), |&inner| inner.min(page.end(id)));
        let next = signs.partition_point(|sign| sign.element < id);
        signs.get(next).is_some_and(|sign| sign.element < end)
    };
    let mut widest: Vec<(u64, Vec<NodeId>)> = groups.into_iter().collect();
    widest.retain(|(_, members)| members.len() >= least);
    widest.sort_by_key(|(_, members)| (usize::MAX - members.len(), members[0]));
    widest.truncate(MAX_LOOKS);
    let mut groups: Vec<Alike> = widest
        .into_iter()
        .map(|(look, members)| with_brothers(page, look, members))
        .filter_map(|members| {
            let count = |signs: &[Sign]| {
                let pairs = members.iter().enumerate();
                pairs
                    .filter(|&(at, &id)| has_own(signs, id, members.get(at + 1)))
                    .count()
            };
            let is_signed = count(names).min(count(dates)) as f32 >= SIGNED * members.len() as f32;
            let words_of = |id| {
                let inside = blocks.inside(page, id);
                words[inside.end] - words[inside.start]
            };
            let (mut sum, mut most) = (0.0, 0.0f32);
            if is_signed {
                let all = outer(page, &members).map(words_of);
                (sum, most) = all.fold((sum, most), |(sum, most), one| (sum + one, most.max(one)));
            }
            let is_flat =
                || most <= MOST_IN_ONE * sum && outer(page, &members).count() == members.len();
            (is_signed && (matches!(way, Way::Named) || is_flat())).then_some(Alike {
                members,
                words: sum,
            })
        })
        .collect();
    let most = groups.iter().map(|group| group.words).fold(0.0, f32::max);
    groups.retain(|group| group.words >= EQUAL * most && group.words > 0.0);
    groups
        .into_iter()
        .max_by(|one, other| {
            let count = one.members.len().cmp(&other.members.len());
            count.then(other.members[0].cmp(&one.members[0]))
        })
        .map(|group| group.members)
}

/// The members of a look with what looks the same beside them, in document order.
fn with_brothers(page: &Page, wanted: u64, members: Vec<NodeId>) -> Vec<NodeId> {
    let mut parents: Vec<NodeId> = members.iter().map(|&id| page.parent(id)).collect();
    parents.sort_unstable();
    parents.dedup();
    let brothers = parents
        .iter()
        .flat_map(|&parent| page.live_children(parent))
        .filter(|&id| look(page, id) == Some(wanted) && page.chars(id) > 0);
    let mut all: Vec<NodeId> = brothers.collect();
    all.extend(members);
    all.sort_unstable();
    all.dedup();
    all
}

/// Members that stand in no other.
pub(super) fn outer<'a>(
    page: &'a Page,
    members: &'a [NodeId],
) -> impl Iterator<Item = NodeId> + 'a {
    let mut over = NodeId::DOCUMENT;
    members.iter().copied().filter(move |&id| {
        let is_outer = id >= over;
        if is_outer {
            over = page.end(id);
        }
        is_outer
    })
}

/// By block: words of all before it, and at the end of all.
fn words_before(blocks: &Blocks) -> Vec<f32> {
    let mut sum = 0.0;
    let mut all = vec![0.0];
    all.extend(blocks.list.iter().map(|block| {
        sum += block.stats.words;
        sum
    }));
    all
}

/// Tag and first class of an element, or its identifier where it has no class, as a number; digits in them aside.
fn look(page: &Page, id: NodeId) -> Option<u64> {
    let class = page.attribute(id, &local_name!("class"));
    let first = class.and_then(|class| class.split_ascii_whitespace().next());
    let numbered = || {
        let id = page.attribute(id, &local_name!("id"))?;
        id.bytes().any(|byte| byte.is_ascii_digit()).then_some(id)
    };
    let name = first.or_else(numbered)?;
    Some(key(page, id, name, 1))
}

/// The same of a table or a row without a name, by where it stands: pages made by hand have no classes.
fn bare_look(page: &Page, id: NodeId) -> Option<u64> {
    let may_be = matches!(page.tag(id), Some(Tag::Table | Tag::Tr));
    may_be.then(|| key(page, id, "", mix(2, page.parent(id).index() as u64)))
}

/// Tag and name of an element as a number, with what stands above it; digits aside.
pub(super) fn key(page: &Page, id: NodeId, name: &str, above: u64) -> u64 {
    let tag = page.tag(id).map_or(255, |tag| tag as u64);
    name.bytes()
        .filter(|byte| !byte.is_ascii_digit())
        .fold(mix(above, tag + 1), |key, byte| mix(key, u64::from(byte)))
}
