//! Character references, the few kinds that make up nearly all of them (HTML Standard § 13.2.5.72 to .80).

use std::borrow::Cow;

use html5ever::tendril::StrTendril;
use memchr::memchr2;

use crate::vocabulary::words::count;

/// Why a token is not read ahead of the tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The tokenizer must read it.
    Odd,
    /// The piece ends before it does.
    Unfinished,
}

/// Most characters of a number that is read here, its semicolon included.
const LONGEST: usize = 10;

/// Named references that are written with their semicolon, by how often they are met.
const NAMED: [(&str, &str); 21] = [
    ("amp;", "&"),
    ("quot;", "\""),
    ("nbsp;", "\u{a0}"),
    ("lt;", "<"),
    ("gt;", ">"),
    ("apos;", "'"),
    ("rsquo;", "\u{2019}"),
    ("lsquo;", "\u{2018}"),
    ("rdquo;", "\u{201d}"),
    ("ldquo;", "\u{201c}"),
    ("ndash;", "\u{2013}"),
    ("mdash;", "\u{2014}"),
    ("hellip;", "\u{2026}"),
    ("copy;", "\u{a9}"),
    ("reg;", "\u{ae}"),
    ("raquo;", "\u{bb}"),
    ("laquo;", "\u{ab}"),
    ("middot;", "\u{b7}"),
    ("bull;", "\u{2022}"),
    ("eacute;", "\u{e9}"),
    ("times;", "\u{d7}"),
];

/// Where a reference stands: their rules differ in one point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferencePlace {
    Text,
    Attribute,
}

/// The characters that a stretch of the piece stands for.
pub(super) fn resolved(
    piece: &StrTendril,
    at: usize,
    length: usize,
    place: ReferencePlace,
) -> Result<StrTendril, Unread> {
    let stretch = &piece[at..at + length];
    let Some(first) = memchr2(b'&', 0, stretch.as_bytes()) else {
        return Ok(piece.subtendril(count(at), count(length)));
    };
    // A tendril takes longer to grow: 1 % of a page's parse (callgrind, 2026-11-24).
    let mut out = String::with_capacity(length);
    out.push_str(&stretch[..first]);
    let mut rest = &stretch[first..];
    while let Some(next) = memchr2(b'&', 0, rest.as_bytes()) {
        out.push_str(&rest[..next]);
        let (stands_for, after) = reference(&rest[next..], place)?;
        out.push_str(&stands_for);
        rest = after;
    }
    out.push_str(rest);
    Ok(out.into())
}

/// The text that the reference at the beginning stands for, and the rest behind it.
fn reference(text: &str, place: ReferencePlace) -> Result<(Cow<'static, str>, &str), Unread> {
    let after = text.strip_prefix('&').ok_or(Unread::Odd)?;
    for (name, stands_for) in NAMED {
        if let Some(after) = after.strip_prefix(name) {
            return Ok((stands_for.into(), after));
        }
    }
    if let Some(number) = after.strip_prefix('#') {
        let (character, after) = numbered(number).ok_or(Unread::Odd)?;
        return Ok((character.to_string().into(), after));
    }
    let name = after.bytes().take_while(u8::is_ascii_alphanumeric).count();
    match after.as_bytes().get(name) {
        // The parameters of an address, `?a=1&b=2`: in an attribute a name counts before `=` only if it ends with `;`.
        Some(b'=') if name > 0 && place == ReferencePlace::Attribute => Ok(("&".into(), after)),
        // No name at all: an ampersand by itself.
        Some(b' ' | b'\t' | b'\n') if name == 0 => Ok(("&".into(), after)),
        _ => Err(Unread::Odd),
    }
}

/// `8217;` or `x2019;`, where it means what it says: the standard gives some numbers another meaning.
fn numbered(number: &str) -> Option<(char, &str)> {
    let end = number.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let (digits, after) = (&number[..end], &number[end + 1..]);
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16),
        None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse(),
        _ => return None,
    }
    .ok()?;
    let is_plain = matches!(code, 0x09 | 0x0a | 0x20..=0x7e | 0xa0..=0xd7ff | 0xe000..=0xfdcf | 0xfdf0..=0xfffd)
        || (0x1_0000..=0x10_ffff).contains(&code) && code & 0xfffe != 0xfffe;
    Some((char::from_u32(code).filter(|_| is_plain)?, after))
}
