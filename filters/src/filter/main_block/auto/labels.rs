//! Labels stay with what they label: the heading above a kept text, the name of a value and the value, and all terms of a
//! manual's list with what they mean.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: word F1 .8760 with and without each of the three; it is for the reader.

use super::{Scored, blocks::Blocks};
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// The least chance of a heading, of a label or a value, and of a list of terms.
const HEADING: f64 = 0.1;
const LABEL: f64 = 0.15;
const TERMS: f64 = 0.15;

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
    keep_terms(page, blocks, scored, kind, &mut kept[first..], first);
    for at in (first..kept.len().saturating_sub(1)).rev() {
        let (chance, below) = (scored[at].chance, scored[at + 1].chance);
        match (kept[at], kept[at + 1]) {
            (false, true) => {
                kept[at] = chance >= HEADING && is_heading_of(page, blocks, at)
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

/// Whether a text is a heading, no link, of what stands below it.
fn is_heading_of(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let level = |at: usize| page.tag(blocks.list[at].container)?.heading_level();
    let Some(own) = level(at).filter(|&level| level > 1) else {
        return false;
    };
    blocks.list[at].linked == 0.0 && level(at + 1).is_none_or(|below| below > own)
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
/// they look like menus. `kept` begins with this block.
fn keep_terms(
    page: &Page,
    blocks: &Blocks,
    scored: &[Scored],
    kind: &KindNow<'_>,
    kept: &mut [bool],
    offset: usize,
) {
    let mut at = 1;
    while at < kept.len() {
        let Some(list) = list_of_terms(page, blocks.list[offset + at].container) else {
            at += 1;
            continue;
        };
        let end = (at..kept.len())
            .find(|&other| !page.contains(list, blocks.list[offset + other].container))
            .unwrap_or(kept.len());
        let (hits, words) = scored[offset + at..offset + end]
            .iter()
            .fold((0.0, 0.0), |(hits, words), one| {
                (hits + one.chance * one.words, words + one.words)
            });
        let explains = blocks.list[offset + at..offset + end]
            .iter()
            .any(|block| page.tag(block.container) == Some(Tag::Dd));
        if explains
            && hits >= TERMS * words
            && !kept[at..end].contains(&true)
            && kind.get() == Some(Kind::Documentation)
        {
            kept[at..end].fill(true);
        }
        at = end;
    }
}

/// The outermost list of terms around an element.
fn list_of_terms(page: &Page, id: NodeId) -> Option<NodeId> {
    std::iter::once(id)
        .chain(page.ancestors(id))
        .filter(|&up| page.tag(up) == Some(Tag::Dl))
        .last()
}

#[cfg(test)]
mod tests {
    use super::{super::trial::Trial, *};
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
        assert_eq!(kept_of(html, 0.2, "Product")[1..], [false; 3]);
    }
}
