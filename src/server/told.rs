//! Waiting for a token beside other work, at every turn of a task.
//!
//! To ask a token's future takes two locks and a place in a list, even where nothing has changed since the last turn. Nearly
//! always the task is the same, so its place is kept, and only the token itself is looked at.

use std::{
    future::poll_fn,
    pin::pin,
    task::{Context, Poll, Waker},
};

use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

/// A place among those who wait for a token.
struct Told<'a> {
    token: &'a CancellationToken,
    woken: Option<Waker>,
}

impl<'a> Told<'a> {
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        waits: std::pin::Pin<&mut WaitForCancellationFuture<'a>>,
    ) -> Poll<()> {
        match &self.woken {
            Some(waker) if waker.will_wake(cx.waker()) => {
                if self.token.is_cancelled() {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            }
            _ => {
                self.woken = Some(cx.waker().clone());
                waits.poll(cx)
            }
        }
    }
}

/// What the work gives, or none where the token is cancelled first.
pub(super) async fn unless<T>(
    token: &CancellationToken,
    mut work: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> Option<T> {
    let mut waits = pin!(token.cancelled());
    let mut told = Told { token, woken: None };
    poll_fn(|cx| {
        if told.poll(cx, waits.as_mut()).is_ready() {
            return Poll::Ready(None);
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
