//! Proxies of others, each on a port of its own.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;
use tokio::{io::copy_bidirectional, net::TcpStream};

use crate::harness::{
    Origin, TestCa,
    client::{free_port, listens},
    optional,
    program::Running,
    squid::{Squid, open_folder},
};

/// A proxy of somebody else; it ends with this.
pub(super) struct Parent {
    pub(super) port: u16,
    /// The keys of a rule that names it, with its password.
    pub(super) rule: String,
    pub(super) dir: TempDir,
    pub(super) running: Running,
}

impl Parent {
    async fn start(port: u16, rule: String, dir: TempDir, command: &mut Command) -> Option<Self> {
        let running = Running::start(command);
        listens(([127, 0, 0, 1], port).into()).await;
        Some(Self { port, rule, dir, running })
    }
}

/// Writes a file for its owner alone.
pub(super) fn secret(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// tinyproxy, with this in its configuration.
pub(super) async fn tinyproxy(settings: &str) -> Option<Parent> {
    let program = optional::program("tinyproxy", "tinyproxy-bin")?;
    let (dir, port) = (open_folder(), free_port());
    let config = dir.path().join("tinyproxy.conf");
    fs::write(&config, format!("Port {port}\nListen 127.0.0.1\nTimeout 60\nLogLevel Error\n{settings}\n")).unwrap();
    let rule = format!("proxy: 'http://127.0.0.1:{port}'");
    Parent::start(port, rule, dir, Command::new(program).arg("-d").arg("-c").arg(config)).await
}

/// Squid, which asks for this password.
pub(super) async fn squid(password: &str) -> Option<Parent> {
    let openssl = optional::program("openssl", "openssl")?;
    let dir = open_folder();
    let hash = Command::new(openssl).args(["passwd", "-apr1", password]).output().unwrap().stdout;
    let hash = String::from_utf8(hash).unwrap();
    fs::write(dir.path().join("users"), format!("anna:{hash}")).unwrap();
    secret(&dir.path().join("password"), &format!("{password}\n"));
    let root = dir.path().display().to_string();
    let settings = format!(
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth {root}/users
auth_param basic children 1
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
cache deny all"
    );
    let Squid { addr, dir, running } = Squid::start(dir, "", &settings).await?;
    let port = addr.port();
    let rule = format!("proxy: 'http://127.0.0.1:{port}', user: anna, password_file: '{root}/password'");
    Some(Parent { port, rule, dir, running })
}

/// microsocks, which asks for this password, if any.
pub(super) async fn microsocks(password: Option<&str>) -> Option<Parent> {
    let program = optional::program("microsocks", "microsocks")?;
    let (dir, port) = (open_folder(), free_port());
    let mut command = Command::new(program);
    command.args(["-i", "127.0.0.1", "-p", &port.to_string()]);
    let mut rule = format!("proxy: 'socks5://127.0.0.1:{port}'");
    if let Some(password) = password {
        command.args(["-u", "anna", "-P", password]);
        let file = dir.path().join("password");
        secret(&file, password);
        rule = format!("{rule}, user: anna, password_file: '{}'", file.display());
    }
    Parent::start(port, rule, dir, &mut command).await
}

/// microsocks with a hosts file of its own.
pub(super) async fn microsocks_that_knows(hosts: &str) -> Option<Parent> {
    let program = optional::program("microsocks", "microsocks")?;
    let (dir, port) = (open_folder(), free_port());
    let file = dir.path().join("hosts");
    fs::write(&file, format!("{hosts}\n")).unwrap();
    let script =
        format!("mount --bind '{}' /etc/hosts; exec {} -i 127.0.0.1 -p {port}", file.display(), program.display());
    let rule = format!("proxy: 'socks5://127.0.0.1:{port}'");
    Parent::start(port, rule, dir, Command::new("unshare").args(["-m", "sh", "-c", &script])).await
}

/// Dante.
pub(super) async fn danted() -> Option<Parent> {
    let program = optional::program("danted", "dante-server")?;
    let (dir, port) = (open_folder(), free_port());
    let config = dir.path().join("danted.conf");
    let settings = format!(
        "logoutput: stderr
internal: 127.0.0.1 port = {port}
external: lo
clientmethod: none
socksmethod: none
user.privileged: root
user.unprivileged: nobody
client pass {{ from: 0.0.0.0/0 to: 0.0.0.0/0 }}
socks pass {{ from: 0.0.0.0/0 to: 0.0.0.0/0 }}
"
    );
    fs::write(&config, settings).unwrap();
    let rule = format!("proxy: 'socks5://127.0.0.1:{port}'");
    let mut command = Command::new(program);
    command.arg("-f").arg(config).arg("-p").arg(dir.path().join("pid"));
    Parent::start(port, rule, dir, &mut command).await
}

/// Tor; its log is the file `log` of its folder. It must not see a network: it would look for relays.
pub(super) async fn tor() -> Option<Parent> {
    let program = optional::program("tor", "tor")?;
    let (dir, port) = (open_folder(), free_port());
    let file = |name: &str| dir.path().join(name).display().to_string();
    let (data, log) = (file("data"), format!("info file {}", file("log")));
    let listen = format!("127.0.0.1:{port}");
    let mut command = Command::new(program);
    command.args(["--ignore-missing-torrc", "-f", &file("torrc"), "--DataDirectory", &data, "--SocksPort", &listen]);
    command.args(["--SocksTimeout", "3", "--SafeLogging", "0", "--Log", &log]);
    let rule = format!("proxy: 'socks5://{listen}'");
    Parent::start(port, rule, dir, &mut command).await
}

/// Passes connections on to a port of this machine, and counts them; over TLS with a certificate of this authority, if any.
pub(super) async fn relay(port: u16, ca: Option<&TestCa>) -> Origin {
    let acceptor = ca.map(|ca| {
        let config = ca.server(&["127.0.0.1"], &[b"http/1.1"], |_| {});
        tokio_rustls::TlsAcceptor::from(config)
    });
    Origin::sockets(move |mut stream| {
        let acceptor = acceptor.clone();
        async move {
            let mut to = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let _ = match acceptor {
                Some(acceptor) => match acceptor.accept(stream).await {
                    Ok(mut stream) => copy_bidirectional(&mut stream, &mut to).await,
                    Err(error) => Err(error),
                },
                None => copy_bidirectional(&mut stream, &mut to).await,
            };
        }
    })
    .await
}
