//! What the method, the fields and the version of a request ask of a proxy: `OPTIONS *`, `Max-Forwards`, `Expect`, and
//! clients with HTTP/1.0.

use http::Method;

use crate::harness::{
    origin::response,
    wire::{ROADS, Road, Setup},
};

/// RFC 9112 § 3.2.4: OPTIONS of an address without a path is one of the whole server.
#[tokio::test]
async fn options_of_a_whole_server_is_asked_as_such() {
    for road in ROADS {
        let setup = Setup::new(road, "", |seen| response(&[], seen.uri.to_string())).await;
        let whole = match road {
            Road::Plain => format!("http://{}", setup.host()),
            Road::Intercepted => "*".to_owned(),
        };
        for (target, asked) in [(whole, "*"), (setup.target("/"), "/"), (setup.target("/?"), "/?")] {
            let host = setup.host();
            let request = format!("OPTIONS {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let got = setup.exchange(request.as_bytes()).await;
            assert!(got.starts_with("HTTP/1.1 200"), "{road:?} {target}: {got}");
            assert!(got.ends_with(&format!("\r\n\r\n{asked}")), "{road:?} {target}: {got}");
        }
        // Only OPTIONS has that form.
        if road == Road::Plain {
            let host = setup.host();
            let request = format!("GET http://{host} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            assert!(setup.exchange(request.as_bytes()).await.ends_with("\r\n\r\n/"));
        }
    }
}

/// RFC 9112 § 9.3: no connection is kept with an HTTP/1.0 client, whatever it asks for.
#[tokio::test]
async fn no_connection_is_kept_with_an_http_1_0_client() {
    for road in ROADS {
        let setup = Setup::new(road, "", |_| response(&[], "hello")).await;
        let one = "GET {/} HTTP/1.0\r\nHost: {host}\r\nConnection: keep-alive\r\n\r\n";
        let got = setup.exchange(setup.fill(&one.repeat(2)).as_bytes()).await;
        assert_eq!(got.matches("HTTP/1.0 200").count(), 1, "{road:?}: {got}");
        assert!(!got.to_lowercase().contains("keep-alive"), "{road:?}: {got}");
    }
}

/// RFC 9110 § 10.1.1: HTTP/1.0 has no `100 Continue` to wait for.
#[tokio::test]
async fn an_expectation_of_an_http_1_0_client_is_ignored() {
    for road in ROADS {
        let setup = Setup::new(road, "", |seen| {
            assert_eq!(seen.method, Method::POST);
            assert!(!seen.headers.contains_key("expect"), "{seen:?}");
            response(&[], seen.body.clone())
        })
        .await;
        let request =
            setup.fill("POST {/} HTTP/1.0\r\nHost: {host}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.0 200") && got.ends_with("hello"), "{road:?}: {got}");
    }
}
