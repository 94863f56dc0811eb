//! Features: whether the block is in a landmark or in a part with a boilerplate name, and whether it is in the
//! container that simple rules would choose.

use super::{Base, Family, RowSink, around::NEGATIVE, ratio};
use crate::html::{NodeId, attribute_hints::class_hints::Landmark, tag::Tag};

/// Landmarks that hold no content, wherever they stand; a header only outside the content.
const FURNITURE: u32 = Landmark::Nav.bit()
    | Landmark::Footer.bit()
    | Landmark::Aside.bit()
    | Landmark::Dialog.bit()
    | Landmark::Hidden.bit()
    | Landmark::Button.bit();

/// Share of the page above which a name such as `related` is not believed.
const NAMED_SHARE: f32 = 0.15;

/// Properties of an element from the elements around it.
#[derive(Clone, Copy)]
struct SectionProperties {
    is_content: bool,
    /// Inside furniture.
    is_furniture: bool,
    /// Inside that or something with a negative name.
    is_dropped: bool,
    /// The nearest article.
    article: Option<NodeId>,
}

pub(super) struct Sections {
    /// By place.
    told: Vec<SectionProperties>,
    /// Unlinked characters outside of furniture, by row.
    clean: Vec<f32>,
    /// Containers of 40, 60 and 80 % of them.
    narrowed: [NodeId; 3],
    /// The element that the rules choose.
    rule: NodeId,
}

impl Sections {
    pub(super) fn new(base: &Base<'_>) -> Sections {
        let told = told(base);
        let clean = clean(base, &told);
        let narrowed = [0.4, 0.6, 0.8].map(|share| narrow(base, &clean, share));
        let rule = rule(base, &clean);
        Sections { told, clean, narrowed, rule }
    }
}

fn told(base: &Base<'_>) -> Vec<SectionProperties> {
    let of_body = SectionProperties { is_content: false, is_furniture: false, is_dropped: false, article: None };
    base.downwards(of_body, |id, above| {
        let marks = base.marks(id);
        let tag = base.page.tag(id);
        let is_content = above.is_content || matches!(tag, Some(Tag::Article | Tag::Main));
        let is_furniture =
            above.is_furniture || marks.has_any(0, FURNITURE) || marks.is(Landmark::Header) && !is_content;
        SectionProperties {
            is_content,
            is_furniture,
            is_dropped: above.is_dropped || is_furniture || marks.has_any(NEGATIVE, 0) && base.share(id) < NAMED_SHARE,
            article: if tag == Some(Tag::Article) { Some(id) } else { above.article },
        }
    })
}

fn clean(base: &Base<'_>, told: &[SectionProperties]) -> Vec<f32> {
    let mut clean = vec![0.0; base.page.len()];
    for block in &base.blocks.list {
        if !told[base.place(block.container)].is_furniture {
            clean[block.container.index()] += block.chars - block.linked;
        }
    }
    for &id in base.rows.iter().rev().filter(|&&id| id != base.body) {
        let own = clean[id.index()];
        clean[base.page.parent(id).index()] += own;
    }
    clean
}

/// Down from the body while one child keeps a share of the clean text.
fn narrow(base: &Base<'_>, clean: &[f32], share: f32) -> NodeId {
    let all = clean[base.body.index()];
    let mut at = base.body;
    while let Some(child) = child_with(base, clean, at, share * all) {
        at = child;
    }
    at
}

fn child_with(base: &Base<'_>, clean: &[f32], at: NodeId, least: f32) -> Option<NodeId> {
    base.page
        .live_children(at)
        .find(|&child| least > 0.0 && clean[child.index()] >= least)
        .filter(|&child| base.page.tag(child).is_some())
}

/// `main`, else an article that dominates, else the body; then down while one child keeps 80 % of the clean text and at
/// least 60 % of the container's text is unlinked.
fn rule(base: &Base<'_>, clean: &[f32]) -> NodeId {
    let amount = |id: NodeId| clean[id.index()];
    let largest = |wanted: &dyn Fn(NodeId) -> bool| {
        let candidates = base.rows.iter().copied().filter(|&id| wanted(id));
        candidates.max_by(|&a, &b| amount(a).total_cmp(&amount(b)).then(b.cmp(&a)))
    };
    let main = largest(&|id| base.marks(id).is(Landmark::Main)).filter(|&id| amount(id) > 0.0);
    let article = largest(&|id| base.page.tag(id) == Some(Tag::Article))
        .filter(|&id| amount(id) > 0.0 && amount(id) >= 0.5 * amount(base.body));
    let mut at = main.or(article).unwrap_or(base.body);
    while base.link_density(at) <= 0.4 {
        match child_with(base, clean, at, 0.8 * amount(at)) {
            Some(child) => at = child,
            None => break,
        }
    }
    at
}

impl Family for Sections {
    fn add(&self, base: &Base<'_>, index: usize, chain: &[NodeId], row: &mut impl RowSink) {
        let container = chain[0];
        let inside = |id: NodeId| base.page.contains(id, container);
        let SectionProperties { is_furniture, is_dropped, article, .. } = self.told[base.place(container)];
        row.flag("furniture", is_furniture);
        row.flag("rule_dropped", is_dropped);
        row.flag("rule_kept", inside(self.rule) && !is_dropped);
        for (name, id) in ["40", "60", "80"].iter().zip(self.narrowed) {
            row.add_of("clean", name, f32::from(u8::from(inside(id))));
        }
        let up = |level: usize| base.sums(chain[level.min(chain.len() - 1)]);
        for (level, name) in [(1, "1"), (3, "3"), (5, "5")] {
            row.add_of("up_stops", name, ratio(up(level).stops, up(level).words));
        }
        for (level, name) in [(2, "2"), (3, "3"), (5, "5")] {
            row.add_of("up_mean", name, ratio(up(level).words, up(level).blocks));
        }
        let least = 3.0 * base.blocks.list[index].stats.words.max(10.0);
        let holder = chain
            .iter()
            .map(|&id| base.sums(id))
            .find(|sums| sums.words >= least)
            .unwrap_or_else(|| base.sums(base.body));
        row.add("holder_mean", ratio(holder.words, holder.blocks));
        row.add("holder_share", ratio(holder.words, base.total_words()));
        let all = self.clean[base.body.index()];
        row.add("article_share", article.map_or(-1.0, |id| ratio(base.sums(id).words, base.total_words())));
        row.add("article_clean", article.map_or(-1.0, |id| ratio(self.clean[id.index()], all)));
    }
}
