//! The client of the crate icap-rs, which was written after RFC 3507 without us. Its version 0.3 leaves the HTTP request out of RESPMOD,
//! without which no page is rewritten: such messages are written by hand, and it reads the answers.

use http::{Request, Response};
use icap_rs::{Client, ParsedResponse, Request as IcapMessage};

use super::{
    conversation::{HTML, by_proxy, chunked, request, respmod},
    service,
};
use crate::harness::DEMO;

/// The HTTP head of an answer, and the body after it.
fn http(answer: &ParsedResponse) -> (&str, &[u8]) {
    let end = answer.body().windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    (std::str::from_utf8(&answer.body()[..end]).unwrap(), &answer.body()[end..])
}

type Form = fn(IcapMessage) -> IcapMessage;

#[tokio::test]
async fn the_client_of_icap_rs_gets_the_proxys_own_page_and_everything_else_as_it_was() {
    let (proxy, addr) = service("blocking: { services: [tiktok] }").await;
    let (url, expected) = by_proxy(&proxy).await;
    // One connection carries it all.
    let client = Client::builder().with_uri(&format!("icap://{addr}")).unwrap().keep_alive(true).build();
    for path in ["/reqmod", "/respmod"] {
        let answer = client.send(&IcapMessage::options(path)).await.unwrap();
        assert!(
            answer.is_success() && answer.has_header("ISTag") && answer.has_header("Methods"),
            "{}",
            answer.status_code()
        );
    }
    for fields in ["", "Allow: 204\r\n", "Allow: 204, 206\r\n"] {
        let head = respmod(&format!("X-Client-IP: 127.0.0.1\r\n{fields}"), &request(&url), HTML, true);
        let answer = client.send_raw(&[head.as_bytes(), &chunked(DEMO.as_bytes())].concat()).await.unwrap();
        let (head, body) = http(&answer);
        assert!(answer.status_code() == 200 && head.contains("gleaner: rewritten"), "{fields}: {head}");
        assert!(body == expected, "{fields}: {} bytes for {}", body.len(), expected.len());
    }
    // Without the HTTP request nothing is known of a response.
    let forms: [(Form, u16); 5] = [
        (|message| message, 200),
        (|message| message.preview(0), 204),
        (|message| message.preview(1024), 204),
        (|message| message.allow_204(), 204),
        (|message| message.preview(0).allow_204().allow_206(), 204),
    ];
    for (number, (form, status)) in forms.into_iter().enumerate() {
        let response = Response::builder().header("Content-Type", "text/html").body(DEMO.into()).unwrap();
        let message = IcapMessage::respmod("/respmod").with_http_response(response).unwrap();
        let answer = client.send(&form(message)).await.unwrap();
        assert_eq!(answer.status_code(), status, "{number}");
        assert!(status == 204 || http(&answer).1 == DEMO.as_bytes(), "{number}");
    }
    let reqmod = |url: &str| {
        let request = Request::get(url).header("Host", "a.example").header("Sec-Fetch-Dest", "document");
        let message = IcapMessage::reqmod("/reqmod").icap_header("X-Client-IP", "127.0.0.1").allow_204();
        message.with_http_request(request.body(Vec::new()).unwrap()).unwrap()
    };
    assert_eq!(client.send(&reqmod("http://a.example/x")).await.unwrap().status_code(), 204);
    for (url, line, words) in [
        ("https://www.tiktok.com/", "HTTP/1.1 403 ", "TikTok"),
        ("http://gleaner.internal/", "HTTP/1.1 200 ", "Gleaner"),
    ] {
        let answer = client.send(&reqmod(url)).await.unwrap();
        let (head, body) = http(&answer);
        assert!(head.starts_with(line) && String::from_utf8_lossy(body).contains(words), "{url}: {head}");
    }
}
