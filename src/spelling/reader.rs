//! How the names of the heads on one connection are written, one head after the other.

use super::{MOST, Spelling, alike};

/// Tells the spelling of heads that come one after the other on a connection.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The head that was read last. Empty where none is kept.
    last: Vec<u8>,
    spelling: Spelling,
}

impl Reader {
    /// How the names of the head at the start of these bytes are written, if they are those of the head before.
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<Spelling> {
        // Empty lines may stand in front of it.
        if self.last.is_empty() || !bytes.starts_with(b"HTTP/") {
            return None;
        }
        alike::compare(&self.last, bytes, |_, _| {})?;
        Some(self.spelling.clone())
    }

    /// This is a whole head.
    pub(crate) fn keep(&mut self, head: &[u8], spelling: &Spelling) {
        self.last.clear();
        if head.len() <= MOST && !alike::is_interim(head) {
            self.last.extend_from_slice(head);
            self.spelling.clone_from(spelling);
        }
    }
}
