use super::*;

/// The first head of a connection.
fn head(bytes: &[u8]) -> Result<Option<Head>, Refusal> {
    super::head(bytes, &mut Last::default())
}

#[test]
fn a_head_is_complete_with_its_empty_line_only() {
    let text = b"\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    for end in 0..text.len() - 3 {
        assert_eq!(head(&text[..end]), Ok(None), "{end}");
    }
    let found = head(text).unwrap().unwrap();
    assert_eq!(
        (found.bytes, found.framing),
        (text.len() - 3, Framing::Length(3))
    );
}

/// The HTTP library refuses some of these too. Here none may reach it: what it is lenient with may change.
#[test]
fn every_doubt_is_refused_before_the_library_sees_it() {
    for (line, fields) in [
        ("GET / HTTP/1.1", "Host: a\r\nX: a\0b"),
        ("GET / HTTP/1.1", "Host: a\r\nX: a\x01b"),
        ("GET / HTTP/1.1", "Host: a\r\nX: a\x7fb"),
        ("GET / HTTP/1.1", "Host: a\r\nX: a\rb"),
        ("GET / HTTP/1.1", "Host: a\r\nX: a\nY: b"),
        ("GET / HTTP/1.1", "Host: a\n"),
        ("GET / HTTP/1.1\n", "Host: a"),
        ("GET / HTTP/1.1", "Host: a\r\nX : a"),
        ("GET / HTTP/1.1", "Host: a\r\nX\t: a"),
        ("GET / HTTP/1.1", "Host: a\r\nX: a\r\n b"),
        ("GET / HTTP/1.1", "Host: a\r\nX: a\r\n\tb"),
        ("GET / HTTP/1.1", " Host: a"),
        ("GET / HTTP/1.1", "Host: a\r\nX"),
        ("GET / HTTP/1.1", "Host: a\r\n: a"),
        ("GET / HTTP/1.1", "Host: a\r\nX(: a"),
        ("GET / HTTP/1.1", "Host: a\r\nX\u{e9}: a"),
        ("GET  / HTTP/1.1", "Host: a"),
        ("GET / x HTTP/1.1", "Host: a"),
        ("GET / HTTP/1.1 ", "Host: a"),
        ("GET\t/ HTTP/1.1", "Host: a"),
        ("GET /", "Host: a"),
        (" / HTTP/1.1", "Host: a"),
        ("GET /\x7f HTTP/1.1", "Host: a"),
        ("GET /\u{e9} HTTP/1.1", "Host: a"),
        ("GET /# HTTP/1.1", "Host: a"),
        ("G(T / HTTP/1.1", "Host: a"),
        ("GET / HTTP/2.0", "Host: a"),
        ("GET / HTTP/0.9", "Host: a"),
        ("GET / http/1.1", "Host: a"),
        ("GET / HTTP/1.", "Host: a"),
        ("GET / HTTP/1.10", "Host: a"),
        ("GET / HTTP/1.x", "Host: a"),
        ("GET / HTTP/1.1", ""),
        ("GET / HTTP/1.1", "Host: a\r\nHost: a"),
        ("GET / HTTP/1.1", "Host: a b"),
        ("GET / HTTP/1.1", "Host: a, b"),
        ("GET / HTTP/1.1", "Host: a/b"),
        ("GET / HTTP/1.1", "Host:"),
        ("GET * HTTP/1.1", "Host: a"),
        ("GET a HTTP/1.1", "Host: a"),
    ] {
        let text = format!("{line}\r\n{fields}\r\n\r\n");
        assert!(head(text.as_bytes()).is_err(), "{text:?}");
    }
}

#[test]
fn every_length_in_doubt_is_refused_before_the_library_sees_it() {
    for fields in [
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: 3\r\nContent-Length: 3",
        "Content-Length: 3, 3",
        "Content-Length: +3",
        "Content-Length: -1",
        "Content-Length: 0x3",
        "Content-Length: 3 3",
        "Content-Length:",
        "Content-Length: 99999999999999999999",
        "Transfer-Encoding: gzip",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: \x0bchunked",
        "Transfer-Encoding:",
    ] {
        let text = format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\n");
        assert!(head(text.as_bytes()).is_err(), "{text:?}");
    }
    for text in [
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
        "CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
    ] {
        assert!(head(text.as_bytes()).is_err(), "{text:?}");
    }
}

/// Every request of a connection is judged as the first of another would be.
fn judged_one_after_the_other(requests: &[&str]) {
    let mut last = Last::default();
    for request in requests {
        let bytes = request.as_bytes();
        assert_eq!(super::head(bytes, &mut last), head(bytes), "{request:?}");
    }
}

#[test]
fn a_head_after_another_is_judged_as_if_it_were_the_first() {
    const SAME: &str = "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n";
    assert!(matches!(head(SAME.as_bytes()), Ok(Some(_))));
    for next in [
        SAME,
        "GET /other HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\nGET /",
        "\r\nGET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n",
        // One byte is another, or one is missing or too many.
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 2\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: \x01\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\rx",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A : 1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-a: 1\r\n\r\n",
        // One field more, in front and at the end.
        "GET /a HTTP/1.1\r\nHost: b\r\nHost: a\r\nX-A: 1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nHost: a\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nContent-Length: 3\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\tb\r\n\r\n",
        // The first line is judged each time.
        "GET /\x7f HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n",
        "GET /a HTTP/2.0\r\nHost: a\r\nX-A: 1\r\n\r\n",
        "OPTIONS http://a HTTP/1.9\r\nHost: a\r\nX-A: 1\r\n\r\n",
    ] {
        judged_one_after_the_other(&[SAME, next, SAME, SAME, next, next]);
    }
}

#[test]
fn what_the_first_line_forbids_is_refused_though_the_fields_are_known() {
    let with = |line: &str, fields: &str| format!("{line}\r\n{fields}\r\n");
    let (length, chunked) = (
        "Host: a\r\nContent-Length: 3\r\n",
        "Host: a\r\nTransfer-Encoding: chunked\r\n",
    );
    for (first, second, fields) in [
        ("POST / HTTP/1.1", "CONNECT a:1 HTTP/1.1", length),
        ("POST / HTTP/1.1", "TRACE / HTTP/1.1", chunked),
        ("POST / HTTP/1.1", "POST / HTTP/1.0", chunked),
        ("GET / HTTP/1.0", "GET / HTTP/1.1", "X: a\r\n"),
        ("GET / HTTP/1.0", "GET / HTTP/1.1", ""),
    ] {
        let (first, second) = (with(first, fields), with(second, fields));
        let mut last = Last::default();
        assert!(matches!(
            super::head(first.as_bytes(), &mut last),
            Ok(Some(_))
        ));
        let refused = super::head(second.as_bytes(), &mut last);
        assert!(refused.is_err(), "{second:?}");
        judged_one_after_the_other(&[&first, &second, &first]);
    }
}

#[test]
fn long_fields_are_judged_anew_each_time() {
    for length in [2000, 2048, 4096, MAX_HEAD] {
        let value = "a".repeat(length);
        let request = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {value}\r\n\r\n");
        let broken = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {value}\0\r\n\r\n");
        let line = format!("GET /{} HTTP/1.1", "a".repeat(MAX_TARGET - 1));
        let long = request.replace("GET / HTTP/1.1", &line);
        judged_one_after_the_other(&[&request, &request, &broken, &request, &long, &long]);
    }
}
