//! Reads the tokens that make up nearly all of a page without html5ever's tokenizer, which goes from character to
//! character: text, start tags with ordinary attributes, end tags.
//!
//! What is read here is read by the same rules (HTML Standard § 13.2.5.1 to .40). Whatever is unusual in any way (an odd
//! character, a reference that is not among the few known here, a tag that is not all there) is left to the tokenizer, so
//! a doubt costs time and nothing else.

use html5ever::{
    Attribute, LocalName, QualName, local_name, ns,
    tendril::StrTendril,
    tokenizer::{Tag, TagKind, Token},
};
use memchr::{memchr, memmem};

use super::{
    names::Names,
    references::{Place, resolved},
};
use crate::dom::count;

/// Most attributes of a tag that is read here: finding repeated ones takes time in proportion to the square. Raising it
/// makes hostile pages costlier.
const MAX_ATTRIBUTES: usize = 64;

/// Why a token is not read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// The tokenizer must read it.
    Odd,
    /// The piece ends before it does.
    Unfinished,
}

/// The token that begins at a place where the tokenizer is between tokens, and where it ends.
pub(super) fn token(
    piece: &StrTendril,
    at: usize,
    names: &mut Names,
) -> Result<(Token, usize), Left> {
    let rest = &piece.as_bytes()[at..];
    if rest[0] != b'<' {
        let length = memchr(b'<', rest).unwrap_or(rest.len());
        let text = resolved(piece, at, length, Place::Text)?;
        return Ok((Token::CharacterTokens(text), at + length));
    }
    if rest.starts_with(b"<!--") {
        return comment(piece, at);
    }
    let mut reader = Reader { piece, at, names };
    let tag = reader.tag()?;
    Ok((Token::TagToken(tag), reader.at))
}

/// § 13.2.5.43 to .52: a comment ends with `-->`; how else it may end is for the tokenizer.
fn comment(piece: &StrTendril, at: usize) -> Result<(Token, usize), Left> {
    let start = at + "<!--".len();
    let rest = &piece.as_bytes()[start..];
    let length = memmem::find(rest, b"-->").ok_or(Left::Unfinished)?;
    let text = &rest[..length];
    let is_odd = text.first().is_none_or(|byte| matches!(byte, b'>' | b'-'))
        || memchr(0, text).is_some()
        || memmem::find(text, b"--!").is_some();
    if is_odd {
        return Err(Left::Odd);
    }
    let text = piece.subtendril(count(start), count(length));
    Ok((Token::CommentToken(text), start + length + "-->".len()))
}

struct Reader<'a> {
    piece: &'a StrTendril,
    at: usize,
    names: &'a mut Names,
}

impl Reader<'_> {
    fn tag(&mut self) -> Result<Tag, Left> {
        self.at += 1;
        let kind = if self.eat(b'/') {
            TagKind::EndTag
        } else {
            TagKind::StartTag
        };
        if !self.peek()?.is_ascii_alphabetic() {
            return Err(Left::Odd);
        }
        let name = self.name(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':'))?;
        let has_ended = matches!(self.peek()?, b' ' | b'\t' | b'\n' | 0x0c | b'/' | b'>');
        if !has_ended || kind == TagKind::StartTag && changes_tokenizer(&name) {
            return Err(Left::Odd);
        }
        let mut attrs: Vec<Attribute> = Vec::new();
        let mut self_closing = false;
        loop {
            self.skip_space();
            if self.eat(b'>') {
                break;
            }
            if self.eat(b'/') {
                if self.peek()? != b'>' {
                    return Err(Left::Odd);
                }
                self.at += 1;
                self_closing = true;
                break;
            }
            if kind == TagKind::EndTag || attrs.len() >= MAX_ATTRIBUTES {
                return Err(Left::Odd);
            }
            let (name, value) = self.attribute()?;
            // § 13.2.5.33: of attributes with one name the first counts.
            if attrs.iter().all(|before| before.name.local != name) {
                let name = QualName::new(None, ns!(), name);
                attrs.push(Attribute { name, value });
            }
        }
        Ok(Tag {
            kind,
            name,
            self_closing,
            attrs,
        })
    }

    fn attribute(&mut self) -> Result<(LocalName, StrTendril), Left> {
        let name = self.name(|byte| {
            byte > b' ' && !matches!(byte, b'"' | b'\'' | b'<' | b'=' | b'>' | b'/' | 0x7f)
        })?;
        self.skip_space();
        if !self.eat(b'=') {
            return Ok((name, StrTendril::new()));
        }
        self.skip_space();
        let quote = self.peek()?;
        let length = if matches!(quote, b'"' | b'\'') {
            self.at += 1;
            memchr(quote, self.rest()).ok_or(Left::Unfinished)?
        } else {
            let ends = |byte: &u8| *byte <= b' ' || *byte == b'>';
            let length = self.rest().iter().position(ends).ok_or(Left::Unfinished)?;
            if length == 0 {
                return Err(Left::Odd);
            }
            length
        };
        let value = resolved(self.piece, self.at, length, Place::Attribute)?;
        self.at += length;
        if matches!(quote, b'"' | b'\'') {
            self.at += 1;
        }
        Ok((name, value))
    }

    /// A name in small letters.
    fn name(&mut self, belongs: impl Fn(u8) -> bool) -> Result<LocalName, Left> {
        let ends = |byte: &u8| !belongs(*byte);
        let length = self.rest().iter().position(ends).ok_or(Left::Unfinished)?;
        if length == 0 {
            return Err(Left::Odd);
        }
        let name = &self.piece[self.at..self.at + length];
        self.at += length;
        Ok(if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            self.names.get(&name.to_ascii_lowercase())
        } else {
            self.names.get(name)
        })
    }

    fn rest(&self) -> &[u8] {
        &self.piece.as_bytes()[self.at..]
    }

    fn peek(&self) -> Result<u8, Left> {
        let byte = self.piece.as_bytes().get(self.at);
        byte.copied().ok_or(Left::Unfinished)
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

/// Start tags after which the tokenizer reads by other rules: it must know of them.
fn changes_tokenizer(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("script")
            | local_name!("style")
            | local_name!("title")
            | local_name!("textarea")
            | local_name!("xmp")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("noscript")
            | local_name!("plaintext")
    )
}
