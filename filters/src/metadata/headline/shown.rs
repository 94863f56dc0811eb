//! Finds a headline that no heading marks: `<td><font size=5><b>The bridge stays</b></font>`, as pages were written
//! until about 2010. It is a part of the title, where the site and the section stand before or behind it.

use super::{is_same, letters, words};
use crate::{
    html::{NodeId, Page, tag::Tag},
    metadata::Headline,
};

/// Words of such a headline, at least: less is the name of a section, which stands in a menu.
const LEAST: usize = 3;

/// Texts that are compared; the headline stands near the top of its page, and next to no text has its length.
const MOST: usize = 2_000;

/// Parts of a title that are looked for, at most.
const PARTS: usize = 40;

/// Elements around a text that say nothing else, at most.
const LEVELS: usize = 5;

/// Signs between the parts of a title, with white space around them.
const BETWEEN: [&str; 10] = [" - ", " – ", " — ", " | ", " :: ", " > ", " » ", ": ", " / ", "_"];

/// The longest part of a title that the page shows as a text by itself, outside of its links where there is such a place.
pub(super) fn part(page: &Page, title: &str) -> Option<Headline> {
    let parts = parts(title);
    let mut found: Option<(bool, usize, NodeId, &str)> = None;
    let texts = page.live(page.body()).filter(|&id| page.own_chars(id) > 0);
    for id in texts.take(MOST) {
        let chars = page.own_chars(id);
        for &(part, length) in parts.iter().filter(|(_, length)| *length == chars) {
            let rank = (!page.in_link(id), length);
            if found.is_none_or(|(is_plain, length, ..)| rank > (is_plain, length))
                && page.text(id).is_some_and(|text| is_same(&text, part))
            {
                found = Some((rank.0, rank.1, id, part));
            }
        }
    }
    let (_, chars, text, part) = found?;
    let is_alone = |up: &NodeId| {
        *up != page.body()
            && !matches!(page.tag(*up), Some(Tag::Td | Tag::Th | Tag::Tr | Tag::Table | Tag::Li))
            && page.chars(*up) == chars
    };
    let around = page.ancestors(text).take(LEVELS).take_while(is_alone);
    Some(Headline { text: part.to_owned(), node: around.last(), only_h1: None })
}

/// The whole title and its ends, as they begin or end at a sign between parts, with their visible characters: the longer ones, for the
/// name of the site may be shown as a text too.
fn parts(title: &str) -> Vec<(&str, usize)> {
    let mut parts = vec![title];
    for sign in BETWEEN {
        for (at, _) in title.match_indices(sign) {
            parts.extend([&title[..at], &title[at + sign.len()..]]);
        }
    }
    let is_long = |part: &str| words(part).values().sum::<usize>() >= LEAST || is_dense(part);
    let size = |part: &str| crate::vocabulary::words::visible_chars(part);
    let whole = size(title);
    let parts = parts.into_iter().map(str::trim);
    parts
        .filter(|part| is_long(part))
        .take(PARTS)
        .map(|part| (part, size(part)))
        .filter(|&(_, length)| length * 2 >= whole)
        .collect()
}

/// Scripts without spaces between words.
fn is_dense(part: &str) -> bool {
    const LETTERS: usize = 6;
    let wide = letters(part).chars().filter(|c| *c >= '\u{3040}').count();
    wide >= LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn the_part_of_the_title_that_the_page_shows_is_its_headline() {
        for (title, html) in [
            (
                "The Harbour Post - The bridge stays here",
                "<td><font size=5><b>The bridge stays here</b></font><br>By Ann Lee",
            ),
            ("The bridge stays here :: Harbour", "<a href=/x>The bridge stays here</a><p><b>The bridge stays here</b>"),
        ] {
            let page = page(&format!("<title>{title}</title><table><tr>{html}</table>"));
            let headline = part(&page, title).unwrap();
            assert_eq!(headline.text, "The bridge stays here");
            let node = headline.node.unwrap();
            assert!(matches!(page.tag(node), Some(Tag::P | Tag::B)) || page.chars(node) == 18);
        }
        let none = page("<td>The bridge<td>The Post of Harbour");
        for title in ["Harbour - The bridge", "Where the old bridge stays - The Post of Harbour"] {
            assert!(part(&none, title).is_none(), "{title}");
        }
    }
}
