//! Waiting for a token beside other work, at every turn of a task.
//!
//! To ask a token takes a lock that all connections share. It is asked once, and again when it calls; until then each connection
//! looks at a flag of its own.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
};

use tokio_util::sync::CancellationToken;

use crate::waiter::{Registered, Waiter};

/// What a token calls.
#[derive(Default)]
struct Call {
    task: Waiter,
    came: AtomicBool,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.came.store(true, SeqCst);
        self.task.call();
    }
}

/// What the work gives, or none where the token is cancelled first.
pub(super) async fn unless<T>(
    token: &CancellationToken,
    mut work: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> Option<T> {
    let call = Arc::new(Call {
        // It has not been asked yet.
        came: true.into(),
        ..Call::default()
    });
    let waker = Waker::from(Arc::clone(&call));
    let mut waits = pin!(token.cancelled());
    let mut registered = Registered::default();
    poll_fn(|cx| {
        call.task.wait(&mut registered, cx.waker());
        // Looked at after that: a call from here on wakes this task.
        if call.came.load(SeqCst) {
            call.came.store(false, SeqCst);
            if waits
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_ready()
            {
                return Poll::Ready(None);
            }
        }
        work(cx).map(Some)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn a_token_ends_work_that_was_polled_before() {
        let (token, polled) = (CancellationToken::new(), Arc::new(Notify::new()));
        let (own, tell) = (token.clone(), Arc::clone(&polled));
        let working = tokio::spawn(async move {
            let mut turns = 0;
            unless::<()>(&own, |cx| {
                turns += 1;
                match turns {
                    1 => cx.waker().wake_by_ref(),
                    _ => tell.notify_one(),
                }
                Poll::Pending
            })
            .await
        });
        polled.notified().await;
        assert!(!working.is_finished());
        token.cancel();
        assert_eq!(working.await.unwrap(), None);
    }

    #[tokio::test]
    async fn work_that_ends_is_given_back() {
        let token = CancellationToken::new();
        assert_eq!(unless(&token, |_| Poll::Ready(1)).await, Some(1));
        token.cancel();
        assert_eq!(unless(&token, |_| Poll::Ready(1)).await, None);
    }
}
