//! A place on a connection to an origin, held for one response and given back at its end.

use std::sync::{Arc, OnceLock};

use tokio::{
    sync::{Notify, OwnedSemaphorePermit},
    time::Instant,
};

/// The place.
#[derive(Debug)]
pub(crate) struct Lease {
    permit: Option<OwnedSemaphorePermit>,
    /// When the place was given back.
    ended: Arc<OnceLock<Instant>>,
    /// Notified then.
    released: Arc<Notify>,
}

impl Lease {
    pub(crate) fn new(
        permit: Option<OwnedSemaphorePermit>,
        ended: Arc<OnceLock<Instant>>,
        released: Arc<Notify>,
    ) -> Self {
        Self { permit, ended, released }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // First: who gets the permit looks for the connection that has ended its response.
        let _ = self.ended.set(Instant::now());
        drop(self.permit.take());
        self.released.notify_waiters();
    }
}
