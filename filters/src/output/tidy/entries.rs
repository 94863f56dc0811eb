//! Marks the entries of a list, so that the style puts space between them and keeps picture, name and price together.

use html5ever::LocalName;

use super::MARK;
use crate::html::{Page, tag::Tag};

pub(super) fn mark(page: &mut Page) {
    for entry in std::mem::take(&mut page.entries) {
        let has_more_than_text = page.live(entry).any(|id| matches!(page.tag(id), Some(Tag::A | Tag::Img)));
        if page.is_live(entry) && has_more_than_text {
            let mark = LocalName::from(MARK);
            let value =
                page.attribute(entry, &mark).map_or_else(|| "entry".to_owned(), |known| format!("{known} entry"));
            page.set_attribute(entry, mark, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, sync::Arc};

    use crate::{Chain, ChainConfig, HostList, PageLimits};

    fn entries_of(item: impl Fn(usize) -> String) -> usize {
        let mut html = "<title>Boots</title><h1>Boots for walking in the hills</h1><p>".to_owned()
            + &"All that keeps feet dry and warm, from a morning in the park to a week in the hills. ".repeat(4)
            + "</p><div class=shelf>";
        for number in 1..=12 {
            let _ = write!(html, "<div class=item>{}</div>", item(number));
        }
        let chain = Chain::new(&ChainConfig::default(), PageLimits::default(), HostList::default()).unwrap();
        let filtered = Arc::new(chain).run(&html, &"https://example.org/boots".parse().unwrap()).unwrap();
        filtered.content.matches("data-gleaner=\"entry\"").count()
    }

    #[test]
    fn entries_lead_somewhere_and_are_no_lists_themselves() {
        let card =
            |number| format!("<img src=/{number}.jpg><a href=/{number}>Boot {number}</a><div>$ {number}9.90</div>");
        assert_eq!(entries_of(card), 12);
        assert_eq!(entries_of(|number| format!("<div>Boot {number}</div><div>$ {number}9.90</div>")), 0);
        let list = |number: usize| {
            let links = (0..5).map(|link| format!("<div><a href=/{number}/{link}>Boot {link}</a></div>"));
            format!("<h3>Shelf {number}</h3>{}", links.collect::<String>())
        };
        assert_eq!(entries_of(list), 0);
    }
}
