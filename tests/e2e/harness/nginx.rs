//! nginx as an origin.

use std::{fs, process::Command};

use tokio::net::UnixStream;

use super::{Origin, POLL_INTERVAL, optional, program::Running};

/// nginx with this in its `server` block, behind a port of ours: it cannot choose a free one. None where there is no nginx.
pub(crate) async fn origin(server: &str, pages: &[(&str, &str)]) -> Option<(Origin, Running, tempfile::TempDir)> {
    let program = optional::program("nginx", "nginx-light")?;
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in pages {
        fs::write(dir.path().join(name), content).unwrap();
    }
    let root = dir.path().display().to_string();
    let temporary =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|kind| format!("{kind}_temp_path {root};")).concat();
    let config = format!(
        "daemon off; master_process off; pid {root}/pid; error_log stderr; events {{}}
         http {{ access_log off; default_type text/html; {temporary}
         server {{ listen unix:{root}/socket; root {root}; {server} }} }}"
    );
    fs::write(dir.path().join("nginx.conf"), config).unwrap();
    let mut command = Command::new(program);
    command.args(["-p", &root, "-c", &format!("{root}/nginx.conf"), "-e", "stderr"]);
    let running = Running::start(&mut command);
    let socket = dir.path().join("socket");
    while UnixStream::connect(&socket).await.is_err() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    let origin = Origin::sockets(move |mut stream| {
        let socket = socket.clone();
        async move {
            let mut server = UnixStream::connect(socket).await.unwrap();
            let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
        }
    })
    .await;
    Some((origin, running, dir))
}
