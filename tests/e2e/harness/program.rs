//! Programs that run beside a test and end with it.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
};

/// A running program; it is killed with the test.
pub(crate) struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = child.stderr.take().unwrap();
        Self {
            child,
            stdout,
            stderr,
        }
    }

    /// Reads its output up to the line that begins with a word; what follows the word.
    pub(crate) fn wait_for(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).unwrap();
            assert!(read > 0, "it ended before it said {word:?}");
            if let Some(rest) = line.trim().strip_prefix(word) {
                return rest.trim().to_owned();
            }
        }
    }

    /// Asks it to end.
    pub(crate) fn terminate(&self) {
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(asked.unwrap().success());
    }

    /// Waits for its end, whether anybody reads what it writes or not.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    pub(crate) fn stderr(&mut self) -> &mut ChildStderr {
        &mut self.stderr
    }

    /// Asks it to end: what it wrote after that line, and what it wrote to standard error. Both are smaller
    /// than a pipe holds, so nothing was kept waiting.
    pub(crate) fn end(mut self) -> (String, String) {
        self.terminate();
        let mut output = [Vec::new(), Vec::new()];
        self.stdout.read_to_end(&mut output[0]).unwrap();
        self.stderr.read_to_end(&mut output[1]).unwrap();
        let [stdout, stderr] = output.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (stdout, stderr)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
