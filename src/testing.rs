//! What the unit tests of several rooms need.

use std::{
    hint,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

/// A task that counts how often it is woken.
#[derive(Default)]
pub(crate) struct Count(pub(crate) AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// A thread that is woken.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Calls from another thread, twice for each time that there is something to see, and waits until it was seen. `poll` is given how to
/// look for it. A call that is lost leaves it waiting.
pub(crate) fn every_call_is_heard(
    call: impl Fn() + Send + 'static,
    mut poll: impl FnMut(&mut Context<'_>, &mut dyn FnMut() -> Poll<()>) -> Poll<()>,
) {
    const CALLS: usize = 50_000;
    const PATIENCE: Duration = Duration::from_secs(10);
    let shared = Arc::<[AtomicUsize; 2]>::default();
    let calling = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let [called, seen] = &*shared;
            for number in 1..=CALLS {
                called.store(number, SeqCst);
                call();
                // This one meets whoever was woken by the first.
                call();
                let mut spins = 0;
                while seen.load(SeqCst) < number {
                    spins += 1;
                    // Where there is one core only, the other thread needs it.
                    if spins % 128 == 0 {
                        thread::yield_now();
                    }
                    hint::spin_loop();
                }
            }
        })
    };
    let [called, seen] = &*shared;
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    while seen.load(SeqCst) < CALLS {
        let mut look = || {
            let now = called.load(SeqCst);
            if now == seen.load(SeqCst) {
                return Poll::Pending;
            }
            seen.store(now, SeqCst);
            Poll::Ready(())
        };
        if poll(&mut cx, &mut look).is_pending() {
            let begun = Instant::now();
            thread::park_timeout(PATIENCE);
            let seen = seen.load(SeqCst);
            assert!(begun.elapsed() < PATIENCE, "{seen} calls were heard");
        }
    }
    calling.join().unwrap();
}
