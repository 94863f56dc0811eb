//! The style sheet that hides what the lists hide on a page that is not rewritten: one element at the beginning of its head, and all
//! other bytes as they came. Any doubt about its place leaves the page as it is.

use std::{cell::Cell, io, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use encoding_rs::Encoding;
use futures_util::stream;
use gleaner_filters::Chain;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use ring::digest::{SHA256, digest};
use tokio::io::AsyncReadExt;
use tokio_util::io::StreamReader;
use url::Url;

use super::{Coded, charset, coding, memory_budget::Reservation};
use crate::http::{headers::Coding, outcome::PassReason};

/// Bytes in which the head must begin; nearly all pages begin it in the first hundred.
const MOST_BEFORE: usize = 4096;

/// Most bytes of rules: those of two usual lists are 29 KB.
const MOST_CSS: usize = 256 * 1024;

/// A whole page as it came.
pub(super) struct PageSource {
    pub(super) chain: Arc<Chain>,
    pub(super) url: Url,
    pub(super) chunks: Vec<Bytes>,
    pub(super) codings: Vec<Coding>,
    /// The encoding that `Content-Type` names.
    pub(super) declared: Option<&'static Encoding>,
    pub(super) max_bytes: usize,
    pub(super) reservation: Reservation,
    /// The coding in which it is sent.
    pub(super) coding: Option<Coding>,
}

/// A page with the element in it.
pub(super) struct StyledPage {
    pub(super) coded: Coded,
    /// What allows the element in a policy.
    pub(super) source: String,
    /// The encoding that the page declares itself, where its header does not.
    pub(super) charset: Option<&'static str>,
    pub(super) rules: usize,
}

impl PageSource {
    /// The page with the element; none where the lists hide nothing on it, or its place is in doubt.
    pub(super) async fn with_style(self) -> Result<Option<StyledPage>, PassReason> {
        let received = stream::iter(self.chunks.into_iter().map(Ok::<_, io::Error>));
        let reader: coding::Decoder = Box::pin(StreamReader::new(received));
        let mut reader = coding::decoder(&self.codings, reader, self.max_bytes).await.map_err(coding::reason)?;
        let mut page = Vec::new();
        reader.read_to_end(&mut page).await.map_err(coding::reason)?;
        self.reservation.grow_to(4 * page.len())?;
        // Where a browser must guess the encoding, what is inserted may change the guess.
        let encoding = charset::sniff(&page, self.declared).filter(|encoding| encoding.is_ascii_compatible());
        let (Some(encoding), Some(at)) = (encoding, start_of_head(&page)) else { return Ok(None) };
        let Some((css, rules)) = self.chain.hiding_style(&page, &self.url) else { return Ok(None) };
        if css.len() > MOST_CSS {
            return Ok(None);
        }
        self.reservation.grow_to(4 * page.len() + 2 * css.len())?;
        let element = format!("<style data-gleaner=\"hiding\">{css}</style>");
        page.splice(at..at, element.into_bytes());
        Ok(Some(StyledPage {
            coded: coding::encode(page, self.coding).await?,
            source: format!("'sha256-{}'", BASE64_STANDARD.encode(digest(&SHA256, css.as_bytes()))),
            charset: self.declared.is_none().then(|| encoding.name()),
            rules,
        }))
    }
}

/// The place behind the tag `<head>`, or `<html>` where the page leaves the other out. Tags are ASCII in every encoding that is not in
/// doubt.
fn start_of_head(page: &[u8]) -> Option<usize> {
    let mark = Encoding::for_bom(page).map_or(0, |(_, length)| length);
    let tokenizer = Tokenizer::new(HeadFinder::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut place = None;
    for (at, byte) in page.iter().enumerate().take(MOST_BEFORE).skip(mark) {
        // One at a time: the tokenizer tells no places.
        input.push_back(char::from(*byte).to_string().into());
        let _ = tokenizer.feed(&input);
        match tokenizer.sink.0.take() {
            Some(FirstTag::Head) => return Some(at + 1),
            Some(FirstTag::Html) if place.is_none() => place = Some(at + 1),
            Some(_) => return place,
            None => {}
        }
    }
    None
}

/// What of a page has begun.
enum FirstTag {
    Html,
    Head,
    Other,
}

/// The beginning of a page: nothing but comments and space may be around the tags that open it.
#[derive(Default)]
struct HeadFinder(Cell<Option<FirstTag>>);

impl TokenSink for HeadFinder {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let found = match &token {
            Token::TagToken(Tag { kind: TagKind::StartTag, name, .. }) if &**name == "html" => FirstTag::Html,
            Token::TagToken(Tag { kind: TagKind::StartTag, name, .. }) if &**name == "head" => FirstTag::Head,
            Token::CharacterTokens(text) if text.trim_ascii().is_empty() => return TokenSinkResult::Continue,
            Token::DoctypeToken(_) | Token::CommentToken(_) | Token::ParseError(_) => return TokenSinkResult::Continue,
            _ => FirstTag::Other,
        };
        self.0.set(Some(found));
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_found_where_a_browser_opens_it() {
        for page in [
            "<!doctype html><html lang=en><head>|<title>x</title>",
            "\u{feff}<!DOCTYPE html>\n<HTML a='>' b=\"<head>\">\n<HeaD class='x>y'>|<meta>",
            "<!-- <head> --><!--><html><!-- x --><head>|</head>",
            "<html>|<title>x</title><head>",
            "<html>|\n<body><p>x",
            "<head>|<script>\"<head>\"</script>",
            "<html>|text",
        ] {
            let at = page.find('|').unwrap();
            assert_eq!(start_of_head(page.replace('|', "").as_bytes()), Some(at), "{page}");
        }
        let late = format!("<!-- {} --><html><head>", "x".repeat(MOST_BEFORE));
        for page in [
            "<p>x",
            "<title>x</title><head>",
            "text <html><head>",
            "<!-- <html><head>",
            "</p><html>",
            "<html",
            "",
            &late,
        ] {
            assert_eq!(start_of_head(page.as_bytes()), None, "{page}");
        }
    }
}
