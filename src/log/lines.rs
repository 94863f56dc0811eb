//! Lines on their way to standard error: a thread of their own writes them, many at once where there are many.
//!
//! One call of the kernel for each line, made by whoever answers the request, was a tenth of what a forwarded request cost in
//! the kernel (2026-11-21, `calls`). A line waits at most [`PAUSE`]; [`flush`] waits for all of them, and must be called before
//! the program ends by itself. What kills the program at once takes the lines of the last pause with it.

use std::{
    io::{self, Write},
    sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// Time between two writes while lines keep coming. Raising it makes fewer calls of the kernel, and lines later.
const PAUSE: Duration = Duration::from_millis(10);

/// Bytes that wait, at most; then whoever has another line waits for the writer, as for a slow standard error without it.
const MOST_BYTES: usize = 256 * 1024;

static WAITING: LazyLock<Waiting> = LazyLock::new(Waiting::start);

#[derive(Default)]
struct Waiting {
    state: Mutex<State>,
    /// The writer waits for this: there is a line, or no time to pause.
    called: Condvar,
    /// Everyone else waits for this: something was written.
    written: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The writer sleeps until it is called.
    is_asleep: bool,
    /// Bytes were taken and are not written yet.
    is_writing: bool,
    /// How many wait for everything to be written.
    hurried: usize,
    /// There is no thread: every line is written by whoever has it.
    is_alone: bool,
}

impl Waiting {
    fn start() -> Self {
        let writer = thread::Builder::new().name("log".to_owned());
        let started = writer.spawn(|| WAITING.write_on());
        Self {
            state: Mutex::new(State {
                is_alone: started.is_err(),
                ..State::default()
            }),
            ..Self::default()
        }
    }

    /// The thread.
    fn write_on(&self) {
        let mut batch = Vec::new();
        let mut state = self.lock();
        loop {
            while state.bytes.is_empty() {
                state.is_asleep = true;
                state = wait(&self.called, state);
            }
            state.is_asleep = false;
            std::mem::swap(&mut batch, &mut state.bytes);
            state.is_writing = true;
            drop(state);
            // There is nobody left to tell that nobody listens.
            let _ = io::stderr().write_all(&batch);
            batch.clear();
            state = self.lock();
            state.is_writing = false;
            self.written.notify_all();
            let paused = self.called.wait_timeout_while(state, PAUSE, |state| {
                state.hurried == 0 && state.bytes.len() < MOST_BYTES / 2
            });
            state = paused.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn add(&self, line: &[u8]) {
        let mut state = self.lock();
        if state.is_alone {
            let _ = io::stderr().write_all(line);
            return;
        }
        while state.bytes.len() > MOST_BYTES {
            state = wait(&self.written, state);
        }
        state.bytes.extend_from_slice(line);
        if state.is_asleep || state.bytes.len() > MOST_BYTES / 2 {
            state.is_asleep = false;
            self.called.notify_one();
        }
    }

    fn flush(&self) {
        let mut state = self.lock();
        state.hurried += 1;
        while !state.bytes.is_empty() || state.is_writing {
            self.called.notify_one();
            state = wait(&self.written, state);
        }
        state.hurried -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here can be left half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a>(condition: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    condition
        .wait(state)
        .unwrap_or_else(PoisonError::into_inner)
}

/// Waits until every line that was logged so far is written.
pub fn flush() {
    WAITING.flush();
}

/// Adds a whole line.
pub(super) fn add(line: &str) {
    WAITING.add(line.as_bytes());
}

/// Takes whole lines.
pub(super) struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        WAITING.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
