//! The picture of a card whose name is kept, where something else in its box is not: a discount, "Compare", "Image".

use html5ever::local_name;

use crate::{
    html::{NodeId, Page, tag::Tag},
    main_block::auto::blocks::TextBlocks,
    measure::pictures,
};

/// Visible characters beside the picture of a card, at most. More is a text that was left out.
const MAX_LABEL: usize = 60;

/// Links before and after an element that are asked where they lead: a card has few, and a page may have many.
const NEAR: usize = 4;

/// Nodes before a picture among which another one is looked for: a bound on the work.
const MAX_NODES: usize = 200;

/// The links of kept texts, in document order.
pub(super) fn kept_links(page: &Page, blocks: &TextBlocks, kept: &[bool]) -> Vec<NodeId> {
    if !page.has_any(&[Tag::Img]) {
        return Vec::new();
    }
    let texts = blocks.list.iter().zip(kept).filter(|(block, kept)| **kept && block.linked > 0.0);
    let mut links: Vec<NodeId> = texts.flat_map(|(block, _)| blocks.links(page, block)).collect();
    links.sort_unstable();
    links.dedup();
    links
}

/// Whether an element shows a picture that leads where a kept text beside it leads, and next to nothing else; within such an element,
/// whether it shows a picture. The second picture of a card shows the same thing.
pub(super) fn shows_kept(page: &Page, id: NodeId, is_within: bool, links: &[NodeId]) -> bool {
    if links.is_empty() || page.tag(id).is_none() || page.chars(id) > MAX_LABEL {
        return false;
    }
    let Some(picture) = page.live(id).find(|&at| is_picture(page, at)) else { return false };
    if is_within {
        return true;
    }
    let Some(own) = page.ancestors(picture).find(|&up| page.tag(up) == Some(Tag::A)) else { return false };
    let place = |link: NodeId| {
        let to = page.attribute(link, &local_name!("href"))?;
        to.trim().split('#').next().filter(|to| !to.is_empty())
    };
    let around = page.parent(id);
    let is_name = |link: NodeId| {
        link == own || page.contains(around, link) && place(own).is_some_and(|to| place(link) == Some(to))
    };
    let at = links.partition_point(|&link| link < id);
    let near = &links[at.saturating_sub(NEAR)..links.len().min(at + NEAR)];
    let Some(&name) = near.iter().find(|&&link| is_name(link)) else { return false };
    // From the beginning of the card: its link, the element that holds its name, or the end of the name of the one before.
    let start = if page.contains(name, id) {
        name
    } else if name < id {
        around
    } else {
        links[..at].last().map_or(around, |&link| around.max(page.end(link)))
    };
    let start = start.index().max(id.index().saturating_sub(MAX_NODES));
    !(start..id.index()).any(|row| is_picture(page, NodeId::from_row(row)))
}

/// Whether it is a picture that may show what a card is about.
fn is_picture(page: &Page, id: NodeId) -> bool {
    page.tag(id) == Some(Tag::Img)
        && page.in_link(id)
        && !pictures::is_small(page, id)
        && !pictures::is_small_or_named(page, id)
}

#[cfg(test)]
mod tests {
    use super::super::{Forms, Thread, choice};
    use super::*;
    use crate::testing::{ids, page};

    /// What is dropped of a page of which the texts are kept that stand in headings and paragraphs.
    fn dropped(html: &str) -> Vec<String> {
        let page = page(html);
        let blocks = TextBlocks::from_page(&page, &[]);
        let is_text = |id| page.tag(id).is_some_and(|tag| tag.is_heading() || tag == Tag::P);
        let kept: Vec<bool> = blocks.list.iter().map(|block| is_text(block.container)).collect();
        ids(&page, &choice(&page, &blocks, &kept, &Thread::default(), &Forms::default()).dropped)
    }

    #[test]
    fn a_card_keeps_its_picture_without_the_label_beside_it() {
        let card = |at: usize| {
            format!(
                "<div><div><a href=/{at}><img></a><div id=label{at}>Compare</div></div><h2><a href=/{at}>Thing {at}</a></h2></div>"
            )
        };
        assert_eq!(dropped(&format!("<main>{}{}</main>", card(1), card(2))), ["label1", "label2"]);
        let whole = "<a href=/1><div><div id=label>Image</div><img></div><h2>Thing</h2></a>";
        assert_eq!(dropped(&format!("<main><p>one</p>{whole}<p>two</p></main>")), ["label"]);
    }

    #[test]
    fn another_picture_of_a_card_and_that_of_another_page_go() {
        let card =
            "<div><a href=/1><img></a><h2><a href=/1>Thing</a></h2><div id=second><a href=/1><img></a>Side</div></div>";
        assert_eq!(dropped(&format!("<main><p>one</p>{card}<p>two</p></main>")), ["second"]);
        let other = "<div><div id=other><a href=/2><img></a>Next</div><h2><a href=/1>Thing</a></h2></div>";
        assert_eq!(dropped(&format!("<main><p>one</p>{other}<p>two</p></main>")), ["other"]);
    }
}
