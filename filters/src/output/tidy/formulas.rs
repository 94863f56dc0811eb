//! Formulas that stand on the page twice: as `MathML`, and as something to look at for those who could not read that.

use html5ever::{LocalName, local_name};

use crate::html::{NodeId, Page, tag::Tag};

/// Nodes beside a formula in which its `MathML` is looked for.
const NEAR: usize = 10;

/// `MediaWiki` hides the `MathML` and shows a picture; without the page's styles both are shown, and only the first grows with
/// the text and can be searched.
pub(super) fn drop_pictures(page: &mut Page) {
    if page.about(Tag::Math).next().is_none() {
        return;
    }
    let (alt, source) = (local_name!("alt"), LocalName::from("alttext"));
    let pictures: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::Img))
        .filter(|&id| {
            let is_it = |math: NodeId| {
                page.tag(math) == Some(Tag::Math) && page.attribute(math, &source) == page.attribute(id, &alt)
            };
            page.attribute(id, &alt).is_some_and(|alt| !alt.is_empty())
                && page.live(page.parent(id)).take(NEAR).any(is_it)
        })
        .collect();
    for id in pictures {
        page.drop_silently(id);
    }
}

/// `KaTeX` adds spans that mean nothing without its style sheet (and say so: `aria-hidden`).
pub(super) fn is_visual(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("class"))
        .is_some_and(|class| class.split_ascii_whitespace().any(|word| word == "katex-html"))
        && page.live(page.parent(id)).take(NEAR).any(|beside| page.tag(beside) == Some(Tag::Math))
}
