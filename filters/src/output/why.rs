//! A page with what was removed marked in its place, and why, in the reader look.

use html5ever::LocalName;

use super::{Surroundings, reader};
use crate::{
    hashing::Table,
    html::{
        NodeId, Page,
        serialize::{self, Rules},
        tag::Tag,
    },
};

/// The attribute with the filter that removed an element.
pub(crate) const MARK: &str = "data-gleaner-by";

/// The policy: no script of the page runs, whatever it has become, and nothing but pictures is loaded.
pub(crate) const CSP: &str = "default-src 'none'; img-src * data: blob:; style-src 'unsafe-inline'; base-uri *; \
form-action 'none'; frame-ancestors 'none'; sandbox allow-same-origin";

const STYLE: &str = include_str!("why.css");
const DARK: &str = include_str!("why/dark.css");

/// Writes the page below `above`, with markup at the beginning of some nodes and one of them outlined.
pub(crate) fn write(page: &Page, labels: &Table<NodeId, String>, above: &str, around: Surroundings<'_>) -> String {
    let mut out = String::with_capacity(32 * 1024);
    let mut style = STYLE.trim().to_owned();
    around.look.write_dark(DARK, &mut style);
    reader::write_head(page, around.look, &style, &mut out);
    reader::write_header(page, around, &mut out);
    out.push_str("<section lang=\"en\" dir=\"ltr\">");
    out.push_str(above);
    out.push_str("</section><main>");
    let rules =
        Rules { keep_attribute: Some(keep_attribute), comments: false, inside: Some(labels), ..Rules::VERBATIM };
    for child in page.live_children(page.body()) {
        serialize::write(page, child, rules, &mut out);
    }
    out.push_str("</main></body></html>\n");
    out
}

fn keep_attribute(tag: Tag, name: &LocalName) -> bool {
    // What is shown is the page; what it does is not.
    let acts = matches!(&**name, "action" | "formaction" | "srcdoc" | "target" | "autofocus" | "open");
    &**name == MARK || !acts && reader::keep_attribute(tag, name)
}
