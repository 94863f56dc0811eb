//! Boxes that open over a page, what asks for consent, and what a form would say when it was sent ("Thank you!", "Oops!"): by their
//! names, where they stand outside of the main part and do not hold the headline or most of the page.
//!
//! WCXB dev, every third page, words of texts inside of such names that are main content: `modal` .02, `popup` .01, `flyout` .01,
//! `popover`, `toast`, `cookie` and `consent` none; not `overlay` (.31), `lightbox` (.20), `drawer` (.67) or `dialog` (.50).

use super::Context;
use crate::{
    html::{NodeId, attribute_hints::class_hints::ClassHint, tag::Tag},
    vocabulary::words::words_of_identifier,
};

/// Words that follow `form` in the names of its messages: Webflow (`w-form-done`, `w-form-fail`) and its like.
const MESSAGES: [&str; 6] = ["done", "fail", "success", "error", "response", "message"];

const NAMES: [&str; 8] = ["modal", "popup", "flyout", "popover", "toast", "cookie", "cookies", "consent"];

/// Share of a page's words that such a box has, at most.
const SHARE: f32 = 0.5;

/// Takes them out.
pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    const CLASS_HINTS: u32 = ClassHint::Overlay.bit() | ClassHint::Consent.bit() | ClassHint::Form.bit();
    let Context { page, blocks, .. } = *context;
    let words = |range: std::ops::Range<usize>| blocks.list[range].iter().map(|block| block.stats.words).sum::<f32>();
    let all = words(0..blocks.list.len());
    let holds_headline = |id: NodeId| {
        let heading = page.headline.node.or(page.headline.only_h1);
        heading.is_some_and(|node| page.contains(id, node))
    };
    let mut over = NodeId::DOCUMENT;
    for id in page.live(page.body()).skip(1) {
        if id < over || page.hints(id).class_hints & CLASS_HINTS == 0 || !is_box(context, id) {
            continue;
        }
        over = page.end(id);
        let own = blocks.inside(page, id);
        if !holds_headline(id) && kept[own.clone()].contains(&true) && words(own.clone()) <= SHARE * all {
            kept[own].fill(false);
        }
    }
}

fn is_box(context: &Context<'_>, id: NodeId) -> bool {
    let page = context.page;
    let is_name = |value: &str| {
        let words: Vec<String> = words_of_identifier(value).collect();
        let is_message = |two: &[String]| two[0] == "form" && MESSAGES.contains(&two[1].as_str());
        words.iter().any(|word| NAMES.contains(&word.as_str())) || words.windows(2).any(is_message)
    };
    let names = [html5ever::local_name!("class"), html5ever::local_name!("id")];
    let is_main = |up: NodeId| matches!(page.tag(up), Some(Tag::Main | Tag::Article));
    matches!(page.tag(id), Some(Tag::Div | Tag::Section | Tag::Aside | Tag::Dialog | Tag::Other))
        && names.iter().filter_map(|name| page.attribute(id, name)).flat_map(str::split_ascii_whitespace).any(is_name)
        && !page.ancestors(id).any(is_main)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{main_block::auto::blocks::TextBlocks, testing::page};

    #[test]
    fn what_opens_over_a_page_goes_and_what_is_the_page_stays() {
        let text = format!("<p>{}</p>", "The tide was out and the boats lay on the sand. ".repeat(3));
        let left = |html: &str| {
            let page = page(html);
            let blocks = TextBlocks::from_page(&page, &[]);
            let kept = super::super::proposed(&page, &blocks, 0.5, vec![true; blocks.list.len()], drop);
            kept.iter().filter(|kept| **kept).count()
        };
        for dialog in [
            "<div class=trial-modal><p>Welcome to your free month</p></div>",
            "<div id=cookie-box><p>We use cookies</p></div>",
            "<div class=w-form-done><p>Thank you!</p></div>",
        ] {
            assert_eq!(left(&format!("{text}{dialog}")), 1, "{dialog}");
        }
        for other in ["<div class=lightbox><p>The pier</p></div>", "<div class=form-field><p>Name</p></div>"] {
            assert_eq!(left(&format!("{text}{other}")), 2, "{other}");
        }
        assert_eq!(left(&format!("<div class=modal>{text}</div><p>Below</p>")), 2);
        assert_eq!(left(&format!("<main>{text}<div class=modal><p>Terms</p></div></main>")), 2);
    }
}
