//! Lines of log, which a thread of their own writes.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
};

use crate::harness::program::Running;

#[test]
fn no_line_of_log_is_lost_when_the_program_ends() {
    const REQUESTS: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.yaml");
    for format in ["text", "json"] {
        std::fs::write(&file, format!("listen: 0\nlog: {{ format: {format} }}\n")).unwrap();
        let mut running = Running::start(
            Command::new(env!("CARGO_BIN_EXE_gleaner"))
                .arg("--config")
                .arg(&file)
                .env_remove("RUST_LOG"),
        );
        let mut client = TcpStream::connect(running.wait_for("proxy ")).unwrap();
        let request =
            |last: &str| format!("HEAD http://gleaner.internal/ HTTP/1.1\r\nHost: x\r\n{last}\r\n");
        let all = request("").repeat(REQUESTS - 1) + &request("Connection: close\r\n");
        client.write_all(all.as_bytes()).unwrap();
        let mut answers = String::new();
        client.read_to_string(&mut answers).unwrap();
        assert_eq!(answers.matches("HTTP/1.1 200 ").count(), REQUESTS);
        let (_, log) = running.end();
        let lines: Vec<_> = log.lines().filter(|line| line.contains("panel")).collect();
        assert_eq!(lines.len(), REQUESTS, "{format}: {log}");
        assert!(
            lines
                .iter()
                .all(|line| line.contains("HEAD") && line.contains("200")),
            "{log}"
        );
    }
}
