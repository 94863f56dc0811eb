//! The program's end, as each connection hears of it.
//!
//! To ask a token takes a lock that all connections share. Both are asked once, and again when one calls; until then each
//! connection looks at a flag of its own.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Context, Wake, Waker},
};

use tokio_util::sync::WaitForCancellationFutureOwned;

use super::Life;
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

/// What is heard of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Finish what is in flight, begin nothing new.
    Finish,
    /// Time is up.
    Stop,
}

/// Listens, for one task.
pub(super) struct Told {
    call: Arc<Call>,
    registered: Registered,
    word: Option<Word>,
    /// Asked only when one calls.
    tokens: Box<Tokens>,
}

struct Tokens {
    /// Of the call.
    waker: Waker,
    draining: Pin<Box<WaitForCancellationFutureOwned>>,
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Told {
    pub(super) fn new(life: &Life) -> Self {
        let call = Arc::new(Call {
            // They have not been asked yet.
            came: true.into(),
            ..Call::default()
        });
        let tokens = Tokens {
            waker: Waker::from(Arc::clone(&call)),
            draining: Box::pin(life.draining.clone().cancelled_owned()),
            ended: Box::pin(life.ended.clone().cancelled_owned()),
        };
        Self {
            call,
            registered: Registered::default(),
            word: None,
            tokens: Box::new(tokens),
        }
    }

    /// What was heard until now. The task is woken when there is more.
    pub(super) fn poll(&mut self, cx: &Context<'_>) -> Option<Word> {
        self.call.task.wait(&mut self.registered, cx.waker());
        // Looked at after that: a call from here on wakes this task.
        if self.call.came.load(SeqCst) {
            self.call.came.store(false, SeqCst);
            self.word = self.tokens.ask();
        }
        self.word
    }
}

impl Tokens {
    fn ask(&mut self) -> Option<Word> {
        let cx = &mut Context::from_waker(&self.waker);
        // Both, so that both call.
        let finish = self.draining.as_mut().poll(cx).is_ready();
        let stop = self.ended.as_mut().poll(cx).is_ready();
        let word = if stop { Word::Stop } else { Word::Finish };
        (stop || finish).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::Arc,
        task::{Poll, ready},
        time::Duration,
    };

    use tokio::{sync::Notify, time::timeout};

    use super::*;

    /// Waits for a word.
    async fn word(told: &mut Told) -> Word {
        let heard = poll_fn(|cx| told.poll(cx).map_or(Poll::Pending, Poll::Ready));
        timeout(Duration::from_secs(5), heard).await.unwrap()
    }

    #[tokio::test]
    async fn a_task_that_was_polled_before_hears_of_both() {
        let (life, heard) = (Life::for_tests(), Arc::new(Notify::new()));
        let (mut told, tell) = (Told::new(&life), Arc::clone(&heard));
        let working = tokio::spawn(async move {
            let mut turns = 0;
            let mut words = Vec::new();
            poll_fn(|cx| {
                turns += 1;
                let word = told.poll(cx);
                match turns {
                    1 => cx.waker().wake_by_ref(),
                    _ => tell.notify_one(),
                }
                words.extend(word);
                ready!(match word {
                    Some(Word::Stop) => Poll::Ready(()),
                    _ => Poll::Pending,
                });
                Poll::Ready(std::mem::take(&mut words))
            })
            .await
        });
        heard.notified().await;
        life.draining.cancel();
        heard.notified().await;
        assert!(!working.is_finished());
        life.ended.cancel();
        let words = timeout(Duration::from_secs(5), working).await;
        assert_eq!(words.unwrap().unwrap(), [Word::Finish, Word::Stop]);
    }

    #[tokio::test]
    async fn what_was_said_before_is_heard_at_once() {
        let life = Life::for_tests();
        let one = life.of_one();
        one.draining.cancel();
        assert_eq!(word(&mut Told::new(&one)).await, Word::Finish);
        let nobody = poll_fn(|cx| Poll::Ready(Told::new(&life).poll(cx)));
        assert_eq!(nobody.await, None);
        life.ended.cancel();
        assert_eq!(word(&mut Told::new(&one)).await, Word::Stop);
    }
}
