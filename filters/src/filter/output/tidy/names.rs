//! Class names that many pages have from the same framework, and what they mean.

use html5ever::local_name;

use crate::page::{NodeId, Page};

/// Texts for screen readers: Bootstrap (`sr-only`, later `visually-hidden`), Tailwind (`sr-only`), `WordPress`
/// (`screen-reader-text`), HTML5 Boilerplate (`visuallyhidden`), Drupal (`visually-hidden`, `element-invisible`), Foundation
/// (`show-for-sr`), GOV.UK (`govuk-visually-hidden`), jQuery UI (`ui-helper-hidden-accessible`).
const FOR_SCREEN_READERS: [&str; 9] = [
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "element-invisible",
    "show-for-sr",
    "govuk-visually-hidden",
    "ui-helper-hidden-accessible",
    "assistive-text",
];

/// Links over the head of the page, in the same frameworks.
const SKIP: [&str; 5] = [
    "skip-link",
    "skip-nav",
    "skiplink",
    "skip-to-content",
    "skip-to-main",
];

/// Parts of class names of pictures that a style sheet keeps small.
const ICONS: [&str; 6] = ["icon", "avatar", "emoji", "smiley", "gravatar", "userpic"];

pub(super) fn is_for_screen_readers(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| FOR_SCREEN_READERS.contains(&class))
}

pub(super) fn is_skip(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| SKIP.contains(&class))
}

pub(super) fn is_icon(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| {
        class
            .split(['-', '_'])
            .any(|part| ICONS.iter().any(|icon| part.eq_ignore_ascii_case(icon)))
    })
}

/// Line numbers: Pygments (`lineno`, `linenos`), Rouge (`gutter`, `gl`), highlight.js (`hljs-ln-numbers`), Prism
/// (`line-numbers-rows`), Chroma (`ln`, `lnt`).
pub(super) fn is_line_number(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| {
        matches!(
            class,
            "lineno"
                | "linenos"
                | "linenumber"
                | "line-number"
                | "gutter"
                | "gl"
                | "hljs-ln-numbers"
                | "line-numbers-rows"
                | "ln"
                | "lnt"
                | "rouge-gutter"
        )
    })
}

fn has_class(page: &Page, id: NodeId, is_wanted: impl Fn(&str) -> bool) -> bool {
    page.attribute(id, &local_name!("class"))
        .is_some_and(|classes| classes.split_ascii_whitespace().any(is_wanted))
}
