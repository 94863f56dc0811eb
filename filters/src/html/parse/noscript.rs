//! What stands in `<noscript>` stays there.
//!
//! To a browser that runs scripts it is text up to `</noscript>` (HTML Standard § 13.2.6.4.7), so nobody sees what is wrong in
//! it: `<noscript><iframe src=… /></noscript>` never ends its frame. Here it is read as elements, for its pictures and its
//! text, and a frame that is not ended would take the rest of the page for its own. So its contents are kept apart from
//! the page as those of a fragment: whatever is open at `</noscript>` ends there, and no end tag in it ends what is
//! around it.

use html5ever::{
    LocalName, local_name,
    tokenizer::{Tag, TagKind},
};

/// Elements inside each other that are known. Deeper ones are not ended.
const MAX_OPEN: usize = 256;

/// The `<noscript>` that is being read.
pub(super) struct Noscript {
    /// Whether its contents are elements at all.
    is_read: bool,
    is_open: bool,
    /// Elements that are open in `<noscript>`, the outermost first.
    open: Vec<LocalName>,
}

/// Whether a tag reaches the tree.
pub(super) enum Passes {
    Yes,
    No,
    /// When these have ended.
    After(Vec<LocalName>),
}

impl Noscript {
    pub(super) fn new(is_read: bool) -> Noscript {
        Noscript { is_read, is_open: false, open: Vec::new() }
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) fn innermost(&self) -> Option<LocalName> {
        self.open.last().cloned()
    }

    pub(super) fn tag(&mut self, tag: &Tag) -> Passes {
        let is_noscript = self.is_read && tag.name == local_name!("noscript");
        if !self.is_open && !is_noscript {
            return Passes::Yes;
        }
        match (tag.kind, is_noscript) {
            // A second one in it is text to browsers.
            (TagKind::StartTag, true) if self.is_open => return Passes::No,
            (TagKind::StartTag, true) => self.is_open = true,
            (TagKind::StartTag, false) => {
                if !is_void(&tag.name) && self.open.len() < MAX_OPEN {
                    self.open.push(tag.name.clone());
                }
            }
            (TagKind::EndTag, true) => {
                self.is_open = false;
                self.open.reverse();
                return Passes::After(std::mem::take(&mut self.open));
            }
            (TagKind::EndTag, false) => {
                let start = self.open.iter().rposition(|name| *name == tag.name);
                let Some(start) = start else {
                    return Passes::No;
                };
                self.open.truncate(start);
            }
        }
        Passes::Yes
    }
}

/// Elements that have no end tag, or whose end is that of the page.
fn is_void(name: &LocalName) -> bool {
    [
        "area", "base", "body", "br", "col", "embed", "frame", "head", "hr", "html", "img", "input", "link", "meta",
        "param", "source", "track", "wbr",
    ]
    .contains(&&**name)
}
