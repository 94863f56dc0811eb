//! Where the block stands to the containers that the known algorithms would choose: Arc90's score, the chars-nodes
//! ratio, narrowing by unlinked text, and containers of several sizes.

use super::{Base, Family, Row, log, ratio};
use crate::{
    filter::main_block::cnr::{self, Ratio},
    page::NodeId,
};

/// Sizes of containers, in visible characters: a paragraph, a section, a page.
const SIZES: [(u32, &str); 3] = [(200, "200"), (1000, "1000"), (4000, "4000")];

pub(super) struct Containers {
    /// The chars-nodes ratio of elements with text, by row, as a logarithm.
    ratios: Vec<f32>,
    /// Arc90's score (the ancestor of Readability), by row.
    scores: Vec<f32>,
    best: Option<NodeId>,
    most: f32,
    /// Reached by following the child that holds 40 % of the unlinked text.
    narrowed: NodeId,
}

impl Containers {
    pub(super) fn of(base: &Base<'_>) -> Containers {
        let scores = scores(base);
        let mut best = None;
        let mut most = 0.0;
        for (row, &score) in scores.iter().enumerate() {
            if score > most {
                (best, most) = (Some(NodeId::from_row(row)), score);
            }
        }
        Containers {
            ratios: ratios(base),
            scores,
            best,
            most,
            narrowed: narrow(base),
        }
    }

    fn ratio(&self, id: NodeId) -> f32 {
        self.ratios[id.index()]
    }
}

fn ratios(base: &Base<'_>) -> Vec<f32> {
    let ratios = cnr::chars_nodes_ratios(base.page, &cnr::Settings::default());
    let mut logs = vec![0.0; ratios.len()];
    for &id in &base.rows {
        let Ratio { chars, weight } = ratios[id.index()];
        logs[id.index()] = log(ratio(chars as f32, weight as f32));
    }
    logs
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
        let next = base
            .page
            .live_children(at)
            .find(|&child| all > 0.0 && unlinked(child) >= 0.4 * all);
        match next {
            Some(child) if base.page.tag(child).is_some() => at = child,
            _ => return at,
        }
    }
}

impl Family for Containers {
    fn add(&self, base: &Base<'_>, _: usize, chain: &[NodeId], row: &mut Row<'_>) {
        let container = chain[0];
        let up = |level: usize| chain[level.min(chain.len() - 1)];
        row.flag("narrowed", base.page.contains(self.narrowed, container));
        let score = chain
            .iter()
            .map(|id| self.scores[id.index()])
            .fold(0.0, f32::max);
        let parent = chain.get(1).map_or(0.0, |id| self.scores[id.index()]);
        let distance = self.best.map_or(chain.len(), |best| {
            chain
                .iter()
                .position(|&id| base.page.contains(id, best))
                .unwrap_or(chain.len())
        });
        let is_in_best = self
            .best
            .is_some_and(|best| base.page.contains(best, container));
        row.flag("arc90_in", is_in_best);
        row.add("arc90", ratio(score, self.most));
        row.add("arc90_parent", ratio(parent, self.most));
        row.add("arc90_distance", distance as f32);
        row.add("cnr", self.ratio(container));
        let larger = chain
            .iter()
            .find(|&&id| base.chars(id) > base.chars(container))
            .map_or(container, |&id| id);
        row.add("cnr_larger", self.ratio(larger));
        for (level, name) in [(1, "1"), (2, "2"), (3, "3"), (5, "5")] {
            row.add_of("up_cnr", name, self.ratio(up(level)));
        }
        for (level, name) in [(1, "1"), (2, "2"), (3, "3")] {
            row.add_of("up_share", name, base.share(up(level)));
        }
        for (level, name) in [(3, "3"), (5, "5")] {
            row.add_of("up_links", name, base.link_density(up(level)));
        }
        for (chars, name) in SIZES {
            let holder = chain
                .iter()
                .copied()
                .find(|&id| base.measures.get(id).chars >= chars)
                .unwrap_or(base.body);
            row.add_of("size_links", name, base.link_density(holder));
            row.add_of("size_cnr", name, self.ratio(holder));
            row.add_of("size_share", name, base.share(holder));
        }
    }
}
