//! `https.intercept: auto`: a program's pages stay untouched until it trusts the authority, and programs that refuse
//! our certificates are tunnelled.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::client::TlsStream;

use crate::harness::{
    Origin, TestCa, TestProxy,
    browsers::Browser,
    client::{connect_as, curl, curl_command, handshake, run},
    get, optional,
    origin::html,
    program, send,
    wire::until,
};

/// An article among menus, advertisements and a cookie dialog.
const DEMO: &str = include_str!("../../../docs/demo/page.html");
/// A text that is only on the page as the origin sends it.
const CLUTTER: &str = "MEGA SALE";
const ARTICLE: &str = "Every night at ten to twelve a bell rings";

/// The style sheet of a start page that the proxy shows just now.
pub(crate) async fn check(proxy: &TestProxy) -> String {
    let start = get(proxy, "http://gleaner.internal/", &[]).await;
    let mut addresses = start.text().split("href=\"").filter_map(|rest| rest.split('"').next());
    addresses.find(|address| address.ends_with("/check.css")).expect("the page looks for the certificate").to_owned()
}

/// Waits until the list has so many entries: it is written beside the requests.
async fn written(list: &gleaner::TrustedDevices, count: usize) {
    until("the list is written", async || list.all().len() == count).await;
}

/// An origin with the demo page, its authority, and a proxy that trusts it, where curl is there to ask.
async fn with_curl(yaml: &str) -> Option<(TestCa, Origin, TestProxy)> {
    optional::program("curl", "curl")?;
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(DEMO)).await;
    let proxy = TestProxy::trusting(&ca, yaml).await;
    Some((ca, origin, proxy))
}

fn origins(proxy: &TestProxy) -> PathBuf {
    proxy.ca_file().parent().unwrap().with_file_name("origins.pem")
}

/// The page, if the handshake of a curl with this one authority succeeds.
async fn page(proxy: &TestProxy, trust: &Path, url: &str) -> Option<String> {
    let arguments = ["--cacert", trust.to_str().unwrap(), url];
    let (well, text) = run(curl_command(proxy, &arguments)?).await;
    well.then_some(text)
}

#[tokio::test]
async fn a_chromium_without_the_certificate_browses_untouched_and_with_it_decluttered() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| html(DEMO)).await;
    let proxy = TestProxy::trusting(&ca, "").await;
    let Some(()) = browser.trust("origins", &origins(&proxy)) else {
        return;
    };
    let start = || browser.dom(&proxy, "http://gleaner.internal/".to_owned());
    for _ in 0..2 {
        let dom = browser.dom(&proxy, origin.https_url("/page")).await;
        assert!(dom.contains(CLUTTER) && dom.contains(ARTICLE), "{dom}");
        let dom = start().await;
        assert!(dom.contains("Next: let this browser trust the proxy"), "{dom}");
    }
    browser.trust("gleaner", &proxy.ca_file()).unwrap();
    start().await;
    let dom = browser.dom(&proxy, origin.https_url("/page")).await;
    assert!(!dom.contains(CLUTTER) && dom.contains(ARTICLE), "{dom}");
    let dom = start().await;
    assert!(dom.contains("All is set"), "{dom}");
    // The certificate is removed: the start page notices, and nothing breaks.
    browser.distrust("gleaner");
    start().await;
    let dom = browser.dom(&proxy, origin.https_url("/page")).await;
    assert!(dom.contains(CLUTTER) && dom.contains(ARTICLE), "{dom}");
    proxy.stop().await;
}

#[tokio::test]
async fn a_client_that_pins_heals_into_a_tunnel() {
    let Some((_ca, origin, proxy)) = with_curl("").await else { return };
    let url = origin.https_url("/page");
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let (ours, pinned) = (proxy.ca_file(), origins(&proxy));
    // Before: untouched. Then the program shows that it trusts the authority.
    assert!(page(&proxy, &pinned, &url).await.unwrap().contains(CLUTTER));
    assert!(page(&proxy, &ours, &check(&proxy).await).await.is_some());
    assert!(!page(&proxy, &ours, &url).await.unwrap().contains(CLUTTER));
    // The same program, for one host with a list of its own.
    let mut refusals = 0;
    while page(&proxy, &pinned, &url).await.is_none() {
        refusals += 1;
        assert!(refusals <= 2, "it does not heal");
    }
    assert_eq!(refusals, 2);
    let curl_agent = [("user-agent", "curl/8.0")];
    let start = get(&proxy, "http://gleaner.internal/", &curl_agent).await;
    let host = origin.host_and_port();
    assert!(start.text().contains(&host) && start.text().contains("this program refuses"), "{}", start.text());
    // In another program of the device it is named.
    let browser = get(&proxy, "http://gleaner.internal/", &[("user-agent", "Browser/1")]).await;
    assert!(
        browser.text().contains("another program refuses the proxy's certificate for it: curl/"),
        "{}",
        browser.text()
    );
    // It is remembered by the next start too, and said by `explain`.
    let dir = proxy.ca_file().parent().unwrap().to_owned();
    fs::write(dir.join("c.yaml"), format!("authority: {{ dir: '{}' }}\n", dir.display())).unwrap();
    let explained = program::gleaner(&dir, &["--config", "c.yaml", "explain", &url, "--user-agent", "curl/9"], "");
    let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
    assert!(explained.contains("tunnelled: this program refuses the proxy's certificate for it"), "{explained}");
    // The button makes it forget the host.
    press(&proxy, start.text(), "/retry").await;
    let start = get(&proxy, "http://gleaner.internal/", &curl_agent).await;
    assert!(!start.text().contains(&host), "{}", start.text());
    assert!(page(&proxy, &pinned, &url).await.is_none());
    proxy.stop().await;
}

#[tokio::test]
async fn a_client_that_has_lost_the_certificate_is_noticed_while_it_browses() {
    let Some((ca, _origin, proxy)) = with_curl("").await else { return };
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let (ours, theirs) = (proxy.ca_file(), origins(&proxy));
    assert!(page(&proxy, &ours, &check(&proxy).await).await.is_some());
    // One or two hosts may be pinned by the program; the third in a row is no chance.
    for _ in 0..3 {
        let origin = Origin::https(&ca, |_| html(DEMO)).await;
        assert!(page(&proxy, &theirs, &origin.https_url("/page")).await.is_none());
    }
    let origin = Origin::https(&ca, |_| html(DEMO)).await;
    assert!(page(&proxy, &theirs, &origin.https_url("/page")).await.unwrap().contains(CLUTTER));
    assert!(gleaner::TrustedDevices::open(proxy.ca_file().parent()).all().is_empty());
    proxy.stop().await;
}

#[tokio::test]
async fn healing_can_be_switched_off() {
    let Some((_ca, origin, proxy)) = with_curl("https: { intercept: on, tunnel_pinned_apps: false }").await else {
        return;
    };
    for _ in 0..4 {
        assert!(page(&proxy, &origins(&proxy), &origin.https_url("/")).await.is_none());
    }
}

#[tokio::test]
async fn trust_is_of_one_program_is_kept_on_disk_and_forgotten_on_request() {
    let Some((_ca, origin, proxy)) = with_curl("").await else { return };
    let url = origin.https_url("/page");
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let (ours, theirs) = (proxy.ca_file(), origins(&proxy));
    assert!(page(&proxy, &ours, &check(&proxy).await).await.is_some());
    let list = gleaner::TrustedDevices::open(proxy.ca_file().parent());
    written(&list, 1).await;
    assert!(page(&proxy, &ours, &url).await.is_some());
    // Another program on the same machine.
    let theirs = theirs.to_str().unwrap();
    let other = curl(&proxy, &["--user-agent", "Other/1", "--cacert", theirs, &url]).await.unwrap();
    assert!(other.contains(CLUTTER));
    let start = get(&proxy, "http://gleaner.internal/", &[("user-agent", "curl/9.1")]).await;
    assert!(start.text().contains("/check.css"), "{}", start.text());
    let next = press(&proxy, start.text(), "/forget").await;
    written(&list, 0).await;
    // The start page would look at once whether the browser trusts the authority, and learn it again.
    let next = get(&proxy, &format!("http://gleaner.internal{next}"), &[("user-agent", "curl/9.1")]).await;
    assert!(next.text().contains("Forgotten") && !next.text().contains("/check.css"), "{}", next.text());
    let after = curl(&proxy, &["--cacert", theirs, &url]).await.unwrap();
    assert!(after.contains(CLUTTER));
    // A page that a person has opened proves nothing: its warning may have been passed.
    let opened = ["--cacert", ours.to_str().unwrap(), "-H", "sec-fetch-dest: document", &check(&proxy).await];
    curl(&proxy, &opened).await.unwrap();
    assert!(!knows_curl(&proxy).await);
    proxy.stop().await;
}

#[tokio::test]
async fn connections_that_are_open_end_when_trust_comes_and_when_it_goes() {
    let Some((_ca, origin, proxy)) = with_curl("").await else { return };
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let (ours, theirs) = (proxy.ca_file(), origins(&proxy));
    let target = origin.host_and_port();
    // Until the proxy ends it.
    let read = async |trust: &Path, wanted: &str| {
        let tunnel = connect_as(&proxy, &target, "curl/1.0").await;
        let mut stream = handshake(tunnel, &target, trust, &[b"http/1.1"]).await.unwrap();
        stream.write_all(format!("GET / HTTP/1.1\r\nHost: {target}\r\n\r\n").as_bytes()).await.unwrap();
        let mut text = String::new();
        while !text.contains(wanted) {
            let mut part = [0; 4096];
            let length = stream.read(&mut part).await.unwrap();
            assert!(length > 0, "{text}");
            text.push_str(&String::from_utf8_lossy(&part[..length]));
        }
        stream
    };
    let ends = async |mut stream: TlsStream<TcpStream>| {
        let mut rest = Vec::new();
        assert!(timeout(Duration::from_secs(20), stream.read_to_end(&mut rest)).await.is_ok(), "it stays open");
    };
    let tunnelled = read(&theirs, CLUTTER).await;
    assert!(page(&proxy, &ours, &check(&proxy).await).await.is_some());
    ends(tunnelled).await;
    let opened = read(&ours, "</html>").await;
    // As `gleaner devices forget` does it, in a process of its own.
    gleaner::TrustedDevices::open(proxy.ca_file().parent()).forget(None).unwrap();
    ends(opened).await;
    drop(read(&theirs, CLUTTER).await);
}

/// Whether the start page of curl says that it is trusted.
async fn knows_curl(proxy: &TestProxy) -> bool {
    let start = get(proxy, "http://gleaner.internal/", &[("user-agent", "curl/9.1")]).await;
    start.text().contains("Forget this device")
}

/// A site can name addresses of the control host as its pictures, and a person may have clicked a warning away there. What it cannot
/// know is the host of a style sheet that the start page has just shown.
#[tokio::test]
async fn what_another_site_names_teaches_nothing() {
    let Some((_ca, _origin, proxy)) = with_curl("").await else { return };
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let trust = proxy.ca_file();
    let fetch = async |url: &str| curl(&proxy, &["--cacert", trust.to_str().unwrap(), url]).await.unwrap();
    let real = check(&proxy).await;
    let forged = real.replacen("://c", "://c0", 1);
    let other_path = real.replace("/check.css", "/x.png");
    let zeros = format!("https://c{}.gleaner.internal/check.css", "0".repeat(32));
    for url in ["https://gleaner.internal/x.png", "https://gleaner.internal/check.css", &zeros, &forged, &other_path] {
        assert!(!fetch(url).await.contains("@supports"), "{url}");
        assert!(!knows_curl(&proxy).await, "{url}");
    }
    assert!(fetch(&real).await.contains("@supports") && knows_curl(&proxy).await);
    // What is known already is not written again.
    let list = gleaner::TrustedDevices::open(trust.parent());
    written(&list, 1).await;
    let file = trust.with_file_name("trusted-devices.json");
    let number = || std::os::unix::fs::MetadataExt::ino(&fs::metadata(&file).unwrap());
    let before = number();
    for _ in 0..3 {
        assert!(fetch(&check(&proxy).await).await.contains("@supports"));
    }
    assert_eq!(number(), before);
    proxy.stop().await;
}

/// Posts the form of a page; the path of the next page.
async fn press(proxy: &TestProxy, page: &str, path: &str) -> String {
    let action = page.split(&format!("action=\"{path}")).nth(1).unwrap().split('"').next().unwrap();
    let post = |action: String| {
        let request = http::Request::post(format!("http://gleaner.internal{action}"));
        request.body(http_body_util::Full::default()).unwrap()
    };
    assert_eq!(send(proxy, post(format!("{path}?token=0"))).await.status, 403);
    let pressed = send(proxy, post(format!("{path}{action}"))).await;
    assert_eq!(pressed.status, 303);
    pressed.headers["location"].to_str().unwrap().to_owned()
}
