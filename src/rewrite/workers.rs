//! The threads on which pages are worked on: each page has one of its own while it is in work, because its tree is not `Send`, and
//! works while it has a turn.

use std::{
    convert::Infallible,
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use bytes::Bytes;
use gleaner_filters::Filtered;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
    task::{JoinError, JoinHandle, spawn_blocking},
};
use tracing::error;

use super::{
    Coded, coding,
    eligibility::PassReason,
    page_job::Job,
    shares::{Owner, Turns},
};

/// Chunks queued between the connection and a worker. A few let both run; the bytes are limited elsewhere.
const QUEUED_CHUNKS: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Workers(Arc<Turns>);

impl Workers {
    /// So many pages are worked on at once, or one per processor.
    pub(crate) fn new(count: Option<usize>) -> Self {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        Self(Turns::new(count.unwrap_or_else(processors) as u64))
    }

    pub(super) fn count(&self) -> u64 {
        self.0.most()
    }

    pub(super) fn start(&self, job: Job) -> Worker {
        let (chunks, arriving) = mpsc::channel(QUEUED_CHUNKS);
        let (waits, given_up) = oneshot::channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let (turns, runtime, flag) = (Arc::clone(&self.0), Handle::current(), Arc::clone(&cancelled));
        let task = spawn_blocking(move || {
            runtime.block_on(async {
                tokio::select! {
                    done = job.run(arriving, &turns, flag) => done,
                    _ = given_up => Err(PassReason::CANCELLED),
                }
            })
        });
        Worker { chunks: Some(chunks), task, finished: None, _waits: waits, cancelled }
    }

    pub(super) async fn encode(
        &self,
        owner: Arc<Owner>,
        content: String,
        wanted: Option<coding::Coding>,
    ) -> Result<Coded, PassReason> {
        let (turns, runtime) = (Arc::clone(&self.0), Handle::current());
        let encoded = spawn_blocking(move || {
            runtime.block_on(async {
                let _turn = turns.take(&owner).await;
                coding::encode(content, wanted).await
            })
        });
        encoded.await.unwrap_or_else(|error| Err(panicked(&error)))
    }
}

/// A running job. Dropping it stops the job, also in the middle of a filter.
pub(super) struct Worker {
    /// `None` after the last.
    chunks: Option<mpsc::Sender<Bytes>>,
    task: JoinHandle<Result<Filtered, PassReason>>,
    /// The result, where the job ended before the last chunk.
    finished: Option<Filtered>,
    /// Ends the job's waiting when it is dropped.
    _waits: oneshot::Sender<Infallible>,
    /// Ends its work.
    cancelled: Arc<AtomicBool>,
}

impl Worker {
    /// Sends a chunk, and waits while the queue is full. An error is the reason why the job failed. Bytes after the end of a
    /// coding are ignored.
    pub(super) async fn send(&mut self, data: Bytes) -> Result<(), PassReason> {
        let Some(chunks) = self.chunks.as_ref().filter(|_| self.finished.is_none()) else {
            return Ok(());
        };
        if chunks.send(data).await.is_err() {
            self.finished = Some(self.outcome().await?);
        }
        Ok(())
    }

    /// Closes the queue and waits for the result.
    pub(super) async fn finish(mut self) -> Result<Filtered, PassReason> {
        self.chunks = None;
        match self.finished.take() {
            Some(finished) => Ok(finished),
            None => self.outcome().await,
        }
    }

    async fn outcome(&mut self) -> Result<Filtered, PassReason> {
        (&mut self.task).await.unwrap_or_else(|error| Err(panicked(&error)))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancelled.store(true, Relaxed);
    }
}

fn panicked(error: &JoinError) -> PassReason {
    error!(%error, "a page worker failed");
    PassReason::PANICKED
}
