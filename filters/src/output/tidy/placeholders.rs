//! What a script would have replaced: `{{price}}`, `${name}`, "Loading…".
//!
//! A page that is drawn by a script holds names of values where the values will stand, and a word that they are on their way. Without
//! the script they never come. So a text that is nothing else goes: not in code, where it is what the page is about, not in a
//! sentence or below one that announces it ("To print a name, write:"), and not in a manual, where a name of a value stands in a table beside what it means. A word without dots goes only
//! where its element is called so ("spinner"): it may be a heading or the name of a step.
//!
//! WCXB dev, 2026-11-22: of 1,497 pages 11 showed one or the other.

use std::collections::HashMap;

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    page_type::{Kind, KindNow},
    vocabulary::{
        lists::{Words, words},
        words::words_of_identifier,
    },
};

/// Characters of such a text, at most.
const MOST: usize = 120;

/// Characters of words that something is on its way, at most.
const WAITING: usize = 24;

/// Elements around a text that may be called so.
const LEVELS: usize = 3;

/// That something is on its way, in lower case.
static WORDS: Words = words!("waiting");

/// Words in the names of an element that shows it.
const NAMES: [&str; 8] = ["spin", "loading", "loader", "spinner", "preloader", "placeholder", "skeleton", "progress"];

/// Drops them.
pub(in crate::output) fn drop(page: &mut AnalysedPage) {
    let mut values = Vec::new();
    let mut waiting = Vec::new();
    let mut gone = Vec::new();
    let mut is_announced = false;
    for id in page.live(page.body()) {
        if page.own_chars(id) == 0 {
            continue;
        }
        let was_announced = is_announced;
        is_announced = page.text(id).is_some_and(|text| text.trim_end().ends_with([':', '：']));
        if !(2..=MOST).contains(&page.own_chars(id)) {
            continue;
        }
        let Some(text) = page.text(id) else { continue };
        let text = text.trim();
        if is_value(text) {
            if !was_announced {
                values.push(id);
            }
        } else if page.own_chars(id) <= WAITING && is_waiting(page, id, text) {
            waiting.push(id);
        }
    }
    if values.is_empty() && waiting.is_empty() {
        return;
    }
    if !values.is_empty() && KindNow::of(page, &page.claims).get() == Some(Kind::Documentation) {
        values.clear();
    }
    // What a block says, where it says nothing else; values may stand in a row.
    let mut found: HashMap<NodeId, usize> = HashMap::new();
    let mut unwanted = Vec::new();
    for id in values.into_iter().chain(waiting) {
        if let Some(block) = block_of(page, id) {
            *found.entry(block).or_default() += page.own_chars(id);
            unwanted.push((id, block));
        }
    }
    for (id, block) in unwanted {
        if page.chars(block) == found[&block] {
            gone.push(id);
        }
    }
    for id in gone {
        page.drop_silently(id);
    }
}

/// Whether a text is names of values and nothing else.
fn is_value(text: &str) -> bool {
    let starts = text.starts_with("{{") || text.starts_with("{%") || text.starts_with("${");
    if !starts || !text.ends_with('}') {
        return false;
    }
    let (mut rest, mut found) = (text, false);
    while let Some(open) = rest.find('{') {
        // A sign of money before the name of an amount.
        let between = rest[..open].trim();
        if !between.chars().all(|c| c == '$' || c.is_ascii_punctuation()) {
            return false;
        }
        let after = &rest[open..];
        let (close, least) = match after.as_bytes().get(1) {
            Some(b'{') => ("}}", 5),
            Some(b'%') => ("%}", 5),
            _ if between.ends_with('$') => ("}", 3),
            _ => return false,
        };
        let Some(end) = after.find(close).map(|end| end + close.len()) else {
            return false;
        };
        if end < least {
            return false;
        }
        found = true;
        rest = after[end..].trim_start_matches('}');
    }
    found && rest.trim().is_empty()
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
    use crate::{measure::text::of_subtree, page_type::Claims, testing::page};

    fn left_of(html: &str, says: &str) -> String {
        let mut page = page(&format!("<p>Bread</p>{html}"));
        page.claims = Claims { types: vec![says.to_owned()], ..Claims::default() };
        drop(&mut page);
        of_subtree(&page, page.body(), 1).trim().replace('\n', "|")
    }

    fn left(html: &str) -> String {
        left_of(html, "Article")
    }

    #[test]
    fn names_of_values_go_where_nothing_else_is_said() {
        for value in [
            "{{price}}",
            "{{ item.name }} {{ item.price }}",
            "${{amount_no_decimals}}",
            "{% if a %}{{ b }}{% endif %}",
            "${title}",
            "{{a}}</b> <b>{{b}}",
        ] {
            assert_eq!(left(&format!("<div><b>{value}</b></div>")), "Bread", "{value}");
        }
        for other in ["Dear {{name}}", "{{price}} a loaf", "{}", "{a}", "{{}}", "${}", "{{a}} and {{b}}", "{{a"] {
            assert_eq!(left(&format!("<p>{other}")), format!("Bread|{other}"));
        }
    }

    #[test]
    fn code_and_manuals_keep_them() {
        for tag in ["pre", "code", "kbd"] {
            let html = format!("<p><{tag}>{{{{name}}}}</{tag}>");
            assert!(left(&html).ends_with("{{name}}"), "{tag}");
        }
        let told = left("<p>To print a name, write:</p><p>{{name}}</p>");
        assert!(told.ends_with("{{name}}"), "{told}");
        let table = "<table><tr><td>{{name}}<td>the name";
        assert!(left_of(table, "APIReference").contains("{{name}}"));
        assert!(!left(table).contains("{{name}}"));
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
