//! Reads runs of ordinary markup ahead of html5ever's tokenizer, which goes from character to character: a quarter of a page's
//! processor time.
//!
//! The contract: the tree is the one that html5ever builds alone, with every attribute and text, however the text arrives. What is read
//! here is read by the rules of the HTML Standard, and whatever is unusual in any way is left to html5ever's tokenizer, so that a doubt costs
//! time and nothing else. Two exceptions are no business of html5ever's: `<noscript>` is kept apart from the page ([`super::noscript`]), and the
//! text of scripts can be left out. The fuzz target `tree` compares both trees.
//!
//! - [`short_cut`]: a text, a tag or a comment between two tokens.
//! - [`raw_text`]: the text of an element with rules of its own, such as `<script>`.
//! - [`references`]: the common character references.
//! - [`names`]: names of tags and attributes, interned and remembered.
//! - [`tag_scan`]: attributes of a tag that html5ever's tokenizer has not emitted yet.

mod names;
mod raw_text;
mod references;
mod short_cut;
mod tag_scan;

use html5ever::{
    LocalName, TokenizerResult,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Tag, TagKind, Token, TokenSink as _, Tokenizer, TokenizerOpts, states::RawKind},
};
use memchr::memchr2;

use self::{
    names::{NameCache, StartTag},
    raw_text::End,
    references::Unread,
    short_cut::Read,
    tag_scan::TagScan,
};
use super::{
    MAX_ATTRIBUTES_OF_ELEMENT,
    guard::{Guard, TokenKind},
};
use crate::{error::PageError, vocabulary::words::count};

/// Longest token in bytes that waits for its end. Some pages keep their data in attributes: of 300 of WCXB dev three have one of
/// 105 to 277 KB (2026-11-22), and the tokenizer takes some 760 instructions for a character. Raising it costs memory on hostile pages.
const MAX_UNFINISHED: usize = 512 * 1024;

/// An unfinished token is read again when it has grown by one part in this many. All these attempts together cost at most nine
/// times the last one; bytes after the token's end wait for the next attempt.
const GROWTH: usize = 8;

/// Reads a text that is arriving, and tells its tokens to a [`Guard`].
pub(super) struct Tokens {
    tokenizer: Tokenizer<Guard>,
    input: BufferQueue,
    names: NameCache,
    position: Position,
    tag: TagScan,
    /// The beginning of a token whose end has not arrived: it is read when it is all there.
    unfinished: String,
    /// How long it is when the tokenizer is tried again.
    retry_at: usize,
    /// Whether it has grown by what may be its end.
    may_have_ended: bool,
    /// Whether the text of scripts is wanted.
    script_text: bool,
    /// The element whose text is being read, where the tokenizer does not know that there is one.
    unknown_element: Option<LocalName>,
}

/// Where the tokenizer is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// Between two tokens of ordinary content, and has read all it was given: others may read on.
    Tokens,
    /// Between two tokens inside of an element whose text has rules of its own, such as `<script>`.
    RawText(RawKind),
    /// Anywhere: it must read on itself until it tells that a tag has ended.
    Unknown,
}

impl Tokens {
    pub(super) fn new(guard: Guard) -> Tokens {
        Tokens {
            tokenizer: Tokenizer::new(guard, tokenizer_options()),
            input: BufferQueue::default(),
            names: NameCache::new(),
            position: Position::Unknown,
            tag: TagScan::default(),
            unfinished: String::new(),
            retry_at: 0,
            may_have_ended: false,
            script_text: true,
            unknown_element: None,
        }
    }

    pub(super) fn without_script_text(self) -> Tokens {
        Tokens { script_text: false, ..self }
    }

    pub(super) fn guard(&self) -> &Guard {
        &self.tokenizer.sink
    }

    /// Reads one piece.
    pub(super) fn feed(&mut self, piece: &str) -> Result<(), PageError> {
        if self.unfinished.is_empty() {
            return self.feed_whole(piece);
        }
        self.unfinished.push_str(piece);
        // A tag and a comment end with this; without it there is no use in looking.
        self.may_have_ended |= piece.contains('>');
        let length = self.unfinished.len();
        if self.may_have_ended && length >= self.retry_at || length > MAX_UNFINISHED {
            return self.retry();
        }
        Ok(())
    }

    /// Reads what is left, after the last piece.
    pub(super) fn finish(mut self) -> Result<Guard, PageError> {
        self.retry()?;
        self.catch_up();
        let rest = StrTendril::from_slice(&self.unfinished);
        let mut at = 0;
        while at < rest.len() {
            at = self.tokenize(&rest, at)?;
        }
        self.run();
        self.tokenizer.end();
        Ok(self.tokenizer.sink)
    }

    fn retry(&mut self) -> Result<(), PageError> {
        let whole = std::mem::take(&mut self.unfinished);
        self.feed_whole(&whole)
    }

    /// Leaves the beginning of a token until more of it has come.
    fn wait_with(&mut self, unfinished: &str) {
        self.unfinished.push_str(unfinished);
        self.retry_at = unfinished.len() + unfinished.len() / GROWTH;
        self.may_have_ended = false;
    }

    fn feed_whole(&mut self, piece: &str) -> Result<(), PageError> {
        // What the parser keeps of it are parts of this, not copies.
        let piece = StrTendril::from_slice(piece);
        let mut at = 0;
        while at < piece.len() {
            at = match self.position {
                Position::Tokens => self.short_cut(&piece, at),
                Position::RawText(kind) => self.raw_text(&piece, at, kind),
                Position::Unknown => self.tokenize(&piece, at)?,
            };
        }
        Ok(())
    }

    /// One token past the tokenizer, if it can be.
    fn short_cut(&mut self, piece: &StrTendril, at: usize) -> usize {
        let waiting = &self.tokenizer.sink.builder.sink.waiting;
        let mut attributes = std::mem::take(&mut waiting.borrow_mut().attributes);
        attributes.clear();
        let is_confined = self.tokenizer.sink.noscript.borrow().is_open();
        let cut = is_confined.then(|| short_cut::cut_comment(piece, at)).flatten();
        let read = match cut {
            Some(read) => Ok(read),
            None => short_cut::token(piece, at, &mut self.names, &mut attributes),
        };
        waiting.borrow_mut().attributes = attributes;
        let Read { mut token, start_tag, end } = match read {
            Ok(read) => read,
            Err(Unread::Unfinished) if piece.len() - at <= MAX_UNFINISHED => {
                self.wait_with(&piece[at..]);
                return piece.len();
            }
            Err(_) => {
                self.position = Position::Unknown;
                return at;
            }
        };
        let mut raw_element = None;
        if let Token::TagToken(tag) = &mut token {
            self.hand_over_attributes(tag, start_tag);
            if start_tag == Some(StartTag::Raw) {
                raw_element = Some(tag.name.clone());
            }
        }
        let guard = &self.tokenizer.sink;
        // Neither a script that has ended nor a line's number is of interest.
        let _ = guard.process_token(token, 1);
        guard.builder.sink.waiting.borrow_mut().owner = None;
        if let TokenKind::Raw(kind) = guard.last.get()
            && raw_element.is_some()
        {
            self.unknown_element = raw_element;
            self.position = Position::RawText(kind);
        }
        end
    }

    /// Leaves the attributes of a tag that was read for its element to take, or gives them to the tree builder.
    fn hand_over_attributes(&self, tag: &mut Tag, start_tag: Option<StartTag>) {
        let guard = &self.tokenizer.sink;
        let mut waiting = guard.builder.sink.waiting.borrow_mut();
        if waiting.attributes.is_empty() {
            return;
        }
        // In a drawing or a formula the tree builder writes some names of attributes anew.
        if start_tag == Some(StartTag::Plain) && !guard.adjusted_current_node_present_but_not_in_html_namespace() {
            waiting.owner = Some(tag.name.clone());
        } else {
            tag.attrs = std::mem::take(&mut waiting.attributes);
        }
    }

    /// Tells the tokenizer of the element whose text is being read.
    fn catch_up(&mut self) {
        if let Some(name) = self.unknown_element.take()
            && let Position::RawText(kind) = self.position
        {
            self.tokenizer.sink.is_known.set(Some(kind));
            self.input.push_back(StrTendril::from(format!("<{}>", &*name)));
            self.run();
        }
    }

    /// Text up to what may be its end, or an escape within a script.
    fn raw_text(&mut self, piece: &StrTendril, at: usize, kind: RawKind) -> usize {
        let in_noscript = self.tokenizer.sink.noscript.borrow().is_open();
        let end = at + raw_text::length(&piece.as_bytes()[at..], kind, in_noscript);
        let is_wanted = self.script_text || kind != RawKind::ScriptData || self.tokenizer.sink.script_is_data.get();
        let tell = |start: usize, end: usize| {
            if is_wanted && end > start {
                let text = piece.subtendril(count(start), count(end - start));
                let token = Token::CharacterTokens(text);
                let _ = self.tokenizer.sink.process_token(token, 1);
            }
            end
        };
        tell(at, end);
        if end == piece.len() {
            return end;
        }
        match self.end_of_raw_text(piece, end, in_noscript) {
            End::Other => tell(end, end + "</".len()),
            found => self.end_raw_text(piece, end, found),
        }
    }

    /// The markup at a place where the text of an element may have ended. The end of `<noscript>` ends whatever is open in it.
    fn end_of_raw_text(&self, piece: &StrTendril, at: usize, in_noscript: bool) -> End {
        let rest = &piece.as_bytes()[at..];
        let Some(name) = &self.unknown_element else {
            return End::Odd;
        };
        match raw_text::end(rest, name) {
            End::Other if in_noscript => match raw_text::end(rest, "noscript") {
                End::Tag(_) | End::Odd => End::Tag(0),
                other => other,
            },
            found => found,
        }
    }

    /// The end tag of the element whose text was read; whatever else it is, is the tokenizer's.
    fn end_raw_text(&mut self, piece: &StrTendril, at: usize, found: End) -> usize {
        match found {
            End::Tag(length) => {
                let tag = Tag {
                    kind: TagKind::EndTag,
                    name: self.unknown_element.take().unwrap_or_default(),
                    self_closing: false,
                    attrs: Vec::new(),
                };
                self.position = Position::Tokens;
                let token = Token::TagToken(tag);
                let _ = self.tokenizer.sink.process_token(token, 1);
                at + length
            }
            End::Unfinished => {
                self.wait_with(&piece[at..]);
                piece.len()
            }
            End::Odd | End::Other => {
                self.catch_up();
                self.position = Position::Unknown;
                at
            }
        }
    }

    /// Gives the tokenizer as much as it may emit tokens for at once.
    fn tokenize(&mut self, piece: &StrTendril, at: usize) -> Result<usize, PageError> {
        let bytes = piece.as_bytes();
        if self.leave_noscript(&bytes[at..]) == End::Unfinished {
            self.unfinished.push_str(&piece[at..]);
            return Ok(piece.len());
        }
        // `<` goes alone: what the tokenizer tells at it belongs to the text before it, not to the tag it begins. `>`
        // goes alone: if a tag is emitted at it, the tag has ended there.
        let end = match memchr2(b'<', b'>', &bytes[at..]) {
            Some(0) => at + 1,
            Some(before) => at + before,
            None => bytes.len(),
        };
        let told = self.feed_part(&piece.subtendril(count(at), count(end - at)))?;
        if told && bytes[end - 1] == b'>' {
            self.position = match self.tokenizer.sink.last.get() {
                TokenKind::Markup => Position::Tokens,
                TokenKind::Raw(kind) => Position::RawText(kind),
                TokenKind::Text | TokenKind::Plaintext => Position::Unknown,
            };
        }
        Ok(end)
    }

    /// Where the tokenizer reads the text of an element in `<noscript>` and that ends here, so does the element.
    fn leave_noscript(&mut self, rest: &[u8]) -> End {
        let open = self.tokenizer.sink.noscript.borrow().innermost();
        let Some(name) = open.filter(|name| names::start_tag(name) == StartTag::Raw) else {
            return End::Other;
        };
        let found = raw_text::end(rest, "noscript");
        if matches!(found, End::Tag(_)) || found == End::Odd && rest.starts_with(b"</") {
            self.input.push_back(StrTendril::from(format!("</{name}>")));
            self.run();
        }
        found
    }

    /// Whether the tokenizer emitted anything.
    fn feed_part(&mut self, part: &StrTendril) -> Result<bool, PageError> {
        let before = self.tokenizer.sink.tokens.get();
        self.input.push_back(part.clone());
        self.run();
        let told = self.tokenizer.sink.tokens.get() != before;
        if told {
            self.tag.end();
        }
        if (!told || &**part == "<") && self.tag.read(part) > MAX_ATTRIBUTES_OF_ELEMENT {
            return Err(PageError::TooManyAttributes { limit: MAX_ATTRIBUTES_OF_ELEMENT });
        }
        Ok(told)
    }

    fn run(&self) {
        // Scripts are not run, so what follows one is parsed at once.
        while let TokenizerResult::Script(_) = self.tokenizer.feed(&self.input) {}
    }
}

/// The tokenizer takes any piece's first character for a byte order mark if it looks like one.
fn tokenizer_options() -> TokenizerOpts {
    TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() }
}

#[cfg(test)]
mod tests;
