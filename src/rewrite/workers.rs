//! The threads that pages are worked on: each page stays on one of them from its first byte to its last, because its tree cannot
//! move between threads.

use std::{num::NonZero, thread};

use bytes::Bytes;
use tokio::{sync::mpsc, task::JoinError};
use tokio_util::task::{AbortOnDropHandle, LocalPoolHandle};
use tracing::error;

use super::{Coded, Finished, coding, eligibility::PassReason, page_job::Job};

/// Pieces between the network and a worker. A few let both run; the bytes are bounded elsewhere.
const PIECES_IN_BETWEEN: usize = 8;

/// The threads.
#[derive(Clone, Debug)]
pub(crate) struct Workers(LocalPoolHandle);

impl Workers {
    /// As many as asked for, else one per processor.
    pub(crate) fn new(count: Option<usize>) -> Self {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        Self(LocalPoolHandle::new(count.unwrap_or_else(processors)))
    }

    /// Begins a page.
    pub(super) fn start(&self, job: Job) -> Worker {
        let (pieces, arriving) = mpsc::channel(PIECES_IN_BETWEEN);
        let task = self.0.spawn_pinned(move || job.run(arriving));
        Worker { pieces, task: AbortOnDropHandle::new(task), finished: None }
    }

    /// Codes a page that other pages were put behind.
    pub(super) async fn encode(&self, content: String, wanted: Option<coding::Coding>) -> Result<Coded, PassReason> {
        let task = self.0.spawn_pinned(move || coding::encode(content, wanted));
        let joined = AbortOnDropHandle::new(task).await;
        joined.unwrap_or_else(|error| Err(panicked(&error)))
    }
}

/// One page in work. Dropping it ends the work.
pub(super) struct Worker {
    pieces: mpsc::Sender<Bytes>,
    task: AbortOnDropHandle<Result<Finished, PassReason>>,
    /// The page, where it was done before the last byte came.
    finished: Option<Finished>,
}

impl Worker {
    /// Gives bytes to the page; waits while it has enough. An error is the reason why it stopped. Bytes after the end of a
    /// coding are ignored.
    pub(super) async fn send(&mut self, data: Bytes) -> Result<(), PassReason> {
        if self.finished.is_none() && self.pieces.send(data).await.is_err() {
            self.finished = Some(outcome(&mut self.task).await?);
        }
        Ok(())
    }

    /// No more bytes will come: waits for the page.
    pub(super) async fn finish(self) -> Result<Finished, PassReason> {
        let Self { pieces, mut task, finished } = self;
        drop(pieces);
        match finished {
            Some(finished) => Ok(finished),
            None => outcome(&mut task).await,
        }
    }
}

async fn outcome(task: &mut AbortOnDropHandle<Result<Finished, PassReason>>) -> Result<Finished, PassReason> {
    task.await.unwrap_or_else(|error| Err(panicked(&error)))
}

fn panicked(error: &JoinError) -> PassReason {
    error!(%error, "a page worker failed");
    PassReason::PANICKED
}
