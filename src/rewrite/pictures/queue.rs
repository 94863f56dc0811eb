//! The threads on which pictures are made smaller: apart from those of pages, and after them in the kernel's eyes, since nobody
//! reads a picture.

use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::timeout,
};
use tracing::error;

use crate::http::outcome::PassReason;

/// Memory is counted in KiB.
const UNIT_BYTES: u64 = 1024;

type PictureWork = Box<dyn FnOnce() + Send>;

/// Threads, and the memory for the pictures that wait or are in work.
#[derive(Debug)]
pub(super) struct PictureQueue {
    jobs: mpsc::Sender<PictureWork>,
    memory: Arc<Semaphore>,
    units: u32,
    max_wait: Duration,
}

impl PictureQueue {
    /// One thread for every two processors; a picture waits and is worked on for so long at most.
    pub(super) fn new(memory: usize, max_wait: Duration) -> Self {
        let (jobs, waiting) = mpsc::channel::<PictureWork>();
        let waiting = Arc::new(Mutex::new(waiting));
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..(processors / 2).max(1) {
            let waiting = Arc::clone(&waiting);
            let run = move || {
                crate::util::platform::give_way();
                loop {
                    let next = waiting.lock().recv();
                    match next {
                        // Its picture passes; the panic is in the log.
                        Ok(job) => drop(catch_unwind(AssertUnwindSafe(job))),
                        Err(_) => return,
                    }
                }
            };
            if let Err(problem) = thread::Builder::new().name("pictures".to_owned()).spawn(run) {
                error!(%problem, "no thread for pictures");
            }
        }
        let units = u32::try_from(memory as u64 / UNIT_BYTES).unwrap_or(u32::MAX);
        Self { jobs, memory: Arc::new(Semaphore::new(units as usize)), units, max_wait }
    }

    /// Reserves memory for so many bytes that are kept. It is waited for as long as for a turn: where many pictures come at once, those
    /// in work have most of it.
    pub(super) async fn keep(&self, kept: &mut Option<OwnedSemaphorePermit>, bytes: usize) -> Result<(), PassReason> {
        let reserved = kept.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = (bytes as u64).div_ceil(UNIT_BYTES).saturating_sub(reserved as u64);
        let more = u32::try_from(more).map_err(|_| PassReason::BUSY)?;
        if more > 0 {
            let found = timeout(self.max_wait, Arc::clone(&self.memory).acquire_many_owned(more));
            let more = found.await.ok().and_then(Result::ok).ok_or(PassReason::BUSY)?;
            match kept {
                Some(kept) => kept.merge(more),
                None => *kept = Some(more),
            }
        }
        Ok(())
    }

    /// Does some work that takes so many bytes, or says why not.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        bytes: u64,
        work: impl FnOnce() -> Result<T, PassReason> + Send + 'static,
    ) -> Result<T, PassReason> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).ok().filter(|units| *units <= self.units);
        let units = units.ok_or(PassReason::PIXELS)?;
        let done = async {
            let memory = Arc::clone(&self.memory).acquire_many_owned(units).await.map_err(|_| PassReason::BUSY)?;
            let (sender, result) = oneshot::channel();
            let job = move || {
                let _memory = memory;
                if !sender.is_closed() {
                    let _ = sender.send(work());
                }
            };
            self.jobs.send(Box::new(job)).map_err(|_| PassReason::BUSY)?;
            // The sender is dropped without a result where the work panics.
            result.await.unwrap_or(Err(PassReason::PANICKED))
        };
        timeout(self.max_wait, done).await.unwrap_or(Err(PassReason::LATE))
    }
}
