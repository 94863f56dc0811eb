//! Iterates over the nodes that are not removed, and charges each step to the page's budget.

use super::{NodeId, NodeState, Page};

/// Steps that are charged together, in advance: a walk that ends early is charged for more than it made.
const STRIDE: u32 = 64;

/// Steps that walks upwards or along siblings, which are shorter, are charged together.
const SHORT_STRIDE: u32 = 16;

/// Charges a page's time for steps.
pub(crate) struct Steps<'a> {
    page: &'a Page,
    stride: u32,
    left: u32,
}

impl<'a> Steps<'a> {
    pub(super) fn short(page: &'a Page) -> Steps<'a> {
        Steps { page, stride: SHORT_STRIDE, left: 0 }
    }

    /// One step is made.
    #[inline]
    pub(crate) fn step(&mut self) {
        if self.left == 0 {
            self.page.charge(self.stride);
            self.left = self.stride;
        }
        self.left -= 1;
    }
}

/// Nodes in document order, skipping what was removed.
pub(crate) struct Live<'a> {
    page: &'a Page,
    next: u32,
    end: u32,
    steps: Steps<'a>,
}

impl<'a> Live<'a> {
    pub(super) fn new(page: &'a Page, next: u32, end: u32) -> Live<'a> {
        let stride = (end - next).clamp(1, STRIDE);
        Live { page, next, end, steps: Steps { page, stride, left: 0 } }
    }
}

impl Iterator for Live<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        while self.next < self.end {
            self.steps.step();
            let id = NodeId(self.next);
            let row = &self.page.rows[id.index()];
            if row.state == NodeState::Removed {
                self.next = row.end;
            } else {
                self.next += 1;
                return Some(id);
            }
        }
        None
    }
}
