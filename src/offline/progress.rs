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
    /// When the line was written last; none where it is not shown.
    written: Option<Instant>,
}

impl Progress {
    /// `total` pages, where their number is known; `is_wanted` says no where the line would disturb.
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
            // Nothing is lost where nobody reads it.
            let _ = write!(io::stderr(), "\r\x1b[K{}", self.line());
        }
    }

    /// Clears the line.
    pub fn clear(&self) {
        if self.written.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn line(&self) -> String {
        let done = self.done;
        let elapsed = self.started.elapsed().as_secs_f64();
        match self.total {
            None => format!("{done} pages, {:.0} per second", done as f64 / elapsed),
            Some(total) => {
                let left = total.saturating_sub(done) as f64 * elapsed / done.max(1) as f64;
                format!("{done} of {total} pages, {left:.0} s left")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_how_much_is_left_where_the_number_is_known() {
        let mut progress = Progress::new(Some(4), false);
        progress.page();
        assert!(progress.line().starts_with("1 of 4 pages, 0 s left"));
        let unknown = Progress::new(None, false);
        assert!(unknown.line().starts_with("0 pages, "));
    }
}
