//! Responses as bytes: what the client sees of a sound, a damaged and a hostile origin.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncWriteExt;

use crate::harness::{
    client::connect_tls,
    origin::{read_head, response},
    wire::{ROADS, Road, Setup, read_until, soon},
};

const GET: &str = "GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n";
const GET_1_0: &str = "GET {/} HTTP/1.0\r\nHost: {host}\r\n\r\n";

#[tokio::test]
async fn responses_in_doubt_are_502() {
    let many = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 2\r\n\r\nok", "X: y\r\n".repeat(5_000));
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 2\r\n\r\nok", "x".repeat(600_000));
    let endless =
        format!("{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(40));
    for road in ROADS {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length : 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding:\r\n chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 99 Odd\r\n\r\n",
            "HTTP/3.7 200 OK\r\n\r\n",
            "",
            "HTTP/1.1 200 OK\r\nX",
            &many,
            &long,
            &endless,
        ] {
            let setup = Setup::answering(road, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await;
            let shown = &answer[..answer.len().min(120)];
            assert!(got.contains("HTTP/1.1 502 "), "{road:?} {shown:?}: {got}");
            assert!(!got.contains("\r\n\r\nok"), "{road:?} {shown:?}: {got}");
        }
    }
}

#[tokio::test]
async fn a_response_that_breaks_off_never_ends_cleanly() {
    for road in ROADS {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe start",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\nzz\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe startX0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\n0\r\nbad trailer\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<html>the start",
        ] {
            let setup = Setup::answering(road, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await;
            let head = got.to_lowercase();
            assert!(got.contains("the start"), "{road:?} {answer:?}: {got}");
            assert!(head.contains("content-length: 100") || head.contains("chunked"), "{got}");
            assert!(!got.ends_with("0\r\n\r\n"), "{road:?} {answer:?}: {got}");
        }
        // Without chunks only the end of the connection tells the end of the body.
        let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\n";
        let setup = Setup::answering(road, answer).await;
        let (_, clean) = setup.exchange_to_end(setup.fill(GET_1_0).as_bytes()).await;
        assert!(!clean, "{road:?}");
    }
}

#[tokio::test]
async fn over_http2_a_short_response_is_a_reset_stream() {
    let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\n";
    let setup = Setup::answering(Road::Intercepted, answer).await;
    let stream = connect_tls(&setup.proxy, &setup.host(), &setup.proxy.ca_file(), &[b"h2"]).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get(format!("https://{}/", setup.host())).body(Full::<Bytes>::default()).unwrap();
    let answer = sender.send_request(request).await.unwrap();
    assert!(answer.into_body().collect().await.is_err());
}

#[tokio::test]
async fn an_http_1_0_client_never_gets_chunks() {
    for road in ROADS {
        for answer in [
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
        ] {
            let setup = Setup::answering(road, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET_1_0).as_bytes()).await;
            assert!(got.ends_with("\r\n\r\nhello"), "{road:?} {answer:?}: {got}");
            assert!(!got.to_lowercase().contains("chunked"), "{got}");
            // And the other way: what only the end of the connection ends is chunked for HTTP/1.1.
            let setup = Setup::answering(road, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await;
            assert!(got.contains("hello"), "{got}");
            assert!(got.ends_with("0\r\n\r\n") || got.to_lowercase().contains("content-length: 5"), "{got}");
        }
    }
}

#[tokio::test]
async fn responses_without_a_body_have_none() {
    for road in ROADS {
        for (request, answer) in [
            ("HEAD {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
            ("HEAD {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("GET {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"),
            (
                "GET {/} HTTP/1.1\r\nHost: {host}\r\nIf-None-Match: \"x\"\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n",
            ),
        ] {
            let setup = Setup::answering(road, answer.as_bytes()).await;
            let mut stream = setup.connect().await;
            // The second answer follows at once: nothing of a body stands between them.
            stream.write_all(setup.fill(&request.repeat(2)).as_bytes()).await.unwrap();
            let status = &answer[..12];
            for _ in 0..2 {
                let head = soon(read_head(&mut stream)).await;
                assert!(head.starts_with(status), "{road:?} {answer:?}: {head}");
                if answer.contains("1000") {
                    assert!(head.to_lowercase().contains("content-length: 1000"), "{head}");
                }
            }
        }
    }
}

/// RFC 9112 § 6.3 lets a list of equal lengths be one length, and browsers show such pages.
#[tokio::test]
async fn a_length_that_is_said_more_than_once_is_sent_on_once() {
    for road in ROADS {
        for lengths in ["Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5"] {
            let answer = format!("HTTP/1.1 200 OK\r\n{lengths}\r\n\r\nhello");
            let setup = Setup::answering(road, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await.to_lowercase();
            assert!(got.starts_with("http/1.1 200") && got.ends_with("hello"), "{got}");
            assert_eq!(got.matches("content-length: 5\r\n").count(), 1, "{got}");
        }
    }
}

#[tokio::test]
async fn ranges_and_conditions_pass() {
    for road in ROADS {
        let setup = Setup::new(road, "", |seen| {
            assert_eq!(seen.headers["range"], "bytes=0-1");
            assert_eq!(seen.headers["if-range"], "\"v1\"");
            let mut answer = response(&[("content-range", "bytes 0-1/5"), ("content-type", "image/png")], "he");
            *answer.status_mut() = http::StatusCode::PARTIAL_CONTENT;
            answer
        })
        .await;
        let request = setup.fill(
            "GET {/} HTTP/1.1\r\nHost: {host}\r\nRange: bytes=0-1\r\nIf-Range: \"v1\"\r\nConnection: close\r\n\r\n",
        );
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 206") && got.ends_with("\r\n\r\nhe"), "{got}");
        assert!(got.to_lowercase().contains("content-range: bytes 0-1/5"), "{got}");
    }
}

#[tokio::test]
async fn interim_responses_pass_before_the_final_one() {
    for road in ROADS {
        let answer = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        let setup = Setup::answering(road, answer).await;
        let got = setup.exchange(setup.fill(GET).as_bytes()).await;
        let (hints, last) = (got.find("HTTP/1.1 103").unwrap(), got.find("HTTP/1.1 200").unwrap());
        assert!(hints < last && got[hints..last].contains("link: </a.css>"), "{got}");
        // It has no content, so no length either (RFC 9110 § 8.6).
        assert!(!got[hints..last].contains("content-length"), "{got}");
        // HTTP/1.0 has none (RFC 9110 § 15.2).
        let setup = Setup::answering(road, answer).await;
        let got = setup.exchange(setup.fill(GET_1_0).as_bytes()).await;
        assert!(!got.contains(" 103 ") && got.ends_with("ok"), "{got}");
    }
}

#[tokio::test]
async fn trailers_pass_both_ways() {
    for road in ROADS {
        let setup = Setup::sockets(road, "", |mut stream| async move {
            let request = read_until(&mut stream, "X-In: 1\r\n\r\n").await;
            assert!(request.contains("5\r\nhello\r\n0\r\n"), "{request}");
            let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Out\r\n\r\n2\r\nok\r\n0\r\nX-Out: 2\r\n\r\n";
            stream.write_all(answer.as_bytes()).await.unwrap();
        })
        .await;
        let request = setup.fill(
            "POST {/} HTTP/1.1\r\nHost: {host}\r\nTE: trailers\r\nConnection: TE, close\r\nTrailer: X-In\r\n\
             Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-In: 1\r\n\r\n",
        );
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.to_lowercase().contains("\r\n0\r\nx-out: 2\r\n\r\n"), "{road:?}: {got}");
    }
}

#[tokio::test]
async fn bytes_after_a_response_are_never_another_response() {
    for road in ROADS {
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let setup = Setup::sockets(road, "", move |mut stream| {
            count.fetch_add(1, SeqCst);
            async move {
                loop {
                    let head = read_head(&mut stream).await;
                    if head.is_empty() {
                        return;
                    }
                    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmineHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen";
                    let _ = stream.write_all(answer.as_bytes()).await;
                }
            }
        })
        .await;
        for _ in 0..10 {
            let got = setup.exchange(setup.fill(GET).as_bytes()).await;
            assert!(got.ends_with("mine"), "{got}");
        }
        assert_eq!(connections.load(SeqCst), 10, "no such connection is used again");
    }
}
