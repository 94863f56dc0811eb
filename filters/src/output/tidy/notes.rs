//! Finds the title line of a note box: a warning, a tip, a remark beside the text.

use crate::{
    html::{NodeId, Page},
    vocabulary::any_of::AnyOf,
};

/// The line that a note begins with ("Note", "Warning"): Sphinx and Material (`admonition-title`), GitHub (`markdown-alert-title`),
/// Asciidoctor (`title` in `admonitionblock`), Docusaurus (`admonitionHeading`).
pub(super) fn is_note_title(page: &Page, id: NodeId) -> bool {
    /// Hardly any class has one, and cutting it into words costs more.
    const TITLES: AnyOf = AnyOf::new(&["title", "heading"]);
    const NOTES: AnyOf = AnyOf::new(&["admonition", "callout", "alert"]);
    /// Visible characters of one, at most.
    const MAX_CHARS: usize = 80;
    TITLES.are_in(page.class(id))
        && (NOTES.are_in(page.class(id)) || NOTES.are_in(page.class(page.parent(id))))
        && (1..=MAX_CHARS).contains(&page.chars(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

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
