//! Pictures that go for a word beside them. Shops lay a button over the picture of each of their goods ("Quick view", "Compare"),
//! magazines write below each of theirs whom it is from ("Photograph: Shutterstock"): that is nothing to be read, and takes the
//! picture with it. The same few words with several pictures are such words. A card of its own ("Another story") says
//! something else on each.
//!
//! Word F1 does not see it. WCXB dev, 2026-11-22: pictures come back on 29 of 1,497 pages, 24 for 24 goods on 1435, 36 of 37 on 0649, 23
//! photographs on 0030. Not in threads, where they are what others felt.

use std::collections::HashMap;

use html5ever::local_name;

use crate::{
    filter::main_block::Choice,
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
    text::one_line,
};

/// Visible characters of such words, at most: "Photograph courtesy of the Museum of Clocks" is as long, a headline longer.
const MOST_CHARS: usize = 40;

/// Rows of an element that holds a picture and such words, at most.
const ROWS: u32 = 60;

/// Pictures from which words are the same with all of them.
const PICTURES: usize = 3;

/// An element that would go, and the address of its picture.
type Found<'a> = (NodeId, &'a str);

/// Takes the elements that hold a picture and such words out of those that are dropped, and drops the words alone.
pub(super) fn bring_back(page: &Page, kind: &KindNow<'_>, choice: &mut Choice) {
    let mut found: HashMap<String, Vec<Found>> = HashMap::new();
    for &id in &choice.dropped {
        let is_small = page.end(id).0 - id.0 <= ROWS;
        if is_small
            && let Some(picture) = picture(page, id)
            && (1..=MOST_CHARS).contains(&page.chars(id))
        {
            let words = page.start_of_text(id, ROWS as usize, 4 * MOST_CHARS);
            let words = one_line(&words).to_lowercase();
            found.entry(words).or_default().push((id, picture));
        }
    }
    for elements in found.values_mut() {
        drop_repeated(elements);
    }
    found.retain(|_, elements| elements.len() >= PICTURES);
    if found.is_empty() || kind.get() == Some(Kind::Forum) {
        return;
    }
    let found = found.into_values().flatten();
    let mut found: Vec<NodeId> = found.map(|(id, _)| id).collect();
    found.sort_unstable();
    choice.dropped.retain(|id| found.binary_search(id).is_err());
    for id in found {
        drop_words(page, id, &mut choice.dropped);
    }
    choice.dropped.sort_unstable();
}

/// The address of the first picture in an element, which is more than a drawing on a button.
fn picture(page: &Page, id: NodeId) -> Option<&str> {
    let image = page.live(id).find(|&at| page.tag(at) == Some(Tag::Img))?;
    Some(
        page.attribute(image, &local_name!("src"))
            .unwrap_or_default(),
    )
}

/// Pictures that are the same are an arrow, or the logo of where to buy.
fn drop_repeated(elements: &mut Vec<Found>) {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for (_, picture) in elements.iter() {
        *times.entry(picture).or_default() += 1;
    }
    elements.retain(|(_, picture)| times[picture] == 1);
}

/// Drops what has text and no picture.
fn drop_words(page: &Page, id: NodeId, dropped: &mut Vec<NodeId>) {
    let mut at = NodeId(id.0 + 1);
    while at < page.end(id) {
        let has_words = page.is_live(at) && page.chars(at) > 0;
        let is_words = has_words && picture(page, at).is_none();
        if is_words {
            dropped.push(at);
        }
        at = if is_words || !has_words {
            page.end(at)
        } else {
            NodeId(at.0 + 1)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{by_id, ids, page},
    };

    /// What is dropped of three cards whose first parts, a picture with this on it, were to go.
    fn dropped(words: [&str; 3], pictures: [&str; 3], claims: Claims) -> Vec<String> {
        let card = |n: usize| {
            let (word, picture) = (words[n], pictures[n]);
            format!(
                "<li><a id=a{n} href=/{n}><img src={picture}><b id=b{n}>{word}</b></a><p>Chair</p></li>"
            )
        };
        let cards = [0, 1, 2].map(card).concat();
        let mut page = page(&format!("<ul>{cards}</ul>"));
        page.claims = claims;
        let mut choice = Choice {
            dropped: (0..3).map(|n| by_id(&page, &format!("a{n}"))).collect(),
            ..Choice::default()
        };
        bring_back(&page, &KindNow::of(&page), &mut choice);
        ids(&page, &choice.dropped)
    }

    #[test]
    fn pictures_of_cards_stay_without_the_button_on_them() {
        assert_eq!(
            dropped(["Quick view"; 3], ["1", "2", "3"], Claims::default()),
            ["b0", "b1", "b2"]
        );
    }

    #[test]
    fn cards_that_say_something_else_each_go() {
        let words = ["Oak", "Elm", "Ash"];
        assert_eq!(
            dropped(words, ["1", "2", "3"], Claims::default()),
            ["a0", "a1", "a2"]
        );
    }

    #[test]
    fn the_same_picture_on_all_buttons_goes() {
        let words = ["Buy here"; 3];
        assert_eq!(
            dropped(words, ["shop"; 3], Claims::default()),
            ["a0", "a1", "a2"]
        );
    }

    #[test]
    fn what_others_felt_in_a_thread_goes() {
        let thread = Claims {
            types: vec!["DiscussionForumPosting".to_owned()],
            ..Claims::default()
        };
        assert_eq!(
            dropped(["Thanks"; 3], ["1", "2", "3"], thread),
            ["a0", "a1", "a2"]
        );
    }
}
