//! Reads the tokens that make up nearly all of a page without html5ever's tokenizer, which goes from character to
//! character: text, start tags with ordinary attributes, end tags.
//!
//! What is read here is read by the same rules (HTML Standard § 13.2.5.1 to .40). Whatever is unusual in any way (an odd
//! character, a reference that is not among the few known here, a tag that is not all there) is left to the tokenizer, so
//! a doubt costs time and nothing else.

use html5ever::{
    Attribute, LocalName, QualName, ns,
    tendril::StrTendril,
    tokenizer::{Tag, TagKind, Token},
};
use memchr::{memchr, memchr3, memmem};

use super::{
    names::{NameCache, StartTag},
    references::{ReferencePlace, Unread, resolved},
};
use crate::vocabulary::words::count;

/// Most attributes of a tag that is read here: finding repeated ones takes time in proportion to the square. Raising it
/// makes hostile pages costlier.
const MAX_ATTRIBUTES: usize = 64;

/// A token that was read.
pub(super) struct Read {
    /// A tag's attributes are beside it.
    pub(super) token: Token,
    /// How a start tag must be processed.
    pub(super) start_tag: Option<StartTag>,
    /// Where it ends.
    pub(super) end: usize,
}

/// The token that begins at a place where the tokenizer is between tokens. The attributes of a tag are added to
/// `attributes`, which is empty.
pub(super) fn token(
    piece: &StrTendril,
    at: usize,
    names: &mut NameCache,
    attributes: &mut Vec<Attribute>,
) -> Result<Read, Unread> {
    let rest = &piece.as_bytes()[at..];
    if rest[0] != b'<' {
        let (length, is_plain) = up_to(b'<', rest).unwrap_or((rest.len(), false));
        let text = if is_plain {
            piece.subtendril(count(at), count(length))
        } else {
            resolved(piece, at, length, ReferencePlace::Text)?
        };
        return Ok(Read { token: Token::CharacterTokens(text), start_tag: None, end: at + length });
    }
    if rest.starts_with(b"<!--") {
        return comment(piece, at);
    }
    if b"<!--".starts_with(rest) {
        return Err(Unread::Unfinished);
    }
    let mut reader = TagReader { piece, text: piece, at, names, attributes };
    let (tag, start_tag) = reader.tag()?;
    Ok(Read {
        start_tag: (tag.kind == TagKind::StartTag).then_some(start_tag),
        token: Token::TagToken(tag),
        end: reader.at,
    })
}

/// How far it is to a byte, and whether nothing before it must be looked at ([`resolved`]).
fn up_to(end: u8, text: &[u8]) -> Option<(usize, bool)> {
    let at = memchr3(end, b'&', 0, text)?;
    if text[at] == end {
        return Some((at, true));
    }
    Some((at + memchr(end, &text[at..])?, false))
}

/// § 13.2.5.43 to .52: a comment ends with `-->`; how else it may end is for the tokenizer.
fn comment(piece: &StrTendril, at: usize) -> Result<Read, Unread> {
    let start = at + "<!--".len();
    let rest = &piece.as_bytes()[start..];
    let length = memmem::find(rest, b"-->").ok_or(Unread::Unfinished)?;
    let text = &rest[..length];
    let is_odd = text.first().is_none_or(|byte| matches!(byte, b'>' | b'-'))
        || memchr(0, text).is_some()
        || memmem::find(text, b"--!").is_some();
    if is_odd {
        return Err(Unread::Odd);
    }
    let text = piece.subtendril(count(start), count(length));
    Ok(Read { token: Token::CommentToken(text), start_tag: None, end: start + length + "-->".len() })
}

/// A comment that has not ended where `<noscript>` does.
pub(super) fn cut_comment(piece: &StrTendril, at: usize) -> Option<Read> {
    let start = at + "<!--".len();
    let rest = piece.as_bytes()[at..].strip_prefix(b"<!--")?;
    let ends = |needle: &[u8]| memmem::find(rest, needle);
    let length = ends(b"</noscript").or_else(|| ends(b"</NOSCRIPT"))?;
    // HTML Standard § 13.2.5.42 to .51: all the ways in which a comment ends.
    let has_ended = [&b"-->"[..], b"--!>"].iter().any(|end| ends(end).is_some_and(|end| end < length));
    if has_ended || rest.starts_with(b">") || rest.starts_with(b"->") {
        return None;
    }
    Some(Read {
        token: Token::CommentToken(piece.subtendril(count(start), count(length))),
        start_tag: None,
        end: start + length,
    })
}

/// Classes of bytes: what may stand in the name of an ordinary tag, and of an ordinary attribute.
const IN_TAG_NAME: u8 = 1;
const IN_ATTRIBUTE_NAME: u8 = 2;
const CAPITAL: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0u8;
    loop {
        let class = &mut classes[byte as usize];
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':') {
            *class |= IN_TAG_NAME;
        }
        if byte > b' ' && !matches!(byte, b'"' | b'\'' | b'<' | b'=' | b'>' | b'/' | 0x7f) {
            *class |= IN_ATTRIBUTE_NAME;
        }
        if byte.is_ascii_uppercase() {
            *class |= CAPITAL;
        }
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

struct TagReader<'a> {
    piece: &'a StrTendril,
    /// Text of `piece`: to find it each time takes longer than to read a byte of it.
    text: &'a str,
    at: usize,
    names: &'a mut NameCache,
    attributes: &'a mut Vec<Attribute>,
}

impl TagReader<'_> {
    /// A tag, and what a start tag of its name asks for.
    fn tag(&mut self) -> Result<(Tag, StartTag), Unread> {
        self.at += 1;
        let kind = if self.eat(b'/') { TagKind::EndTag } else { TagKind::StartTag };
        if !self.peek()?.is_ascii_alphabetic() {
            return Err(Unread::Odd);
        }
        let (name, start_tag) = self.name(IN_TAG_NAME)?;
        let has_ended = matches!(self.peek()?, b' ' | b'\t' | b'\n' | 0x0c | b'/' | b'>');
        if !has_ended || kind == TagKind::StartTag && start_tag == StartTag::Tokenizers {
            return Err(Unread::Odd);
        }
        let mut self_closing = false;
        loop {
            self.skip_space();
            if self.eat(b'>') {
                break;
            }
            if self.eat(b'/') {
                if self.peek()? != b'>' {
                    return Err(Unread::Odd);
                }
                self.at += 1;
                self_closing = true;
                break;
            }
            if kind == TagKind::EndTag || self.attributes.len() >= MAX_ATTRIBUTES {
                return Err(Unread::Odd);
            }
            let (name, value) = self.attribute()?;
            // § 13.2.5.33: of attributes with one name the first counts.
            if self.attributes.iter().all(|before| before.name.local != name) {
                let name = QualName::new(None, ns!(), name);
                self.attributes.push(Attribute { name, value });
            }
        }
        let tag = Tag { kind, name, self_closing, attrs: Vec::new() };
        Ok((tag, start_tag))
    }

    fn attribute(&mut self) -> Result<(LocalName, StrTendril), Unread> {
        let (name, _) = self.name(IN_ATTRIBUTE_NAME)?;
        self.skip_space();
        if !self.eat(b'=') {
            return Ok((name, StrTendril::new()));
        }
        self.skip_space();
        let quote = self.peek()?;
        let (length, is_plain) = if matches!(quote, b'"' | b'\'') {
            self.at += 1;
            up_to(quote, self.rest()).ok_or(Unread::Unfinished)?
        } else {
            let ends = |byte: &u8| *byte <= b' ' || *byte == b'>';
            let length = self.rest().iter().position(ends).ok_or(Unread::Unfinished)?;
            if length == 0 {
                return Err(Unread::Odd);
            }
            (length, false)
        };
        let value = if is_plain {
            self.piece.subtendril(count(self.at), count(length))
        } else {
            resolved(self.piece, self.at, length, ReferencePlace::Attribute)?
        };
        self.at += length;
        if matches!(quote, b'"' | b'\'') {
            self.at += 1;
        }
        Ok((name, value))
    }

    /// A name of bytes of one class, in small letters.
    fn name(&mut self, class: u8) -> Result<(LocalName, StartTag), Unread> {
        let mut has_capitals = false;
        let ends = |byte: &u8| {
            let classes = CLASSES[usize::from(*byte)];
            has_capitals |= classes & CAPITAL != 0;
            classes & class == 0
        };
        let length = self.rest().iter().position(ends).ok_or(Unread::Unfinished)?;
        if length == 0 {
            return Err(Unread::Odd);
        }
        let name = &self.text[self.at..self.at + length];
        self.at += length;
        let known = if has_capitals { self.names.get(&name.to_ascii_lowercase()) } else { self.names.get(name) };
        Ok((known.name.clone(), known.start_tag))
    }

    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn peek(&self) -> Result<u8, Unread> {
        let byte = self.text.as_bytes().get(self.at);
        byte.copied().ok_or(Unread::Unfinished)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let eaten = self.peek() == Ok(byte);
        self.at += usize::from(eaten);
        eaten
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Ok(b' ' | b'\t' | b'\n' | 0x0c)) {
            self.at += 1;
        }
    }
}
