//! Texts for screen readers that say again what stands beside them: `EUR 20.99<span class="clipped">EUR 20.99</span>`. The page's
//! style sheet hides them; where that is gone, as in text and Markdown, everything would be said twice.

use html5ever::{LocalName, local_name};

use super::{heard, names};
use crate::{
    metadata::start_of_line,
    page::{NodeId, Page, tag::Tag},
};

/// Letters and digits from which a text is one: `5` beside `5` may be a score.
const MIN_LETTERS: usize = 3;

/// Drops all of them.
pub(super) fn drop_twins(page: &mut Page) {
    // What was shown last, by the row of its parent; a table, because every node is asked for.
    let mut shown: Vec<Option<NodeId>> = vec![None; page.len()];
    let mut twins = Vec::new();
    let live: Vec<NodeId> = page.live(page.body()).skip(1).collect();
    let mut has_text = vec![false; page.len()];
    for &id in live.iter().rev() {
        if has_text[id.index()] || page.own_chars(id) > 0 {
            has_text[id.index()] = true;
            has_text[page.parent(id).index()] = true;
        }
    }
    for id in live {
        if !has_text[id.index()] {
            continue;
        }
        let before = shown[page.parent(id).index()].replace(id);
        if page.tag(id) == Some(Tag::Span) && before.is_some_and(|before| is_twin(page, before, id)) {
            twins.push(id);
        }
    }
    for id in twins {
        page.drop_silently(id);
    }
}

/// Whether a text is called one for screen readers and is the same as the one in front of it, or begins as one that is hidden
/// from them.
fn is_twin(page: &Page, before: NodeId, id: NodeId) -> bool {
    let is_short = |id| page.chars(id) <= heard::MAX_CHARS;
    let is_block = page.tag(before).is_some_and(Tag::is_block);
    if is_block || !is_short(id) || !is_short(before) {
        return false;
    }
    let is_unheard = page
        .attribute(before, &LocalName::from("aria-hidden"))
        .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    let is_heard = sounds_heard(page, id);
    // Nearly always neither: the texts need not be read then.
    if !is_unheard && !is_heard {
        return false;
    }
    let [shown, heard] = [before, id].map(|id| letters(page, id));
    if shown.chars().count() < MIN_LETTERS {
        return false;
    }
    is_unheard && heard.starts_with(&shown) || is_heard && shown == heard
}

fn letters(page: &Page, id: NodeId) -> String {
    let line = match page.text(id) {
        Some(text) => text.clone(),
        None => start_of_line(page, id),
    };
    line.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn sounds_heard(page: &Page, id: NodeId) -> bool {
    names::is_for_screen_readers(page, id)
        || page.attribute(id, &local_name!("class")).is_some_and(|class| {
            class
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| matches!(word, "clipped" | "offscreen" | "sr" | "srt"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn left(html: &str) -> String {
        let mut page = page(html);
        drop_twins(&mut page);
        crate::text::of_subtree(&page, page.body(), 1)
    }

    #[test]
    fn what_screen_readers_are_told_again_is_said_once() {
        for html in [
            "<p><b>EUR 20.99<span class=clipped>EUR 20.99</span></b></p>",
            "<p><span>EUR 20.99</span><span class=a-offscreen>EUR 20.99</span></p>",
            "<p><span aria-hidden=true>EUR 20.99</span><span class=x>EUR 20.99 with all taxes</span></p>",
        ] {
            assert_eq!(left(html), "EUR 20.99\n", "{html}");
        }
    }

    #[test]
    fn what_says_something_else_or_is_for_all_stays() {
        for html in [
            "<p>EUR 20.99<span class=clipped>EUR 25.99</span></p>",
            "<p>bye bye <span>bye bye</span></p>",
            "<p>5<span class=clipped>5</span></p>",
            "<p><span class=clipped>EUR 20.99</span></p>",
        ] {
            let page = page(html);
            let whole = crate::text::of_subtree(&page, page.body(), 1);
            assert_eq!(left(html), whole, "{html}");
        }
    }
}
