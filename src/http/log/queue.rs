//! Lines of the log on their way to standard error: a bounded queue and a thread that writes, so that a standard error
//! that nobody reads blocks nothing.
//!
//! `tracing_appender::non_blocking` does the same, but wakes its thread for each line, which takes two fifths of the
//! processor time of a small intercepted request. This thread rests after each batch and finds the lines of that time
//! together.

use std::{
    io::{self, BufWriter, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use tracing_subscriber::fmt::MakeWriter;

use crate::util::platform;

/// Length of the queue; a line has some 250 bytes. Raising it drops fewer lines of a burst and takes more memory while
/// standard error is not read.
const MAX_QUEUED_LINES: usize = 16 * 1024;

/// How long the thread rests after a batch: a line is seen at most so much later.
const WRITER_PAUSE: Duration = Duration::from_millis(20);

pub(super) struct LogQueue {
    lines: Sender<Vec<u8>>,
    counts: Arc<QueueCounts>,
}

#[derive(Default)]
struct QueueCounts {
    /// Lines that are not written yet.
    queued: AtomicUsize,
    lost: AtomicUsize,
}

impl LogQueue {
    pub(super) fn start() -> Self {
        let (lines, queued) = channel();
        let counts = Arc::default();
        let queue = Self { lines, counts: Arc::clone(&counts) };
        // Without its thread the program runs on and loses its log.
        let _ = thread::Builder::new().name("log".to_owned()).spawn(move || write_lines(&queued, &counts));
        queue
    }

    /// Waits until all lines were written, but not longer than this: standard error may not be read.
    pub(super) fn flush(&self, timeout: Duration) {
        let start = Instant::now();
        while self.counts.queued.load(Relaxed) > 0 && start.elapsed() < timeout {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl<'a> MakeWriter<'a> for &'static LogQueue {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        LineWriter(self)
    }
}

pub(super) struct LineWriter(&'static LogQueue);

/// One call for each line, by `tracing_subscriber::fmt`.
impl Write for LineWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let LogQueue { lines, counts } = self.0;
        if counts.queued.fetch_add(1, Relaxed) >= MAX_QUEUED_LINES || lines.send(line.to_vec()).is_err() {
            counts.queued.fetch_sub(1, Relaxed);
            counts.lost.fetch_add(1, Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_lines(queued: &Receiver<Vec<u8>>, counts: &QueueCounts) {
    let out: Box<dyn Write> = match platform::own_standard_error() {
        Ok(own) => Box::new(own),
        Err(_) => Box::new(io::stderr()),
    };
    let mut out = BufWriter::new(out);
    while let Ok(first) = queued.recv() {
        let mut written = 0;
        for line in std::iter::once(first).chain(queued.try_iter().take(MAX_QUEUED_LINES)) {
            // There is nowhere to report that the log cannot be written.
            let _ = out.write_all(&line);
            written += 1;
        }
        let _ = out.flush();
        let is_empty = counts.queued.fetch_sub(written, Relaxed) == written;
        // Told once the queue is empty: in a full one this line would be lost too.
        let lost = if is_empty { counts.lost.swap(0, Relaxed) } else { 0 };
        if lost > 0 {
            tracing::warn!(lines = lost, "lines of the log were lost: standard error was not read");
        }
        thread::sleep(WRITER_PAUSE);
    }
}
