//! How far the text of an element goes that is read by rules of its own: a script, a style sheet, a title.

use html5ever::tokenizer::states::RawKind;
use memchr::{memchr2, memchr3};

/// Bytes that are surely text: up to what may be the end tag, or anything else that has a meaning there (HTML Standard
/// § 13.2.5.2 to .4: references in a title, `<!--` in a script).
pub(super) fn length(text: &[u8], kind: RawKind) -> usize {
    let mut at = 0;
    loop {
        let found = if kind == RawKind::Rcdata {
            memchr3(b'<', 0, b'&', &text[at..])
        } else {
            memchr2(b'<', 0, &text[at..])
        };
        let Some(found) = found else {
            return text.len();
        };
        at += found;
        if text[at] != b'<' || may_matter(&text[at + 1..], kind) {
            return at;
        }
        at += 1;
    }
}

/// Whether what follows `<` may be more than text.
fn may_matter(after: &[u8], kind: RawKind) -> bool {
    match after.first() {
        // `a</b>` in a script is a comparison, or part of a string.
        Some(b'/') if kind == RawKind::ScriptData => {
            let name = &after[1..];
            let shorter = name.len().min("script".len());
            name[..shorter].eq_ignore_ascii_case(&b"script"[..shorter])
        }
        None | Some(b'/') => true,
        Some(b'!') => kind == RawKind::ScriptData,
        Some(_) => false,
    }
}
