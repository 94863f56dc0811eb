//! Waits until a polled value has not changed for a given time.

use std::time::Duration;

use tokio::time::sleep;

/// How often is looked within the time; the wait is longer by one interval at most.
const CHECKS: u32 = 16;

/// Waits until `look` has said the same for so long; `None` is never the same.
pub(crate) async fn unchanged<T: PartialEq>(time: Duration, look: impl Fn() -> Option<T>) {
    let (mut before, mut checks) = (look(), 0);
    while checks < CHECKS {
        sleep(time / CHECKS).await;
        let now = look();
        checks = if now.is_some() && now == before { checks + 1 } else { 0 };
        before = now;
    }
}
