//! The worker threads: each page stays on one of them, because its tree is not `Send`.

use std::{num::NonZero, thread};

use bytes::Bytes;
use gleaner_filters::Filtered;
use tokio::{sync::mpsc, task::JoinError};
use tokio_util::task::{AbortOnDropHandle, LocalPoolHandle};
use tracing::error;

use super::{Coded, coding, eligibility::PassReason, page_job::Job};

/// Chunks queued between the connection and a worker. A few let both run; the bytes are limited elsewhere.
const QUEUED_CHUNKS: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Workers(LocalPoolHandle);

impl Workers {
    /// This many, or one per processor.
    pub(crate) fn new(count: Option<usize>) -> Self {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        Self(LocalPoolHandle::new(count.unwrap_or_else(processors)))
    }

    pub(super) fn count(&self) -> usize {
        self.0.num_threads()
    }

    pub(super) fn start(&self, job: Job) -> Worker {
        let (chunks, arriving) = mpsc::channel(QUEUED_CHUNKS);
        let task = self.0.spawn_pinned(move || job.run(arriving));
        Worker { chunks, task: AbortOnDropHandle::new(task), finished: None }
    }

    pub(super) async fn encode(&self, content: String, wanted: Option<coding::Coding>) -> Result<Coded, PassReason> {
        let task = self.0.spawn_pinned(move || coding::encode(content, wanted));
        let joined = AbortOnDropHandle::new(task).await;
        joined.unwrap_or_else(|error| Err(panicked(&error)))
    }
}

/// A running job. Dropping it aborts the job.
pub(super) struct Worker {
    chunks: mpsc::Sender<Bytes>,
    task: AbortOnDropHandle<Result<Filtered, PassReason>>,
    /// The result, where the job ended before the last chunk.
    finished: Option<Filtered>,
}

impl Worker {
    /// Sends a chunk, and waits while the queue is full. An error is the reason why the job failed. Bytes after the end of a
    /// coding are ignored.
    pub(super) async fn send(&mut self, data: Bytes) -> Result<(), PassReason> {
        if self.finished.is_none() && self.chunks.send(data).await.is_err() {
            self.finished = Some(outcome(&mut self.task).await?);
        }
        Ok(())
    }

    /// Closes the queue and waits for the result.
    pub(super) async fn finish(self) -> Result<Filtered, PassReason> {
        let Self { chunks, mut task, finished } = self;
        drop(chunks);
        match finished {
            Some(finished) => Ok(finished),
            None => outcome(&mut task).await,
        }
    }
}

async fn outcome(task: &mut AbortOnDropHandle<Result<Filtered, PassReason>>) -> Result<Filtered, PassReason> {
    task.await.unwrap_or_else(|error| Err(panicked(&error)))
}

fn panicked(error: &JoinError) -> PassReason {
    error!(%error, "a page worker failed");
    PassReason::PANICKED
}
