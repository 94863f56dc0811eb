//! Header fields that are removed, kept in order and letter case, or narrowed when a message is forwarded.

use crate::harness::{
    Origin, TestProxy, get,
    origin::{read_head, response},
    raw,
    wire::{SCHEMES, Setup},
};
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn fields_of_one_hop_do_not_reach_the_origin() {
    let origin = Origin::http(|_| response(&[], "")).await;
    let proxy = TestProxy::start("").await;
    let fields = [
        ("connection", "x-secret, close"),
        ("x-secret", "1"),
        ("proxy-authorization", "Basic Zm9v"),
        ("proxy-connection", "keep-alive"),
        ("te", "trailers"),
        ("x-public", "2"),
    ];
    get(&proxy, &origin.url("/"), &fields).await;
    let seen = origin.last().headers;
    for gone in ["connection", "x-secret", "proxy-authorization", "proxy-connection", "te"] {
        assert!(!seen.contains_key(gone), "{gone}");
    }
    assert_eq!(seen["x-public"], "2");
}

#[tokio::test]
async fn fields_of_one_hop_do_not_reach_the_client() {
    let origin = Origin::raw(
        "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n\
         Proxy-Authenticate: Basic\r\nAlt-Svc: h3=\":443\"\r\nSet-Cookie: a=1\r\n\
         Set-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok",
    )
    .await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    for gone in ["x-hop", "keep-alive", "proxy-authenticate", "alt-svc"] {
        assert!(!answer.headers.contains_key(gone), "{gone}");
    }
    assert_eq!(answer.headers.get_all("set-cookie").iter().count(), 2);
    assert_eq!(answer.text(), "ok");
}

/// RFC 9110 § 6.5.1: trailers are fields too, and some mean nothing where they stand.
#[tokio::test]
async fn trailers_of_one_hop_end_there() {
    const TRAILERS: &str = "X-Sum: 1\r\nConnection: X-Hop\r\nX-Hop: 2\r\nKeep-Alive: 3\r\n\
                            Proxy-Authorization: Basic Zm9v\r\nUpgrade: x\r\nTransfer-Encoding: gzip\r\n\r\n";
    const NAMES: &str = "X-Sum, Connection, X-Hop, Keep-Alive, Proxy-Authorization, Upgrade, Transfer-Encoding";
    for scheme in SCHEMES {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let tell = tell.clone();
            async move {
                read_head(&mut stream).await;
                tell.send(read_head(&mut stream).await).unwrap();
                let answer =
                    format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: {NAMES}\r\n\r\n0\r\n{TRAILERS}");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        })
        .await;
        let request = setup.fill(&format!(
            "POST {{/}} HTTP/1.1\r\nHost: {{host}}\r\nTE: trailers\r\nConnection: TE, close\r\n\
             Trailer: {NAMES}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n{TRAILERS}"
        ));
        let got = setup.exchange(request.as_bytes()).await.to_lowercase();
        let sent = told.recv().await.unwrap().to_lowercase();
        assert_eq!(sent, "0\r\nx-sum: 1\r\n\r\n", "{scheme:?}");
        assert!(got.ends_with("\r\n0\r\nx-sum: 1\r\n\r\n"), "{scheme:?}: {got}");
    }
}

#[tokio::test]
async fn letter_case_and_order_pass_both_ways() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let origin = Origin::sockets(move |mut stream| {
        let tell = tell.lock().unwrap().take();
        async move {
            let head = read_head(&mut stream).await;
            let answer = "HTTP/1.1 200 Fine\r\nX-oDD: 1\r\nServer: Me\r\nETag: \"a\"\r\n\
                          content-length: 0\r\n\r\n";
            stream.write_all(answer.as_bytes()).await.unwrap();
            if let Some(tell) = tell {
                tell.send(head).unwrap();
            }
        }
    })
    .await;
    let proxy = TestProxy::start("").await;
    // `Connection` cannot remove what the message needs.
    let request = format!(
        "POST {} HTTP/1.1\r\naccept: */*\r\nX-Hop: 1\r\nHOST: x\r\nX-lOUD: 1\r\nKeep-Alive: 1\r\nContent-Length: 0\r\n\
         User-Agent: u\r\nConnection: close, x-hop, host, content-length\r\n\r\n",
        origin.url("/p")
    );
    let answer = raw(proxy.addr, request).await;
    let head = told.await.unwrap();
    let expected = format!(
        "POST /p HTTP/1.1\r\naccept: */*\r\nHOST: {}\r\nX-lOUD: 1\r\nContent-Length: 0\r\nUser-Agent: u\r\n",
        origin.addr
    );
    assert!(head.starts_with(&expected), "{head}");
    assert!(answer.starts_with("HTTP/1.1 200 Fine\r\nX-oDD: 1\r\nServer: Me\r\nETag: \"a\"\r\n"), "{answer}");
}

#[tokio::test]
async fn documents_are_asked_for_in_codings_we_know() {
    let origin = Origin::http(|_| response(&[], "")).await;
    let proxy = TestProxy::start("").await;
    let offered = ("accept-encoding", "gzip, deflate, br, zstd, dcb");
    get(&proxy, &origin.url("/"), &[offered, ("sec-fetch-dest", "document")]).await;
    assert_eq!(origin.last().headers["accept-encoding"], "gzip, deflate, br, zstd");
    get(&proxy, &origin.url("/"), &[offered, ("sec-fetch-dest", "image")]).await;
    assert_eq!(origin.last().headers["accept-encoding"], offered.1);
}
