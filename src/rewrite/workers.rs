//! The threads on which pages are worked on: each page stays on one of them, because its tree is not `Send`, and works while it
//! has a turn.
//!
//! There are twice as many threads as turns. One owner may use half of them, and one client with all its sites all but one, so
//! that a page in the middle of a filter never delays the pages of other owners. One thread for each page would do that too, but
//! the C library would keep the memory of a burst for each of them.

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use bytes::Bytes;
use gleaner_filters::Filtered;
use parking_lot::Mutex;
use tokio::{sync::mpsc, task::JoinError};
use tokio_util::task::{AbortOnDropHandle, LocalPoolHandle};
use tracing::error;

use super::{
    Coded, coding,
    page_job::Job,
    shares::{Owner, Turns},
};
use crate::http::{headers::Coding, outcome::PassReason};

/// Chunks queued between the connection and a worker. A few let both run; the bytes are limited elsewhere.
const QUEUED_CHUNKS: usize = 8;

#[derive(Clone, Debug)]
pub(crate) struct Workers {
    turns: Arc<Turns>,
    threads: LocalPoolHandle,
    /// The owners of the pages on each thread.
    owners: Arc<Mutex<Vec<Vec<Arc<Owner>>>>>,
}

impl Workers {
    /// So many pages are worked on at once, or one per processor.
    pub(crate) fn new(count: Option<usize>) -> Self {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        let count = count.unwrap_or_else(processors);
        let (turns, threads) = (Turns::new(count as u64), LocalPoolHandle::new(2 * count));
        Self { turns, threads, owners: Arc::new(Mutex::new(vec![Vec::new(); 2 * count])) }
    }

    pub(super) fn count(&self) -> u64 {
        self.turns.most()
    }

    /// Gives a page the thread with the fewest pages, of those that its owner may use.
    fn place(&self, owner: &Arc<Owner>) -> WorkerPlace {
        let mut owners = self.owners.lock();
        let is_used = |at: &usize| owners[*at].contains(owner);
        let is_of_client = |at: &usize| owners[*at].iter().any(|other| other.client == owner.client);
        let all = 0..owners.len();
        let may_use_more = all.clone().filter(is_used).count() < owners.len() / 2;
        let client_may_use_more = all.clone().filter(is_of_client).count() < owners.len() - 1;
        let may_use = |at: &usize| is_used(at) || may_use_more && (client_may_use_more || is_of_client(at));
        let at = all.filter(may_use).min_by_key(|&at| owners[at].len()).unwrap_or(0);
        owners[at].push(Arc::clone(owner));
        WorkerPlace { at, owner: Arc::clone(owner), owners: Arc::clone(&self.owners) }
    }

    pub(super) fn start(&self, job: Job) -> Worker {
        let (chunks, arriving) = mpsc::channel(QUEUED_CHUNKS);
        let cancelled = Arc::new(AtomicBool::new(false));
        let (turns, flag, place) = (Arc::clone(&self.turns), Arc::clone(&cancelled), self.place(&job.owner));
        let at = place.at;
        let run = move || async move {
            let _place = place;
            job.run(arriving, &turns, flag).await
        };
        let task = AbortOnDropHandle::new(self.threads.spawn_pinned_by_idx(run, at));
        Worker { chunks: Some(chunks), task, finished: None, cancelled }
    }

    pub(super) async fn encode(
        &self,
        owner: Arc<Owner>,
        content: Vec<u8>,
        wanted: Option<Coding>,
    ) -> Result<Coded, PassReason> {
        self.work(owner, move || coding::encode(content, wanted)).await
    }

    /// Work that waits for nothing, on a thread of the owner's and in one turn.
    pub(super) async fn work<T, F>(
        &self,
        owner: Arc<Owner>,
        work: impl FnOnce() -> F + Send + 'static,
    ) -> Result<T, PassReason>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, PassReason>>,
    {
        let (turns, place) = (Arc::clone(&self.turns), self.place(&owner));
        let at = place.at;
        let run = move || async move {
            let _place = place;
            let _turn = turns.take(&owner).await;
            work().await
        };
        let done = AbortOnDropHandle::new(self.threads.spawn_pinned_by_idx(run, at)).await;
        done.unwrap_or_else(|error| Err(panicked(&error)))
    }
}

/// A page's place on a thread, until it is dropped.
#[derive(Debug)]
struct WorkerPlace {
    at: usize,
    owner: Arc<Owner>,
    owners: Arc<Mutex<Vec<Vec<Arc<Owner>>>>>,
}

impl Drop for WorkerPlace {
    fn drop(&mut self) {
        let mut owners = self.owners.lock();
        let pages = &mut owners[self.at];
        if let Some(found) = pages.iter().position(|owner| *owner == self.owner) {
            pages.swap_remove(found);
        }
    }
}

/// A running job. Dropping it stops the job, also in the middle of a filter.
pub(super) struct Worker {
    /// `None` after the last.
    chunks: Option<mpsc::Sender<Bytes>>,
    task: AbortOnDropHandle<Result<Filtered, PassReason>>,
    /// The result, where the job ended before the last chunk.
    finished: Option<Filtered>,
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
