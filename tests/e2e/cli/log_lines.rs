//! Log lines: none is lost at the end, and a standard error that nobody reads blocks nothing.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    thread,
};

use crate::harness::program::{Running, command};

#[test]
fn no_line_of_log_is_lost_when_the_program_ends() {
    const REQUESTS: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.yaml");
    for format in ["text", "json"] {
        std::fs::write(&file, format!("listen: 0\nlog: {{ format: {format}, requests: true }}\n")).unwrap();
        let mut running = Running::start(&mut command(dir.path(), &["--config", "config.yaml"]));
        let mut client = TcpStream::connect(running.wait_for("proxy ")).unwrap();
        let request = |last: &str| format!("HEAD http://gleaner.internal/ HTTP/1.1\r\nHost: x\r\n{last}\r\n");
        let all = request("").repeat(REQUESTS - 1) + &request("Connection: close\r\n");
        client.write_all(all.as_bytes()).unwrap();
        let mut answers = String::new();
        client.read_to_string(&mut answers).unwrap();
        assert_eq!(answers.matches("HTTP/1.1 200 ").count(), REQUESTS);
        let (_, log) = running.end();
        let lines: Vec<_> = log.lines().filter(|line| line.contains("admin")).collect();
        assert_eq!(lines.len(), REQUESTS, "{format}: {log}");
        assert!(lines.iter().all(|line| line.contains("HEAD") && line.contains("200")), "{log}");
    }
}

#[test]
fn requests_are_logged_only_where_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.yaml");
    for (config, rust_log, lines) in [
        ("", None, 0),
        ("log: { level: debug }", None, 0),
        ("log: { requests: true }", None, 1),
        ("log: { level: error, requests: true }", None, 1),
        ("", Some("gleaner=info"), 1),
        ("log: { requests: true }", Some("gleaner=warn"), 0),
    ] {
        std::fs::write(&file, format!("listen: 0\n{config}\n")).unwrap();
        let mut command = command(dir.path(), &["--config", "config.yaml"]);
        let mut running = Running::start(command.envs(rust_log.map(|value| ("RUST_LOG", value))));
        let mut client = TcpStream::connect(running.wait_for("proxy ")).unwrap();
        let request = "HEAD http://gleaner.internal/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        client.write_all(request.as_bytes()).unwrap();
        client.read_to_string(&mut String::new()).unwrap();
        let (banner, log) = running.end();
        assert_eq!(log.matches("route=").count(), lines, "{config} {rust_log:?}: {log}");
        assert_eq!(banner.contains("requests are not logged"), !config.contains("requests"), "{banner}");
    }
}

/// An origin that sends a download without end, to whoever asks, until nobody takes it.
fn endless() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                read_request(&mut stream);
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
                let mut sent = stream.write_all(head.as_bytes());
                while sent.is_ok() {
                    sent = stream.write_all(&[b'x'; 16 * 1024]);
                }
            });
        }
    });
    addr
}

fn read_request(stream: &mut TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
}

#[test]
fn a_download_that_is_broken_off_is_logged_with_who_left() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.yaml");
    let origin = endless();
    let short = TcpListener::bind("127.0.0.1:0").unwrap();
    let short_addr = short.local_addr().unwrap();
    thread::spawn(move || {
        for stream in short.incoming() {
            let mut stream = stream.unwrap();
            read_request(&mut stream);
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort";
            stream.write_all(head.as_bytes()).unwrap();
        }
    });
    for (format, broken) in [("text", "broke_off=true by=\"BY\""), ("json", "\"broke_off\":true,\"by\":\"BY\"")] {
        let config = format!(
            "listen: 0\naccess: {{ allow_targets: [127.0.0.1] }}\n\
             limits: {{ shutdown_grace_seconds: 1 }}\nlog: {{ format: {format}, requests: true }}\n"
        );
        std::fs::write(&file, config).unwrap();
        let mut running = Running::start(&mut command(dir.path(), &["--config", "config.yaml"]));
        let own = running.wait_for("proxy ");
        let ask = |method: &str, host: &str| {
            let mut client = TcpStream::connect(&own).unwrap();
            let request = format!("{method} http://{host}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            client.write_all(request.as_bytes()).unwrap();
            client.read_exact(&mut [0; 32]).unwrap();
            client
        };
        // It leaves.
        drop(ask("GET", &origin.to_string()));
        // Its origin leaves.
        let mut short = ask("GET", &short_addr.to_string());
        short.read_to_end(&mut Vec::new()).ok();
        // It has all there is.
        let mut whole = ask("HEAD", "gleaner.internal");
        whole.read_to_end(&mut Vec::new()).unwrap();
        // It is cut, for the time that the end gives is up.
        let _stays = ask("GET", &origin.to_string());
        // So is one that has no answer yet, because the kernel alone has taken its connection.
        let mute = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut waits = TcpStream::connect(&own).unwrap();
        let mute_addr = mute.local_addr().unwrap();
        write!(waits, "PUT http://{mute_addr}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").unwrap();
        let _asked = mute.accept().unwrap();
        let (_, log) = running.end();
        for (by, times) in [("client", 1), ("origin", 1), ("shutdown", 2)] {
            let words = broken.replace("BY", by);
            assert_eq!(log.matches(&words).count(), times, "{words}: {log}");
        }
        let waited = log.lines().find(|line| line.contains("PUT")).unwrap();
        assert!(waited.contains("the program ended"), "{waited}");
        let whole = log.lines().find(|line| line.contains("HEAD")).unwrap();
        assert!(!whole.contains("true"), "{whole}");
    }
}

/// More lines than the pipe and the queue of the log hold.
const MORE_LINES: usize = 20_000;

/// A program whose standard error is not read, after it answered so many requests.
fn unread(file: &Path) -> Running {
    std::fs::write(file, "listen: 0\nlog: { requests: true }\n").unwrap();
    let mut running = Running::start(command(file.parent().unwrap(), &["--config"]).arg(file));
    let client = TcpStream::connect(running.wait_for("proxy ")).unwrap();
    let mut sender = client.try_clone().unwrap();
    let sending = thread::spawn(move || {
        let request = |last: &str| format!("HEAD http://gleaner.internal/ HTTP/1.1\r\nHost: x\r\n{last}\r\n");
        let all = request("").repeat(MORE_LINES - 1) + &request("Connection: close\r\n");
        sender.write_all(all.as_bytes()).unwrap();
    });
    let lines = BufReader::new(client).lines();
    let answers = lines.filter(|line| line.as_ref().unwrap().starts_with("HTTP/1.1 200 "));
    assert_eq!(answers.count(), MORE_LINES);
    sending.join().unwrap();
    running
}

#[test]
fn a_standard_error_that_nobody_reads_stops_neither_requests_nor_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut running = unread(&dir.path().join("config.yaml"));
    running.terminate();
    assert!(running.wait().success());
}

#[test]
fn lost_lines_are_counted_and_told_when_standard_error_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut running = unread(&dir.path().join("config.yaml"));
    let (mut requests, mut lost) = (0, 0);
    let lines = BufReader::new(running.stderr()).lines();
    for line in lines.map(Result::unwrap) {
        if line.contains("lines of the log were lost") {
            lost = line.split("lines=").nth(1).unwrap().parse().unwrap();
            break;
        }
        requests += usize::from(line.contains(" request "));
    }
    assert!(lost > 0);
    assert_eq!(requests + lost, MORE_LINES, "{requests} written, {lost} lost");
}
