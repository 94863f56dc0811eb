//! Response heads that browsers read, brought into the form that hyper reads.

use std::borrow::Cow;

use super::{Chunk, State};

/// Where the empty line after a head ends.
pub(super) fn head_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).find_map(|at| match bytes.get(at + 1..)? {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// A head as hyper reads it, and what follows it. `None` for what hyper is to refuse: what is no HTTP/1 response, NUL,
/// and a CR in a line, which other readers take for its end.
pub(super) fn normalized_head(head: &[u8], is_head: bool) -> Option<(Cow<'_, [u8]>, State)> {
    if let Some(state) = strict_head(head, is_head) {
        return Some((head.into(), state));
    }
    let is_lone_cr = |at: usize| head.get(at + 1) != Some(&b'\n');
    if memchr::memchr(0, head).is_some() || memchr::memchr_iter(b'\r', head).any(is_lone_cr) {
        return None;
    }
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let (line, version_1_0, status) = status_line(lines.next()?)?;
    let fields = fields(lines);
    let mut out = line;
    for (name, value) in &fields {
        out.extend_from_slice(&[&name[..], b": ", value, b"\r\n"].concat());
    }
    out.extend_from_slice(b"\r\n");
    let named = fields.iter().map(|(name, value)| (&name[..], &value[..]));
    let state = body_state(&named, status, version_1_0, is_head);
    Some((out.into(), state))
}

/// What follows a head that hyper reads as it is, as nearly all are.
fn strict_head(head: &[u8], is_head: bool) -> Option<State> {
    let mut fields = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut fields);
    let parsed = response.parse(head).ok()?;
    let is_identity = |field: &httparse::Header<'_>| {
        field.name.eq_ignore_ascii_case("transfer-encoding") && field.value.eq_ignore_ascii_case(b"identity")
    };
    if parsed.is_partial() || response.headers.iter().any(is_identity) {
        return None;
    }
    let (status, version_1_0) = (response.code?, response.version == Some(0));
    let named = response.headers.iter().map(|field| (field.name.as_bytes(), field.value));
    Some(body_state(&named, status, version_1_0, is_head))
}

/// The status line in its strict form, whether it is of HTTP/1.0, and the status.
fn status_line(line: &[u8]) -> Option<(Vec<u8>, bool, u16)> {
    let rest = line.strip_prefix(b"HTTP/1.")?;
    let minor = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let version_1_0 = &rest[..minor] == b"0";
    let rest = rest[minor..].trim_ascii_start();
    let status: u16 = std::str::from_utf8(rest.get(..3)?).ok()?.parse().ok()?;
    let reason: Vec<u8> = rest[3..].trim_ascii().iter().copied().filter(|byte| !byte.is_ascii_control()).collect();
    let version = if version_1_0 { "0" } else { "1" };
    let mut line = format!("HTTP/1.{version} {status:03} ").into_bytes();
    line.extend_from_slice(&reason);
    line.extend_from_slice(b"\r\n");
    Some((line, version_1_0, status))
}

/// Names and values, without what is no field.
fn fields<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut fields: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for line in lines {
        let value = |bytes: &[u8]| -> Vec<u8> {
            let clean = |byte: &u8| if byte.is_ascii_control() { b' ' } else { *byte };
            bytes.iter().map(clean).collect::<Vec<u8>>().trim_ascii().to_vec()
        };
        // RFC 9112 § 5.2: a folded line goes on with the value before it.
        if matches!(line.first(), Some(b' ' | b'\t'))
            && let Some((_, before)) = fields.last_mut()
        {
            before.push(b' ');
            before.extend_from_slice(&value(line));
            continue;
        }
        let Some(colon) = memchr::memchr(b':', line) else {
            continue;
        };
        let name = line[..colon].trim_ascii();
        // What is no name is no field; `HeaderName` knows the token characters.
        if http::HeaderName::from_bytes(name).is_err() {
            continue;
        }
        let value = value(&line[colon + 1..]);
        let is_identity = name.eq_ignore_ascii_case(b"transfer-encoding") && value.eq_ignore_ascii_case(b"identity");
        if !is_identity {
            fields.push((name.to_vec(), value));
        }
    }
    fields
}

/// How the body is framed (RFC 9112 § 6.3).
fn body_state<'a>(
    fields: &(impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone),
    status: u16,
    version_1_0: bool,
    is_head: bool,
) -> State {
    let value_of = |wanted: &str| {
        let mut named = fields.clone();
        named.find_map(|(name, value)| name.eq_ignore_ascii_case(wanted.as_bytes()).then_some(value))
    };
    match status {
        101 => return State::Raw,
        100..=199 => return State::Head,
        204 | 304 => return State::Idle,
        _ if is_head => return State::Idle,
        _ => {}
    }
    if let Some(coding) = value_of("transfer-encoding") {
        let is_chunked = coding.eq_ignore_ascii_case(b"chunked") && !version_1_0;
        return if is_chunked { State::Chunked(Chunk::Size) } else { State::Raw };
    }
    let length = value_of("content-length").and_then(|value| std::str::from_utf8(value).ok());
    match length.map(str::parse) {
        Some(Ok(0)) => State::Idle,
        Some(Ok(length)) => State::Length(length),
        _ => State::Raw,
    }
}
