//! Class names that many pages have from the same framework, and what they mean.

use html5ever::local_name;

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::{
        lists::{Words, words},
        parts::Parts,
        words::words_of_identifier,
    },
};

/// Texts for screen readers: Bootstrap (`sr-only`, later `visually-hidden`), Tailwind (`sr-only`), `WordPress`
/// (`screen-reader-text`), HTML5 Boilerplate (`visuallyhidden`), Drupal (`visually-hidden`, `element-invisible`), Foundation
/// (`show-for-sr`), GOV.UK (`govuk-visually-hidden`), jQuery UI (`ui-helper-hidden-accessible`).
static FOR_SCREEN_READERS: Words = words!("for_screen_readers");

/// Parts of class names of pictures that a style sheet keeps small.
const ICONS: [&str; 6] = ["icon", "avatar", "emoji", "smiley", "gravatar", "userpic"];

/// Pieces of class names of pictures of persons.
const PERSONS: Parts = Parts::new(&["avatar", "userphoto", "user-photo", "userpic"]);

/// Frames around a picture whose names are looked at.
const FRAMES: usize = 2;

/// Nodes of a frame, at most: it holds one picture, and a row of many would be read for each.
const FRAME_NODES: usize = 8;

pub(super) fn is_for_screen_readers(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| FOR_SCREEN_READERS.contains(&class) || is_composed_for_screen_readers(class))
}

/// Whether a name that is put together says that its text is for screen readers: `u-text-sr-only`, `is-screenreader-only`, `u-hiddenVisually`, `a-offscreen`,
/// `x_visuallyHidden__1a2b`. Not what says when it is shown: `not-sr-only`, `sm:sr-only`, `sr-only-focusable`.
fn is_composed_for_screen_readers(class: &str) -> bool {
    /// Hardly any class has one, and cutting it into words costs more.
    const SIGNS: Parts = Parts::new(&["sr-only", "sronly", "screen", "visually"]);
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
    let has = |wanted: &[&str]| words.windows(wanted.len()).any(|those| those.iter().zip(wanted).all(|(a, b)| a == b));
    NAMES.iter().any(|name| has(name)) && !has(&["not"]) && !has(&["focusable"])
}

/// The line that a note begins with ("Note", "Warning"): Sphinx and Material (`admonition-title`), GitHub (`markdown-alert-title`),
/// Asciidoctor (`title` in `admonitionblock`), Docusaurus (`admonitionHeading`).
pub(super) fn is_note_title(page: &Page, id: NodeId) -> bool {
    /// Hardly any class has one, and cutting it into words costs more.
    const TITLES: Parts = Parts::new(&["title", "heading"]);
    const NOTES: Parts = Parts::new(&["admonition", "callout", "alert"]);
    /// Visible characters of one, at most.
    const MAX_CHARS: usize = 80;
    let class = |id| page.attribute(id, &local_name!("class")).unwrap_or_default();
    TITLES.are_in(class(id))
        && (NOTES.are_in(class(id)) || NOTES.are_in(class(page.parent(id))))
        && (1..=MAX_CHARS).contains(&page.chars(id))
}

/// A picture that is called an icon, or one of a person by its class or by that of the link or frame around it.
pub(super) fn is_icon(page: &Page, id: NodeId) -> bool {
    let is_called_icon = has_class(page, id, |class| {
        class.split(['-', '_']).any(|part| ICONS.iter().any(|icon| part.eq_ignore_ascii_case(icon)))
    });
    let is_frame = |up: NodeId| page.end(up).index() - up.index() <= FRAME_NODES && page.chars(up) == 0;
    let mut frames = page.ancestors(id).take(FRAMES).take_while(|&up| is_frame(up));
    is_called_icon || shows_person(page, id) || frames.any(|up| shows_person(page, up))
}

/// `ipsAvatarStack`, `c-user-photo`, `AvatarWrapper`.
fn shows_person(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| PERSONS.are_in(class))
}

/// Signs that link to a heading: Sphinx (`headerlink`, `viewcode-link`), Docusaurus (`hash-link`), `AnchorJS`, `VitePress`
/// (`header-anchor`), Hugo and Jekyll themes (`anchor`, `heading-anchor`, `permalink`), rustdoc (`src`).
pub(super) fn is_permalink(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| {
        matches!(
            class,
            "headerlink"
                | "viewcode-link"
                | "hash-link"
                | "anchorjs-link"
                | "header-anchor"
                | "heading-anchor"
                | "heading-link"
                | "anchor"
                | "anchor-link"
                | "permalink"
                | "src"
                | "srclink"
        )
    })
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
    matches!(tag, Tag::Span | Tag::Img | Tag::Div) && has_class(page, id, is_copy)
}

/// The links of `MediaWiki` that edit a section.
pub(super) fn is_edit_section(page: &Page, id: NodeId) -> bool {
    has_class(page, id, |class| matches!(class, "mw-editsection" | "editsection"))
}

/// Rows of links that lead up from a page: Bootstrap, Foundation, `WordPress`, schema.org.
pub(super) fn is_breadcrumb(page: &Page, id: NodeId) -> bool {
    let is_name = |word: &str| {
        let word = word.to_ascii_lowercase();
        matches!(word.rsplit('/').next(), Some("breadcrumb" | "breadcrumbs" | "breadcrumblist"))
    };
    has_class(page, id, is_name)
        || [local_name!("aria-label"), local_name!("itemtype"), local_name!("id")]
            .iter()
            .any(|name| page.attribute(id, name).is_some_and(|value| value.split_ascii_whitespace().any(is_name)))
}

/// A picture that stands for the site: by a class, an id or a file called `logo`.
pub(super) fn is_logo(page: &Page, id: NodeId) -> bool {
    const LOGO: Parts = Parts::new(&["logo"]);
    [local_name!("class"), local_name!("id"), local_name!("src"), local_name!("alt")].iter().any(|name| {
        page.attribute(id, name).filter(|value| LOGO.are_in(value)).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            !value.starts_with("data:")
                && value.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "logo" || word == "logotype")
        })
    })
}

fn has_class(page: &Page, id: NodeId, is_wanted: impl FnMut(&str) -> bool) -> bool {
    page.attribute(id, &local_name!("class")).is_some_and(|classes| classes.split_ascii_whitespace().any(is_wanted))
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
        for class in ["not-sr-only", "sm:sr-only", "full-screen", "screen", "visually-striking", "sr-only-focusable"] {
            let page = page(&format!("<i id=t class='{class}'>x"));
            assert!(!is_for_screen_readers(&page, by_id(&page, "t")), "{class}");
        }
    }

    #[test]
    fn the_first_line_of_a_note_is_its_title() {
        let is_title = |html: &str| {
            let page = page(html);
            is_note_title(&page, by_id(&page, "t"))
        };
        for html in [
            "<div class='admonition tip'><p id=t class=admonition-title>Tip</p><p>text</div>",
            "<div class=admonitionblock><div id=t class=title>Tip</div><p>text</div>",
            "<div class=theme-admonition><div id=t class=admonitionHeading_x>tip</div></div>",
        ] {
            assert!(is_title(html), "{html}");
        }
        for html in ["<div class=alert><p id=t>Tip</p></div>", "<div class=card><p id=t class=title>Tip</p></div>"] {
            assert!(!is_title(html), "{html}");
        }
    }
}
