//! Pages of the public internet reach nothing of the home network.
//!
//! Chromium asks a person before a page may reach a private address (Local Network Access). Behind a proxy it cannot know the address.

use std::fs;

use http_body_util::Full;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::connect,
    get,
    namespace::{self, HOME, PUBLIC},
    openssl::OpenSsl,
    origin::response,
    program::gleaner,
    send,
    webdriver::Window,
    wire::soon,
};

/// A device that anybody in the home network may ask for anything.
async fn router(port: u16) -> Origin {
    Origin::at((HOME, port), |_| {
        response(&[("content-type", "text/html"), ("access-control-allow-origin", "*")], "secret")
    })
    .await
}

/// The paths that an origin was asked for.
fn asked(origin: &Origin) -> Vec<String> {
    origin.requests().iter().map(|request| request.uri.path().to_owned()).collect()
}

#[tokio::test]
async fn a_public_page_in_chromium_reaches_nothing_at_home() {
    if !namespace::enter_home("http::home_network::a_public_page_in_chromium_reaches_nothing_at_home") {
        return;
    }
    // It closes its connections, so that each request asks where its name leads.
    let fields = [("content-type", "text/html"), ("connection", "close")];
    let site = Origin::at((PUBLIC, 0), move |_| response(&fields, "<!doctype html><title>site</title><p>public")).await;
    let router = router(site.addr.port()).await;
    let port = site.addr.port();
    namespace::set_names(&[("evil.example", PUBLIC), ("router.lan", HOME)]);
    let proxy = TestProxy::start("rewrite: { enabled: false }").await;
    let Some(window) = Window::open(&proxy).await else { return };
    let attack = |host: &str| {
        format!(
            "const at = path => 'http://{host}:{port}' + path, frame = document.body.appendChild(document.createElement('iframe'));
             const ended = (element, path) => new Promise(done => {{
                 element.onload = () => done('loaded'); element.onerror = () => done('failed'); element.src = at(path);
             }});
             frame.name = '{host}';
             const form = document.body.appendChild(document.createElement('form'));
             Object.assign(form, {{ method: 'post', action: at('/form'), target: '{host}' }});
             const posted = new Promise(done => frame.onload = () => done('posted'));
             form.submit();
             const socket = new Promise(done => {{
                 const socket = new WebSocket(at('/socket').replace('http', 'ws'));
                 socket.onopen = () => done('open'); socket.onerror = () => done('failed');
             }});
             const soon = promise => Promise.race([promise, new Promise(done => setTimeout(done, 1500, 'late'))]);
             const answered = promise => promise.then(answer => answer.text(), () => 'failed');
             return Promise.all([
                 ended(new Image(), '/picture'),
                 answered(fetch(at('/fetch'))),
                 answered(fetch(at('/opaque'), {{ mode: 'no-cors' }})),
                 answered(fetch(at('/post'), {{ method: 'POST', mode: 'no-cors', referrerPolicy: 'no-referrer', body: 'x' }})),
                 ended(document.body.appendChild(document.createElement('iframe')), '/frame'),
                 socket, posted,
             ].map(soon)).then(answers => answers.join());"
        )
    };
    window.go(&format!("http://evil.example:{port}/")).await;
    for host in [HOME, "router.lan"] {
        let answers = window.run(&attack(host)).await;
        assert!(!answers.to_string().contains("secret"), "{answers}");
        assert_eq!(asked(&router), [""; 0], "{host}: {answers}");
    }
    // A page of the home network may ask for all of it, by name and by address.
    window.go(&format!("http://router.lan:{port}/own")).await;
    window.run(&attack(HOME)).await;
    let own = asked(&router);
    for path in ["/own", "/picture", "/fetch", "/opaque", "/form", "/frame", "/socket"] {
        assert!(own.iter().any(|asked| asked == path), "{path}: {own:?}");
    }
    // The connections to it are kept; a public page does not get at it by one of them.
    let before = own.len();
    window.go(&format!("http://evil.example:{port}/")).await;
    window.run(&attack("router.lan")).await;
    assert_eq!(asked(&router).len(), before, "{:?}", asked(&router));
    // DNS rebinding: the name of the page that is open leads home from now on.
    namespace::set_names(&[("evil.example", HOME), ("other.example", HOME)]);
    namespace::forget_names().await;
    let rebound = |host: &str| {
        format!("return fetch('http://{host}:{port}/rebound').then(answer => answer.text(), () => 'failed')")
    };
    let other = window.run(&rebound("other.example")).await;
    assert_eq!(other, "failed");
    let own = window.run(&rebound("evil.example")).await;
    assert!(own.to_string().contains("rebind_allowed"), "{own}");
    assert_eq!(asked(&router).len(), before, "{:?}", asked(&router));
    proxy.stop().await;
}

/// The method and fields of a request for a device at home, and whether it is refused.
type Case<'a> = (&'a http::Method, &'a [(&'a str, &'a str)], bool);

#[tokio::test]
async fn public_names_and_pages_get_an_answer_that_says_what_to_do() {
    if !namespace::enter_home("http::home_network::public_names_and_pages_get_an_answer_that_says_what_to_do") {
        return;
    }
    let router = router(443).await;
    namespace::set_names(&[("nas.example.org", HOME), ("nas", HOME), ("nas.local", HOME)]);
    let proxy = TestProxy::start("rewrite: { enabled: false }").await;
    let rebound = get(&proxy, "http://nas.example.org:443/", &[]).await;
    assert_eq!(rebound.status, 403);
    assert!(rebound.text().contains("rebind_allowed:\n  - &quot;nas.example.org&quot;"), "{}", rebound.text());
    // In a tunnel nothing else is known.
    let tunnel = |host: &str| format!("CONNECT {host}:443 HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let refused = crate::harness::raw(proxy.addr, tunnel("nas.example.org")).await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    for name in ["nas", "nas.local", HOME] {
        assert_eq!(get(&proxy, &format!("http://{name}:443/"), &[]).await.status, 200, "{name}");
    }
    // Split DNS, and an address that is open to everything.
    for yaml in ["rebind_allowed: [example.org]", "allow_targets: [192.168.77.1]"] {
        let open = TestProxy::start(&format!("access: {{ {yaml} }}")).await;
        assert_eq!(get(&open, "http://nas.example.org:443/", &[]).await.status, 200, "{yaml}");
    }
    let before = router.requests().len();
    let (public, post) = (("referer", "https://evil.example/"), http::Method::POST);
    let cases: [Case; 6] = [
        (&http::Method::GET, &[public], true),
        (&http::Method::GET, &[public, ("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")], false),
        (&post, &[public, ("sec-fetch-site", "cross-site"), ("sec-fetch-dest", "document")], true),
        (&post, &[("origin", "null")], true),
        (&post, &[("origin", "http://nas.local")], false),
        (&http::Method::GET, &[], false),
    ];
    for (method, fields, is_refused) in cases {
        for name in ["nas", HOME] {
            let mut request = http::Request::builder().method(method).uri(format!("http://{name}:443/"));
            for (field, value) in fields {
                request = request.header(*field, *value);
            }
            let answer = send(&proxy, request.body(Full::default()).unwrap()).await;
            assert_eq!(answer.status == 403, is_refused, "{method} {name} {fields:?}: {}", answer.text());
            assert_eq!(answer.text().contains("Go there"), is_refused, "{}", answer.text());
        }
    }
    assert_eq!(router.requests().len(), before + 6);
    // What an encrypted page loads names no page, and neither does a device's page that wants it so.
    let part = [("user-agent", "Mozilla/5.0"), ("accept", "*/*")];
    let quiet = Origin::at((HOME, 0), |_| response(&[("referrer-policy", "origin, no-referrer")], "page")).await;
    let page = format!("http://nas:{}/", quiet.addr.port());
    assert_eq!(get(&proxy, &page, &part).await.status, 403);
    assert_eq!(get(&proxy, &page, &[part[0], ("accept", "text/html")]).await.status, 200);
    assert_eq!(get(&proxy, &page, &part).await.status, 200);
    // Browsers send `ws:` through a tunnel, in clear; port 443 is open to any protocol.
    let mut stream = connect(&proxy, &format!("{HOME}:443")).await;
    let request = format!(
        "GET /socket HTTP/1.1\r\nHost: {HOME}:443\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    soon(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 403");
    assert_eq!(router.requests().len(), before + 6);
    proxy.stop().await;
}

#[tokio::test]
async fn what_servers_name_for_the_proxy_itself_is_not_looked_for_at_home() {
    if !namespace::enter_home("http::home_network::what_servers_name_for_the_proxy_itself_is_not_looked_for_at_home") {
        return;
    }
    let router = router(0).await;
    let home = router.url("/list.txt");
    namespace::set_names(&[("router.lan", HOME)]);
    let by_name = home.replace(HOME, "router.lan");
    for to in [home, by_name] {
        let list = Origin::at((PUBLIC, 0), move |_| {
            http::Response::builder().status(302).header("location", &to).body(Full::default()).unwrap()
        })
        .await;
        let dir = tempfile::tempdir().unwrap();
        let config = format!("blocking: {{ lists: ['{}'], dir: lists }}\n", list.url("/list.txt"));
        fs::write(dir.path().join("c.yaml"), config).unwrap();
        let path = dir.path().to_owned();
        let updated =
            tokio::task::spawn_blocking(move || gleaner(&path, &["--config", "c.yaml", "lists", "update"], ""));
        let updated = updated.await.unwrap();
        let said = String::from_utf8_lossy(&[updated.stdout, updated.stderr].concat()).into_owned();
        assert!(said.contains("home network"), "{said}");
        assert_eq!(list.requests().len(), 1);
    }
    let ca = TestCa::new();
    let Some(openssl) = OpenSsl::new(&ca) else { return };
    let proxy = TestProxy::trusting(&ca, "").await;
    for host in [HOME, "router.lan"] {
        let issuer = router.url("/between.der").replace(HOME, host);
        let names = format!("subjectAltName=DNS:localhost\nauthorityInfoAccess=caIssuers;URI:{issuer}\n");
        fs::write(openssl.dir.path().join("ext"), names).unwrap();
        openssl.leaf_of_intermediate("rsa:2048", "sha256");
        let (_server, port) = openssl.serve("-www");
        let answer = get(&proxy, &format!("https://localhost:{port}/"), &[]).await;
        assert_eq!(answer.status, 502, "{}", answer.text());
    }
    assert_eq!(asked(&router), [""; 0]);
    proxy.stop().await;
}
