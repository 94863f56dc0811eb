//! Requests as bytes on the wire: malformed or ambiguous ones are refused and the connection closed, so that nothing after them is read;
//! valid ones (long, pipelined) pass.

use tokio::io::AsyncReadExt;

use crate::harness::{
    origin::response,
    wire::{SCHEMES, Scheme, Setup, soon},
};

/// Behind every refused request: it must be neither answered nor forwarded.
const SECOND: &str = "GET {/second} HTTP/1.1\r\nHost: {host}\r\n\r\n";

/// Sends each request with another behind it; every one must be refused with its status, once, and the
/// connection closed. A case that is forwarded by mistake shows at the origin.
pub(crate) async fn all_are_refused(cases: &[(&str, u16)]) {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |_| response(&[], "")).await;
        for (request, status) in cases {
            let before = setup.origin.requests().len();
            let bytes = setup.fill(&format!("{request}{SECOND}"));
            let answer = setup.exchange(bytes.as_bytes()).await;
            let case = format!("{scheme:?} {request:?}: {answer}");
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{case}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{case}");
            assert!(answer.to_lowercase().contains("\r\nconnection: close\r\n"), "{case}");
            assert_eq!(setup.origin.requests().len(), before, "{case}");
        }
        setup.proxy.stop().await;
    }
}

#[tokio::test]
async fn requests_whose_length_is_in_doubt_are_refused() {
    all_are_refused(&[
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3, 3\r\n\r\nabc", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: +3\r\n\r\nabc", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0x3\r\n\r\nabc", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3 3\r\n\r\nabc", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length:\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: \x0bchunked\r\n\r\n", 400),
        ("POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding:\r\n\r\n", 501),
        ("POST {/} HTTP/1.0\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("TRACE {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\n\r\nabc", 400),
    ])
    .await;
}

#[tokio::test]
async fn requests_with_bad_syntax_are_refused() {
    all_are_refused(&[
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX: a\0b\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX: a\x01b\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX: a\x7fb\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX: a\rb\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX: a\nY: b\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\nHost: {host}\n\n", 400),
        ("GET {/} HTTP/1.1\n\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\n\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX : a\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX\t: a\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX: a\r\n b\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX: a\r\n\tb\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\n Host: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\n: a\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX(: a\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nX\u{e9}: a\r\n\r\n", 400),
        ("GET  {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} x HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/1.1 \r\nHost: {host}\r\n\r\n", 400),
        ("GET\t{/} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        (" {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/}\x7f HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("G(T {/} HTTP/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/2.0\r\nHost: {host}\r\n\r\n", 505),
        ("GET {/} HTTP/0.9\r\nHost: {host}\r\n\r\n", 505),
        ("GET {/} http/1.1\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/1.\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/1.10\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/1.x\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/}\r\n\r\n", 400),
    ])
    .await;
}

#[tokio::test]
async fn a_missing_repeated_or_malformed_host_is_refused() {
    all_are_refused(&[
        ("GET {/} HTTP/1.1\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}, x\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost: {host}/x\r\n\r\n", 400),
        ("GET {/} HTTP/1.1\r\nHost:\r\n\r\n", 400),
    ])
    .await;
}

#[tokio::test]
async fn chunks_that_cannot_be_read_are_refused() {
    const HEAD: &str = "POST {/} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n";
    for scheme in SCHEMES {
        // An origin that reads for ever: what it got of a broken request must never be a whole one.
        let setup = Setup::sockets(scheme, "", |mut stream| async move {
            let mut got = Vec::new();
            let _ = stream.read_to_end(&mut got).await;
            let got = String::from_utf8_lossy(&got);
            assert!(!got.contains("\r\n0\r\n") && !got.contains("/second"), "{got}");
        })
        .await;
        for body in [
            "\r\n",
            "x\r\n",
            " 3\r\nabc\r\n0\r\n\r\n",
            "-1\r\nabc\r\n",
            "3 \r\nabc\r\n0\r\n\r\n",
            "3\nabc\r\n0\r\n\r\n",
            "3\r\nabcd\r\n0\r\n\r\n",
            "3\r\nabc0\r\n\r\n",
            "3\r\nabc\n0\r\n\r\n",
            "3\r\nabc\r0\r\n\r\n",
            "fffffffffffffffffff\r\nabc",
            "0x3\r\nabc\r\n0\r\n\r\n",
            "3;a\nb\r\nabc\r\n0\r\n\r\n",
            "3;a\0\r\nabc\r\n0\r\n\r\n",
            "3;\r\nabc\r\n0\r\n\r\n",
            "3; \r\nabc\r\n0\r\n\r\n",
            "3;=b\r\nabc\r\n0\r\n\r\n",
            "00000000000000003\r\nabc\r\n0\r\n\r\n",
            "1\r\nx\r\n00000000000000003\r\nabc\r\n0\r\n\r\n",
            "0\r\nX: a\nY: b\r\n\r\n",
            "0\r\nX: a\0b\r\n\r\n",
        ] {
            let bytes = setup.fill(&format!("{HEAD}{body}{SECOND}"));
            let answer = setup.exchange(bytes.as_bytes()).await;
            let case = format!("{scheme:?} {body:?}: {answer}");
            assert!(answer.starts_with("HTTP/1.1 400 "), "{case}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{case}");
        }
        for long in [format!("3;{}\r\n", "x".repeat(6000)), format!("0\r\n{}\r\n", "X: y\r\n".repeat(4000))] {
            let answer = setup.exchange(setup.fill(&format!("{HEAD}{long}")).as_bytes()).await;
            assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        }
        setup.proxy.stop().await;
    }
}

#[tokio::test]
async fn what_is_too_long_has_its_own_status() {
    let target = "x".repeat(70_000);
    let field = "x".repeat(70_000);
    let fields = "X: y\r\n".repeat(256);
    let method = "M".repeat(65);
    all_are_refused(&[
        (&format!("GET {{/}}{target} HTTP/1.1\r\nHost: {{host}}\r\n\r\n"), 414),
        (&format!("GET {{/}}{} HTTP/1.1\r\nHost: {{host}}\r\n\r\n", &target[..33_000]), 414),
        (&format!("GET {{/}} HTTP/1.1\r\nHost: {{host}}\r\nX: {field}\r\n\r\n"), 431),
        (&format!("GET {{/}} HTTP/1.1\r\nHost: {{host}}\r\n{fields}\r\n"), 431),
        (&format!("{method} {{/}} HTTP/1.1\r\nHost: {{host}}\r\n\r\n"), 501),
    ])
    .await;
}

#[tokio::test]
async fn long_targets_and_many_fields_pass() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |_| response(&[], "")).await;
        let path = format!("/{}", "x".repeat(16_000));
        let fields = "X: y\r\n".repeat(250);
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\n{fields}Connection: close\r\n\r\n",
            setup.target(&path),
            setup.host()
        );
        let answer = setup.exchange(request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert_eq!(setup.origin.last().uri.path(), path);
        assert_eq!(setup.origin.last().headers.get_all("x").iter().count(), 250);
    }
}

#[tokio::test]
async fn too_many_fields_are_refused_with_their_bound() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |_| response(&[], "")).await;
        let fields = "X: y\r\n".repeat(256);
        let request = format!("GET {{/}} HTTP/1.1\r\nHost: {{host}}\r\n{fields}\r\n");
        let answer = setup.exchange(setup.fill(&request).as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        assert!(answer.contains("more than 256 header fields"), "{answer}");
    }
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    for (scheme, piece) in [(Scheme::Http, usize::MAX), (Scheme::Https, usize::MAX), (Scheme::Http, 1)] {
        let setup =
            Setup::new(scheme, "", |seen| response(&[], [seen.uri.path().as_bytes(), &seen.body].concat())).await;
        let bytes = setup.fill(
            "GET {/one} HTTP/1.1\r\nHost: {host}\r\n\r\n\
             POST {/two} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n\
             POST {/three} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\n\r\ndef\r\n\
             GET {/four} HTTP/1.1\r\nHost: {host}\r\n\r\n\
             BROKEN\r\n\r\nGET {/five} HTTP/1.1\r\nHost: {host}\r\n\r\n",
        );
        let (answer, _) = setup.exchange_in_pieces(bytes.as_bytes(), piece).await;
        let places: Vec<_> = ["/one", "/twoabc", "/threedef", "/four", "HTTP/1.1 400"]
            .iter()
            .map(|part| answer.find(part).unwrap_or_else(|| panic!("{part}: {answer}")))
            .collect();
        assert!(places.is_sorted(), "{answer}");
        assert_eq!(answer.matches("HTTP/1.1 200").count(), 4);
        assert_eq!(setup.origin.requests().len(), 4);
    }
}

#[tokio::test]
async fn a_body_is_framed_anew_for_the_origin() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| response(&[], seen.body.clone())).await;
        // A GET may have content, and must not lose it.
        for (method, body, piece) in [
            ("POST", "5;name=\"value\"\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", usize::MAX),
            ("GET", "5; name\r\nhello\r\n0000000000000006\r\n world\r\n0\r\n\r\n", usize::MAX),
            ("POST", "00b;x=\"y\"\r\nhello world\r\n0\r\nX: y\r\n\r\n", 1),
        ] {
            let bytes = setup.fill(&format!(
                "{method} {{/}} HTTP/1.1\r\nHost: {{host}}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n{body}"
            ));
            let (answer, _) = setup.exchange_in_pieces(bytes.as_bytes(), piece).await;
            assert!(answer.ends_with("hello world"), "{scheme:?} {method} {body:?}: {answer}");
        }
    }
}

#[tokio::test]
async fn the_origin_is_sent_its_own_name() {
    let setup = Setup::new(Scheme::Http, "", |_| response(&[], "")).await;
    let bytes = setup.fill("GET {/} HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n");
    setup.exchange(bytes.as_bytes()).await;
    assert_eq!(setup.origin.last().headers["host"], setup.host());
}

#[tokio::test]
async fn a_refused_connect_closes_and_reads_no_request_behind_it() {
    let setup = Setup::new(Scheme::Http, "", |_| response(&[], "")).await;
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = closed.local_addr().unwrap();
    drop(closed);
    let proxy = crate::harness::TestProxy::start("").await;
    for target in ["example.com:22", &gone.to_string(), "ads.propellerads.net:443"] {
        let bytes = setup.fill(&format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n{SECOND}"));
        let answer = soon(crate::harness::raw(proxy.addr, bytes)).await;
        assert!(answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.1 502"), "{answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
    assert!(setup.origin.requests().is_empty());
}
