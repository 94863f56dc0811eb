//! HTTP/2 streams on either side: streams cut off, empty answers, and trailers and fields that h2 accepts and HTTP/1.1
//! does not.

use bytes::Bytes;
use h2::Reason;
use http::{HeaderMap, HeaderName, Method, Request, Response, Version, request};
use tokio::{io::AsyncReadExt, sync::mpsc};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::send_h2,
    frames::{self, DATA, END_HEADERS, END_STREAM, HEADERS, NO_ERROR, frame, reset},
    origin::{read_head, response},
    streams::{Reply, client, origin, reply},
};

const INTERCEPT: &str = "https: { intercept: on }";

/// Asks for a path of an HTTP/2 origin that answers like this, over HTTP/2 and over HTTP/1.1 in turn.
async fn answered<F>(
    serve: impl Fn(h2::server::SendResponse<Bytes>) -> F + Send + Sync + Clone + 'static,
) -> (Result<Reply, h2::Error>, String)
where
    F: Future<Output = ()> + Send + 'static,
{
    let ca = TestCa::new();
    let origin = origin(&ca, move |_, respond| serve(respond)).await;
    let proxy = TestProxy::trusting(&ca, INTERCEPT).await;
    let target = origin.host_and_port();
    let mut sender = client(&proxy, &target).await;
    let request = Request::get(format!("https://{target}/")).body(()).unwrap();
    let (answer, _) = sender.send_request(request, true).unwrap();
    let over_2 = reply(answer).await;
    let trust = proxy.ca_file();
    let mut stream = crate::harness::client::connect_tls(&proxy, &target, &trust, &[b"http/1.1"]).await.unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: {target}\r\nTE: trailers\r\nConnection: TE, close\r\n\r\n");
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
    let mut over_1 = Vec::new();
    // How it ends is told by its framing.
    let _ = stream.read_to_end(&mut over_1).await;
    (over_2, String::from_utf8_lossy(&over_1).into_owned())
}

fn ok() -> http::response::Builder {
    Response::builder().version(Version::HTTP_2)
}

/// RFC 9113 § 8.1: `NO_ERROR` tells the client to stop sending, after a whole response. In the middle of one
/// it is an end that says nothing.
#[tokio::test]
async fn a_response_that_is_given_up_without_an_error_never_ends_cleanly() {
    for length in [None, Some("100")] {
        let (over_2, over_1) = answered(move |mut respond| async move {
            let mut head = ok();
            if let Some(length) = length {
                head = head.header("content-length", length);
            }
            let mut stream = respond.send_response(head.body(()).unwrap(), false).unwrap();
            stream.send_data(Bytes::from_static(b"the start"), false).unwrap();
            // Queued data would be dropped with the reset.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            stream.send_reset(Reason::NO_ERROR);
        })
        .await;
        let over_2 = over_2.unwrap();
        assert!(!over_2.whole, "{length:?} {over_2:?}");
        assert!(over_1.starts_with("HTTP/1.1 200"), "{over_1}");
        let is_short = over_1.to_lowercase().contains("content-length: 100\r\n");
        assert!(is_short || !over_1.ends_with("0\r\n\r\n"), "{over_1}");
    }
}

/// RFC 9110 § 6.4.1.
#[tokio::test]
async fn answers_that_have_no_content_have_none_over_http2() {
    for status in [204, 304] {
        let (over_2, over_1) = answered(move |mut respond| async move {
            let head = ok().status(status).body(()).unwrap();
            // The proxy may give such a stream up at once.
            if let Ok(mut stream) = respond.send_response(head, false) {
                let _ = stream.send_data(Bytes::from_static(b"stolen"), true);
            }
        })
        .await;
        let over_2 = over_2.unwrap();
        assert_eq!((over_2.status, over_2.body.len()), (status, 0), "{over_2:?}");
        assert!(!over_1.contains("stolen"), "{over_1}");
    }
}

#[tokio::test]
async fn fields_of_an_answer_that_http_1_does_not_know_are_502() {
    let odd = HeaderName::from_lowercase(b"x\"y").unwrap();
    for (name, count) in [(odd, 1), (HeaderName::from_static("x"), 1025)] {
        let (over_2, over_1) = answered(move |mut respond| {
            let name = name.clone();
            async move {
                let mut head = ok().body(()).unwrap();
                for _ in 0..count {
                    head.headers_mut().append(name.clone(), "v".parse().unwrap());
                }
                let mut stream = respond.send_response(head, false).unwrap();
                let _ = stream.send_data(Bytes::from_static(b"x"), true);
            }
        })
        .await;
        assert_eq!(over_2.unwrap().status, 502);
        assert!(over_1.starts_with("HTTP/1.1 502"), "{over_1}");
    }
}

/// RFC 9110 § 6.5.1: nothing of it may be taken for a part of the head.
#[tokio::test]
async fn trailers_of_one_hop_end_there_over_http2() {
    let (over_2, over_1) = answered(|mut respond| async move {
        let head = ok().header("trailer", "x-sum, proxy-authenticate, host, content-length");
        let mut stream = respond.send_response(head.body(()).unwrap(), false).unwrap();
        stream.send_data(Bytes::from_static(b"ok"), false).unwrap();
        let mut trailers = HeaderMap::new();
        for name in ["x-sum", "proxy-authenticate", "host", "content-length"] {
            trailers.append(name, "7".parse().unwrap());
        }
        stream.send_trailers(trailers).unwrap();
    })
    .await;
    let trailers = over_2.unwrap().trailers;
    assert_eq!((trailers.len(), &trailers["x-sum"]), (1, &"7".parse().unwrap()));
    assert!(over_1.to_lowercase().ends_with("\r\n0\r\nx-sum: 7\r\n\r\n"), "{over_1}");
}

/// Sends a request and reads its answer; the origin is one of HTTP/1.1.
async fn asked(change: impl FnOnce(&mut request::Parts, &str), content: bool) -> (u16, usize) {
    let ca = TestCa::new();
    let tls = ca.server(&["localhost"], &[b"http/1.1"], |_| {});
    let origin = Origin::tls(tls.into(), |_| response(&[], "ok")).await;
    let proxy = TestProxy::trusting(&ca, INTERCEPT).await;
    let target = origin.host_and_port();
    let (mut head, ()) = Request::get(format!("https://{target}/")).body(()).unwrap().into_parts();
    change(&mut head, &target);
    let mut sender = client(&proxy, &target).await;
    let request = Request::from_parts(head, ());
    let (answer, mut stream) = sender.send_request(request, !content).unwrap();
    if content {
        // A refusal may come first.
        let _ = stream.send_data(Bytes::from_static(b"abc"), true);
    }
    // What the library refuses itself is a reset stream.
    let status = reply(answer).await.map_or(0, |reply| reply.status);
    (status, origin.requests().len())
}

fn with_field(name: &'static str, value: &str) -> impl FnOnce(&mut request::Parts, &str) {
    move |head, target| {
        let value = value.replace("{target}", target).parse().unwrap();
        head.headers.append(name, value);
    }
}

/// RFC 9113 § 8.3.1.
#[tokio::test]
async fn a_host_field_beside_the_authority_must_say_the_same() {
    assert_eq!(asked(with_field("host", "{target}"), false).await, (200, 1));
    for host in ["elsewhere.example", "localhost", "a b", ""] {
        assert_eq!(asked(with_field("host", host), false).await, (400, 0), "{host}");
    }
    let twice = |head: &mut request::Parts, target: &str| {
        with_field("host", "{target}")(head, target);
        with_field("host", "{target}")(head, target);
    };
    assert_eq!(asked(twice, false).await, (400, 0));
}

#[tokio::test]
async fn what_http_1_refuses_is_refused_over_http2_too() {
    let odd_name = |head: &mut request::Parts, _: &str| {
        let name = HeaderName::from_lowercase(b"x\"y").unwrap();
        head.headers.append(name, "v".parse().unwrap());
    };
    assert_eq!(asked(odd_name, false).await, (400, 0));
    let many = |head: &mut request::Parts, _: &str| {
        for _ in 0..257 {
            head.headers.append("x", "v".parse().unwrap());
        }
    };
    assert_eq!(asked(many, false).await, (431, 0));
    let trace = |head: &mut request::Parts, _: &str| head.method = Method::TRACE;
    assert_eq!(asked(trace, true).await, (400, 0));
    assert_eq!(asked(trace, false).await, (200, 1));
    let asterisk = |head: &mut request::Parts, target: &str| {
        let uri = http::Uri::builder().scheme("https").authority(target);
        head.uri = uri.path_and_query("*").build().unwrap();
    };
    assert_eq!(asked(asterisk, false).await, (400, 0));
    let long_method = |head: &mut request::Parts, _: &str| {
        head.method = Method::from_bytes(&[b'M'; 65]).unwrap();
    };
    assert_eq!(asked(long_method, false).await, (501, 0));
    let long_path = |head: &mut request::Parts, target: &str| {
        let path = "x".repeat(33_000);
        head.uri = format!("https://{target}/{path}").parse().unwrap();
    };
    assert_eq!(asked(long_path, false).await, (414, 0));
}

/// RFC 8441 § 4 leaves it open which protocols there are; one that is not known is no web socket.
#[tokio::test]
async fn an_extended_connect_for_another_protocol_is_501() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "ok")).await;
    let proxy = TestProxy::trusting(&ca, INTERCEPT).await;
    let target = origin.host_and_port();
    let mut sender = client(&proxy, &target).await;
    // The proxy's settings, which allow it, come before its first answer.
    let first = Request::get(format!("https://{target}/")).body(()).unwrap();
    let (answer, _) = sender.send_request(first, true).unwrap();
    assert_eq!(reply(answer).await.unwrap().status, 200);
    let mut sender = sender.ready().await.unwrap();
    let request = Request::connect(format!("https://{target}/"))
        .extension(h2::ext::Protocol::from_static("connect-udp"))
        .body(())
        .unwrap();
    let (answer, _) = sender.send_request(request, true).unwrap();
    assert_eq!(reply(answer).await.unwrap().status, 501);
    assert_eq!(origin.requests().len(), 1);
}

/// The bytes of an upload that the origin got, and whether its end was that of a whole one.
async fn upload(reason: Reason) -> (String, bool) {
    let ca = TestCa::new();
    let (tell, mut told) = mpsc::unbounded_channel();
    let origin = Origin::tls_sockets(&ca, &[b"http/1.1"], move |mut stream| {
        let tell = tell.clone();
        async move {
            let head = read_head(&mut stream).await;
            tell.send(head).unwrap();
            let mut body = Vec::new();
            let _ = stream.read_to_end(&mut body).await;
            tell.send(String::from_utf8_lossy(&body).into_owned()).unwrap();
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, INTERCEPT).await;
    let target = origin.host_and_port();
    let mut sender = client(&proxy, &target).await;
    let request = Request::post(format!("https://{target}/")).body(()).unwrap();
    let (_answer, mut stream) = sender.send_request(request, false).unwrap();
    stream.send_data(Bytes::from_static(b"the start"), false).unwrap();
    let head = told.recv().await.unwrap();
    assert!(head.starts_with("POST / HTTP/1.1\r\n"), "{head}");
    stream.send_reset(reason);
    let body = told.recv().await.unwrap();
    let whole = body.ends_with("0\r\n\r\n");
    (body, whole)
}

/// Whether the end of a stream or the departure of its client is seen first is a matter of luck, so it is tried
/// more than once, on two threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_is_given_up_never_ends_cleanly() {
    for _ in 0..20 {
        for reason in [Reason::NO_ERROR, Reason::CANCEL] {
            let (body, whole) = upload(reason).await;
            assert!(!whole, "{reason}: {body}");
        }
    }
}

/// A server that answers early and resets the stream says that it needs no more of the upload (RFC 9113 § 8.1);
/// its answer is whole.
#[tokio::test]
async fn an_early_answer_to_an_upload_is_whole() {
    let ca = TestCa::new();
    let origin = frames::origin(&ca, |_, mut frames| async move {
        let (stream, _) = frames.request().await.unwrap();
        // All of it at once, so that the reset has come before the answer is read. 413 is written out (RFC 7541 § 6.2.2).
        let answer = [
            frame(HEADERS, END_HEADERS, stream, b"\x08\x03413"),
            frame(DATA, END_STREAM, stream, b"too much"),
            reset(stream, NO_ERROR),
        ];
        frames.send(&answer.concat()).await;
        while frames.read().await.is_some() {}
    })
    .await;
    let proxy = TestProxy::trusting(&ca, INTERCEPT).await;
    let target = origin.host_and_port();
    let body = http_body_util::Full::new(Bytes::from(vec![b'x'; 1 << 20]));
    let request = Request::post(format!("https://{target}/")).body(body).unwrap();
    let answer = send_h2(&proxy, &target, request).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (413, "too much"));
}
