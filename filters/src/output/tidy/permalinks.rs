//! What the tools of a site put into headings and terms: signs that link to the heading, "[source]", "Edit".
//!
//! Known by where they lead and how they are written, not by their language: a link into the page without a letter, a
//! short text in square brackets, an address that edits; and by the class names of the tools that make documentation.

use html5ever::local_name;

use super::names;
use crate::{
    html::{NodeId, Page, tag::Tag},
    metadata::start_of_line,
};

/// Visible characters up to which a link of a tool may go: "View page source".
const MAX_CHARS: usize = 20;

/// Levels between the heading and its sign.
const LEVELS: usize = 5;

/// Whether an element in a heading or a term is such a sign.
pub(super) fn is_sign(page: &Page, id: NodeId, tag: Tag) -> bool {
    if !matches!(tag, Tag::A | Tag::Span | Tag::Small | Tag::Sup | Tag::Div) {
        return false;
    }
    if names::is_edit_section(page, id) {
        return true;
    }
    let Some(heading) =
        page.ancestors(id).take(LEVELS).find(|&up| page.tag(up).is_some_and(|tag| tag.is_heading() || tag == Tag::Dt))
    else {
        return false;
    };
    let holds_picture = || page.live(id).any(|inside| page.tag(inside) == Some(Tag::Img));
    let chars = first_chars(page, id, MAX_CHARS);
    // Not all that the heading says.
    let is_part = || first_chars(page, heading, chars) > chars;
    if chars > MAX_CHARS || holds_picture() || !is_part() {
        return false;
    }
    let text = start_of_line(page, id);
    // Behind it stands the sign that links to the heading, at most.
    let is_last = || {
        let mut after = page.live(heading).skip_while(|&at| at < page.end(id));
        !after.any(|at| page.text(at).is_some_and(|text| text.contains(char::is_alphanumeric)))
    };
    if tag == Tag::A {
        return is_sign_link(page, id, &text) || is_tool(&text) && is_last();
    }
    is_tool(&text) && holds_link(page, id) && is_last()
}

/// Visible characters of an element, counted until there are more than `most`.
fn first_chars(page: &Page, id: NodeId, most: usize) -> usize {
    const MAX_NODES: usize = 500;
    let mut chars = 0;
    for inside in page.live(id).take(MAX_NODES) {
        chars += page.own_chars(inside);
        if chars > most {
            break;
        }
    }
    chars
}

fn is_sign_link(page: &Page, id: NodeId, text: &str) -> bool {
    let Some(href) = page.attribute(id, &local_name!("href")) else {
        return false;
    };
    let has_letters = text.contains(char::is_alphanumeric);
    let leads_inside = href.contains('#');
    let path = href.split(['#', '?']).next().unwrap_or_default();
    let is_editor = href.contains("action=edit") || path.split('/').any(|part| matches!(part, "edit" | "blame"));
    leads_inside && (!has_letters || is_known_word(text)) || is_editor || names::is_permalink(page, id)
}

/// Words that screen readers are given in place of the sign.
fn is_known_word(text: &str) -> bool {
    ["link", "permalink", "anchor", "direct link", "copy link"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// `[source]`, `[edit | edit source]`, and neither `[1]` nor `[PDF]`.
fn is_tool(text: &str) -> bool {
    const TOOLS: [&str; 12] = [
        "edit",
        "source",
        "src",
        "bearbeiten",
        "quelltext",
        "modifier",
        "editar",
        "modifica",
        "bewerken",
        "править",
        "編集",
        "编辑",
    ];

    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    inner.is_some_and(|inner| {
        let inner = inner.to_lowercase();
        TOOLS.iter().any(|tool| inner.starts_with(tool))
    })
}

fn holds_link(page: &Page, id: NodeId) -> bool {
    page.live(id).any(|inside| page.tag(inside) == Some(Tag::A)) || page.in_link(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn is_sign_in(html: &str) -> bool {
        let page = page(html);
        let id = by_id(&page, "s");
        is_sign(&page, id, page.tag(id).unwrap())
    }

    #[test]
    fn signs_of_tools_are_known_in_headings_and_terms() {
        for html in [
            "<h2>Options<a id=s href=#options>¶</a></h2>",
            "<h2>Options <a id=s href=/page#options>⚓</a></h2>",
            "<h2>Options <a id=s href=#options>Permalink</a></h2>",
            "<dl><dt><code>open()</code><a id=s href=#open>#</a></dt></dl>",
            "<dl><dt><code>open()</code><a id=s href=_modules/open.html><span><span>[source]</span></span></a></dt></dl>",
            "<h2>Geschichte<span id=s>[<a href=/w?action=edit>Bearbeiten</a>]</span></h2>",
            "<h3>Use <a id=s href=https://example.org/a/edit/main/use.md>Edit</a></h3>",
            "<div><h2>History</h2><span id=s class=mw-editsection>[<a href=/w>edit</a>]</span></div>",
            "<h4>fn open() <a id=s class='src rightside' href=../src/open.html>Source</a></h4>",
        ] {
            assert!(is_sign_in(html), "{html}");
        }
    }

    #[test]
    fn words_of_headings_stay() {
        for html in [
            "<h2><a id=s href=#options>Options</a></h2>",
            "<h2>The <a id=s href=/c>C</a> language</h2>",
            "<h2>Growth<span id=s>[1]</span></h2>",
            "<p>See <a id=s href=#x>#</a></p>",
            "<h2>All about <a id=s href=/edit-distance>editing</a></h2>",
            "<h2><a id=s href=#a>§</a></h2>",
            "<h2>The array <span id=s>[first, last]</span></h2>",
        ] {
            assert!(!is_sign_in(html), "{html}");
        }
    }
}
