//! How far the text of an element goes that is read by rules of its own: a script, a style sheet, a title.

use html5ever::tokenizer::states::RawKind;
use memchr::{memchr2, memchr3};

/// Bytes that are surely text: up to what may be the end tag, or anything else that has a meaning there (HTML Standard
/// § 13.2.5.2 to .4: references in a title, `<!--` in a script). In `<noscript>` the end of that matters too.
pub(super) fn length(text: &[u8], kind: RawKind, in_noscript: bool) -> usize {
    let mut at = 0;
    loop {
        let found =
            if kind == RawKind::Rcdata { memchr3(b'<', 0, b'&', &text[at..]) } else { memchr2(b'<', 0, &text[at..]) };
        let Some(found) = found else {
            return text.len();
        };
        at += found;
        if text[at] != b'<' || may_matter(&text[at + 1..], kind, in_noscript) {
            return at;
        }
        at += 1;
    }
}

/// The markup at a place where the text of an element may have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The element's end tag, of so many bytes.
    Tag(usize),
    /// The beginning of it, and no more has arrived.
    Unfinished,
    /// The end tag of another element, which is text.
    Other,
    /// Something else, or the end tag in an unusual form.
    Odd,
}

/// Whether the element's end tag stands here.
pub(super) fn end(text: &[u8], name: &str) -> End {
    let tag = b"</".iter().chain(name.as_bytes());
    for (at, wanted) in tag.enumerate() {
        match text.get(at) {
            None => return End::Unfinished,
            Some(byte) if byte.eq_ignore_ascii_case(wanted) => {}
            Some(_) if at < "</".len() => return End::Odd,
            Some(_) => return End::Other,
        }
    }
    let length = "</".len() + name.len();
    match text.get(length) {
        None => End::Unfinished,
        Some(b'>') => End::Tag(length + 1),
        Some(b'/' | b' ' | b'\t' | b'\n' | b'\x0c') => End::Odd,
        Some(_) => End::Other,
    }
}

/// Whether what follows `<` may be more than text.
fn may_matter(after: &[u8], kind: RawKind, in_noscript: bool) -> bool {
    match after.first() {
        // `a</b>` in a script is a comparison, or part of a string.
        Some(b'/') if kind == RawKind::ScriptData => {
            begins_alike(&after[1..], b"script") || in_noscript && begins_alike(&after[1..], b"noscript")
        }
        None | Some(b'/') => true,
        // `<!--` alone has a meaning; pages hold markup as data with `<!doctype` in it.
        Some(b'!') => {
            let shorter = after.len().min("!--".len());
            kind == RawKind::ScriptData && after[..shorter] == b"!--"[..shorter]
        }
        Some(_) => false,
    }
}

/// Whether a text that may go on is, or may become, this name.
fn begins_alike(text: &[u8], name: &[u8]) -> bool {
    let shorter = text.len().min(name.len());
    text[..shorter].eq_ignore_ascii_case(&name[..shorter])
}
