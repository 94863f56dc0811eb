//! Dummy text: "Lorem ipsum dolor sit amet". Templates are filled with it, and the parts of them that are never filled stay in the
//! page, hidden by a style sheet or below everything else.
//!
//! Texts that begin so go, but not from a page that speaks of such text, shows code or letters of its own choice, announces it with
//! a colon, or holds hardly anything else; and none in lists, tables, headings and quotations.
//!
//! WCXB dev, 2026-11-22: on 9 of 1,497 pages, in no reference; 2 showed it.

use html5ever::local_name;

use super::{
    super::{
        blocks::{Block, Blocks},
        called::words,
    },
    lines,
};
use crate::page::{NodeId, Page, tag::Tag};

/// How it begins, in lower case. All of it has been copied since the 1960s, and this is in all of the copies.
const BEGINNING: &str = "lorem ipsum dolor";

/// Words of the text that must be left.
const LEFT: f32 = 20.0;

/// Elements around a text among which a style is looked for.
const LEVELS: usize = 3;

/// Drops it from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let is_dummy = |at: &usize| {
        let block = &blocks.list[*at];
        kept[*at] && begins_so(page, blocks, block) && !lines::is_other(page, blocks, block)
    };
    let dummies: Vec<usize> = (0..kept.len()).filter(is_dummy).collect();
    if dummies.is_empty() || speaks_of_it(page, blocks, kept, &dummies) {
        return;
    }
    let gone: f32 = dummies.iter().map(|&at| blocks.list[at].stats.words).sum();
    if words(blocks, kept, 0..kept.len()) - gone >= LEFT {
        for at in dummies {
            kept[at] = false;
        }
    }
}

fn begins_so(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let mut texts = blocks.texts(block).iter();
    texts
        .find_map(|&id| page.text(id).filter(|text| !text.trim().is_empty()))
        .is_some_and(|text| {
            let start = text.trim_start().as_bytes().get(..BEGINNING.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(BEGINNING.as_bytes()))
        })
}

/// Whether the address, the headline or a kept text speaks of dummy text, or one shows how it looks.
fn speaks_of_it(page: &Page, blocks: &Blocks, kept: &[bool], dummies: &[usize]) -> bool {
    let names = |text: &str| text.to_ascii_lowercase().contains("lorem");
    let around = |at: usize| {
        let container = blocks.list[at].container;
        std::iter::once(container).chain(page.ancestors(container).take(LEVELS))
    };
    let is_code =
        |at: usize| around(at).any(|up| matches!(page.tag(up), Some(Tag::Pre | Tag::Code)));
    let has_letters = |up: NodeId| {
        let style = page.attribute(up, &local_name!("style"));
        style.is_some_and(|style| style.contains("font"))
    };
    let is_shown = |&at: &usize| {
        let above = (0..at).rev().find(|&above| kept[above]);
        around(at).any(has_letters)
            || above.is_some_and(|above| blocks.ends_with(page, above, &[':', '：']))
    };
    names(page.url().path())
        || names(&page.headline.text)
        || dummies.iter().any(is_shown)
        || (0..kept.len()).filter(|&at| kept[at]).any(|at| {
            is_code(at)
                || dummies.binary_search(&at).is_err()
                    && !begins_so(page, blocks, &blocks.list[at])
                    && names(&blocks.text(page, &blocks.list[at]))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, words};

    const DUMMY: &str = "<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>";

    fn kept(html: &str) -> Vec<bool> {
        let page = page(html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept
    }

    #[test]
    fn what_a_template_was_filled_with_goes() {
        let text = words(20);
        assert_eq!(kept(&format!("<p>{text}</p>{DUMMY}")), [true, false]);
        let capitals = DUMMY.to_uppercase();
        assert_eq!(kept(&format!("<p>{text}</p>{capitals}")), [true, false]);
    }

    #[test]
    fn it_stays_where_the_page_is_about_it_or_is_nothing_else() {
        let text = words(20);
        for html in [
            DUMMY.to_owned(),
            format!("<p>{text} is called lorem ipsum</p>{DUMMY}"),
            format!("<p>{text}</p><pre>p {{ columns: 2 }}</pre>{DUMMY}"),
            format!("<p>{text} as this:</p>{DUMMY}"),
            format!(
                "<p>{text}</p>{}",
                DUMMY.replace("<p>", "<p style='font-family: serif'>")
            ),
            format!("<p>{text}</p>{}", DUMMY.replace("p>", "h3>")),
            format!("<p>{text}</p><p>Lorem ipsum is what a printer says.</p>{DUMMY}"),
        ] {
            assert!(!kept(&html).contains(&false), "{html}");
        }
    }
}
