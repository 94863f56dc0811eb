//! The kicker: one to four words on the subject, in the heading and before the headline. News programs (Escenic and its like) write it
//! there: `<h1><span>Traffic</span> <span>The bridge is open</span></h1>`, while the titles for machines say the headline alone.

use crate::{
    html::{NodeId, Page},
    vocabulary::words::one_line,
};

/// Its words, at most.
const MAX_WORDS: usize = 4;

/// A heading without the words on its subject that stand in an element of their own before it ("Traffic" and "The bridge is open"),
/// where a title says the rest of it alone. With a sign behind them they belong to it.
pub(super) fn without<'a>(page: &Page, heading: NodeId, text: &'a str, titles: &[&str]) -> &'a str {
    let cuts = titles.iter().filter_map(|title| {
        let at = text.len().checked_sub(title.len())?;
        let (before, rest) = text.split_at_checked(at)?;
        let is_rest = before.ends_with(' ') && rest.to_lowercase() == title.to_lowercase();
        let before = before.trim_end();
        let is_kicker =
            before.ends_with(char::is_alphanumeric) && before.split(' ').count() <= MAX_WORDS && rest.contains(' ');
        (is_rest && is_kicker).then_some((before, rest))
    });
    let mut cuts = cuts.filter(|(before, _)| {
        let mut texts = page.live(heading).filter(|&id| page.own_chars(id) > 0);
        texts.next().is_some_and(|first| {
            page.parent(first) != heading && page.text(first).is_some_and(|text| one_line(&text) == **before)
        })
    });
    cuts.next().map_or(text, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use crate::metadata::{headline::choose, json_ld::JsonLd, metas::Metas};

    #[test]
    fn the_subject_before_a_headline_is_no_part_of_it() {
        let of = |h1: &str| {
            let html = format!("<title>The bridge is open again | Post</title><h1>{h1}</h1>");
            let page = crate::testing::page(&html);
            choose(&page, &Metas::of(&page), &JsonLd::of(&page), None).text
        };
        let alone = "The bridge is open again";
        assert_eq!(of(&format!("<span>River traffic</span> {alone}")), alone);
        for whole in ["<span>Chapter 3:</span> ", "River traffic "] {
            let said = whole.replace("<span>", "").replace("</span>", "");
            assert_eq!(of(&format!("{whole}{alone}")), format!("{said}{alone}"));
        }
    }
}
