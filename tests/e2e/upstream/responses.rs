//! Responses as bytes: what the client sees of a sound, a damaged and a hostile origin.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use http::Request;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::sleep,
};

use crate::harness::{
    client::{curl_command, run},
    origin::{read_head, response},
    streams,
    wire::{self, SCHEMES, Scheme, Setup, read_until, soon},
};

const GET: &str = "GET {/} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n";
const GET_1_0: &str = "GET {/} HTTP/1.0\r\nHost: {host}\r\n\r\n";

#[tokio::test]
async fn responses_in_doubt_are_502() {
    let many = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 2\r\n\r\nok", "X: y\r\n".repeat(5_000));
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 2\r\n\r\nok", "x".repeat(600_000));
    let endless =
        format!("{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(40));
    for scheme in SCHEMES {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 2, x\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 2 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length : abc\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok",
            "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1  2000\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 99 Odd\r\n\r\n",
            "HTTP/x 200 OK\r\n\r\n",
            "",
            "HTTP/1.1 200 OK\r\nX",
            &many,
            &long,
            &endless,
        ] {
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await;
            let shown = &answer[..answer.len().min(120)];
            assert!(got.contains("HTTP/1.1 502 "), "{scheme:?} {shown:?}: {got}");
            assert!(!got.contains("\r\n\r\nok"), "{scheme:?} {shown:?}: {got}");
        }
    }
}

#[tokio::test]
async fn a_response_that_breaks_off_never_ends_cleanly() {
    for scheme in SCHEMES {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe start",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\nzz\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe startX0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\n0\r\nbad trailer\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<html>the start",
            "HTTP/1.1 200 OK\r\nContent-Length: 10000000000000000000\r\n\r\nthe start",
        ] {
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await;
            let head = got.to_lowercase();
            assert!(got.contains("the start"), "{scheme:?} {answer:?}: {got}");
            assert!(head.contains("content-length: 100") || head.contains("chunked"), "{got}");
            assert!(!got.ends_with("0\r\n\r\n"), "{scheme:?} {answer:?}: {got}");
        }
        // Without chunks only the end of the connection tells the end of the body.
        let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nthe start\r\n";
        let setup = Setup::answering(scheme, answer).await;
        let (_, clean) = setup.exchange_to_end(setup.fill(GET_1_0).as_bytes()).await;
        assert!(!clean, "{scheme:?}");
    }
}

/// Whatever the client's windows are.
#[tokio::test]
async fn over_http2_all_that_came_arrives_before_the_reset() {
    let much = "x".repeat(3_000_000);
    for (fields, begun) in [
        ("Content-Length: 9000000", &much[..]),
        ("Content-Length: 100", "the start"),
        ("Content-Length: 100", ""),
        ("Transfer-Encoding: chunked", "9\r\nthe start\r\n"),
    ] {
        let length = if begun.len() < 100 { begun.matches("the start").count() * 9 } else { begun.len() };
        let setup =
            Setup::answering(Scheme::Https, format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{begun}").as_bytes()).await;
        let url = format!("https://{}/", setup.host());
        for _ in 0..12 {
            let arguments = ["--http2", "--output", "/dev/null", "--write-out", "%{http_code} %{size_download} ", &url];
            let Some(command) = curl_command(&setup.proxy, &arguments) else {
                return;
            };
            let (well, text) = run(command).await;
            assert!(!well && text.starts_with(&format!("200 {length} ")), "{fields}: {text}");
        }
        let mut client = streams::client(&setup.proxy, &setup.host()).await;
        let (response, _) = client.send_request(Request::get(&url).body(()).unwrap(), true).unwrap();
        let reply = streams::reply(response).await.unwrap();
        assert!(!reply.whole && reply.body.len() == length, "{fields}: {}", reply.body.len());
    }
}

/// A browser would take it for the proxy's own, and send the proxy's password.
#[tokio::test]
async fn a_server_that_asks_for_the_password_of_a_proxy_gets_none() {
    let answer = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno";
    for (scheme, status) in [(Scheme::Http, "502"), (Scheme::Https, "407")] {
        let setup = Setup::answering(scheme, answer.as_bytes()).await;
        let got = setup.exchange(setup.fill(GET).as_bytes()).await;
        assert!(got.contains(&format!("HTTP/1.1 {status} ")) && !got.contains("Basic"), "{scheme:?}: {got}");
    }
}

#[tokio::test]
async fn an_http_1_0_client_never_gets_chunks() {
    for scheme in SCHEMES {
        for answer in [
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
        ] {
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET_1_0).as_bytes()).await;
            assert!(got.ends_with("\r\n\r\nhello"), "{scheme:?} {answer:?}: {got}");
            assert!(!got.to_lowercase().contains("chunked"), "{got}");
            // And the other way: what only the end of the connection ends is chunked for HTTP/1.1.
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await;
            assert!(got.contains("hello"), "{got}");
            assert!(got.ends_with("0\r\n\r\n") || got.to_lowercase().contains("content-length: 5"), "{got}");
        }
    }
}

#[tokio::test]
async fn responses_without_a_body_have_none() {
    for scheme in SCHEMES {
        for (request, answer) in [
            ("HEAD {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
            ("HEAD {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("GET {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"),
            (
                "GET {/} HTTP/1.1\r\nHost: {host}\r\nIf-None-Match: \"x\"\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n",
            ),
        ] {
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let mut stream = setup.connect().await;
            // The second answer follows at once: nothing of a body stands between them.
            stream.write_all(setup.fill(&request.repeat(2)).as_bytes()).await.unwrap();
            let status = &answer[..12];
            for _ in 0..2 {
                let head = soon(read_head(&mut stream)).await;
                assert!(head.starts_with(status), "{scheme:?} {answer:?}: {head}");
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
    for scheme in SCHEMES {
        for lengths in ["Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5"] {
            let answer = format!("HTTP/1.1 200 OK\r\n{lengths}\r\n\r\nhello");
            let setup = Setup::answering(scheme, answer.as_bytes()).await;
            let got = setup.exchange(setup.fill(GET).as_bytes()).await.to_lowercase();
            assert!(got.starts_with("http/1.1 200") && got.ends_with("hello"), "{got}");
            assert_eq!(got.matches("content-length: 5\r\n").count(), 1, "{got}");
        }
    }
}

/// The bytes after its end are the next response, however that is written.
#[tokio::test]
async fn a_length_that_is_said_twice_ends_where_it_says() {
    for scheme in SCHEMES {
        let setup = Setup::sockets(scheme, "", |mut stream| async move {
            for line in ["HTTP/1.1 200 OK", "HTTP/1.2  200  Very  OK"] {
                read_head(&mut stream).await;
                let answer = format!("{line}\r\nContent-Length: 5, 5\r\n\r\nhello");
                let _ = stream.write_all(answer.as_bytes()).await;
            }
            let _ = stream.read_to_end(&mut Vec::new()).await;
        })
        .await;
        let kept = setup.fill(wire::GET);
        let got = setup.exchange(format!("{kept}{}", setup.fill(GET)).as_bytes()).await;
        assert_eq!((got.matches(" 200 ").count(), got.matches("\r\n\r\nhello").count()), (2, 2), "{scheme:?}: {got}");
    }
}

#[tokio::test]
async fn ranges_and_conditions_pass() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| {
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
    for scheme in SCHEMES {
        let answer = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        let setup = Setup::answering(scheme, answer).await;
        let got = setup.exchange(setup.fill(GET).as_bytes()).await;
        let (hints, last) = (got.find("HTTP/1.1 103").unwrap(), got.find("HTTP/1.1 200").unwrap());
        assert!(hints < last && got[hints..last].contains("link: </a.css>"), "{got}");
        // It has no content, so no length either (RFC 9110 § 8.6).
        assert!(!got[hints..last].contains("content-length"), "{got}");
        // HTTP/1.0 has none (RFC 9110 § 15.2).
        let setup = Setup::answering(scheme, answer).await;
        let got = setup.exchange(setup.fill(GET_1_0).as_bytes()).await;
        assert!(!got.contains(" 103 ") && got.ends_with("ok"), "{got}");
    }
}

/// Some servers send them as a sign of life for as long as they work.
#[tokio::test]
async fn interim_responses_in_an_even_row_have_no_bound() {
    let setup = Setup::sockets(Scheme::Http, "", |mut stream| async move {
        read_until(&mut stream, "\r\n\r\n").await;
        for _ in 0..20 {
            stream.write_all(b"HTTP/1.1 102 Processing\r\n\r\n").await.unwrap();
            sleep(Duration::from_millis(150)).await;
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
    })
    .await;
    let got = setup.exchange(setup.fill(GET).as_bytes()).await;
    assert_eq!((got.matches(" 102 ").count(), got.contains(" 200 ")), (20, true), "{got}");
}

#[tokio::test]
async fn trailers_pass_both_ways() {
    for scheme in SCHEMES {
        let setup = Setup::sockets(scheme, "", |mut stream| async move {
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
        assert!(got.to_lowercase().contains("\r\n0\r\nx-out: 2\r\n\r\n"), "{scheme:?}: {got}");
    }
}

#[tokio::test]
async fn bytes_after_a_response_are_never_another_response() {
    let framed = [
        "Content-Length: 4\r\n\r\nmine",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n",
    ];
    for (scheme, framed) in SCHEMES.into_iter().flat_map(|scheme| framed.map(|framed| (scheme, framed))) {
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            count.fetch_add(1, SeqCst);
            async move {
                while !read_head(&mut stream).await.is_empty() {
                    let answer =
                        format!("HTTP/1.1 200 OK\r\n{framed}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen");
                    let _ = stream.write_all(answer.as_bytes()).await;
                }
            }
        })
        .await;
        for _ in 0..10 {
            let got = setup.exchange(setup.fill(GET_1_0).as_bytes()).await;
            assert!(got.ends_with("\r\n\r\nmine"), "{got}");
        }
        assert_eq!(connections.load(SeqCst), 10, "no such connection is used again");
    }
}
