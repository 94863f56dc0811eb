//! Finds buttons whose text or picture is content, and which therefore stay when controls that need a script are
//! removed.

use html5ever::LocalName;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    metadata::start_of_line,
    vocabulary::{
        any_of::AnyOf,
        words::{is_question, words},
    },
};

/// Whether a button's words are a line of the page: a heading, a question whose answer opens, or the name of what unfolds below.
pub(super) fn is_content(page: &AnalysedPage, id: NodeId) -> bool {
    is_heading(page, id) || asks(page, id) || unfolds(page, id)
}

/// Whether a button shows its picture in full size, and is no thumbnail of one that stands elsewhere.
pub(super) fn shows_picture(page: &Page, id: NodeId) -> bool {
    const CALLED: AnyOf = AnyOf::new(&["lightbox", "zoom", "enlarge", "view image", "expand image"]);
    const MIN_WIDTH: f32 = 160.0;
    /// "View full size".
    const MAX_CHARS: usize = 30;
    let value = |id: NodeId, name: &str| page.attribute(id, &LocalName::from(name)).unwrap_or_default();
    let is_large = |image: NodeId| value(image, "width").parse().unwrap_or(MIN_WIDTH) >= MIN_WIDTH;
    let mut images = page.live(id).filter(|&inside| page.tag(inside) == Some(Tag::Img));
    let is_called = || CALLED.are_in(value(id, "class")) || CALLED.are_in(value(id, "aria-label"));
    page.chars(id) <= MAX_CHARS
        && images.any(|image| is_large(image) && !value(image, "src").contains(".svg"))
        && (page.tag(page.parent(id)) == Some(Tag::Figure) || is_called() && !value(id, "class").contains("thumb"))
}

/// Whether a button's words are a question: of four words, since "Forgot password?" is something to be done, unless it says that it
/// unfolds something, or what stands below it is hidden. Of WCXB dev's 1,497 pages 70 have such buttons, and of 28 the reference has the question (2026-11-21).
fn asks(page: &Page, id: NodeId) -> bool {
    const MAX_NODES: usize = 30;
    const MAX_BYTES: usize = 600;
    const MIN_WORDS: u32 = 4;
    let text = page.start_of_text(id, MAX_NODES, MAX_BYTES);
    let is_above_hidden = || below(page, id).is_some_and(|next| super::hidden::is_hidden(page, next));
    let opens = || page.has_attribute(id, &LocalName::from("aria-expanded")) || is_above_hidden();
    is_question(&text) && (words(&text) >= MIN_WORDS || opens())
}

/// What shows text directly behind a button, or behind what holds nothing else.
fn below(page: &Page, id: NodeId) -> Option<NodeId> {
    let chars = page.chars(id);
    let mut around = page.self_and_ancestors(id).take(3).take_while(|&up| page.chars(up) == chars);
    around.find_map(|up| page.live_siblings_after(up).find(|&next| page.chars(next) > 0))
}

/// Whether a button holds a heading, is most of the one around it, or says what the headline says; "Add to favourites" behind its words
/// is not.
fn is_heading(page: &AnalysedPage, id: NodeId) -> bool {
    let heading = page.ancestors(id).find(|&up| page.tag(up).is_some_and(Tag::is_heading));
    let Some(heading) = heading else {
        return page.live(id).any(|inside| page.tag(inside).is_some_and(Tag::is_heading));
    };
    if page.headline.node == Some(heading) {
        return page.headline.text.contains(&start_of_line(page, id));
    }
    page.chars(id) * 2 >= page.chars(heading)
}

/// Whether a sentence goes on behind a button: "the <button>harbour master</button> says".
pub(super) fn is_in_sentence(page: &Page, id: NodeId) -> bool {
    let text = |id: NodeId| page.text(id).map(|text| text.trim().to_owned()).unwrap_or_default();
    let after = page.live_siblings_after(id).next().map(text).unwrap_or_default();
    let has_before = || page.element_before(id).is_some_and(|before| text(before).ends_with(char::is_alphanumeric));
    let is_end = after.starts_with(['.', ',', ';', ')']) && has_before();
    let is_line = || page.live(id).skip(1).any(|inside| page.tag(inside).is_some_and(Tag::is_block));
    (is_end || after.starts_with(char::is_lowercase)) && page.chars(id) > 0 && !is_line()
}

/// Whether a button says that it opens something, and behind it, or behind what holds nothing else, stands a text: no menu and no
/// filters of a shop.
fn unfolds(page: &Page, id: NodeId) -> bool {
    const MIN_CHARS: usize = 20;
    let is_text = |next: NodeId| {
        let linked: usize = page.live(next).filter(|&at| page.in_link(at)).map(|at| page.own_chars(at)).sum();
        page.chars(next) >= MIN_CHARS.max(2 * linked) && !super::holds_control(page, next)
    };
    page.chars(id) > 0
        && page.has_attribute(id, &LocalName::from("aria-expanded"))
        && below(page, id).is_some_and(is_text)
}
