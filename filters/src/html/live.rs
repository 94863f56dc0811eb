//! The walk that nearly every rule makes.

use super::{Fate, NodeId, Page};

/// Nodes in document order, skipping what was removed.
pub(crate) struct Live<'a> {
    pub(super) page: &'a Page,
    pub(super) next: u32,
    pub(super) end: u32,
}

impl Iterator for Live<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        while self.next < self.end {
            let id = NodeId(self.next);
            let row = &self.page.rows[id.index()];
            if row.fate == Fate::Removed {
                self.next = row.end;
            } else {
                self.next += 1;
                return Some(id);
            }
        }
        None
    }
}
