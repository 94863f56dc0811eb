//! How the names of the heads on one connection are written, one head after the other.

use super::{
    MOST, Spelling, alike,
    kept::{Kept, Latest},
};

/// Tells the spelling of heads that come one after the other on a connection.
#[derive(Debug)]
pub(crate) struct Reader(Kept<Read>);

/// A head that was read.
#[derive(Debug)]
struct Read {
    head: Vec<u8>,
    spelling: Spelling,
}

thread_local! {
    static LATEST: Latest<Read> = Latest::default();
}

impl Default for Reader {
    fn default() -> Self {
        Self(Kept::new(&LATEST))
    }
}

impl Reader {
    /// How the names of the head at the start of these bytes are written, if they are those of the head before.
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Option<Spelling> {
        // Empty lines may stand in front of it.
        if !bytes.starts_with(b"HTTP/") {
            return None;
        }
        self.0.find(|read| {
            alike::compare(&read.head, bytes, |_, _| {})?;
            Some(read.spelling.clone())
        })
    }

    /// This is a whole head.
    pub(crate) fn keep(&mut self, head: &[u8], spelling: &Spelling) {
        if head.len() <= MOST && !alike::is_interim(head) {
            self.0.keep(Read {
                head: head.to_owned(),
                spelling: spelling.clone(),
            });
        }
    }
}
