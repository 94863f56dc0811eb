//! A name server that does not answer delays only requests for its names.

use std::time::{Duration, Instant};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream, UdpSocket},
    time::timeout,
};

use crate::harness::{Origin, optional, origin::response, program::Program, raw, wire::soon};

/// Where the program finds its name server: its own /etc/resolv.conf, in a mount namespace.
const BEFORE: &str = "echo 'nameserver 127.77.0.1' >resolv.conf; mount --bind resolv.conf /etc/resolv.conf";

/// Knows good1 and good2, which are 127.0.0.1, and keeps silent about all others.
async fn name_server() -> std::io::Result<()> {
    let socket = UdpSocket::bind("127.77.0.1:53").await?;
    tokio::spawn(async move {
        let mut query = [0; 512];
        while let Ok((length, client)) = socket.recv_from(&mut query).await {
            let query = &query[..length];
            if !query.windows(5).any(|label| label == b"\x05good") {
                continue;
            }
            // The question comes back, up to its type and class (RFC 1035 § 4.1).
            let end = 12 + query[12..].iter().position(|byte| *byte == 0).unwrap() + 5;
            let is_a = query[end - 3] == 1;
            let mut answer = query[..2].to_vec();
            answer.extend([0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
            answer.extend(&query[12..end]);
            if is_a {
                answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
            }
            let _ = socket.send_to(&answer, client).await;
        }
    });
    Ok(())
}

#[tokio::test]
async fn a_dead_name_server_delays_nobody_who_asks_for_another_name() {
    // Port 53 and a mount need their privileges.
    let is_able = std::process::Command::new("unshare").args(["-m", "true"]).status();
    if !is_able.is_ok_and(|status| status.success()) || name_server().await.is_err() {
        return optional::skip("port 53 and `unshare -m` are not allowed: run it as root");
    }
    let origin = Origin::http(|_| response(&[], "ok")).await;
    let program = Program::start("unshare -m sh", BEFORE, "");
    let good = |name: &str| {
        let host = format!("{name}.test:{}", origin.addr.port());
        format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
    };
    let answer = soon(raw(program.addr, good("good1"))).await;
    assert!(answer.ends_with("ok"), "{answer}");
    let mut waiting = Vec::new();
    for number in 0..600 {
        let mut client = TcpStream::connect(program.addr).await.unwrap();
        let request = format!("GET http://dead{number}.test/ HTTP/1.1\r\nHost: x\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        waiting.push(client);
    }
    // All of them are looked up by now, or wait for it.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let start = Instant::now();
    // Another client.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 2], 0).into()).unwrap();
    let other = async {
        let mut client = socket.connect(program.addr).await.unwrap();
        client.write_all(good("good2").as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let answer = timeout(Duration::from_secs(20), other).await;
    let answer = answer.expect("a name that is known is answered");
    assert!(answer.ends_with("ok"), "{answer}");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
