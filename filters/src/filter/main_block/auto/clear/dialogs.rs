//! Menus above the headline and dialogs over the page: on a shelf or a front page their entries have the chance of what is listed
//! there, but what the page itself calls a menu or a dialog is neither.

use html5ever::local_name;

use super::super::blocks::Blocks;
use crate::page::{NodeId, Page, said::Hint, tag::Tag};

/// Kept words of a dialog, at most: a choice of countries, a notice. Longer ones are the details of a product that a script would
/// unfold.
const MAX_WORDS: f32 = 60.0;

/// Gives up the texts in menus above the headline, and in dialogs, if others are kept.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let Some(headline) = page.headline.node else {
        return;
    };
    let over = overlays(page, headline, |id| {
        let inside = blocks.list.iter().zip(kept.iter());
        let words = inside
            .filter(|(block, kept)| **kept && page.contains(id, block.container))
            .map(|(block, _)| block.stats.words);
        words.sum::<f32>() <= MAX_WORDS
    });
    let is_over = |id: NodeId| {
        let at = over.partition_point(|&(start, _)| start <= id);
        at > 0 && id < over[at - 1].1
    };
    let left: Vec<bool> = blocks
        .list
        .iter()
        .zip(kept.iter())
        .map(|(block, &kept)| kept && !is_over(block.container))
        .collect();
    if left.contains(&true) {
        kept.copy_from_slice(&left);
    }
}

/// The outermost of them, of dialogs those that are short: first row, and one past the last.
fn overlays(
    page: &Page,
    headline: NodeId,
    is_short: impl Fn(NodeId) -> bool,
) -> Vec<(NodeId, NodeId)> {
    /// Dialogs whose words are counted: a bound on the work.
    const MOST: usize = 50;
    let mut dialogs = 0;
    let mut over: Vec<(NodeId, NodeId)> = Vec::new();
    for id in page.telling(Hint::Role.bit(), &[Tag::Dialog, Tag::Nav]) {
        let Some(tag) = page.tag(id) else { continue };
        let end = page.end(id);
        if over.last().is_some_and(|&(_, last)| id < last) || page.contains(id, headline) {
            continue;
        }
        let role = page.attribute(id, &local_name!("role")).map(str::trim);
        let is_dialog = dialogs < MOST && is_dialog(tag, role);
        dialogs += usize::from(is_dialog);
        if is_dialog && is_short(id) || id < headline && is_menu(tag, role) {
            over.push((id, end));
        }
    }
    over
}

fn is_dialog(tag: Tag, role: Option<&str>) -> bool {
    tag == Tag::Dialog || matches!(role, Some("dialog" | "alertdialog"))
}

fn is_menu(tag: Tag, role: Option<&str>) -> bool {
    tag == Tag::Nav || matches!(role, Some("navigation" | "menu" | "menubar" | "menuitem"))
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};
    use crate::testing::words;

    /// Which texts are left, of which all were kept.
    fn left(html: &str) -> Vec<bool> {
        let trial = Trial::of(html, 0.5);
        let mut kept = vec![true; trial.kept.len()];
        drop(&trial.page, &trial.blocks, &mut kept);
        kept
    }

    #[test]
    fn menus_above_the_headline_and_dialogs_go() {
        let html = "<nav><ul><li>Men<li>Women</ul></nav><ul role=menubar><li>Sale</ul><h1 id=h>Shoes</h1><p>text</p>\
                    <div role=dialog><p>Choose your country</p></div>";
        assert_eq!(left(html), [false, false, false, true, true, false]);
    }

    #[test]
    fn a_menu_below_the_headline_and_a_page_that_is_a_dialog_stay() {
        assert_eq!(
            left("<h1 id=h>Shoes</h1><nav><p>The contents</p></nav>"),
            [true; 2]
        );
        assert_eq!(
            left("<div role=dialog><h1 id=h>Shoes</h1><p>text</p></div>"),
            [true; 2]
        );
        assert_eq!(left("<nav><p>Men</p></nav>"), [true]);
        let details = format!(
            "<h1 id=h>Shoes</h1><div role=dialog><p>{}</p></div>",
            words(70)
        );
        assert_eq!(left(&details), [true; 2]);
    }
}
