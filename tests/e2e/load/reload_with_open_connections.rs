//! A reload while connections are open: none is dropped, and what comes on them next is asked by the new rules.

use bytes::Bytes;
use h2::client::SendRequest;
use http::Request;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{basic, connect},
    origin::{read_head, response},
    raw,
    streams::{client, reply},
    tls::trusting,
    wire::{GET, SCHEMES, Setup, Stream, ask_until, read_until, soon},
};

const TARGETS: &str = "allow_targets: ['127.0.0.1:1-65535', '[::1]:1-65535']";

/// Takes the permission away from every client there is.
fn forbid(proxy: &TestProxy) {
    reload(proxy, &format!("access: {{ {TARGETS}, clients: [192.0.2.0/24] }}"));
}

/// Other rules, with all else as the tests of both schemes have it.
fn reload(proxy: &TestProxy, access: &str) {
    proxy.reload(&format!("https: {{ intercept: on }}\nupstream: {{ extra_ca_file: origins.pem }}\n{access}"));
}

#[tokio::test]
async fn a_client_that_may_no_longer_is_refused_on_a_kept_connection() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |_| response(&[], "ok")).await;
        let mut client = setup.begin(GET).await;
        read_until(&mut client, "\r\n\r\nok").await;
        forbid(&setup.proxy);
        client.write_all(setup.fill(GET).as_bytes()).await.unwrap();
        let mut answer = String::new();
        soon(client.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 403"), "{scheme:?}: {answer}");
        assert_eq!(setup.origin.requests().len(), 1);
    }
}

async fn ask(sender: &mut SendRequest<Bytes>, target: &str) -> Result<u16, h2::Error> {
    let request = Request::get(format!("https://{target}/")).body(()).unwrap();
    let mut ready = soon(sender.clone().ready()).await?;
    let (answer, _) = ready.send_request(request, true)?;
    Ok(reply(answer).await?.status)
}

#[tokio::test]
async fn a_client_that_may_no_longer_loses_its_http2_connection() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "ok")).await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    let mut sender = client(&proxy, &target).await;
    assert_eq!(ask(&mut sender, &target).await.unwrap(), 200);
    forbid(&proxy);
    assert_eq!(ask(&mut sender, &target).await.unwrap(), 403);
    // A GOAWAY follows, and with it the end.
    soon(async { while ask(&mut sender, &target).await.is_ok() {} }).await;
    assert_eq!(origin.requests().len(), 1);
}

/// Transfers under way were allowed when they began; a reload drops no connection.
#[tokio::test]
async fn tunnels_web_sockets_and_uploads_under_way_go_on() {
    for scheme in SCHEMES {
        let (tell, mut told) = mpsc::unbounded_channel();
        let serve = |mut stream: Box<dyn Stream>, tell: mpsc::UnboundedSender<()>| async move {
            let head = read_head(&mut stream).await;
            tell.send(()).unwrap();
            if head.contains("Upgrade") {
                let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
                stream.write_all(answer.as_bytes()).await.unwrap();
            } else {
                let mut body = [0; 10];
                stream.read_exact(&mut body).await.unwrap();
                let answer = [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", &body[..]];
                stream.write_all(&answer.concat()).await.unwrap();
            }
            let mut piece = [0; 64];
            while let Ok(read @ 1..) = stream.read(&mut piece).await {
                stream.write_all(&piece[..read]).await.unwrap();
            }
        };
        let setup = Setup::sockets(scheme, "", move |stream| serve(stream, tell.clone())).await;
        let mut socket = setup.connect().await;
        let request = "GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        ask_until(&mut socket, &setup.fill(request), "\r\n\r\n").await;
        let mut upload = setup.connect().await;
        let request = "POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 10\r\n\r\nhello";
        upload.write_all(setup.fill(request).as_bytes()).await.unwrap();

        for _ in ["socket", "upload"] {
            soon(told.recv()).await.unwrap();
        }
        forbid(&setup.proxy);
        socket.write_all(b"still here").await.unwrap();
        read_until(&mut socket, "still here").await;
        upload.write_all(b"world").await.unwrap();
        let answer = read_until(&mut upload, "helloworld").await;
        assert!(answer.contains("HTTP/1.1 200"), "{scheme:?}: {answer}");
    }
}

#[tokio::test]
async fn a_tunnel_under_way_goes_on() {
    let origin = Origin::echo().await;
    let ca = TestCa::new();
    let proxy = TestProxy::trusting(&ca, "").await;
    let mut tunnel = connect(&proxy, &origin.addr.to_string()).await;
    tunnel.write_all(b"before").await.unwrap();
    read_until(&mut tunnel, "before").await;
    forbid(&proxy);
    tunnel.write_all(b"after").await.unwrap();
    read_until(&mut tunnel, "after").await;
    let connect = format!("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n", origin.addr);
    let answer = raw(proxy.addr, connect).await;
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
}

fn users(list: &[(&str, &str)]) -> String {
    let lines: Vec<_> = list.iter().map(|(name, hash)| format!("{name}: '{hash}'")).collect();
    format!("access: {{ {TARGETS}, users: {{ {} }} }}\n", lines.join(", "))
}

/// A tunnel is asked at its CONNECT. When other people are asked for, who came through before must come again.
#[tokio::test]
async fn a_decrypted_connection_ends_when_the_users_have_changed() {
    let hash = gleaner::hash_password("open sesame").unwrap();
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "ok")).await;
    let target = origin.host_and_port();
    let yaml = format!("https: {{ intercept: on }}\n{}", users(&[("anna", &hash)]));
    let proxy = TestProxy::trusting(&ca, &yaml).await;
    let right = basic("anna", "open sesame");
    let connect = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nProxy-Authorization: {right}\r\n\r\n");
    let mut tunnel = TcpStream::connect(proxy.addr).await.unwrap();
    tunnel.write_all(connect.as_bytes()).await.unwrap();
    assert!(read_head(&mut tunnel).await.starts_with("HTTP/1.1 200"));
    let tls = trusting(&proxy.ca_file(), &[b"h2"]);
    let name = "localhost".try_into().unwrap();
    let stream = tokio_rustls::TlsConnector::from(tls).connect(name, tunnel).await;
    let (sender, connection) = h2::client::handshake(stream.unwrap()).await.unwrap();
    tokio::spawn(async { drop(connection.await) });
    let mut sender = sender.ready().await.unwrap();
    assert_eq!(ask(&mut sender, &target).await.unwrap(), 200);
    // The same people: nothing changes for those who are there.
    reload(&proxy, &users(&[("anna", &hash)]));
    assert_eq!(ask(&mut sender, &target).await.unwrap(), 200);
    // Another one instead.
    reload(&proxy, &users(&[("bert", &hash)]));
    assert_eq!(ask(&mut sender, &target).await.unwrap(), 403);
    soon(async { while ask(&mut sender, &target).await.is_ok() {} }).await;
    assert_eq!(origin.requests().len(), 2);
    let answer = raw(proxy.addr, connect).await;
    assert!(answer.starts_with("HTTP/1.1 407"), "{answer}");
}
