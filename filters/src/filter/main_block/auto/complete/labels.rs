//! Labels stay with what they label: the heading above a kept text, the name of a value and the value, all terms of a
//! manual's list with what they mean, and what a product measures and is made of.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: word F1 .8760 with and without each of the first three, and .8807 beside .8808 for
//! the last, of which annotators differ; it is for the reader. Headings that are links change five pages, four for the better.

use super::super::{Scored, blocks::Blocks};
use crate::{
    dom::table,
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// The least chance of a heading, of a label or a value, of a heading that is a link, and of a list of terms or a table of facts.
const HEADING: f64 = 0.1;
const LABEL: f64 = 0.15;
const LINKED_HEADING: f64 = 0.35;
const FACTS: f64 = 0.15;

/// The same of what is neither a manual nor a product: a job, a course, an event. WCXB dev, 2026-11-22: no page differs at .2 and .3.
const OTHER_FACTS: f64 = 0.2;

/// Words of a label, and of a value, at most.
const LABEL_WORDS: f32 = 6.0;
const VALUE_WORDS: f32 = 12.0;

/// Completes what is kept.
pub(super) fn keep(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    kept: &mut [bool],
) {
    let Some(first) = kept.iter().position(|&kept| kept) else {
        return;
    };
    keep_facts(page, blocks, scored, kind, kept, first);
    for at in (first..kept.len().saturating_sub(1)).rev() {
        let (chance, below) = (scored[at].chance, scored[at + 1].chance);
        match (kept[at], kept[at + 1]) {
            (false, true) => {
                kept[at] = chance >= HEADING && is_heading_of(page, blocks, at, chance)
                    || chance >= LABEL
                        && is_label(page, blocks, at)
                        && !is_label(page, blocks, at + 1);
            }
            (true, false) if below >= LABEL && is_label(page, blocks, at) => {
                kept[at + 1] = is_value(page, blocks, at + 1);
            }
            _ => {}
        }
    }
}

/// Whether a text is a heading of what stands below it: no link, or nearly as likely as not, and a paragraph below it.
fn is_heading_of(page: &Page, blocks: &Blocks, at: usize, chance: f64) -> bool {
    let level = |at: usize| page.tag(blocks.list[at].container)?.heading_level();
    let Some(own) = level(at).filter(|&level| level > 1) else {
        return false;
    };
    let parent = |at: usize| page.parent(blocks.list[at].container);
    let heads_paragraph = || {
        chance >= LINKED_HEADING && blocks.list[at + 1].is_long() && parent(at) == parent(at + 1)
    };
    (blocks.list[at].linked == 0.0 || heads_paragraph())
        && level(at + 1).is_none_or(|below| below > own)
}

/// `Colour:`, a `<dt>`, a `<th>`.
fn is_label(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let block = &blocks.list[at];
    block.stats.words <= LABEL_WORDS
        && (matches!(page.tag(block.container), Some(Tag::Dt | Tag::Th))
            || blocks.ends_with(page, at, &[':', '\u{ff1a}']))
}

fn is_value(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let block = &blocks.list[at];
    let is_other = |tag: Tag| tag.is_heading() || tag == Tag::Button;
    block.stats.words <= VALUE_WORDS
        && !page.tag(block.container).is_some_and(is_other)
        && !is_label(page, blocks, at)
}

/// Keeps the lists of terms of a manual, with the heading above each: a reference is little else, and below a long introduction
/// they look like menus. And of a product what it measures and is made of, which stands in such lists and in tables.
fn keep_facts(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    kept: &mut [bool],
    first: usize,
) {
    let lists = page.telling(0, &[Tag::Dl, Tag::Table]);
    if lists.is_empty() {
        return;
    }
    let (with_tables, least) = match kind.get() {
        Some(Kind::Documentation) => (false, FACTS),
        Some(Kind::Product) => (true, FACTS),
        None | Some(Kind::Service) => (false, OTHER_FACTS),
        _ => return,
    };
    for facts in facts(page, &lists, with_tables) {
        let inside = blocks.inside(page, facts);
        if inside.start <= first || kept[inside.clone()].contains(&true) {
            continue;
        }
        let explains = blocks.list[inside.clone()]
            .iter()
            .any(|block| matches!(page.tag(block.container), Some(Tag::Dd | Tag::Td)));
        let (hits, words) = scored[inside.clone()]
            .iter()
            .fold((0.0, 0.0), |(hits, words), one| {
                (hits + one.chance * one.words, words + one.words)
            });
        if explains && hits >= least * words {
            kept[inside].fill(true);
        }
    }
}

/// The outermost lists of terms, and tables of data.
fn facts(page: &Page, lists: &[NodeId], with_tables: bool) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = Vec::new();
    for &id in lists {
        let is_within = || found.last().is_some_and(|&last| page.contains(last, id));
        let are_facts = match page.tag(id) {
            Some(Tag::Dl) => !is_within(),
            Some(Tag::Table) => with_tables && !is_within() && table::is_data(page, id),
            _ => false,
        };
        if are_facts {
            found.push(id);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};
    use crate::kind::Claims;

    /// What is kept of a page that says it is this.
    fn kept_of(html: &str, chance: f64, says: &str) -> Vec<bool> {
        let mut trial = Trial::of(html, chance);
        trial.page.claims = Claims {
            types: vec![says.to_owned()],
            ..Claims::default()
        };
        let (page, scored) = (&trial.page, &trial.scored);
        keep(
            page,
            &trial.blocks,
            scored,
            &KindNow::of(page),
            &mut trial.kept,
        );
        trial.kept
    }

    fn kept(html: &str, chance: f64) -> Vec<bool> {
        kept_of(html, chance, "Article")
    }

    #[test]
    fn the_heading_above_a_kept_text_stays() {
        let html = "<p>kept</p><h2>Chapter</h2><h3>Part</h3><p>kept</p>";
        assert_eq!(kept(html, 0.12), [true; 4]);
        assert_eq!(kept(html, 0.08), [true, false, false, true]);
        let linked = "<p>kept</p><h2><a href=/x>Chapter</a></h2><p>kept</p>";
        assert_eq!(kept(linked, 0.12), [true, false, true]);
        let text = crate::testing::words(30);
        let linked = format!("<h2><a href=/x>5. A test</a></h2><p>kept {text}</p>");
        let linked = format!("<p>kept</p>{linked}");
        assert_eq!(kept(&linked, 0.36), [true; 3]);
        assert_eq!(kept(&linked, 0.3), [true, false, true]);
        let ends = "<p>kept</p><h3>Part</h3><h2>kept</h2>";
        assert_eq!(kept(ends, 0.12), [true, false, true]);
    }

    #[test]
    fn a_label_and_its_value_stay_together() {
        let html =
            "<p>kept</p><div>Colour:</div><div>kept red</div><div>kept Size:</div><div>12</div>";
        assert_eq!(kept(html, 0.2), [true; 5]);
        assert_eq!(kept(html, 0.1), [true, false, true, true, false]);
        let rows = "<p>kept</p><table><tr><th>Colour<td>kept red</table>";
        assert_eq!(kept(rows, 0.2), [true; 3]);
        let without = "<p>kept</p><div>Colour:</div><div>kept Size:</div><h4>Next</h4>";
        assert_eq!(kept(without, 0.2), [true, false, true, false]);
    }

    #[test]
    fn the_terms_of_a_manual_stay_below_its_introduction() {
        let html =
            "<p>kept</p><h2>Structs</h2><dl><dt><a href=/b>Builder</a><dd>Builds a runtime.</dl>";
        assert_eq!(kept_of(html, 0.2, "APIReference"), [true; 4]);
        assert_eq!(kept_of(html, 0.1, "APIReference")[1..], [false; 3]);
        assert_eq!(kept_of(html, 0.25, "JobPosting"), [true; 4]);
        assert_eq!(kept_of(html, 0.2, "NewsArticle")[1..], [false; 3]);
    }

    #[test]
    fn what_a_product_measures_stays_below_its_description() {
        let list = "<p>kept</p><dl><dt>Weight<dd>3 kg<dt>Power<dd>2200 W</dl>";
        assert_eq!(kept_of(list, 0.2, "Product"), [true; 5]);
        assert_eq!(kept_of(list, 0.1, "Product")[1..], [false; 4]);
        let row = "<tr><td>Weight<td>3 kg";
        let table = format!("<p>kept</p><table>{}</table>", row.repeat(6));
        assert_eq!(kept_of(&table, 0.2, "Product")[1..], [true; 12]);
        assert_eq!(kept_of(&table, 0.2, "NewsArticle")[1..], [false; 12]);
    }
}
