//! How far a long run is: one line on standard error, where that is a terminal.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// Time between two versions of the line.
const INTERVAL: Duration = Duration::from_millis(100);

/// Counts pages. The line is cleared before other output and at the end.
pub struct Progress {
    total: Option<usize>,
    done: usize,
    started: Instant,
    /// When the line was written last; `None` where it is not shown.
    written: Option<Instant>,
}

impl Progress {
    /// `total` pages, where their number is known; `is_wanted` is false where the line would disturb other output.
    #[must_use]
    pub fn new(total: Option<usize>, is_wanted: bool) -> Self {
        let started = Instant::now();
        Self { total, done: 0, started, written: (is_wanted && io::stderr().is_terminal()).then_some(started) }
    }

    /// One more page is done.
    pub fn page(&mut self) {
        self.done += 1;
        if self.written.is_some_and(|at| at.elapsed() >= INTERVAL) {
            self.written = Some(Instant::now());
            let done = self.done as f64;
            let elapsed = self.started.elapsed().as_secs_f64();
            // A line that cannot be written is no error.
            let _ = match self.total {
                None => write!(io::stderr(), "{CLEAR}{done} pages, {:.0} per second", done / elapsed),
                Some(total) => {
                    let left = (total as f64 - done) * elapsed / done;
                    write!(io::stderr(), "{CLEAR}{done} of {total} pages, {left:.0} s left")
                }
            };
        }
    }

    /// Clears the line.
    pub fn clear(&self) {
        if self.written.is_some() {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}

/// To the start of the line, and erase it (ECMA-48: CR, EL).
const CLEAR: &str = "\r\x1b[K";
