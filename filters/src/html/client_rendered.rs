//! Moves content to where a browser would show it: pieces that a server sends late
//! (`client_rendered/streamed.rs`) and the contents of shadow trees (`client_rendered/shadow.rs`). Without it such a page is a frame
//! around "Loading…", with its text in templates and hidden elements behind it.

mod shadow;
mod streamed;

use html5ever::LocalName;
use kuchikiki::NodeRef;

use super::{
    attributes::{Attributes, Stretch, is_named},
    parse::Parsed,
};

/// For pages whose scripts will not run; where they will, the browser does it.
pub(super) fn compose(parsed: &mut Parsed) {
    if parsed.templates.is_empty() {
        return;
    }
    let attributes = &parsed.attributes;
    shadow::flatten(attributes, &parsed.templates);
    streamed::place(attributes, &parsed.document, &parsed.templates);
}

fn attribute<'a>(attributes: &'a Attributes, node: &NodeRef, name: &LocalName) -> Option<&'a str> {
    let mut own = attributes.in_stretch(Stretch::from_node(node)).iter();
    own.find(|attribute| is_named(attribute, name)).map(|attribute| &*attribute.value)
}

fn move_children(from: &NodeRef, before: &NodeRef) {
    while let Some(child) = from.first_child() {
        before.insert_before(child);
    }
}
