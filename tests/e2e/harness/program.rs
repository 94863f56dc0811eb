//! Programs that run beside a test and end with it.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Output, Stdio},
};

use tempfile::TempDir;

use super::{TestCa, proxy::full};

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The program with these arguments in this folder, where nothing of the machine's own settings reaches it.
pub(crate) fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.args(arguments);
    isolate(&mut command, dir);
    command
}

/// Runs a command in this folder, as a user whose home it is.
pub(crate) fn isolate(command: &mut Command, dir: &Path) {
    command.current_dir(dir).env("HOME", dir);
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "STATE_DIRECTORY", "RUST_LOG"] {
        command.env_remove(name);
    }
}

/// Runs the program in a folder, with this on its standard input.
pub(crate) fn gleaner(dir: &Path, arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut command = command(dir, arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // What ends before it has read all is no failure of the test.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    child.wait_with_output().unwrap()
}

/// What a program has written: its standard output, then its standard error.
pub(crate) fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Resident memory of a process in KiB (proc(5)): its number, or `self`.
pub(crate) fn resident_kib(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

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

    /// The address of the proxy, which the program prints at start.
    pub(crate) fn address(&mut self) -> SocketAddr {
        self.wait_for("proxy ").parse().unwrap()
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
    dir: TempDir,
}

impl Program {
    /// Starts it from a shell (`sh`, or `unshare -m sh`) that does this first.
    pub(crate) fn start(shell: &str, before: &str, yaml: &str) -> Self {
        Self::in_folder(folder(), shell, before, yaml)
    }

    /// Starts it with trust in this authority of origins.
    pub(crate) fn trusting(ca: &TestCa, yaml: &str) -> Self {
        let dir = folder();
        fs::write(dir.path().join("origins.pem"), ca.pem()).unwrap();
        Self::in_folder(dir, "sh", "", &format!("upstream: {{ extra_ca_file: origins.pem }}\n{yaml}"))
    }

    fn in_folder(dir: TempDir, shell: &str, before: &str, yaml: &str) -> Self {
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
            .arg(env!("CARGO_BIN_EXE_gleaner"));
        isolate(&mut command, dir.path());
        let mut running = Running::start(&mut command);
        let addr = running.address();
        Self { addr, running, dir }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.running.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// The certificate that clients must trust.
    pub(crate) fn ca_file(&self) -> PathBuf {
        self.dir.path().join("authority/ca.cert.pem")
    }

    pub(crate) fn descriptors(&self) -> usize {
        fs::read_dir(self.proc("fd")).unwrap().count()
    }

    pub(crate) fn resident_kib(&self) -> u64 {
        resident_kib(&self.running.child.id().to_string())
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
