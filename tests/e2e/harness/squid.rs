//! Squid, on a port of its own.

use std::{fs, net::SocketAddr, os::unix::fs::PermissionsExt as _, process::Command};

use tempfile::TempDir;

use super::{
    client::{free_port, listens},
    optional,
    program::Running,
};

/// A running Squid; it ends with this.
pub(crate) struct Squid {
    pub(crate) addr: SocketAddr,
    pub(crate) dir: TempDir,
    pub(crate) running: Running,
}

/// A folder that a program which gives up its privileges can use.
pub(crate) fn open_folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    dir
}

impl Squid {
    /// Starts it in this folder with these settings after its port, `http_port` of them with these words.
    pub(crate) async fn start(dir: TempDir, port_words: &str, settings: &str) -> Option<Self> {
        let program = optional::program("squid", "squid-openssl")?;
        let (port, root) = (free_port(), dir.path().display());
        let config = format!(
            "http_port 127.0.0.1:{port} {port_words}
{settings}
cache_mem 8 MB
pid_filename none
access_log none
cache_log {root}/cache.log
coredump_dir {root}
netdb_filename none
shutdown_lifetime 0 seconds
"
        );
        fs::write(dir.path().join("squid.conf"), config).unwrap();
        let mut command = Command::new(program);
        // Two of one name share their memory.
        command.args(["-n", &format!("test{port}"), "-N", "-f", &format!("{root}/squid.conf")]);
        let running = Running::start(&mut command);
        let addr = ([127, 0, 0, 1], port).into();
        listens(addr).await;
        Some(Self { addr, dir, running })
    }

    /// What it has written into its log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("cache.log")).unwrap_or_default()
    }
}
