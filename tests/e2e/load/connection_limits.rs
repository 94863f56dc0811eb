//! Limits of connections hold for what they count: for as long as a socket is open, for strangers too, and for descriptors.

use std::{fs, net::SocketAddr, process::Command, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

use crate::harness::{
    Origin, TestProxy,
    client::connect,
    optional,
    origin::{read_head, response},
    program::Program,
    raw, websocket,
    wire::{ask_until, read_until, soon, until},
};

const OWN_PAGE: &str = "GET / HTTP/1.1\r\nHost: gleaner.internal\r\nConnection: close\r\n\r\n";

#[tokio::test]
async fn tunnels_and_web_sockets_are_counted_as_long_as_they_are_open() {
    for limit in ["connections", "connections_per_client"] {
        let proxy = TestProxy::start(&format!("limits: {{ {limit}: 2 }}")).await;
        let echo = Origin::sockets(websocket::upgrade).await;
        let target = echo.addr.to_string();
        let tunnel = connect(&proxy, &target).await;
        let mut web_socket = TcpStream::connect(proxy.addr).await.unwrap();
        websocket::talk(&mut web_socket, &echo.url("/chat"), "x").await;
        let ask = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
        let third = timeout(Duration::from_secs(5), raw(proxy.addr, &ask)).await;
        let third = third.expect("the third is refused");
        assert!(third.starts_with("HTTP/1.1 503"), "{limit}: {third}");
        // A place is given back when its socket closes.
        drop(tunnel);
        until("a place", async || raw(proxy.addr, OWN_PAGE).await.starts_with("HTTP/1.1 200")).await;
        drop(web_socket);
    }
}

/// A connection from another loopback address than the usual one.
async fn from(addr: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(addr.parse().unwrap()).unwrap();
    socket.connect(to).await.unwrap()
}

#[tokio::test]
async fn a_stranger_is_refused_before_a_byte_and_takes_no_place() {
    let access = "access: { clients: [127.0.0.2/32] }\nlimits: { connections: 1 }";
    let proxy = TestProxy::start(access).await;
    let mut strangers = Vec::new();
    for _ in 0..5 {
        strangers.push(from("127.0.0.3:0", proxy.addr).await);
    }
    let mut friend = from("127.0.0.2:0", proxy.addr).await;
    friend.write_all(OWN_PAGE.as_bytes()).await.unwrap();
    let head = soon(read_head(&mut friend)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    for mut stranger in strangers {
        let mut answer = Vec::new();
        let read = timeout(Duration::from_secs(5), stranger.read_to_end(&mut answer)).await;
        let _ = read.expect("it is closed at once");
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
}

#[tokio::test]
async fn refused_connections_are_bounded() {
    let program = Program::start("sh", "", "limits: { connections: 1 }");
    let mut first = TcpStream::connect(program.addr).await.unwrap();
    let request = OWN_PAGE.replace("close", "keep-alive");
    first.write_all(request.as_bytes()).await.unwrap();
    soon(read_head(&mut first)).await;
    let before = program.descriptors();
    let mut refused = JoinSet::new();
    for _ in 0..1000 {
        refused.spawn(TcpStream::connect(program.addr));
    }
    let _open = refused.join_all().await;
    // The last of them may still wait for `accept`.
    let mut most = 0;
    for _ in 0..50 {
        most = most.max(program.descriptors() - before);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(most < 200, "{most} descriptors for 1000 refused connections");
}

/// An origin at every address of 127.0.0.0/8, which keeps its connections open.
async fn everywhere() -> u16 {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                while !read_head(&mut stream).await.is_empty() {
                    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn with_few_descriptors_hundreds_of_origins_are_reached_and_clients_accepted() {
    let access = "access: { allow_targets: ['127.0.0.0/8:1-65535'] }";
    let program = Program::start("sh", "ulimit -n 256", access);
    let port = everywhere().await;
    let mut client = TcpStream::connect(program.addr).await.unwrap();
    for number in 0..400 {
        let host = format!("127.1.{}.{}:{port}", number / 200, number % 200 + 1);
        let request = format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let head = ask_until(&mut client, &request, "\r\n\r\n").await;
        assert!(head.starts_with("HTTP/1.1 200"), "origin {number}: {head}");
        if !head.ends_with("ok") {
            read_until(&mut client, "ok").await;
        }
    }
    let other = soon(raw(program.addr, OWN_PAGE)).await;
    assert!(other.starts_with("HTTP/1.1 200"), "{other}");
}

#[tokio::test]
async fn without_a_free_descriptor_clients_are_still_answered() {
    let program = Program::start("sh", "ulimit -n 128", "");
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(TcpStream::connect(program.addr).await.unwrap());
    }
    let answer = timeout(Duration::from_secs(10), raw(program.addr, OWN_PAGE)).await;
    let answer = answer.expect("someone accepts");
    let is_answered = ["HTTP/1.1 200", "HTTP/1.1 503"].iter().any(|status| answer.starts_with(status));
    assert!(is_answered, "{answer}");
    drop(idle);
    let served = async { while !raw(program.addr, OWN_PAGE).await.starts_with("HTTP/1.1 200") {} };
    timeout(Duration::from_secs(5), served).await.expect("descriptors come back");
}

/// A client that leaves closes its connection in the same good order as one that waits for its answer (`nc -N`).
#[tokio::test]
async fn where_connections_run_short_a_client_that_left_gives_its_place_back_at_once() {
    let program = Program::start("sh", "ulimit -n 128", "");
    let (asked, mut arrived) = mpsc::channel(64);
    let origin = Origin::sockets(move |mut stream| {
        let asked = asked.clone();
        async move {
            read_head(&mut stream).await;
            asked.send(()).await.unwrap();
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
    })
    .await;
    let request = format!("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", origin.url("/slow"), origin.addr);
    let mut clients = Vec::new();
    for _ in 0..32 {
        let mut client = TcpStream::connect(program.addr).await.unwrap();
        client.write_all(request.as_bytes()).await.unwrap();
        soon(arrived.recv()).await.unwrap();
        clients.push(client);
    }
    let _last = TcpStream::connect(program.addr).await.unwrap();
    assert!(raw(program.addr, OWN_PAGE).await.starts_with("HTTP/1.1 503"), "all places are taken");
    drop(clients);
    let served = async { while !raw(program.addr, OWN_PAGE).await.starts_with("HTTP/1.1 200") {} };
    timeout(Duration::from_secs(2), served).await.expect("places come back");
}

#[tokio::test]
async fn the_error_page_does_not_blame_the_site_for_descriptors_that_the_proxy_lacks() {
    let Some(prlimit) = optional::program("prlimit", "util-linux") else { return };
    let program = Program::start("sh", "", "");
    let origin = Origin::http(|_| response(&[], "ok")).await;
    let mut clients = Vec::new();
    for host in [origin.addr.to_string(), origin.host_and_port()] {
        let mut client = TcpStream::connect(program.addr).await.unwrap();
        ask_until(&mut client, &OWN_PAGE.replace("close", "keep-alive"), "</html>").await;
        clients.push((client, host));
    }
    let pid = program.proc("").file_name().unwrap().to_owned();
    let limited = Command::new(prlimit).arg("--nofile=8").arg("--pid").arg(pid).status();
    assert!(limited.unwrap().success());
    for (mut client, host) in clients {
        let request = format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let answer = ask_until(&mut client, &request, "</html>").await;
        assert!(answer.starts_with("HTTP/1.1 503"), "{host}: {answer}");
        assert!(answer.contains("ulimit -n") && !answer.contains("web site cannot be reached"), "{host}: {answer}");
    }
}

#[tokio::test]
async fn the_limit_of_descriptors_is_raised_to_what_is_allowed() {
    let program = Program::start("sh", "ulimit -S -n 256", "");
    let limits = fs::read_to_string(program.proc("limits")).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let numbers: Vec<_> = line.split_whitespace().skip(3).collect();
    assert_eq!(numbers[0], numbers[1], "{line}");
}
