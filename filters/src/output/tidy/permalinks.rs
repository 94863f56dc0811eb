//! What the tools of a site put into headings and terms: signs that link to the heading.
//!
//! Known by where they lead, a link into the page without a letter; and by the class names of the tools that make documentation.

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
    if tag != Tag::A {
        return names::is_edit_section(page, id);
    }
    let Some(heading) =
        page.ancestors(id).take(LEVELS).find(|&up| page.tag(up).is_some_and(|tag| tag.is_heading() || tag == Tag::Dt))
    else {
        return false;
    };
    let is_place = || {
        page.end(id).0 == id.0 + 1
            && [local_name!("id"), local_name!("name")].iter().any(|name| page.has_attribute(id, name))
    };
    let holds_picture = || page.live(id).any(|inside| page.tag(inside) == Some(Tag::Img));
    let chars = first_chars(page, id, MAX_CHARS);
    // Not all that the heading says.
    let is_part = || first_chars(page, heading, chars) > chars;
    if chars > MAX_CHARS || holds_picture() || !is_part() || is_place() {
        return false;
    }
    let leads_inside = page.attribute(id, &local_name!("href")).is_some_and(|href| href.contains('#'));
    leads_inside && !start_of_line(page, id).contains(char::is_alphanumeric) || names::is_permalink(page, id)
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
            "<dl><dt><code>open()</code><a id=s href=#open>#</a></dt></dl>",
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
            // Shows nothing, and a table of contents leads to it.
            "<h2><a id=s href=#s></a>Options</h2>",
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
