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
