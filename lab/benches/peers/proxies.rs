//! The proxies that are compared, each a process of its own on a port of its own.

use std::{
    env,
    ffi::OsStr,
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, OnceLock},
    time::{Duration, Instant},
};

use anyhow::Context;

/// What each proxy is started by, such as a profiler with its options; nothing unless it is set before the first.
pub static UNDER: OnceLock<Vec<String>> = OnceLock::new();

/// Our program, where it is neither what `GLEANER` names nor the one built last.
pub static PROGRAM: Mutex<Option<PathBuf>> = Mutex::new(None);

/// A running proxy; it ends with this.
pub struct Running {
    pub name: &'static str,
    pub addr: SocketAddr,
    child: Child,
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn start(name: &'static str, command: &Command, port: u16) -> anyhow::Result<Running> {
        let under = UNDER.get().into_iter().flatten().map(OsStr::new);
        let mut words = under
            .chain([command.get_program()])
            .chain(command.get_args());
        let child = Command::new(words.next().context("no program")?)
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{name} cannot be started"))?;
        let addr = SocketAddr::from(([127, 0, 0, 1], port));
        let running = Running { name, addr, child };
        let begun = Instant::now();
        while TcpStream::connect(addr).is_err() {
            anyhow::ensure!(
                begun.elapsed() < Duration::from_secs(20),
                "{name} does not listen"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ours: the program that `GLEANER` names, else the one built last. `extra` is more YAML.
pub fn gleaner(dir: &Path, extra: &str) -> anyhow::Result<Running> {
    let named = PROGRAM.lock().ok().and_then(|program| program.clone());
    let named = named.or_else(|| env::var_os("GLEANER").map(PathBuf::from));
    let program = named.unwrap_or_else(|| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/release/gleaner")
    });
    let port = free_port()?;
    fs::create_dir_all(dir)?;
    let file = dir.join("config.yaml");
    fs::write(
        &file,
        format!(
            "listen: 127.0.0.1:{port}\nauthority: {{ dir: authority }}\n\
             access: {{ allow_targets: ['127.0.0.0/8:1-65535'] }}\n{extra}"
        ),
    )?;
    Running::start(
        "gleaner",
        Command::new(program).arg("serve").arg("--config").arg(file),
        port,
    )
}

/// One of this package's own, given its port and more.
pub fn peer(name: &'static str, arguments: &[&str]) -> anyhow::Result<Running> {
    let port = free_port()?;
    let program = env::current_exe()?.with_file_name(name);
    Running::start(
        name,
        Command::new(program).arg(port.to_string()).args(arguments),
        port,
    )
}

/// Squid without a cache and without a log; none where it is not installed.
pub fn squid(dir: &Path) -> anyhow::Result<Option<Running>> {
    let Some(program) = ["/usr/sbin/squid", "/usr/bin/squid"]
        .into_iter()
        .find(|path| Path::new(path).exists())
    else {
        return Ok(None);
    };
    let port = free_port()?;
    fs::create_dir_all(dir)?;
    let file = dir.join("squid.conf");
    fs::write(
        &file,
        format!(
            "http_port 127.0.0.1:{port}\nhttp_access allow all\ncache deny all\naccess_log none\ncache_log /dev/null\n\
             cache_store_log none\npid_filename none\nmemory_pools on\ncache_mem 8 MB\nshutdown_lifetime 0 seconds\n\
             max_filedescriptors 4096\nclient_idle_pconn_timeout 2 minutes\n"
        ),
    )?;
    Running::start(
        "squid",
        Command::new(program).arg("-N").arg("-f").arg(file),
        port,
    )
    .map(Some)
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
