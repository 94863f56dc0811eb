//! `Via` switches the compression of many servers off, so it is sent where it is asked for; loops are found without it.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::harness::{
    Origin, TestProxy, get, nginx,
    origin::{read_head, response},
    raw,
    wire::soon,
};

#[tokio::test]
async fn nginx_compresses_through_the_proxy_as_without_it() {
    let page = "<p>words and words</p>".repeat(3000);
    let Some((origin, _nginx, _folder)) = nginx::origin("gzip on;", &[("index.html", &page)]).await else {
        return;
    };
    let direct = "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n";
    let direct = raw(origin.addr, direct).await;
    assert!(direct.contains("Content-Encoding: gzip"), "{direct}");
    let proxy = TestProxy::start("rewrite: { enabled: false }").await;
    let fields = [("accept-encoding", "gzip"), ("user-agent", "x")];
    let answer = get(&proxy, &origin.url("/"), &fields).await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert!(answer.body.len() < page.len() / 20, "{}", answer.body.len());
}

#[tokio::test]
async fn via_is_sent_where_it_is_asked_for() {
    let origin = Origin::http(|_| response(&[], "")).await;
    for (yaml, is_sent) in [("", false), ("headers: { via: on }", true)] {
        let proxy = TestProxy::start(yaml).await;
        // Those of other proxies are no loop.
        let others = [("via", "1.1 gleaner-ffff"), ("cdn-loop", "gleaner-ffff")];
        assert_eq!(get(&proxy, &origin.url("/"), &others).await.status, 200);
        let mut names = Vec::new();
        for host in ["127.0.0.1", "127.0.0.1", "localhost"] {
            get(&proxy, &format!("http://{host}:{}/", origin.addr.port()), &[]).await;
            let seen = origin.last().headers;
            let name = seen["cdn-loop"].to_str().unwrap().to_owned();
            let via = seen.get("via").map(|via| via.to_str().unwrap().to_owned());
            assert_eq!(via, is_sent.then(|| format!("1.1 {name}")));
            names.push(name);
        }
        // No two requests have the same: it would be a cookie.
        assert!(names[0] != names[1] && names[0] != names[2], "{names:?}");
        // A loop asks for the same host; a site cannot try out what another one was sent.
        let again = |host: &str| format!("http://{host}:{}/", origin.addr.port());
        for (host, name, status) in
            [("127.0.0.1", &names[0], 508), ("127.0.0.1", &names[1], 508), ("localhost", &names[0], 200)]
        {
            assert_eq!(get(&proxy, &again(host), &[("cdn-loop", name)]).await.status, status, "{host}");
            // RFC 8586 § 2: with parameters.
            let name = format!("{name} ; hop=2");
            assert_eq!(get(&proxy, &again(host), &[("cdn-loop", &name)]).await.status, status, "{host}");
        }
        let other = TestProxy::start(yaml).await;
        assert_eq!(get(&other, &origin.url("/"), &[("cdn-loop", &names[0])]).await.status, 200);
    }
}

/// An origin that is another proxy, whose own way out is this one; it adds its own name.
#[tokio::test]
async fn a_loop_through_another_proxy_is_508() {
    for (yaml, [sent, passed_on]) in [
        ("", ["cdn-loop: ", "cdn-loop: other.example, "]),
        // Found by `Via` alone.
        ("headers: { via: on }", ["cdn-loop: ", "via: 1.0 other, 1.1 "]),
    ] {
        let proxy = TestProxy::start(yaml).await;
        let back = proxy.addr;
        let origin = Origin::sockets(move |mut stream| async move {
            let host = stream.local_addr().unwrap();
            let head = read_head(&mut stream).await.to_lowercase();
            let head = head.replacen("get / http", &format!("GET http://{host}/ HTTP"), 1).replace(sent, passed_on);
            let mut up = TcpStream::connect(back).await.unwrap();
            up.write_all(head.as_bytes()).await.unwrap();
            // It asks with `Connection: close`, or the proxy keeps the connection: one answer of either is enough.
            let mut answer = read_head(&mut up).await.into_bytes();
            let mut rest = vec![0; 1 << 16];
            let length = up.read(&mut rest).await.unwrap();
            answer.extend(&rest[..length]);
            let _ = stream.write_all(&answer).await;
        })
        .await;
        let answer = soon(get(&proxy, &origin.url("/"), &[])).await;
        assert_eq!(answer.status, 508, "{yaml}");
    }
}
