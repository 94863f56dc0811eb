//! Response heads that browsers read, brought into the form that hyper reads.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Chunk, State};

/// Fields of a head that hyper reads: its default.
const MOST_FIELDS: usize = 100;

/// Fields that say where a message ends, and what becomes of its connection.
const FRAMING: [&[u8]; 4] = [b"content-length", b"transfer-encoding", b"connection", b"upgrade"];

/// Where the empty line after a head ends.
pub(super) fn head_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).find_map(|at| match bytes.get(at + 1..)? {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// A head as hyper reads it, and what follows it. `None` for what hyper is to refuse: what is no HTTP response, and
/// NUL. Fields beyond what hyper takes become the surplus.
pub(super) fn normalized_head<'a>(
    head: &'a [u8],
    is_head: bool,
    surplus: &mut HeaderMap,
) -> Option<(Cow<'a, [u8]>, State)> {
    if let Some(state) = strict_head(head, is_head) {
        return Some((head.into(), state));
    }
    if memchr::memchr(0, head).is_some() {
        return None;
    }
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let (mut version_1_0, status, reason) = status_line(lines.next()?)?;
    let mut fields = fields(lines);
    if is_framed_oddly(&pairs(&fields), version_1_0) {
        version_1_0 = false;
        fields.retain(|(name, _)| !name.eq_ignore_ascii_case(b"content-length"));
        fields.push((b"Connection".into(), b"close".into()));
    }
    let state = body_state(&pairs(&fields), status, is_head);
    if fields.len() > MOST_FIELDS {
        // hyper must see those that frame the body.
        fields.sort_by_key(|(name, _)| !FRAMING.iter().any(|framing| name.eq_ignore_ascii_case(framing)));
        let rest = fields.drain(MOST_FIELDS..);
        let rest = rest.filter_map(|(name, value)| {
            Some((HeaderName::from_bytes(&name).ok()?, HeaderValue::from_bytes(&value).ok()?))
        });
        for (name, value) in rest {
            surplus.append(name, value);
        }
    }
    let minor = u8::from(!version_1_0);
    let mut out = format!("HTTP/1.{minor} {status:03} ").into_bytes();
    out.extend_from_slice(&reason);
    out.extend_from_slice(b"\r\n");
    for (name, value) in pairs(&fields) {
        out.extend_from_slice(&[name, b": ", value, b"\r\n"].concat());
    }
    out.extend_from_slice(b"\r\n");
    Some((out.into(), state))
}

/// The state after a head that hyper reads as it is, as nearly all are.
fn strict_head(head: &[u8], is_head: bool) -> Option<State> {
    let mut fields = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut fields);
    let parsed = response.parse(head).ok()?;
    let named = response.headers.iter().map(|field| (field.name.as_bytes(), field.value));
    let is_framing = |name: &[u8]| FRAMING.iter().any(|framing| name.eq_ignore_ascii_case(framing));
    // Few, and looked at several times.
    let framing: Vec<_> = named.filter(|(name, _)| is_framing(name)).collect();
    let named = framing.iter().copied();
    let is_identity = |coding: &[u8]| coding.eq_ignore_ascii_case(b"identity");
    let is_odd =
        values_of(&named, "transfer-encoding").any(is_identity) || is_framed_oddly(&named, response.version == Some(0));
    if parsed.is_partial() || is_odd {
        return None;
    }
    Some(body_state(&named, response.code?, is_head))
}

/// Whether a status line is of HTTP/1.0, its status and reason.
fn status_line(line: &[u8]) -> Option<(bool, u16, Vec<u8>)> {
    // Radio streams answer `ICY 200 OK`, which browsers read as HTTP/1.0.
    let (version, rest) = if let Some(rest) = line.strip_prefix(b"ICY ") {
        (&b"1.0"[..], rest)
    } else {
        let rest = line.strip_prefix(b"HTTP/")?;
        rest.split_at(rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?)
    };
    let rest = rest.trim_ascii_start();
    let (status, reason) = rest.split_at_checked(3)?;
    // RFC 9112 § 4: three digits; of four nobody knows which count.
    if !status.iter().all(u8::is_ascii_digit) || reason.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let status = std::str::from_utf8(status).ok()?.parse().ok()?;
    let reason = reason.trim_ascii().iter().copied().filter(|byte| !byte.is_ascii_control()).collect();
    Some((version == b"1.0", status, reason))
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

fn pairs(fields: &[(Vec<u8>, Vec<u8>)]) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
    fields.iter().map(|(name, value)| (&name[..], &value[..]))
}

fn values_of<'a>(
    fields: &(impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone),
    wanted: &str,
) -> impl Iterator<Item = &'a [u8]> {
    let named = fields.clone().filter(move |(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()));
    named.map(|(_, value)| value)
}

/// Whether the end of the body is told in a way that hyper refuses and browsers read: in chunks beside a length or from
/// HTTP/1.0, where the chunks count. The body is framed anew for the client, and the connection is not used again
/// (RFC 9112 § 6.3); nor is it after a coding besides `chunked`, which is refused later.
fn is_framed_oddly<'a>(fields: &(impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone), version_1_0: bool) -> bool {
    let has_length = values_of(fields, "content-length").next().is_some();
    let coding = values_of(fields, "transfer-encoding").next();
    coding.is_some_and(|coding| has_length || version_1_0 || !coding.eq_ignore_ascii_case(b"chunked"))
}

/// The number that a length is, or the first of a list: hyper refuses what is no number, and unequal ones (RFC 9112 § 6.3).
fn number(length: &[u8]) -> Option<u64> {
    let first = length.split(|byte| *byte == b',').next()?.trim_ascii();
    std::str::from_utf8(first).ok()?.parse().ok()
}

/// How the body is framed (RFC 9112 § 6.3).
fn body_state<'a>(fields: &(impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone), status: u16, is_head: bool) -> State {
    match status {
        101 => return State::Raw,
        100..=199 => return State::Head,
        204 | 304 => return State::Idle,
        _ if is_head => return State::Idle,
        _ => {}
    }
    if let Some(coding) = values_of(fields, "transfer-encoding").next() {
        let is_chunked = coding.eq_ignore_ascii_case(b"chunked");
        return if is_chunked { State::Chunked(Chunk::Size) } else { State::Raw };
    }
    match values_of(fields, "content-length").next().and_then(number) {
        Some(0) => State::Idle,
        Some(length) => State::Length(length),
        None => State::Raw,
    }
}
