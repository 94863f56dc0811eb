//! The first letter of a text that stands in a block of its own, large beside the text: `<div>D</div><p>uring the winter`.
//! It is the first letter of the text again, before anything is scored: one letter is no content to any algorithm.

use crate::page::{NodeId, Page, tag::Tag};

/// Visible characters of the text from which it is one that begins with a large letter.
const MIN_CHARS: usize = 40;

/// Puts such letters back.
pub(super) fn join(page: &mut Page) {
    let mut letter: Option<NodeId> = None;
    let mut found = Vec::new();
    for id in page.live(page.body()) {
        match page.own_chars(id) {
            0 => {
                let parts = page
                    .tag(id)
                    .is_some_and(|tag| tag.is_heading() || tag.is_media() || matches!(tag, Tag::Li | Tag::Tr));
                if parts {
                    letter = None;
                }
            }
            1 if is_alone(page, id) => letter = Some(id),
            _ => {
                if let Some(first) = letter.take()
                    && goes_on(page, first, id)
                {
                    found.push((first, id));
                }
            }
        }
    }
    for (first, second) in found {
        page.join_texts(first, second);
    }
}

/// Whether a text is one capital letter, all that its block holds.
fn is_alone(page: &Page, id: NodeId) -> bool {
    let is_capital = page.text(id).is_some_and(|text| text.trim().chars().all(char::is_uppercase));
    let block = page.ancestors(id).find(|&up| page.tag(up).is_some_and(Tag::is_block));
    is_capital
        && !page.in_link(id)
        && block.is_some_and(|block| {
            let is_text = matches!(page.tag(block), Some(Tag::Div | Tag::P | Tag::Figure));
            is_text && page.live(block).all(|other| other == id || page.own_chars(other) == 0)
        })
}

/// Whether a text goes on with a word whose first letter stands before it. Not a list of words under their first letter.
fn goes_on(page: &Page, letter: NodeId, text: NodeId) -> bool {
    let (Some(letter), Some(start)) = (page.text(letter), page.text(text)) else {
        return false;
    };
    let start = start.trim_start();
    let same = letter.trim().to_lowercase();
    start.starts_with(char::is_lowercase)
        && !start.starts_with(&*same)
        && page.own_chars(text) >= MIN_CHARS
        && !page.in_link(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{testing::page, text::of_subtree};

    fn joined(html: &str) -> String {
        let mut page = page(html);
        join(&mut page);
        of_subtree(&page, page.body(), 1).trim().to_owned()
    }

    #[test]
    fn a_letter_in_a_block_of_its_own_is_the_first_of_the_text() {
        let rest = "uring the long winter the lake was frozen from end to end.";
        let whole = format!("D{rest}");
        for html in [
            format!("<div class=x>D</div><p>{rest}</p>"),
            format!("<div><div><span>D</span></div></div><div id=a>\n<p>{rest}</p></div>"),
        ] {
            assert_eq!(joined(&html), whole, "{html}");
        }
    }

    #[test]
    fn other_letters_stay_where_they_are() {
        let rest = "uring the long winter the lake was frozen from end to end.";
        for html in [
            format!("<h2>D</h2><p>{rest}</p>"),
            format!("<div>D</div><p>D{rest}</p>"),
            format!("<div>D</div><p>d{rest}</p>"),
            format!("<div>D e</div><p>{rest}</p>"),
            format!("<ul><li>D</li></ul><p>{rest}</p>"),
            "<div>D</div><p>uring</p>".to_owned(),
        ] {
            let page = page(&html);
            let before = of_subtree(&page, page.body(), 1);
            assert_eq!(joined(&html), before.trim(), "{html}");
        }
    }
}
