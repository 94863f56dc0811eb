//! What the log must never hold, tried on the program itself: requests full of secrets, every line read.

use std::{net::SocketAddr, path::Path};

use crate::harness::{
    Origin, PAGE,
    origin::{html, response},
    program::{Running, command},
    raw,
};

/// The program with this configuration, and where it listens.
fn start(dir: &Path, yaml: &str) -> (Running, SocketAddr) {
    std::fs::write(dir.join("config.yaml"), yaml).unwrap();
    let mut command = command(dir, &["--config", "config.yaml"]);
    let mut running = Running::start(command.env("RUST_LOG", "gleaner=info"));
    let addr = running.address();
    (running, addr)
}

/// Everything here contains this word, except what is sent without.
const SECRET: &str = "hunter2";

fn requests(origin: &Origin) -> Vec<String> {
    let at = origin.addr;
    let fields = format!(
        "Cookie: id={SECRET}\r\nAuthorization: Bearer {SECRET}\r\nProxy-Authorization: Basic {SECRET}\r\n\
         Referer: http://a.example/?{SECRET}\r\nX-Api-Key: {SECRET}\r\nConnection: close\r\n"
    );
    let targets = [
        format!("http://{at}/page?token={SECRET}"),
        format!("http://{at}/image?token={SECRET}"),
        format!("http://{at}/broken?token={SECRET}"),
        format!("http://none.invalid/?{SECRET}"),
        format!("http://127.0.0.1:1/?{SECRET}"),
        format!("http://user:{SECRET}@{at}/"),
        format!("ftp://{at}/?{SECRET}"),
        format!("/?{SECRET}"),
    ];
    let get = |target: &String| format!("GET {target} HTTP/1.1\r\nHost: {at}\r\n{fields}\r\n");
    let mut requests: Vec<_> = targets.iter().map(get).collect();
    requests.push(format!("POST http://{at}/page HTTP/1.1\r\nHost: {at}\r\n{fields}Content-Length: 7\r\n\r\n{SECRET}"));
    requests.push(format!(
        "CONNECT {at} HTTP/1.1\r\nHost: {at}\r\n{fields}\r\nGET /?{SECRET} HTTP/1.1\r\n\
         Host: a\r\nConnection: close\r\n\r\n"
    ));
    // Refused before they are requests at all.
    requests.push(format!("GET http://{at}/?{SECRET} HTTP/9.9\r\n\r\n"));
    requests.push(format!("{SECRET} {SECRET}\r\n\r\n"));
    requests.push(format!("GET http://{at}/ HTTP/1.1\r\nHost: {at}\r\nBad {SECRET}: x\r\n\r\n"));
    requests
}

async fn origin() -> Origin {
    Origin::http(|seen| match seen.uri.path() {
        "/page" => {
            let mut page = html(PAGE.replace("<p>", &format!("<p>{SECRET} ")));
            let cookie = format!("id={SECRET}").parse().unwrap();
            page.headers_mut().insert("set-cookie", cookie);
            page
        }
        "/broken" => response(&[("content-type", "text/html"), ("content-encoding", "gzip")], SECRET),
        _ => response(&[("content-type", "image/png")], SECRET),
    })
    .await
}

#[tokio::test]
async fn the_log_holds_no_secret_in_either_format() {
    let origin = origin().await;
    let hash = gleaner::hash_password(SECRET).unwrap();
    for format in ["text", "json"] {
        let dir = tempfile::tempdir().unwrap();
        let yaml = format!(
            "listen: '127.0.0.1:0'\nlog: {{ format: {format} }}\n\
             upstream: {{ insecure_hosts: [printer.example] }}\n\
             access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n"
        );
        let (running, addr) = start(dir.path(), &yaml);
        let requests = requests(&origin);
        for request in &requests {
            raw(addr, request).await;
        }
        // One entry each at least for those that were requests; it is written once the answer is gone,
        // so the end of the program is not before it.
        let last = format!("GET http://{}/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", origin.addr);
        raw(addr, &last).await;
        let log = running.end().1;
        assert!(log.matches("forward").count() >= 5, "{log}");
        assert!(!log.contains(SECRET), "{log}");
        // What weakens the proxy is said at its start.
        assert!(log.contains("NOT verified") && log.contains("printer.example"), "{log}");
    }
    // With users: neither names' hashes nor wrong passwords.
    let dir = tempfile::tempdir().unwrap();
    let yaml = format!(
        "listen: '127.0.0.1:0'\naccess: {{ allow_targets: ['127.0.0.1:1-65535'], users: {{ anna: '{hash}' }} }}\n"
    );
    let (running, addr) = start(dir.path(), &yaml);
    for request in requests(&origin) {
        let answer = raw(addr, &request).await;
        assert!(!answer.contains(SECRET), "{answer}");
    }
    let log = running.end().1;
    assert!(log.contains("407"), "{log}");
    assert!(!log.contains(SECRET) && !log.contains("argon2"), "{log}");
}

#[tokio::test]
async fn a_log_line_is_one_line_whatever_was_asked() {
    let dir = tempfile::tempdir().unwrap();
    let (running, addr) = start(dir.path(), "listen: '127.0.0.1:0'\n");
    for target in ["http://a%0aforged.invalid/", "http://a\u{1b}[31m.invalid/", "http://a.invalid/\u{b}forged"] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        raw(addr, request).await;
    }
    let log = running.end().1;
    for line in log.lines() {
        assert!(!line.starts_with("forged") && !line.contains('\u{1b}'), "{line:?}");
    }
}
