//! What the method, the fields and the version of a request ask of a proxy: `OPTIONS *`, `Max-Forwards`, `Expect`, and
//! clients with HTTP/1.0.

use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    origin::{read_head, response},
    wire::{SCHEMES, Scheme, Setup, read_until, soon},
};

/// RFC 9112 § 3.2.4: OPTIONS of an address without a path is one of the whole server.
#[tokio::test]
async fn options_of_a_whole_server_is_asked_as_such() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| response(&[], seen.uri.to_string())).await;
        let whole = match scheme {
            Scheme::Http => format!("http://{}", setup.host()),
            Scheme::Https => "*".to_owned(),
        };
        for (target, asked) in [(whole, "*"), (setup.target("/"), "/"), (setup.target("/?"), "/?")] {
            let host = setup.host();
            let request = format!("OPTIONS {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let got = setup.exchange(request.as_bytes()).await;
            assert!(got.starts_with("HTTP/1.1 200"), "{scheme:?} {target}: {got}");
            assert!(got.ends_with(&format!("\r\n\r\n{asked}")), "{scheme:?} {target}: {got}");
        }
        // Only OPTIONS has that form.
        if scheme == Scheme::Http {
            let host = setup.host();
            let request = format!("GET http://{host} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            assert!(setup.exchange(request.as_bytes()).await.ends_with("\r\n\r\n/"));
        }
    }
}

/// RFC 9112 § 9.3: no connection is kept with an HTTP/1.0 client, whatever it asks for.
#[tokio::test]
async fn no_connection_is_kept_with_an_http_1_0_client() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |_| response(&[], "hello")).await;
        let one = "GET {/} HTTP/1.0\r\nHost: {host}\r\nConnection: keep-alive\r\n\r\n";
        let got = setup.exchange(setup.fill(&one.repeat(2)).as_bytes()).await;
        assert_eq!(got.matches("HTTP/1.0 200").count(), 1, "{scheme:?}: {got}");
        assert!(!got.to_lowercase().contains("keep-alive"), "{scheme:?}: {got}");
    }
}

/// RFC 9110 § 10.1.1: HTTP/1.0 has no `100 Continue` to wait for.
#[tokio::test]
async fn an_expectation_of_an_http_1_0_client_is_ignored() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| {
            assert_eq!(seen.method, Method::POST);
            assert!(!seen.headers.contains_key("expect"), "{seen:?}");
            response(&[], seen.body.clone())
        })
        .await;
        let request =
            setup.fill("POST {/} HTTP/1.0\r\nHost: {host}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.0 200") && got.ends_with("hello"), "{scheme:?}: {got}");
    }
}

#[tokio::test]
async fn max_forwards_ends_at_the_proxy_it_names() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| {
            let left = seen.headers.get("max-forwards").map_or("none", |left| left.to_str().unwrap());
            response(&[("x-left", left)], "")
        })
        .await;
        let ask = |method: &str, left: &str| {
            setup.fill(&format!(
                "{method} {{/}} HTTP/1.1\r\nHost: {{host}}\r\nMax-Forwards: {left}\r\nCookie: secret\r\nX-Public: yes\r\nConnection: close\r\n\r\n"
            ))
        };
        let trace = setup.exchange(ask("TRACE", "0").as_bytes()).await;
        assert!(trace.contains("message/http") && trace.contains("x-public: yes"), "{trace}");
        assert!(!trace.contains("secret"), "{trace}");
        let options = setup.exchange(ask("OPTIONS", "0").as_bytes()).await;
        assert!(options.starts_with("HTTP/1.1 200") && options.to_lowercase().contains("allow: "), "{options}");
        assert!(setup.origin.requests().is_empty());
        for (method, left, seen) in [("TRACE", "3", "2"), ("OPTIONS", "1", "0"), ("GET", "0", "0")] {
            let answer = setup.exchange(ask(method, left).as_bytes()).await;
            assert!(answer.to_lowercase().contains(&format!("x-left: {seen}\r\n")), "{method}: {answer}");
        }
    }
}

#[tokio::test]
async fn the_body_waits_for_the_word_of_the_origin() {
    for scheme in SCHEMES {
        let setup = Setup::sockets(scheme, "", |mut stream| async move {
            let head = read_head(&mut stream).await;
            assert!(head.to_lowercase().contains("\r\nexpect: 100-continue\r\n"), "{head}");
            if head.contains("/no") {
                let answer = b"HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n";
                stream.write_all(answer).await.unwrap();
                let mut rest = Vec::new();
                let _ = stream.read_to_end(&mut rest).await;
                assert!(rest.is_empty());
                return;
            }
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.unwrap();
            let mut body = [0; 5];
            stream.read_exact(&mut body).await.unwrap();
            let answer = [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", &body[..]].concat();
            stream.write_all(&answer).await.unwrap();
        })
        .await;
        let request = |path: &str| {
            setup.fill(&format!(
                "PUT {{{path}}} HTTP/1.1\r\nHost: {{host}}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            ))
        };
        let mut stream = setup.connect().await;
        stream.write_all(request("/yes").as_bytes()).await.unwrap();
        assert_eq!(soon(read_head(&mut stream)).await, "HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(b"hello").await.unwrap();
        assert!(read_until(&mut stream, "hello").await.starts_with("HTTP/1.1 200"));
        let mut stream = setup.connect().await;
        stream.write_all(request("/no").as_bytes()).await.unwrap();
        let head = soon(read_head(&mut stream)).await;
        assert!(head.starts_with("HTTP/1.1 417"), "{head}");
        // What the client sends next would be taken for the body it has kept back.
        assert!(head.to_lowercase().contains("\r\nconnection: close\r\n"), "{head}");
    }
}
