//! What a script would have replaced: "Loading…".
//!
//! A page that is drawn by a script holds words that something is on its way. Without the script it never comes. So a text that is
//! nothing else goes, outside of code. A word without dots goes only where its element is called so ("spinner"): it may be a heading
//! or the name of a step.

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    vocabulary::{
        lists::{Words, words},
        words::words_of_identifier,
    },
};

/// Characters of words that something is on its way, at most.
const WAITING: usize = 24;

/// Elements around a text that may be called so.
const LEVELS: usize = 3;

/// Texts that say that something is loading, in lower case.
static WORDS: Words = words!("waiting");

/// Words in the names of an element that shows it.
/// `hideme` is rustdoc's: "Expand description", which it hides where the description is open.
const NAMES: [&str; 9] =
    ["spin", "loading", "loader", "spinner", "preloader", "placeholder", "skeleton", "progress", "hideme"];

/// Drops them, where their block says nothing else.
pub(in crate::output) fn drop(page: &mut AnalysedPage) {
    let is_short = |id: &NodeId| (2..=WAITING).contains(&page.own_chars(*id));
    let waiting = page.live(page.body()).filter(is_short).filter(|&id| {
        page.text(id).is_some_and(|text| is_waiting(page, id, text.trim()))
            && block_of(page, id).is_some_and(|block| page.chars(block) == page.own_chars(id))
    });
    let waiting: Vec<NodeId> = waiting.collect();
    for id in waiting {
        page.drop_silently(id);
    }
}

/// Whether a text says that something is on its way.
fn is_waiting(page: &Page, id: NodeId, text: &str) -> bool {
    let bare = text.trim_end_matches(['.', '…', '。', '・', ' ']);
    // Nearly no text is as long and begins alike, and to make a copy costs more.
    let first = bare.bytes().next().unwrap_or_default();
    let is_alike = |word: &&str| {
        word.len() == bare.len() && (!first.is_ascii() || word.as_bytes()[0] == first.to_ascii_lowercase())
    };
    if !WORDS.iter().any(is_alike) || !WORDS.contains(&bare.to_lowercase().as_str()) {
        return false;
    }
    let is_called = |up: NodeId| {
        [local_name!("class"), local_name!("id")].iter().any(|name| {
            page.attribute(up, name).is_some_and(|value| words_of_identifier(value).any(|word| NAMES.contains(&&*word)))
        })
    };
    text.ends_with("..") || text.ends_with('…') || page.ancestors(id).take(LEVELS).any(is_called)
}

/// The block around a text that is not code.
fn block_of(page: &Page, id: NodeId) -> Option<NodeId> {
    let is_code =
        |tag: Tag| matches!(tag, Tag::Pre | Tag::Code | Tag::Samp | Tag::Kbd | Tag::Textarea | Tag::Math | Tag::Svg);
    let is_block = |tag: Tag| tag.is_block() || matches!(tag, Tag::Td | Tag::Th | Tag::Body);
    let mut block = None;
    for up in page.ancestors(id) {
        let Some(tag) = page.tag(up) else { continue };
        if is_code(tag) {
            return None;
        }
        if block.is_none() && is_block(tag) {
            block = Some(up);
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{measure::text::of_subtree, testing::page};

    fn left(html: &str) -> String {
        let mut page = page(&format!("<p>Bread</p>{html}"));
        drop(&mut page);
        of_subtree(&page, page.body(), 1).trim().replace('\n', "|")
    }

    #[test]
    fn what_is_on_its_way_goes_in_many_languages() {
        for word in
            ["Loading...", "Wird geladen …", "Cargando…", "Загрузка...", "جاري التحميل...", "読み込み中...", "加载中……"]
        {
            assert_eq!(left(&format!("<p>{word}")), "Bread", "{word}");
        }
        assert_eq!(left("<div class=ant-spin-text>Loading</div>"), "Bread");
        for other in ["Loading", "Loading the oven...", "<b>Loading…</b> the oven"] {
            assert!(left(&format!("<p>{other}")).contains("Loading"), "{other}");
        }
    }
}
