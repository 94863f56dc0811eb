//! Texts for screen readers only, which the page's style sheet kept out of sight, and copies of formulas for those who cannot read
//! `MathML`.
//!
//! The texts stay out of sight, but where nothing else is said: a link whose drawing is gone, an item that was a spot of colour. The
//! copies go where the formula is there.

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, style_sheets::Sheets, tag::Tag},
    vocabulary::{
        any_of::AnyOf,
        lists::{WordList, words},
        words::words_of_identifier,
    },
};

/// Texts for screen readers: Bootstrap (`sr-only`, later `visually-hidden`), Tailwind (`sr-only`), `WordPress`
/// (`screen-reader-text`), HTML5 Boilerplate (`visuallyhidden`), Drupal (`visually-hidden`, `element-invisible`), Foundation
/// (`show-for-sr`), GOV.UK (`govuk-visually-hidden`), jQuery UI (`ui-helper-hidden-accessible`).
static FOR_SCREEN_READERS: WordList = words!("for_screen_readers");

/// Visible characters up to which something may be a text for screen readers.
pub(super) const MAX_CHARS: usize = 200;

/// Levels above a text in which its link or item is looked for.
const LEVELS: usize = 4;

/// Whether an element is one, to be kept out of sight.
pub(super) fn is_screen_reader_only(page: &AnalysedPage, id: NodeId, sheets: &Sheets) -> bool {
    (is_for_screen_readers(page, id) || sheets.clips(page, id))
        && page.chars(id) <= MAX_CHARS
        // Pages that draw their headline write it for screen readers only.
        && !page.headline.node.or(page.headline.only_h1).is_some_and(|h| page.contains(id, h))
        && !is_all(page, id)
}

/// Whether it is all that a link or an item holds.
fn is_all(page: &Page, id: NodeId) -> bool {
    let around =
        page.ancestors(id).take(LEVELS).find(|&up| matches!(page.tag(up), Some(Tag::A | Tag::Li | Tag::Td | Tag::Dd)));
    let shows = |inside: NodeId| {
        page.own_chars(inside) > 0
            || page.tag(inside).is_some_and(|tag| tag == Tag::Input || tag.is_media() && tag != Tag::Svg)
    };
    page.chars(id) > 0
        && around.is_some_and(|around| {
            // The sign that links to a heading, and its like.
            let leads_inside =
                page.attribute(around, &local_name!("href")).is_some_and(|href| href.trim().starts_with('#'));
            !leads_inside && page.live(around).all(|inside| page.contains(id, inside) || !shows(inside))
        })
}

fn is_for_screen_readers(page: &Page, id: NodeId) -> bool {
    let is_label = page.tag(id).is_some_and(|tag| tag == Tag::Label || tag.is_heading());
    page.has_class(id, |class| FOR_SCREEN_READERS.contains(&class) || is_composed_for_screen_readers(class, is_label))
}

/// Whether a name that is put together says that its text is for screen readers: `u-text-sr-only`, `is-screenreader-only`, `u-hiddenVisually`, `a-offscreen`,
/// `x_visuallyHidden__1a2b`. Not what says when it is shown: `not-sr-only`, `sm:sr-only`, `sr-only-focusable`; and not what says
/// that of a part of the element, its label or title, unless it is that part: `field--label-visually_hidden`.
fn is_composed_for_screen_readers(class: &str, is_label: bool) -> bool {
    /// Hardly any class has one, and cutting it into words costs more.
    const SIGNS: AnyOf = AnyOf::new(&["sr-only", "sronly", "screen", "visually"]);
    const NAMES: [&[&str]; 8] = [
        &["sr", "only"],
        &["sronly"],
        &["screenreader"],
        &["screen", "reader"],
        &["visually", "hidden"],
        &["hidden", "visually"],
        &["visuallyhidden"],
        &["offscreen"],
    ];
    if !SIGNS.are_in(class) || class.contains(':') {
        return false;
    }
    let words: Vec<String> = words_of_identifier(class).collect();
    // The last one is the whole name.
    let words = words.split_last().map_or(&words[..], |(_, words)| words);
    let place =
        |wanted: &[&str]| words.windows(wanted.len()).position(|those| those.iter().zip(wanted).all(|(a, b)| a == b));
    let has = |wanted: &[&str]| place(wanted).is_some();
    // As a modifier behind the name of a block (BEM), a part tells whose state it is.
    let is_of_part = |at: usize| {
        let part = at.checked_sub(1).map(|before| words[before].as_str());
        let is_part = part.is_some_and(|part| matches!(part, "label" | "labels" | "title" | "legend"));
        is_part && !is_label && class.contains("--")
    };
    let of_whole = |at: usize| !is_of_part(at);
    NAMES.iter().filter_map(|name| place(name)).any(of_whole) && !has(&["not"]) && !has(&["focusable"])
}

/// Whether an element is a copy of a formula: what `KaTeX` and `MediaWiki` write beside the `MathML`, for those who could not
/// read that, or what a saved page holds of the formula that `MathJax` 2 set, before its source.
pub(super) fn is_copy_of_formula(page: &Page, id: NodeId, tag: Tag) -> bool {
    let is_source = |next| page.text(next).is_some_and(|text| text.starts_with("\\(") || text.starts_with("\\["));
    let mut after = page.live_siblings_after(id).filter(|&next| page.tag(next).is_none());
    let is_copy = |class: &str| {
        (class == "katex-html" || class.starts_with("mwe-math-fallback-image")) && page.has_any(&[Tag::Math])
            || class.starts_with("MathJax") && after.next().is_some_and(is_source)
    };
    matches!(tag, Tag::Span | Tag::Img | Tag::Div) && page.has_class(id, is_copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn texts_for_screen_readers_are_known_by_composed_names() {
        for class in [
            "sr-only",
            "u-text-sr-only",
            "screenreader",
            "u-hiddenVisually",
            "is-screenreader-only",
            "usa-sr-only",
            "a-offscreen",
            "screen-reader-only",
            "fl-screen-reader-text",
            "x_visuallyHidden__1a2b",
        ] {
            let page = page(&format!("<i id=t class='a {class}'>x"));
            assert!(is_for_screen_readers(&page, by_id(&page, "t")), "{class}");
        }
        let label = page("<label id=t class=field__label--visually-hidden>x");
        assert!(is_for_screen_readers(&label, by_id(&label, "t")));
        for class in ["field--label-visually_hidden", "form-item--title-visually-hidden"] {
            let page = page(&format!("<div id=t class='field {class}'>x"));
            assert!(!is_for_screen_readers(&page, by_id(&page, "t")), "{class}");
        }
        for class in ["not-sr-only", "sm:sr-only", "full-screen", "screen", "visually-striking", "sr-only-focusable"] {
            let page = page(&format!("<i id=t class='{class}'>x"));
            assert!(!is_for_screen_readers(&page, by_id(&page, "t")), "{class}");
        }
    }
}
