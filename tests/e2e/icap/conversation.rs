//! Messages by hand: each form of RFC 3507, and what is none.

use std::{net::SocketAddr, process::Command, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::service;
use crate::harness::{
    DEMO, Origin, TestProxy,
    client::run,
    get, optional,
    origin::{html, read_head, response},
};

/// A browser's fields.
const BROWSER: &str = "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nsec-ch-ua-mobile: ?0\r\nSec-Fetch-Dest: document\r\n\
                       Accept: text/html,*/*;q=0.8\r\nAccept-Encoding: gzip\r\n";

pub(super) const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: max-age=60\r\n\r\n";
const PICTURE: &str = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\n";

/// Longer than any answer takes; only a hang comes near it.
const BOUND: Duration = Duration::from_secs(20);

/// A connection to the service.
struct IcapClient(TcpStream);

/// An answer: its head, the HTTP head in it, and the body.
#[derive(Debug)]
struct IcapAnswer {
    head: String,
    http: String,
    body: Vec<u8>,
}

pub(super) fn request(url: &str) -> String {
    format!("GET {url} HTTP/1.1\r\nHost: a.example\r\n{BROWSER}\r\n")
}

pub(super) fn chunked(body: &[u8]) -> Vec<u8> {
    let chunks = body.chunks(1000).map(|chunk| [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat());
    [&chunks.collect::<Vec<_>>().concat()[..], b"0\r\n\r\n"].concat()
}

/// RESPMOD up to the body, with these fields.
pub(super) fn respmod(fields: &str, request: &str, response: &str, has_body: bool) -> String {
    let (at, end) = (request.len(), request.len() + response.len());
    let body = if has_body { "res-body" } else { "null-body" };
    format!(
        "RESPMOD icap://gleaner/respmod ICAP/1.0\r\nHost: gleaner\r\n{fields}Encapsulated: req-hdr=0, res-hdr={at}, \
         {body}={end}\r\n\r\n{request}{response}"
    )
}

/// REQMOD up to the body, with these fields.
fn reqmod(fields: &str, request: &str, has_body: bool) -> String {
    let body = if has_body { "req-body" } else { "null-body" };
    let at = request.len();
    format!(
        "REQMOD icap://gleaner/reqmod ICAP/1.0\r\nHost: gleaner\r\n{fields}Encapsulated: req-hdr=0, {body}={at}\r\n\r\n\
         {request}"
    )
}

impl IcapClient {
    async fn new(addr: SocketAddr) -> Self {
        Self(TcpStream::connect(addr).await.unwrap())
    }

    async fn send(&mut self, message: impl AsRef<[u8]>) {
        self.0.write_all(message.as_ref()).await.unwrap();
    }

    /// The next answer.
    async fn answer(&mut self) -> IcapAnswer {
        timeout(BOUND, async {
            let head = read_head(&mut self.0).await;
            let sections = head.lines().find_map(|line| line.strip_prefix("Encapsulated: "));
            let body = sections.and_then(|sections| sections.rsplit_once(", ")).map(|(_, last)| last.to_owned());
            let at = body.as_ref().and_then(|body| body.split_once('=')).map_or(0, |(_, at)| at.parse().unwrap());
            let mut http = vec![0; at];
            self.0.read_exact(&mut http).await.unwrap();
            let mut answer = IcapAnswer { head, http: String::from_utf8(http).unwrap(), body: Vec::new() };
            if body.is_some_and(|body| !body.starts_with("null")) {
                loop {
                    let mut size = Vec::new();
                    while !size.ends_with(b"\r\n") {
                        size.push(self.0.read_u8().await.unwrap());
                    }
                    let size = String::from_utf8(size).unwrap();
                    let bytes = usize::from_str_radix(size.split(';').next().unwrap().trim(), 16).unwrap();
                    let mut chunk = vec![0; bytes + 2];
                    self.0.read_exact(&mut chunk).await.unwrap();
                    if bytes == 0 {
                        answer.http += size.split_once(';').map_or("", |(_, extension)| extension.trim());
                        break;
                    }
                    answer.body.extend_from_slice(&chunk[..bytes]);
                }
            }
            answer
        })
        .await
        .unwrap()
    }

    async fn ask(&mut self, message: impl AsRef<[u8]>) -> IcapAnswer {
        self.send(message).await;
        self.answer().await
    }
}

fn status(answer: &IcapAnswer) -> &str {
    answer.head.lines().next().unwrap_or_default()
}

/// The demo page by the proxy itself.
pub(super) async fn by_proxy(proxy: &TestProxy) -> (String, Vec<u8>) {
    let origin = Origin::http(|_| html(DEMO)).await;
    let fields = [
        ("user-agent", "Mozilla/5.0 (X11; Linux x86_64)"),
        ("sec-fetch-dest", "document"),
        ("accept", "text/html,*/*;q=0.8"),
        ("accept-encoding", "gzip"),
    ];
    let url = origin.url("/page");
    let answer = get(proxy, &url, &fields).await;
    assert!(answer.header("gleaner").starts_with("rewritten"), "{:?}", answer.headers);
    (url, answer.body.to_vec())
}

#[tokio::test]
async fn options_say_what_each_service_does() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    for (path, method) in [("reqmod", "REQMOD"), ("respmod", "RESPMOD")] {
        let answer = client.ask(format!("OPTIONS icap://gleaner/{path} ICAP/1.0\r\nHost: gleaner\r\n\r\n")).await;
        assert_eq!(status(&answer), "ICAP/1.0 200 OK");
        for field in [&format!("Methods: {method}"), "Allow: 204, 206", "ISTag: \""] {
            assert!(answer.head.contains(field), "{field}: {}", answer.head);
        }
        assert_eq!(answer.head.contains("Preview: 0"), method == "RESPMOD", "{}", answer.head);
    }
}

#[tokio::test]
async fn a_page_is_the_proxys_own_in_every_form_of_message() {
    let (proxy, addr) = service("").await;
    let (url, expected) = by_proxy(&proxy).await;
    let mut client = IcapClient::new(addr).await;
    let body = chunked(DEMO.as_bytes());
    let whole_preview = [&body[..body.len() - 5], b"0; ieof\r\n\r\n"].concat();
    for fields in ["", "Allow: 204\r\n", "Allow: 204, 206\r\n", "Preview: 0\r\n", "Preview: 100000\r\n"] {
        client.send(respmod(&format!("X-Client-IP: 127.0.0.1\r\n{fields}"), &request(&url), HTML, true)).await;
        match fields {
            "Preview: 0\r\n" => {
                let answer = client.ask("0\r\n\r\n").await;
                assert_eq!(status(&answer), "ICAP/1.0 100 Continue");
                client.send(&body).await;
            }
            "Preview: 100000\r\n" => client.send(&whole_preview).await,
            _ => client.send(&body).await,
        }
        let answer = client.answer().await;
        assert_eq!(status(&answer), "ICAP/1.0 200 OK", "{fields}");
        assert!(answer.http.contains("gleaner: rewritten"), "{}", answer.http);
        // No other client may get it from the cache of the proxy that asks.
        assert!(answer.http.contains("cache-control: private"), "{}", answer.http);
        assert!(answer.body == expected, "{fields}: {} bytes for {}", answer.body.len(), expected.len());
    }
}

#[tokio::test]
async fn a_request_may_be_as_a_web_server_gets_it() {
    let (_proxy, addr) = service("blocking: { services: [tiktok] }").await;
    let mut client = IcapClient::new(addr).await;
    let asked = request("/page");
    let message = respmod("X-Client-IP: 127.0.0.1\r\n", &asked, HTML, true).into_bytes();
    let answer = client.ask([message, chunked(DEMO.as_bytes())].concat()).await;
    assert!(answer.http.contains("gleaner: rewritten"), "{}", answer.http);
    let blocked = reqmod("Allow: 204\r\n", &asked.replace("a.example", "www.tiktok.com"), false);
    assert!(client.ask(blocked).await.http.starts_with("HTTP/1.1 403"));
    // It leaves as it came.
    let answer = client.ask(reqmod("Allow: 204\r\n", &asked.replace("gzip", "gzip, dcb"), false)).await;
    assert_eq!(answer.http, asked);
}

#[tokio::test]
async fn the_start_page_has_no_steps_for_a_certificate_that_is_not_used() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    let asked = request("http://gleaner.internal/").replace("gzip", "identity");
    let answer = client.ask(reqmod("X-Client-IP: 127.0.0.1\r\n", &asked, false)).await;
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("come decluttered") && !text.contains("ertificate\"") && !text.contains("Get the"), "{text}");
}

#[tokio::test]
async fn what_is_no_page_stays_by_its_head_alone_or_comes_back_where_it_was_not_kept() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    let asked = request("http://a.example/x.png");
    let answer = client.ask(respmod("Preview: 0\r\n", &asked, PICTURE, true) + "0\r\n\r\n").await;
    assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications");
    let answer = client.ask(respmod("Allow: 204\r\n", &asked, PICTURE, true) + "5\r\nabcde\r\n0\r\n\r\n").await;
    assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications");
    let answer = client.ask(respmod("", &asked, PICTURE, true) + "5\r\nabcde\r\n0\r\n\r\n").await;
    assert_eq!((status(&answer), &*answer.http, &*answer.body), ("ICAP/1.0 200 OK", PICTURE, &b"abcde"[..]));
    let empty = "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n";
    let answer = client.ask(respmod("", &asked, empty, false)).await;
    assert_eq!((status(&answer), &*answer.http), ("ICAP/1.0 200 OK", empty));
    // Without the request nothing is known of it, and what is no HTTP is not ours to judge.
    let alone = format!(
        "RESPMOD icap://gleaner/respmod ICAP/1.0\r\nHost: x\r\nAllow: 204\r\nEncapsulated: res-hdr=0, res-body={}\r\n\r\n",
        HTML.len()
    );
    let answer = client.ask(alone + HTML + "1\r\nx\r\n0\r\n\r\n").await;
    assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications");
    let answer =
        client.ask(respmod("Allow: 204\r\n", "GET ftp://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n", HTML, false)).await;
    assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications");
}

#[tokio::test]
async fn a_page_that_passes_has_its_reason_and_its_own_bytes() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    let script = request("http://a.example/part").replace("document", "empty");
    for (allowed, expected) in [
        ("", "ICAP/1.0 200 OK"),
        ("Allow: 206\r\n", "ICAP/1.0 200 OK"),
        ("Allow: 204, 206\r\n", "ICAP/1.0 206 Partial Content"),
    ] {
        let message = respmod(allowed, &script, HTML, true).into_bytes();
        let answer = client.ask([message, chunked(DEMO.as_bytes())].concat()).await;
        assert_eq!(status(&answer), expected);
        assert!(answer.http.contains("gleaner: passed; reason=not-a-document"), "{}", answer.http);
        if expected.contains("200") {
            assert!(answer.body == DEMO.as_bytes());
        } else {
            assert!(answer.http.ends_with("use-original-body=0") && answer.body.is_empty(), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn the_head_of_a_page_says_what_becomes_of_it_and_no_length() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    let asked = request("http://a.example/page").replace("GET ", "HEAD ");
    let answer = client.ask(respmod("Allow: 204\r\n", &asked, HTML, false)).await;
    assert_eq!(status(&answer), "ICAP/1.0 200 OK");
    assert!(answer.http.contains("gleaner: eligible") && !answer.http.contains("content-length"), "{}", answer.http);
}

#[tokio::test]
async fn requests_leave_as_they_were_but_for_what_must_change() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    let answer = client.ask(reqmod("Allow: 204\r\n", &request("http://a.example/x"), false)).await;
    assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications");
    let plain = request("http://a.example/x");
    let answer = client.ask(reqmod("", &plain, false)).await;
    assert_eq!((status(&answer), &*answer.http), ("ICAP/1.0 200 OK", &*plain));
    // A coding that is not decoded leaves; names stay as the browser writes them.
    let modern = plain.replace("gzip", "gzip, br, dcb");
    let answer = client.ask(reqmod("Allow: 204\r\n", &modern, false)).await;
    assert_eq!(status(&answer), "ICAP/1.0 200 OK");
    assert_eq!(answer.http, plain.replace("gzip", "gzip, br"));
    // The body of a form stays.
    let form = modern.replace("GET", "POST").replace("\r\n\r\n", "\r\nContent-Length: 3\r\n\r\n");
    let answer = client.ask(reqmod("Preview: 0\r\nAllow: 204\r\n", &form, true) + "0\r\n\r\n").await;
    assert_eq!(status(&answer), "ICAP/1.0 100 Continue");
    let answer = client.ask("3\r\na=b\r\n0\r\n\r\n").await;
    assert_eq!((status(&answer), &*answer.body), ("ICAP/1.0 200 OK", &b"a=b"[..]));
    let answer = client.ask(reqmod("Preview: 0\r\nAllow: 204, 206\r\n", &form, true) + "0\r\n\r\n").await;
    assert_eq!(status(&answer), "ICAP/1.0 206 Partial Content");
    assert!(answer.http.starts_with("POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\n"), "{}", answer.http);
    // A stored copy of ours is asked for whole: what would confirm it has the fields of the original.
    let stored = plain.replace("\r\n\r\n", "\r\nIf-None-Match: W/\"gleaner-0000000000000001-s-x\"\r\n\r\n");
    let answer = client.ask(reqmod("Allow: 204\r\n", &stored, false)).await;
    assert_eq!((status(&answer), &*answer.http), ("ICAP/1.0 200 OK", &*plain));
}

/// Where the other proxy connects is its own choice, so the request itself asks.
#[tokio::test]
async fn safe_search_asks_youtube_by_a_field() {
    for (degree, wanted) in [("moderate", Some("Moderate")), ("strict", Some("Strict")), ("off", None)] {
        let (_proxy, addr) = service(&format!("blocking: {{ safe_search: {degree} }}")).await;
        let mut client = IcapClient::new(addr).await;
        let asked = request("https://www.youtube.com/watch?v=x");
        let answer = client.ask(reqmod("", &asked, false)).await;
        let told = answer.http.lines().find_map(|line| line.strip_prefix("youtube-restrict: "));
        assert_eq!(told, wanted, "{}", answer.http);
        let answer = client.ask(reqmod("Allow: 204\r\n", &request("https://news.example/"), false)).await;
        assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications");
    }
}

#[tokio::test]
async fn blocked_requests_and_our_own_pages_are_answered() {
    let (_proxy, addr) = service("blocking: { services: [tiktok], rules: ['||ads.example^'] }").await;
    let mut client = IcapClient::new(addr).await;
    for (asked, status_of_page, words) in [
        (request("https://www.tiktok.com/"), "403", "TikTok"),
        (request("http://ads.example/x.js").replace("document", "script"), "", ""),
        ("CONNECT www.tiktok.com:443 HTTP/1.1\r\nHost: www.tiktok.com:443\r\n\r\n".to_owned(), "403", "TikTok"),
        (request("http://gleaner.internal/"), "200", "Gleaner"),
    ] {
        let answer = client.ask(reqmod("X-Client-IP: 127.0.0.1\r\nAllow: 204\r\n", &asked, false)).await;
        assert_eq!(status(&answer), "ICAP/1.0 200 OK", "{asked}");
        assert!(answer.http.starts_with(&format!("HTTP/1.1 {status_of_page}")), "{asked}: {}", answer.http);
        assert!(String::from_utf8_lossy(&answer.body).contains(words), "{asked}");
    }
    for asked in [
        "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n",
        "GET ftp://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        let answer = client.ask(reqmod("Allow: 204\r\n", asked, false)).await;
        assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications", "{asked}");
    }
}

#[tokio::test]
async fn a_client_that_is_not_named_is_not_this_machine() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    for (named, expected) in [
        ("", "403"),
        ("X-Client-IP: -\r\n", "403"),
        ("X-Client-IP: 127.0.0.1, 10.0.0.1\r\n", "403"),
        ("X-Client-IP: 192.168.7.7\r\n", "403"),
        ("X-Client-IP: 127.0.0.1\r\n", "200"),
    ] {
        let answer = client.ask(reqmod(named, &request("http://gleaner.internal/panel"), false)).await;
        assert!(answer.http.starts_with(&format!("HTTP/1.1 {expected}")), "{named}: {}", answer.http);
    }
}

#[tokio::test]
async fn a_page_that_was_cut_off_is_not_taken_for_a_whole_one() {
    let (_proxy, addr) = service("").await;
    let mut client = IcapClient::new(addr).await;
    let longer = HTML.replace("\r\n\r\n", &format!("\r\nContent-Length: {}\r\n\r\n", DEMO.len() + 1));
    let message = respmod("", &request("http://a.example/page"), &longer, true).into_bytes();
    client.send([message, chunked(DEMO.as_bytes())].concat()).await;
    let mut answer = String::new();
    timeout(BOUND, client.0.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.contains("gleaner: passed; reason=broken-off"), "{answer}");
    assert!(!answer.ends_with("0\r\n\r\n"), "it breaks off here too");
}

#[tokio::test]
async fn a_view_that_never_came_is_forgotten_at_the_next_visit() {
    let (_proxy, addr) = service("").await;
    let url = "http://a.example/secret";
    let mut client = IcapClient::new(addr).await;
    let asked = request(url).replace("gzip", "identity");
    let secret = HTML.replace("max-age=60", "no-store");
    let page = respmod("X-Client-IP: 127.0.0.1\r\n", &asked, &secret, true).into_bytes();
    let page = [&page[..], &chunked(DEMO.as_bytes())].concat();
    let shown = client.ask(&page).await;
    let text = String::from_utf8(shown.body.clone()).unwrap();
    let link = text.split('"').find(|text| text.contains("gleaner-view=") && text.contains(".text.")).unwrap();
    let link = format!("{url}?{}", link.split_once('?').unwrap().1).replace("&amp;", "&");
    let fields = "X-Client-IP: 127.0.0.1\r\nAllow: 204\r\n";
    // The page was not to be kept, so the view waits for it.
    let answer = client.ask(reqmod(fields, &asked.replace(url, &link), false)).await;
    assert!(answer.http.starts_with(&format!("GET {url} ")), "{}", answer.http);
    let answer = client.ask(reqmod(fields, &asked, false)).await;
    assert_eq!(status(&answer), "ICAP/1.0 204 No Modifications");
    assert!(client.ask(&page).await.body == shown.body);
    // Without the visit between it is the view.
    client.ask(reqmod(fields, &asked.replace(url, &link), false)).await;
    assert!(client.ask(&page).await.body != shown.body);
}

#[tokio::test]
async fn a_view_is_taken_out_of_the_request_and_shown_when_its_page_comes() {
    let (proxy, addr) = service("").await;
    let (url, _) = by_proxy(&proxy).await;
    let mut client = IcapClient::new(addr).await;
    let page =
        respmod("X-Client-IP: 127.0.0.1\r\n", &request(&url).replace("gzip", "identity"), HTML, true).into_bytes();
    let answer = client.ask([&page[..], &chunked(DEMO.as_bytes())].concat()).await;
    let text = String::from_utf8(answer.body).unwrap();
    let link = text.split('"').find(|text| text.contains("gleaner-view=") && text.contains("text")).unwrap();
    let link = format!("{url}?{}", link.split_once('?').unwrap().1).replace("&amp;", "&");
    // The page was kept.
    let answer = client.ask(reqmod("X-Client-IP: 127.0.0.1\r\nAllow: 204\r\n", &request(&link), false)).await;
    assert!(answer.http.starts_with("HTTP/1.1 200") && answer.http.contains("no-store"), "{}", answer.http);
    // Another browser's link is none.
    let answer = client.ask(reqmod("X-Client-IP: 127.0.0.9\r\nAllow: 204\r\n", &request(&link), false)).await;
    assert!(answer.http.starts_with("HTTP/1.1 303"), "{}", answer.http);
}

#[tokio::test]
async fn the_client_and_the_user_that_are_named_have_their_profile() {
    let yaml = "icap: { listen: 1344 }
devices: [{ clients: [192.168.7.7], profile: 'off' }, { users: [anna], profile: 'off' }]
access: { clients: [loopback, private] }";
    let (_proxy, addr) = service(yaml).await;
    let mut client = IcapClient::new(addr).await;
    for (fields, action) in [
        ("X-Client-IP: 192.168.7.8\r\n", "rewritten"),
        ("X-Client-IP: 192.168.7.7\r\n", "passed; reason=switched-off"),
        ("X-Client-IP: 192.168.7.8\r\nX-Client-Username: anna\r\n", "passed; reason=switched-off"),
        // Not among `access.clients`.
        ("X-Client-IP: 8.8.8.8\r\n", ""),
    ] {
        let message = respmod(fields, &request("http://a.example/page"), HTML, true).into_bytes();
        let answer = client.ask([message, chunked(DEMO.as_bytes())].concat()).await;
        let told = answer.http.lines().find_map(|line| line.strip_prefix("gleaner: ")).unwrap_or_default();
        assert!(told.starts_with(action) && action.is_empty() == told.is_empty(), "{fields}: {told}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_in_words_and_ends_the_connection() {
    let (_proxy, addr) = service("").await;
    let good = respmod("", &request("http://a.example/"), HTML, false);
    for (message, expected) in [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), "505"),
        ("RESPMOD icap://x/respmod ICAP/1.0 more\r\n\r\n".to_owned(), "400"),
        (good.replace("/respmod ", "/other "), "404"),
        (good.replace("/respmod ", "/reqmod "), "405"),
        (good.replace("RESPMOD", "FETCH"), "501"),
        (good.replace("req-hdr=0", "req-hdr=7"), "400"),
        (good.replace("null-body", "null-bodies"), "400"),
        (good.replace("null-body=", "null-body=9999999"), "400"),
        (good.replace("req-hdr=0, ", ""), "400"),
        (good.replace("Encapsulated", "Other"), "400"),
        (respmod("Preview: many\r\n", "", HTML, true).replace("req-hdr=0, res-hdr=0", "res-hdr=0"), "400"),
        (format!("OPTIONS icap://x/respmod ICAP/1.0\r\n{}\r\n", "A: b\r\n".repeat(100)), "400"),
        (format!("OPTIONS icap://x/respmod ICAP/1.0\r\nA: {}", "b".repeat(20_000)), ""),
    ] {
        let mut client = IcapClient::new(addr).await;
        client.send(&message).await;
        let mut answer = String::new();
        timeout(BOUND, client.0.read_to_string(&mut answer)).await.unwrap().unwrap_or_default();
        let begin = if expected.is_empty() { String::new() } else { format!("ICAP/1.0 {expected} ") };
        assert!(answer.starts_with(&begin) && answer.is_empty() == expected.is_empty(), "{message}: {answer}");
    }
    // A body that breaks off or is malformed ends the connection, and no more.
    for body in ["5\r\nab", "z\r\n", "3\r\nabcdef\r\n0\r\n\r\n"] {
        let mut client = IcapClient::new(addr).await;
        client.send(respmod("", &request("http://a.example/"), HTML, true) + body).await;
        client.0.shutdown().await.unwrap();
        let mut answer = String::new();
        timeout(BOUND, client.0.read_to_string(&mut answer)).await.unwrap().unwrap_or_default();
        assert_eq!(answer, "", "{body}");
    }
    let answer = IcapClient::new(addr).await.ask(good).await;
    assert_eq!(status(&answer), "ICAP/1.0 200 OK");
}

#[tokio::test]
async fn only_proxies_that_are_listed_are_served() {
    let (_proxy, addr) = service("icap: { clients: [192.0.2.1] }").await;
    let mut client = IcapClient::new(addr).await;
    let _ = client.0.write_all(b"OPTIONS icap://x/respmod ICAP/1.0\r\n\r\n").await;
    let mut answer = String::new();
    let _ = timeout(BOUND, client.0.read_to_string(&mut answer)).await.unwrap();
    assert_eq!(answer, "");
}

/// A page without the tokens in the links of its bar, which are another program's.
fn without_tokens(page: &str) -> String {
    let links = page.split("gleaner-view=");
    links.map(|link| link.split_once('"').map_or(link, |(_, rest)| rest)).collect::<Vec<_>>().join("")
}

#[tokio::test]
async fn the_client_of_c_icap_gets_the_proxys_own_page() {
    let Some(program) = optional::program("c-icap-client", "c-icap") else { return };
    let (proxy, addr) = service("").await;
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("page.html");
    std::fs::write(&page, DEMO).unwrap();
    let origin = Origin::http(|_| response(&[("content-type", "text/html")], DEMO)).await;
    let fields = [("user-agent", "C-ICAP-Client/0.5"), ("accept", "text/html")];
    let expected = get(&proxy, &origin.url("/page"), &fields).await;
    for preview in [&["-nopreview"][..], &["-w", "0"], &["-w", "1024"]] {
        let mut command = Command::new(&program);
        command.args(["-i", "127.0.0.1", "-p", &addr.port().to_string(), "-s", "respmod", "-f"]).arg(&page);
        command.args(["-resp", &origin.url("/page")]);
        command.args([
            "-rhx",
            "Content-Type: text/html",
            "-hx",
            "User-Agent: C-ICAP-Client/0.5",
            "-hx",
            "Accept: text/html",
        ]);
        command.args(["-x", "X-Client-IP: 127.0.0.1"]).args(preview);
        let (well, told) = run(command).await;
        assert!(well, "{told}");
        let page = told.find("<!DOCTYPE").zip(told.find("</html>"));
        let got = page.map_or("", |(at, end)| &told[at..end + 7]);
        assert_eq!(without_tokens(got), without_tokens(expected.text().trim_end()), "{preview:?}");
    }
}
