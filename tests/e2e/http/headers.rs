//! Fields on their way through.

use crate::harness::{
    Origin, PAGE, TestProxy, get,
    origin::{read_head, response},
    raw,
    webdriver::Window,
    wire::{ROADS, Setup},
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
    for road in ROADS {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let setup = Setup::sockets(road, "", move |mut stream| {
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
        assert_eq!(sent, "0\r\nx-sum: 1\r\n\r\n", "{road:?}");
        assert!(got.ends_with("\r\n0\r\nx-sum: 1\r\n\r\n"), "{road:?}: {got}");
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

#[tokio::test]
async fn a_page_is_revalidated_until_the_configuration_changes() {
    let origin = Origin::http(|seen| {
        let known = seen.headers.get("if-none-match").is_some_and(|tag| tag == "\"v1\"");
        let mut answer = response(&[("content-type", "text/html"), ("etag", "\"v1\"")], PAGE);
        if known {
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
            *answer.body_mut() = http_body_util::Full::default();
        }
        answer
    })
    .await;
    let proxy = TestProxy::start("").await;
    let first = get(&proxy, &origin.url("/"), &[]).await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\"gleaner-"), "{tag}");

    let again = get(&proxy, &origin.url("/"), &[("if-none-match", &tag)]).await;
    assert_eq!(again.status, 304);
    assert_eq!(again.header("etag"), tag);

    // A copy of the time before: the page is to come anew, and rewritten. Other things stay as they are.
    let original = [
        ("if-none-match", "\"v1\""),
        ("if-modified-since", "Sat, 21 Nov 2026 11:00:00 GMT"),
        ("sec-fetch-dest", "document"),
    ];
    let anew = get(&proxy, &origin.url("/"), &original).await;
    assert_eq!((anew.status.as_u16(), anew.header("etag")), (200, &*tag));
    let [version, since, _] = original;
    let image = get(&proxy, &origin.url("/"), &[version, since, ("sec-fetch-dest", "image")]).await;
    assert_eq!(image.status, 304);
    assert_eq!(origin.last().headers["if-modified-since"], since.1);

    let other =
        gleaner::LoadedConfig::from_yaml("access: { allow_targets: ['127.0.0.1'] }\nblocking: { lists: [] }", None);
    proxy.proxy.reload(other.unwrap()).unwrap();
    let anew = get(&proxy, &origin.url("/"), &[("if-none-match", &tag)]).await;
    assert_eq!(anew.status, 200);
    assert_ne!(anew.header("etag"), tag);
    assert!(!origin.last().headers.contains_key("if-none-match"));
}

#[tokio::test]
async fn a_page_with_only_a_date_is_revalidated_by_it() {
    const DATE: &str = "Sat, 21 Nov 2026 11:00:00 GMT";
    let origin = Origin::http(|seen| {
        let mut answer = response(&[("content-type", "text/html"), ("last-modified", DATE)], PAGE);
        if seen.headers.get("if-modified-since").is_some_and(|date| date == DATE) {
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
        }
        answer
    })
    .await;
    let proxy = TestProxy::start("").await;
    let first = get(&proxy, &origin.url("/"), &[]).await;
    // For programs that compare by it, as `wget -N` does.
    assert_eq!(first.header("last-modified"), DATE);
    let tag = first.header("etag").to_owned();
    let again = get(&proxy, &origin.url("/"), &[("if-none-match", &tag)]).await;
    assert_eq!((again.status.as_u16(), again.header("etag")), (304, tag.as_str()));
}

/// A webmail's policy against tracking pixels and injected addresses.
#[tokio::test]
async fn the_policy_of_the_site_holds_in_a_rewritten_page() {
    const POLICY: &str = "default-src 'self'; script-src 'nonce-1'; style-src 'self'; img-src 'self'; base-uri 'none'";
    let picture = "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='480'/>";
    let origin = Origin::http(move |request| match request.uri.path() {
        "/page" => {
            let host = request.headers["host"].to_str().unwrap().replace("127.0.0.1", "localhost");
            let words = "A letter of many words that somebody wrote, and that is read from its beginning to its end. ".repeat(8);
            let figure = |url: &str| format!("<figure><img src='{url}' width=640 height=480 alt=x><figcaption>A picture of it</figcaption></figure>");
            let page = format!(
                "<!doctype html><html><head><title>Letter</title><base href='http://{host}/'></head><body><nav><a href=/a>Menu</a></nav>\
                 <article><h1>Letter</h1><p>{words}</p>{}<p>{words}</p>{}<p>{words}</p></article></body></html>",
                figure(&format!("http://{}/own.svg", request.headers["host"].to_str().unwrap())),
                figure(&format!("http://{host}/pixel.svg")),
            );
            response(&[("content-type", "text/html"), ("content-security-policy", POLICY)], page)
        }
        _ => response(&[("content-type", "image/svg+xml")], picture),
    })
    .await;
    let proxy = TestProxy::start("").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&origin.url("/page")).await;
    let asked: Vec<_> = origin.requests().iter().map(|request| request.uri.path().to_owned()).collect();
    let is_asked = |path: &str| asked.iter().any(|asked| asked == path);
    assert!(is_asked("/own.svg") && !is_asked("/pixel.svg"), "{asked:?}");
    let seen = window
        .run("return [document.images.length, document.styleSheets.length > 0, document.baseURI == location.href]")
        .await;
    assert_eq!(seen, serde_json::json!([2, true, true]));
    proxy.stop().await;
}
