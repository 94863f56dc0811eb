//! Other articles below the article, each with its first lines: boxes alike, beside each other, each with a link that names it.
//!
//! They stand outside of the element in which most of the text stands: what a list post says of each of its things stands in it.

use html5ever::local_name;

use super::{super::blocks::TextBlocks, Context};
use crate::{
    analysis::AnalysedPage,
    hashing::Table,
    hosts::is_same_site,
    html::{NodeId, Page, tag::Tag},
    main_block::auto::text::mix,
};

/// Boxes from which they are a list.
const LEAST: usize = 3;

/// Words of the name of an article, at least, and of a box, at most. Higher: sections of a text are taken for boxes.
const NAME_WORDS: f32 = 4.0;
const BOX_WORDS: f32 = 150.0;

/// Texts at the beginning of a box in which its name is looked for: a category and a day stand above it.
const BEFORE_NAME: usize = 3;

/// Elements around a text that may be its box.
const LEVELS: usize = 6;

/// Takes them out.
pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    let Context { page, blocks, .. } = *context;
    let Some(body) = body_of_text(page, blocks, kept) else {
        return;
    };
    let end = page.end(body);
    let mut groups: Table<u64, Vec<NodeId>> = Table::default();
    let below = blocks.list.iter().zip(&*kept).filter(|(block, kept)| **kept && block.container >= end);
    for (block, _) in below {
        let around = page.self_and_ancestors(block.container).take(LEVELS);
        for up in around.take_while(|&up| up >= end) {
            let class = page
                .first_class(up)
                .bytes()
                .fold(mix(5, page.tag(up).map_or(0, |tag| tag as u64)), |key, byte| mix(key, u64::from(byte)));
            let members = groups.entry(mix(class, u64::from(page.parent(up).0))).or_default();
            if members.last() != Some(&up) {
                members.push(up);
            }
        }
    }
    let mut groups: Vec<Vec<NodeId>> = groups.into_values().filter(|members| members.len() >= LEAST).collect();
    groups.sort_unstable();
    for members in groups {
        if members.iter().all(|&member| is_article(page, blocks, member)) {
            for member in members {
                kept[blocks.over(page, member)].fill(false);
            }
        }
    }
}

/// The element right around the paragraphs with most of the kept words.
fn body_of_text(page: &Page, blocks: &TextBlocks, kept: &[bool]) -> Option<NodeId> {
    let mut words: Table<NodeId, f32> = Table::default();
    for (block, _) in blocks.list.iter().zip(kept).filter(|(block, kept)| **kept && block.is_long()) {
        *words.entry(page.parent(block.container)).or_default() += block.stats.words;
    }
    words.into_iter().max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0))).map(|(body, _)| body)
}

/// Whether a box is about another article of the site: a link at its beginning names it, and it has a few lines more, at most.
fn is_article(page: &AnalysedPage, blocks: &TextBlocks, id: NodeId) -> bool {
    let own = &blocks.list[blocks.over(page, id)];
    let leads_to_article = |link: NodeId| {
        let to = page.address(link, &local_name!("href"));
        to.is_some_and(|to| is_same_site(page.web_url(), &to) && to.path() != page.web_url().path() && to.path() != "/")
    };
    let is_name = |at: usize| {
        let block = &own[at];
        block.link_density() >= 0.8
            && block.stats.words >= NAME_WORDS
            && blocks.links(page, block).all(leads_to_article)
    };
    own.iter().map(|block| block.stats.words).sum::<f32>() <= BOX_WORDS
        && !page.headline.node.is_some_and(|node| page.contains(id, node))
        && page.tag(id) != Some(Tag::Tr)
        && (0..own.len().min(BEFORE_NAME)).any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{main_block::auto::blocks::TextBlocks, testing::page_at};

    #[test]
    fn boxes_with_a_name_and_first_lines_go_below_the_text_and_stay_in_it() {
        let text = format!("<p>{}</p>", "The tide was out and the boats lay on the sand. ".repeat(3)).repeat(3);
        let lines =
            "The harbour was built when the nets were still made of hemp, and nobody knew how deep it was. ".repeat(3);
        let boxes = |to: &str| -> String {
            let one = |number| {
                format!(
                    "<div class=box><h3><a href={to}/{number}>What the nets were made of</a></h3><p>{lines}</p></div>"
                )
            };
            (1..=3).map(one).collect()
        };
        let left = |html: &str| {
            let page = page_at("https://example.org/tide", html);
            let blocks = TextBlocks::from_page(&page, &[]);
            let kept = super::super::proposed(&page, &blocks, 0.5, vec![true; blocks.list.len()], drop);
            kept.iter().filter(|kept| **kept).count()
        };
        assert_eq!(left(&format!("<article>{text}</article><div>{}</div>", boxes("/stories"))), 3);
        assert_eq!(left(&format!("<article>{text}{}</article>", boxes("/stories"))), 9);
        assert_eq!(left(&format!("<article>{text}</article><div>{}</div>", boxes("https://other.example"))), 9);
    }
}
