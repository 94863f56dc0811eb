//! Where the block stands to the containers that the known algorithms would choose: Arc90's score, the chars-nodes
//! ratio, narrowing by unlinked text, and containers of several sizes.

use super::{Base, Family, Row, log, ratio};
use crate::{
    html::NodeId,
    main_block::cnr::{self, Ratio},
};

/// Sizes of containers, in visible characters: a paragraph, a section, a page.
const SIZES: [(u32, &str); 3] = [(200, "200"), (1000, "1000"), (4000, "4000")];

/// What is told of an element and of those around it, up to the body.
#[derive(Clone)]
struct Above {
    /// The highest score.
    score: f32,
    /// Levels up to one that holds the best container.
    distance: usize,
    /// The nearest of each size.
    holders: [NodeId; SIZES.len()],
}

pub(super) struct Containers {
    /// The chars-nodes ratio of elements with text, by place, as a logarithm.
    ratios: Vec<f32>,
    /// Arc90's score (the ancestor of Readability), by row.
    scores: Vec<f32>,
    most: f32,
    best: Option<NodeId>,
    /// By place.
    above: Vec<Above>,
    /// Reached by following the child that holds 40 % of the unlinked text.
    narrowed: NodeId,
}

impl Containers {
    pub(super) fn of(base: &Base<'_>) -> Containers {
        let scores = scores(base);
        let mut best = None;
        let mut most = 0.0;
        for &id in &base.rows {
            let score = scores[id.index()];
            if score > most {
                (best, most) = (Some(id), score);
            }
        }
        let distance = |id: NodeId, otherwise: usize| match best {
            Some(best) if base.page.contains(id, best) => 0,
            _ => otherwise,
        };
        let of_body = Above {
            score: scores[base.body.index()].max(0.0),
            distance: distance(base.body, 1),
            holders: [base.body; SIZES.len()],
        };
        let above = base.downwards(of_body, |id, above| {
            let chars = base.measures.get(id).chars;
            let mut holders = above.holders;
            for (holder, (least, _)) in holders.iter_mut().zip(SIZES) {
                if chars >= least {
                    *holder = id;
                }
            }
            Above { score: above.score.max(scores[id.index()]), distance: distance(id, above.distance + 1), holders }
        });
        Containers { ratios: ratios(base), scores, best, most, above, narrowed: narrow(base) }
    }

    fn ratio(&self, base: &Base<'_>, id: NodeId) -> f32 {
        self.ratios[base.place(id)]
    }
}

fn ratios(base: &Base<'_>) -> Vec<f32> {
    let ratios = cnr::chars_nodes_ratios(base.page, &cnr::Settings::default());
    let log = |id: &NodeId| {
        let Ratio { chars, weight } = ratios[id.index()];
        log(ratio(chars as f32, weight as f32))
    };
    base.rows.iter().map(log).collect()
}

/// A paragraph gives a point, one per comma and one per hundred characters (three at most): all to its parent, half to
/// the parent's parent, a third of a share further up. Links lower the sum (Arc90's Readability 1.7, `grabArticle`).
fn scores(base: &Base<'_>) -> Vec<f32> {
    let mut scores = vec![0.0; base.page.len()];
    for block in &base.blocks.list {
        if block.chars < 25.0 || block.link_density() > 0.5 {
            continue;
        }
        let score = 1.0 + block.stats.commas + (block.chars / 100.0).min(3.0);
        let mut at = block.container;
        for part in [1.0, 0.5, 1.0 / 6.0, 1.0 / 9.0] {
            if at == base.body || at == NodeId::DOCUMENT {
                break;
            }
            at = base.page.parent(at);
            scores[at.index()] += score * part;
        }
    }
    for &id in &base.rows {
        scores[id.index()] *= 1.0 - base.link_density(id);
    }
    scores
}

fn narrow(base: &Base<'_>) -> NodeId {
    let unlinked = |id: NodeId| base.measures.get(id).unlinked() as f32;
    let mut at = base.body;
    let all = unlinked(at);
    loop {
        let next = base.page.live_children(at).find(|&child| all > 0.0 && unlinked(child) >= 0.4 * all);
        match next {
            Some(child) if base.page.tag(child).is_some() => at = child,
            _ => return at,
        }
    }
}

impl Family for Containers {
    fn add(&self, base: &Base<'_>, _: usize, chain: &[NodeId], row: &mut impl Row) {
        let container = chain[0];
        let up = |level: usize| chain[level.min(chain.len() - 1)];
        row.flag("narrowed", base.page.contains(self.narrowed, container));
        let above = &self.above[base.place(container)];
        let parent = chain.get(1).map_or(0.0, |id| self.scores[id.index()]);
        let is_in_best = self.best.is_some_and(|best| base.page.contains(best, container));
        row.flag("arc90_in", is_in_best);
        row.add("arc90", ratio(above.score, self.most));
        row.add("arc90_parent", ratio(parent, self.most));
        row.add("arc90_distance", above.distance as f32);
        row.add("cnr", self.ratio(base, container));
        let chars = base.measures.get(container).chars;
        let larger = chain.iter().find(|&&id| base.measures.get(id).chars > chars).map_or(container, |&id| id);
        row.add("cnr_larger", self.ratio(base, larger));
        for (level, name) in [(1, "1"), (2, "2"), (3, "3"), (5, "5")] {
            row.add_of("up_cnr", name, self.ratio(base, up(level)));
        }
        for (level, name) in [(1, "1"), (2, "2"), (3, "3")] {
            row.add_of("up_share", name, base.share(up(level)));
        }
        for (level, name) in [(3, "3"), (5, "5")] {
            row.add_of("up_links", name, base.link_density(up(level)));
        }
        for ((_, name), &holder) in SIZES.iter().zip(&above.holders) {
            row.add_of("size_links", name, base.link_density(holder));
            row.add_of("size_cnr", name, self.ratio(base, holder));
            row.add_of("size_share", name, base.share(holder));
        }
    }
}
