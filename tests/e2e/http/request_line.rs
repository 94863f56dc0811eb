//! Request lines and `Host` fields: ambiguous ones are refused, all others pass.

use crate::{
    harness::{
        origin::response,
        wire::{SCHEMES, Scheme, Setup},
    },
    http::framing::all_are_refused,
};

/// RFC 9112 § 3.2.
#[tokio::test]
async fn an_address_of_another_form_than_its_method_has_is_refused() {
    let cases = [
        "GET {/a}#b",
        "GET {/a?b}#c",
        "GET *",
        "PRI *",
        "GET {host}",
        "connect {host}",
        "GET a",
        "GET http:a",
        "GET http:/a",
        "GET http:///a",
        "GET ?a",
    ]
    .map(|line| format!("{line} HTTP/1.1\r\nHost: {{host}}\r\n\r\n"));
    all_are_refused(&cases.each_ref().map(|request| (request.as_str(), 400))).await;
}

/// RFC 9112 § 3.2: refused even where the address says the host too.
#[tokio::test]
async fn a_host_field_that_is_no_host_is_refused() {
    let cases = [
        "{host}:80",
        "{host}x",
        "localhost:99999",
        "localhost:-1",
        "localhost:+1",
        "localhost:0x1",
        ":80",
        "[::1",
        "::1",
        "[]",
        "[x]",
        "[::1]x",
        "[::1%25eth0]:80",
        "[::1%eth0]",
        "%31",
        "x\u{e9}",
        "user@{host}",
    ]
    .map(|host| format!("GET {{/}} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    all_are_refused(&cases.each_ref().map(|request| (request.as_str(), 400))).await;
}

/// The address counts, so a host that names another place is no harm.
#[tokio::test]
async fn a_host_field_that_could_be_one_passes() {
    let setup = Setup::new(Scheme::Http, "", |_| response(&[], "")).await;
    for host in ["a.example", "a.example:", "a_b.example:8080", "[::1]", "[2001:db8::1]:65535", "1.2.3.4:080"] {
        let target = setup.target("/");
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 200"), "{host}: {got}");
    }
}

/// RFC 9110 § 2.5: read as the highest minor version that is known.
#[tokio::test]
async fn a_higher_minor_version_is_read_as_1_1() {
    for scheme in SCHEMES {
        let setup = Setup::new(scheme, "", |seen| response(&[], seen.body.clone())).await;
        let request = setup.fill(
            "\r\nPOST {/} HTTP/1.2\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\
             Connection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        );
        let got = setup.exchange(request.as_bytes()).await;
        assert!(got.starts_with("HTTP/1.1 200") && got.ends_with("abc"), "{scheme:?}: {got}");
    }
}
