//! Buttons, forms and texts that wait for a script.
//!
//! - A button without a word on it: its icon was the page's style. One that sends its form shows what it is called to screen readers
//!   (`aria-label`, `title`), else an arrow; one that waits for a script goes.
//! - A form that no reader fills in: the button that every card or comment has, known by having no field and by its repetition; and boxes that nobody can
//!   send. A form without a button and without a line to type in is sent by no key (HTML § 4.10.22.2, implicit submission): with the
//!   scripts gone its boxes and lists do nothing, and go; its words stay.
//! - A text that a script would have replaced, "Loading…": it goes, outside of code, where its block says nothing else. A word without dots
//!   goes only where its element is called so ("spinner"): it may be a heading or the name of a step.

use std::collections::HashSet;

use html5ever::{LocalName, local_name};

use super::MARK;
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    measure::fields::Fields,
    vocabulary::{
        lists::{WordList, words},
        words::words_of_identifier,
    },
};

/// Drops or names them. A field that sends its form and has an empty name gets the one that browsers give it in their own language.
pub(super) fn repair_buttons(page: &mut Page, buttons: &[NodeId], fields: &[NodeId]) {
    for &id in fields {
        let is = |name, wanted: fn(&str) -> bool| page.attribute(id, &name).is_some_and(|value| wanted(value.trim()));
        if is(local_name!("type"), |kind| kind.eq_ignore_ascii_case("submit"))
            && is(local_name!("value"), str::is_empty)
        {
            page.drop_attributes(id, |name, _| *name == local_name!("value"));
        }
    }
    for &id in buttons {
        if !page.is_live(id) || shows_something(page, id) {
            continue;
        }
        if waits_for_script(page, id) {
            page.drop_silently(id);
        } else {
            let name = name_of(page, id).unwrap_or_else(|| "→".to_owned());
            page.set_attribute(id, local_name!("aria-label"), name);
            page.set_attribute(id, LocalName::from(MARK), "named".to_owned());
        }
    }
}

/// Whether it has a word or a picture on it. Drawings are icons, and go.
fn shows_something(page: &Page, id: NodeId) -> bool {
    const MAX_NODES: usize = 50;
    page.live(id).take(MAX_NODES).any(|inside| page.own_chars(inside) > 0 || page.tag(inside) == Some(Tag::Img))
}

fn waits_for_script(page: &Page, id: NodeId) -> bool {
    let kind = page.attribute(id, &local_name!("type"));
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case("button") || kind.eq_ignore_ascii_case("reset"))
        || page.has_attribute(id, &local_name!("disabled"))
}

fn name_of(page: &Page, id: NodeId) -> Option<String> {
    [local_name!("aria-label"), local_name!("title")]
        .iter()
        .filter_map(|name| page.attribute(id, name))
        .map(str::trim)
        .find(|name| !name.is_empty())
        .map(str::to_owned)
}

/// Forms without a field from which they are the buttons of something that repeats.
const REPEATED: usize = 3;

/// Visible characters of a form that is a button.
const BUTTON_CHARS: usize = 40;

/// Drops such forms.
pub(super) fn drop_unread(page: &mut Page) {
    if !page.has_any(&[Tag::Form]) {
        return;
    }
    let forms: Vec<(NodeId, Fields)> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::Form))
        .map(|id| (id, Fields::from_form(page, id)))
        .collect();
    if forms.is_empty() {
        return;
    }
    let is_button =
        |id: NodeId, fields: &Fields| fields.count() == 0 && page.chars(id) <= BUTTON_CHARS && !holds_content(page, id);
    let buttons = forms.iter().filter(|(id, fields)| is_button(*id, fields)).map(|(id, _)| *id);
    let mut unwanted: Vec<NodeId> = buttons.collect();
    if unwanted.len() < REPEATED {
        unwanted.clear();
    }
    // A button elsewhere may send a form, by its name.
    let named: HashSet<&str> =
        page.live(page.body()).filter_map(|id| page.attribute(id, &local_name!("form"))).collect();
    let dead: Vec<NodeId> = forms
        .iter()
        .filter(|(id, fields)| {
            let name = page.attribute(*id, &local_name!("id"));
            let is_named = name.is_some_and(|name| named.contains(name));
            let is_sent = fields.buttons > 0 || is_named;
            fields.typed() == 0 && fields.chosen() > 0 && !is_sent
        })
        .flat_map(|&(form, _)| page.live(form))
        .filter(|&id| matches!(page.tag(id), Some(Tag::Input | Tag::Select)))
        .collect();
    for id in unwanted.into_iter().chain(dead) {
        page.drop_silently(id);
    }
}

/// Whether something in a form is read: a paragraph, a heading, a picture. Some sites put a whole page into one form.
fn holds_content(page: &Page, form: NodeId) -> bool {
    page.live(form).any(|id| {
        page.tag(id).is_some_and(|tag| {
            matches!(tag, Tag::P | Tag::Img | Tag::Picture | Tag::Pre | Tag::Table | Tag::H1 | Tag::H2)
        }) && (page.chars(id) > 0 || page.tag(id) == Some(Tag::Img))
    })
}

/// Characters of words that something is on its way, at most.
const MAX_WAITING_CHARS: usize = 24;

/// Elements around a text that may be called so.
const WAITING_LEVELS: usize = 3;

/// Texts that say that something is loading, in lower case.
static WAITING_TEXTS: WordList = words!("waiting");

/// Words in the names of an element that shows it.
/// `hideme` is rustdoc's: "Expand description", which it hides where the description is open.
const WAITING_NAMES: [&str; 9] =
    ["spin", "loading", "loader", "spinner", "preloader", "placeholder", "skeleton", "progress", "hideme"];

/// Drops them, where their block says nothing else.
pub(in crate::output) fn drop_placeholders(page: &mut AnalysedPage) {
    let is_short = |id: &NodeId| (2..=MAX_WAITING_CHARS).contains(&page.own_chars(*id));
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
    if !WAITING_TEXTS.iter().any(is_alike) || !WAITING_TEXTS.contains(&bare.to_lowercase().as_str()) {
        return false;
    }
    let is_called = |up: NodeId| {
        [local_name!("class"), local_name!("id")].iter().any(|name| {
            page.attribute(up, name)
                .is_some_and(|value| words_of_identifier(value).any(|word| WAITING_NAMES.contains(&&*word)))
        })
    };
    text.ends_with("..") || text.ends_with('…') || page.ancestors(id).take(WAITING_LEVELS).any(is_called)
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
    use crate::{measure::text::from_subtree, testing::page};

    fn left(html: &str) -> String {
        let mut page = page(&format!("<p>Bread</p>{html}"));
        drop_placeholders(&mut page);
        from_subtree(&page, page.body(), 1).trim().replace('\n', "|")
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
