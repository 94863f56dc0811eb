//! The comments in a section that the page calls so. They may be few: a page with one comment has no thread.

use html5ever::local_name;

use super::{
    super::{blocks::TextBlocks, text::mix},
    MAX_LEVELS, Mention, Mentions, Records, SIGNED, WordSums, innermost, key, mentions, shape,
};
use crate::{
    hashing::Table,
    html::{NodeId, Page, attribute_hints::class_hints::ClassHint, tag::Tag},
    vocabulary::words::count,
};

/// Looks that are compared, those with most members: a bound on the work.
const MAX_SHAPES: usize = 20;

/// Words of comments outside of links, on average, at least. Fewer are lists of who wrote where.
const WORDS: f32 = 3.0;

/// Nodes of a name that are read.
const NAME_NODES: usize = 20;

/// Share of the words of the shape with most that the chosen one has.
const OF_TEXT: f32 = 0.6;

/// A comment, with what tells who wrote it and when.
pub(in super::super) struct CommentEntry {
    pub(in super::super) element: NodeId,
    pub(in super::super) name: Option<Mention>,
    pub(in super::super) date: Option<Mention>,
}

impl CommentEntry {
    /// The text of its name; of "Ann says:" what is set off.
    pub(in super::super) fn author(&self, page: &Page) -> Option<String> {
        let name = self.name?;
        let is_set_off = |&id: &NodeId| {
            let is_marked = matches!(page.tag(id), Some(Tag::B | Tag::Strong | Tag::Cite));
            (is_marked || page.has_class(id, |class| class == "fn")) && page.chars(id) > 0
        };
        let element = page.live(name.element).take(NAME_NODES).find(is_set_off).unwrap_or(name.element);
        let text = mentions::text_of(page, &Mention { element, ..name });
        let text = text.trim_end_matches(':').trim_end();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

impl Records {
    /// Whether the thread of the page begins before some sections, in document order, and goes on in them: what they hold are its
    /// answers.
    pub(in super::super) fn is_thread_of(&self, page: &Page, sections: &[NodeId]) -> bool {
        let begins = self.posts.first().zip(sections.first()).is_some_and(|(post, section)| post < section);
        let touches = |&section: &NodeId| {
            let next = self.posts.get(self.posts.partition_point(|&post| post < section));
            self.post_of[section.index()] != NodeId::DOCUMENT || next.is_some_and(|&post| post < page.end(section))
        };
        begins && sections.iter().any(touches)
    }

    /// The comments of some sections, in document order: of the shapes whose members are signed or dated and have most of the text, the
    /// one with most members. A section may be one itself where it has brothers, or holds no other.
    pub(in super::super) fn comments(
        &self,
        page: &Page,
        blocks: &TextBlocks,
        sections: &[NodeId],
    ) -> Vec<CommentEntry> {
        let mentions = Mentions {
            names: sections.iter().flat_map(|&id| within(page, &self.names, id)).copied().collect(),
            dates: sections.iter().flat_map(|&id| within(page, &self.dates, id)).copied().collect(),
        };
        let words = WordSums::from_blocks(page, blocks);
        let shapes = shapes(page, &mentions, sections);
        let text = |members: &[NodeId]| {
            let (mut over, mut sum) = (NodeId::DOCUMENT, 0.0);
            for &id in members {
                sum += if id >= over { words[id.index()].unlinked } else { 0.0 };
                over = over.max(page.end(id));
            }
            sum
        };
        let is_signed = |members: &[NodeId]| {
            let owners = innermost(page, members);
            page.charge(count(page.len()));
            let [by, on] = [&mentions.names, &mentions.dates].map(|mentions| {
                let mut signed: Vec<NodeId> = mentions.iter().map(|mention| owners[mention.element.index()]).collect();
                signed.sort_unstable();
                signed.dedup();
                signed.retain(|&owner| owner != NodeId::DOCUMENT);
                signed.len() as f32 >= SIGNED * members.len() as f32
            });
            by && on || members.len() > 1 && (by || on)
        };
        let best = |may_be_section: bool| {
            let is_section = |members: &[NodeId]| members.len() == 1 && sections.binary_search(&members[0]).is_ok();
            let mut signed: Vec<&Vec<NodeId>> = shapes
                .iter()
                .filter(|members| may_be_section || !is_section(members))
                .filter(|members| text(members) >= WORDS * members.len() as f32 && is_signed(members))
                .collect();
            let most = signed.iter().map(|members| text(members)).fold(0.0, f32::max);
            signed.retain(|members| text(members) > OF_TEXT * most);
            signed.into_iter().max_by_key(|members| (members.len(), std::cmp::Reverse(members[0])))
        };
        let Some(members) = best(false).or_else(|| best(true)) else {
            return called(page, blocks, &words, sections);
        };
        let owners = innermost(page, members);
        let of = |member: NodeId, mentions: &[Mention]| {
            let own = mentions.iter().filter(|mention| owners[mention.element.index()] == member);
            own.min_by_key(|mention| (mention.rank, mention.element)).copied()
        };
        page.charge(count(members.len() * mentions.names.len().max(mentions.dates.len())));
        let entry = |&element: &NodeId| CommentEntry {
            element,
            name: of(element, &mentions.names),
            date: of(element, &mentions.dates),
        };
        members.iter().map(entry).collect()
    }
}

/// Brothers alike that are each called a comment, where nothing marks who wrote them: of several groups the one with most text.
fn called(page: &Page, blocks: &TextBlocks, words: &[WordSums], sections: &[NodeId]) -> Vec<CommentEntry> {
    let mut groups: Table<u64, Vec<NodeId>> = Table::default();
    for &section in sections {
        for id in page.live(section).filter(|&id| page.hints(id).class_hints & ClassHint::Comment.bit() != 0) {
            let is_control = |inside: NodeId| matches!(page.tag(inside), Some(Tag::Form | Tag::Textarea | Tag::Input));
            if page.tag(id).is_some_and(Tag::is_block)
                && words[id.index()].unlinked >= WORDS
                && !page.live(id).any(is_control)
            {
                groups.entry(key(page, id, page.first_class(id), u64::from(page.parent(id).0))).or_default().push(id);
            }
        }
    }
    let text = |members: &Vec<NodeId>| members.iter().map(|id| words[id.index()].unlinked).sum::<f32>();
    let several = groups.into_values().filter(|members| members.len() > 1);
    let most = several.max_by(|one, other| text(one).total_cmp(&text(other)).then(other[0].cmp(&one[0])));
    let entry = |element: NodeId| CommentEntry { element, name: set_off(page, blocks, element), date: None };
    most.into_iter().flatten().map(entry).collect()
}

/// The first text of a comment, where it is a few words of a kind of their own above others: a name.
fn set_off(page: &Page, blocks: &TextBlocks, comment: NodeId) -> Option<Mention> {
    const NAME_WORDS: f32 = 4.0;
    let own = blocks.inside(page, comment);
    let block = &blocks.list[own.start];
    let &text = blocks.texts(block).first()?;
    let is_kind = |&up: &NodeId| {
        page.tag(up).is_some_and(|tag| tag.is_heading() || matches!(tag, Tag::B | Tag::Strong | Tag::Cite))
    };
    let element = page.ancestors(text).take_while(|&up| up != comment).find(is_kind)?;
    let is_alone = blocks.texts(block).iter().all(|&text| page.contains(element, text));
    (own.len() > 1 && block.stats.words <= NAME_WORDS && is_alone).then_some(Mention {
        element,
        rank: 0,
        text,
        is_aside: false,
    })
}

/// The elements around mentions of one shape, those with most members first.
fn shapes(page: &Page, mentions: &Mentions, sections: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut shapes: Table<u64, Vec<NodeId>> = Table::default();
    let mut is_seen = vec![false; page.len()];
    for mention in mentions.names.iter().chain(&mentions.dates) {
        for up in page.ancestors(mention.element).take(MAX_LEVELS) {
            if std::mem::replace(&mut is_seen[up.index()], true) {
                break;
            }
            for shape in shapes_of(page, up) {
                shapes.entry(shape).or_default().push(up);
            }
            if sections.binary_search(&up).is_ok() {
                break;
            }
        }
    }
    let mut shapes: Vec<Vec<NodeId>> = shapes.into_values().collect();
    for members in &mut shapes {
        members.sort_unstable();
        members.dedup();
    }
    shapes.sort_by_key(|members| (usize::MAX - members.len(), members[0]));
    shapes.truncate(MAX_SHAPES);
    shapes
}

/// The mentions in an element.
fn within<'a>(page: &Page, mentions: &'a [Mention], id: NodeId) -> &'a [Mention] {
    let start = mentions.partition_point(|mention| mention.element < id);
    let end = mentions.partition_point(|mention| mention.element < page.end(id));
    &mentions[start..end.max(start)]
}

/// By what an element is alike others: its numbered identifier, its first class, its place beside them. Every other comment of an old theme
/// has a class.
fn shapes_of(page: &Page, id: NodeId) -> impl Iterator<Item = u64> {
    let numbered = page.attribute(id, &local_name!("id")).filter(|id| id.bytes().any(|byte| byte.is_ascii_digit()));
    let numbered = numbered.map(|name| key(page, id, name, 2));
    let beside = key(page, id, "", mix(3, u64::from(page.parent(id).0)));
    numbered.into_iter().chain(shape(page, id)).chain([beside])
}
