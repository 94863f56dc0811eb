//! Holds one response's place on a connection to an origin, and releases it when the response ends.

use std::{
    any::Any,
    sync::{Arc, OnceLock},
};

use tokio::{sync::Notify, time::Instant};

/// The right to use a connection for one response, which is given back when this is dropped.
pub(crate) type Place = Box<dyn Any + Send + Sync>;

/// The place of one response.
#[derive(Debug)]
pub(crate) struct Lease {
    place: Option<Place>,
    /// When the place was given back.
    ended: Arc<OnceLock<Instant>>,
    /// Notified then.
    released: Arc<Notify>,
}

impl Lease {
    pub(crate) fn new(place: Option<Place>, ended: Arc<OnceLock<Instant>>, released: Arc<Notify>) -> Self {
        Self { place, ended, released }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // First: who gets the place looks for the connection that has ended its response.
        let _ = self.ended.set(Instant::now());
        drop(self.place.take());
        self.released.notify_waiters();
    }
}
