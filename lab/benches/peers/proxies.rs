//! The proxies that are compared, each a process of its own on a port of its own.

use std::{
    env, fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context;

/// A running proxy; it ends with this.
pub(crate) struct Running {
    pub(crate) name: &'static str,
    pub(crate) addr: SocketAddr,
    child: Child,
}

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn start(name: &'static str, command: &mut Command, port: u16) -> anyhow::Result<Running> {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{name} cannot be started"))?;
        let addr = SocketAddr::from(([127, 0, 0, 1], port));
        let running = Running { name, addr, child };
        let begun = Instant::now();
        while TcpStream::connect(addr).is_err() {
            anyhow::ensure!(begun.elapsed() < Duration::from_secs(20), "{name} does not listen");
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
pub(crate) fn gleaner(dir: &Path, extra: &str) -> anyhow::Result<Running> {
    let program = env::var_os("GLEANER")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/release/gleaner"), PathBuf::from);
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
    Running::start("gleaner", Command::new(program).arg("serve").arg("--config").arg(file), port)
}

/// The minimal forward proxy of hyper.
pub(crate) fn hyper() -> anyhow::Result<Running> {
    let port = free_port()?;
    let program = env!("CARGO_BIN_EXE_hyper_proxy");
    Running::start("hyper", Command::new(program).arg(port.to_string()), port)
}

/// hudsucker, with its authority's certificate and key, and the certificate that it trusts for origins.
pub(crate) fn hudsucker(certificate: &Path, key: &Path, origins: &Path) -> anyhow::Result<Running> {
    let port = free_port()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_hudsucker_proxy"));
    command.arg(port.to_string()).args([certificate, key, origins]);
    Running::start("hudsucker", &mut command, port)
}

/// Squid without a cache and without a log; none where it is not installed.
pub(crate) fn squid(dir: &Path) -> anyhow::Result<Option<Running>> {
    let Some(program) = ["/usr/sbin/squid", "/usr/bin/squid"].into_iter().find(|path| Path::new(path).exists()) else {
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
    Running::start("squid", Command::new(program).arg("-N").arg("-f").arg(file), port).map(Some)
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
