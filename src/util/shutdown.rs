//! Graceful end of the program: requests in flight finish, then what is left is aborted.

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument;

#[derive(Clone, Debug, Default)]
pub(crate) struct ShutdownHandle {
    /// Finish what is in flight, begin nothing new.
    pub(crate) draining: CancellationToken,
    /// The grace period is over.
    pub(crate) aborted: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

impl ShutdownHandle {
    pub(crate) fn new(draining: CancellationToken) -> Self {
        Self { draining, ..Self::default() }
    }

    /// A handle for a connection that can be drained by itself.
    pub(crate) fn child(&self) -> Self {
        Self { draining: self.draining.child_token(), ..self.clone() }
    }

    /// Spawns a task that the end of the program waits for, and drops when the grace period is over.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let aborted = self.aborted.clone();
        // In a box: tokio would move the future several times on its way into the task.
        let task = Box::pin(task);
        self.tasks.spawn(
            async move {
                aborted.run_until_cancelled_owned(task).await;
            }
            .in_current_span(),
        );
    }
}
