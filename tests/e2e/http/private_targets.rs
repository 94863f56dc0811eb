//! Private addresses and closed ports are refused in every spelling and over every transport, judged by the address
//! that is connected to.

use std::{
    net::{SocketAddr, UdpSocket},
    sync::Arc,
};

use gleaner::{Config, LoadedConfig, Proxy};
use tokio::{io::AsyncWriteExt, net::TcpListener, sync::mpsc};
use tokio_util::sync::CancellationToken;

use crate::harness::{
    Origin, TestProxy,
    client::{connect_tls, curl},
    origin::read_head,
    raw,
};

/// Every way to write this machine that a resolver or a parser may understand.
pub(crate) const SPELLINGS: [&str; 29] = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7F.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "0x0",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:db8::5efe:127.0.0.1]",
    "0.1.2.3",
    "localhost",
    "LOCALHOST",
    "localhost.",
    // Full-width digits, which IDNA turns into the plain ones.
    "\u{ff11}27.0.0.1",
];

/// Link-local and metadata services, of which there are none here, and addresses of many machines: they must not even be tried.
pub(crate) const ELSEWHERE: [&str; 18] = [
    "169.254.169.254",
    "2852039166",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:169.254.169.254]",
    "[2002:a9fe:a9fe::1]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[fd00:ec2::23]",
    "[fd20:ce::254]",
    "[fd00:c1::a9fe:a9fe]",
    "[fd00:a9fe:a9fe::1]",
    "[fd00:42::42]",
    "192.0.0.192",
    "168.63.129.16",
    "100.100.100.200",
    "224.0.0.1",
    "255.255.255.255",
    "[ff02::1]",
];

/// A server that tells of every connection.
pub(crate) async fn watched() -> (Origin, mpsc::UnboundedReceiver<()>) {
    let (tell, told) = mpsc::unbounded_channel();
    let origin = Origin::sockets(move |mut stream| {
        let tell = tell.clone();
        async move {
            let _ = tell.send(());
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nreached").await;
        }
    })
    .await;
    (origin, told)
}

#[tokio::test]
async fn this_machine_is_refused_in_every_spelling_and_on_every_road() {
    let (origin, mut told) = watched().await;
    let port = origin.addr.port();
    let proxy = TestProxy::start(&format!("access: {{ connect_ports: [{port}] }}")).await;
    for host in SPELLINGS.iter().chain(&ELSEWHERE) {
        let forward = format!("GET http://{host}:{port}/ HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        let websocket = format!(
            "GET http://{host}:{port}/ HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        let connect = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n");
        let encrypted = forward.replace("http://", "https://");
        for request in [forward, websocket, connect, encrypted] {
            let answer = raw(proxy.addr, &request).await;
            let status = answer.split(' ').nth(1).unwrap_or_default();
            // hyper refuses a target with raw UTF-8 in it by itself.
            let refused = status == "403" || (!host.is_ascii() && status == "400");
            assert!(refused, "{request}: {answer}");
            assert!(status == "400" || answer.contains("of this machine or its own network"), "{request}: {answer}");
        }
    }
    assert!(told.try_recv().is_err(), "someone was connected to");
    proxy.stop().await;
}

#[tokio::test]
async fn inside_of_an_intercepted_connection_the_same_is_refused() {
    let (origin, mut told) = watched().await;
    let port = origin.addr.port();
    let access = format!("access: {{ connect_ports: [{port}] }}\nhttps: {{ intercept: on }}\n");
    let proxy = TestProxy::start(&access).await;
    // A name: only the look-up says where it leads, and that is made after the 200.
    let target = format!("localhost:{port}");
    for upgrade in ["", "Connection: Upgrade\r\nUpgrade: websocket\r\n"] {
        let mut stream = connect_tls(&proxy, &target, &proxy.ca_file(), &[b"http/1.1"]).await.unwrap();
        let request = format!("GET / HTTP/1.1\r\nHost: {target}\r\n{upgrade}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let head = read_head(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    }
    assert!(told.try_recv().is_err(), "someone was connected to");
    proxy.stop().await;
}

#[tokio::test]
async fn mail_and_shell_ports_are_closed_and_a_named_port_is_open() {
    let (origin, _told) = watched().await;
    let port = origin.addr.port();
    let named = format!("access: {{ allow_targets: ['127.0.0.1:{port}'] }}");
    let proxy = TestProxy::start(&named).await;
    for closed in [22, 25, 465, 587] {
        let request = format!("CONNECT example.com:{closed} HTTP/1.1\r\nHost: x\r\n\r\n");
        let answer = raw(proxy.addr, request).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{closed}: {answer}");
        assert!(answer.contains(&format!("Port {closed} ")), "{answer}");
    }
    let request = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
    let answer = raw(proxy.addr, request).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    proxy.stop().await;
}

/// A form of a web page could send bytes to a mail server.
#[tokio::test]
async fn ports_that_browsers_block_are_closed_to_plain_requests_too() {
    let proxy = TestProxy::start("").await;
    for port in [1, 22, 25, 587, 6667, 10080] {
        let url = format!("http://198.51.100.7:{port}/");
        let arguments = ["-d", "MAIL FROM:<a@a.example>", "-w", "%{http_code}", &url];
        let Some(answer) = curl(&proxy, &arguments).await else {
            return;
        };
        assert!(answer.ends_with("403"), "{port}: {answer}");
        assert!(answer.contains("browsers block it too"), "{port}: {answer}");
    }
    // `allow_targets` names the port.
    let (origin, _told) = watched().await;
    let named = origin.addr;
    let page = curl(&proxy, &[&format!("http://{named}/")]).await;
    assert_eq!(page.as_deref(), Some("reached"));
}

/// An address of this machine other than loopback, if it has one; asking sends nothing.
fn interface_address() -> Option<std::net::IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified()).then_some(ip)
}

#[tokio::test]
async fn a_wildcard_listener_leads_to_its_own_page_at_most_through_every_address_of_the_machine() {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // Everything is allowed: only that it is the proxy itself can refuse.
    let yaml = format!(
        "access: {{ clients: [loopback, private], connect_ports: [{port}], \
         allow_targets: ['0.0.0.0/0', '::/0'] }}"
    );
    let loaded = LoadedConfig::from_yaml(&yaml, None).unwrap();
    let own = vec![listener.local_addr().unwrap()];
    let proxy = Proxy::new(loaded, own).unwrap();
    let shutdown = CancellationToken::new();
    let server = tokio::spawn(gleaner::serve(listener, Arc::clone(&proxy), shutdown.clone()));
    let via: SocketAddr = ([127, 0, 0, 1], port).into();
    let mut hosts = vec![
        "127.0.0.1".to_owned(),
        "127.0.0.9".to_owned(),
        "0.0.0.0".to_owned(),
        "localhost".to_owned(),
        "[::ffff:127.0.0.1]".to_owned(),
    ];
    hosts.extend(interface_address().map(|ip| ip.to_string()));
    for host in hosts {
        let page = format!("GET http://{host}:{port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = raw(via, &page).await;
        assert!(answer.contains("<h1>Gleaner</h1>"), "{host}: {answer}");
        let tunnel = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
        let answer = raw(via, &tunnel).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
        assert!(answer.contains("this proxy itself"), "{host}: {answer}");
    }
    shutdown.cancel();
    server.await.unwrap().unwrap();
}

#[test]
fn listening_wide_without_clients_from_outside_is_refused_with_a_reason() {
    let error = Config::from_yaml("listen: '0.0.0.0:8118'\n", None).unwrap_err().to_string();
    assert!(error.contains("listen") && error.contains("access.clients"), "{error}");
    // What the command line says is held to the same.
    let loaded = LoadedConfig::from_yaml("", None).unwrap();
    let own = vec!["0.0.0.0:8118".parse().unwrap()];
    let error = Proxy::new(loaded, own).err().unwrap().to_string();
    assert!(error.contains("access.clients"), "{error}");
}
