//! Writes a page in the reader look with everything that was removed marked, and the reason.

use html5ever::LocalName;

use super::{ReaderLook, Surroundings, Theme, reader};
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
const INK: &str = ":root{--cut:#000;--ad:#000;--ignored:#000;--links:#000;--quota:#000;--small:#000;--kept:#000}";

/// Writes the page between two parts of ours, with markup at the beginning of some nodes and one of them outlined.
pub(crate) fn write(page: &Page, labels: &Table<NodeId, String>, ours: [&str; 2], around: Surroundings<'_>) -> String {
    // What scrolls in itself is cut where columns end.
    let look = ReaderLook { screenfuls: false, ..around.look };
    let mut out = String::with_capacity(32 * 1024);
    let mut style = STYLE.trim().to_owned();
    if look.theme == Theme::Ink {
        style.push_str(INK);
    }
    look.write_dark(DARK, &mut style);
    reader::write_head(page, &Surroundings { look, ..around }, &style, &mut out);
    reader::write_header(page, around, &mut out);
    let [above, below] =
        ours.map(|ours| format!("<section lang=\"{}\" dir=\"auto\">{ours}</section>", around.words.language));
    out.extend(["<main>", &above, "<div>"]);
    let rules =
        Rules { keep_attribute: Some(keep_attribute), comments: false, inside: Some(labels), ..Rules::VERBATIM };
    for child in page.live_children(page.body()) {
        serialize::write(page, child, rules, &mut out);
    }
    out.extend(["</div>", &below, "</main></body></html>\n"]);
    out
}

fn keep_attribute(tag: Tag, name: &LocalName) -> bool {
    // What is shown is the page; what it does is not.
    let acts = matches!(&**name, "action" | "formaction" | "srcdoc" | "target" | "autofocus" | "open");
    &**name == MARK || !acts && reader::keep_attribute(tag, name)
}
