use super::*;

#[test]
fn a_head_is_complete_with_its_empty_line_only() {
    let text = b"\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    for end in 0..text.len() - 3 {
        assert_eq!(parse_head(&text[..end]), Ok(None), "{end}");
    }
    let found = parse_head(text).unwrap().unwrap();
    assert_eq!((found.bytes, found.framing), (text.len() - 3, Framing::Length(3)));
}

/// hyper refuses some of these too; what it is lenient with may change.
#[test]
fn ambiguous_heads_are_rejected() {
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
        assert!(parse_head(text.as_bytes()).is_err(), "{text:?}");
    }
}

#[test]
fn ambiguous_lengths_are_rejected() {
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
        assert!(parse_head(text.as_bytes()).is_err(), "{text:?}");
    }
    for text in [
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
        "CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
    ] {
        assert!(parse_head(text.as_bytes()).is_err(), "{text:?}");
    }
}

#[test]
fn raw_characters_of_a_target_are_encoded() {
    for (line, expected) in [
        ("GET /a HTTP/1.1", None),
        ("GET http://a/\u{e9} HTTP/1.0", Some("GET http://a/%C3%A9 HTTP/1.0")),
        ("GET http://a?\u{e9} HTTP/1.1", Some("GET http://a?%C3%A9 HTTP/1.1")),
    ] {
        let text = format!("\r\n{line}\r\nHost: a\r\n\r\n");
        let head = parse_head(text.as_bytes()).unwrap().unwrap();
        let replaced = head.replaced_line.map(|(range, rewritten)| {
            assert_eq!(&text[range], line);
            String::from_utf8(rewritten).unwrap()
        });
        assert_eq!(replaced.as_deref(), expected);
    }
}
