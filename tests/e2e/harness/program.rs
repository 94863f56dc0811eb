//! Programs that run beside a test and end with it.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
};

use tempfile::TempDir;

use super::proxy::full;

/// A running program; it is killed with the test.
pub(crate) struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = child.stderr.take().unwrap();
        Self { child, stdout, stderr }
    }

    /// Reads its output up to the line that begins with a word; what follows the word.
    pub(crate) fn wait_for(&mut self, word: &str) -> String {
        self.find(word).unwrap_or_else(|| panic!("it ended before it said {word:?}"))
    }

    /// Reads the output up to the line that begins with a word. Returns the rest of the line, or `None` at the end of the output.
    pub(crate) fn find(&mut self, word: &str) -> Option<String> {
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).unwrap();
            if read == 0 {
                return None;
            }
            if let Some(rest) = line.trim().strip_prefix(word) {
                return Some(rest.trim().to_owned());
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

/// The program itself, for what belongs to a whole process: descriptors, name servers.
pub(crate) struct Program {
    pub(crate) addr: SocketAddr,
    running: Running,
    _dir: TempDir,
}

impl Program {
    /// Starts it from a shell (`sh`, or `unshare -m sh`) that does this first.
    pub(crate) fn start(shell: &str, before: &str, yaml: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        // Nobody reads its log.
        let listen = if yaml.starts_with("listen:") { "" } else { "listen: 0\n" };
        let yaml = yaml.trim_start();
        let yaml = format!("log: {{ level: error }}\n{listen}{yaml}");
        fs::write(dir.path().join("config.yaml"), full(&yaml)).unwrap();
        let mut words = shell.split(' ');
        let mut command = Command::new(words.next().unwrap());
        command
            .args(words)
            .args(["-c", &format!("{before}\nexec \"$0\" --config config.yaml")])
            .arg(env!("CARGO_BIN_EXE_gleaner"))
            .current_dir(dir.path())
            .env_remove("RUST_LOG");
        let mut running = Running::start(&mut command);
        let addr = running.wait_for("proxy ").parse().unwrap();
        Self { addr, running, _dir: dir }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.running.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// A file of the kernel about the process (proc(5)).
    pub(crate) fn proc(&self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.running.child.id()).into()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
