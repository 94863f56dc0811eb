//! The work on one page: decoded, parsed as it arrives, filtered, written and coded.
//!
//! A worker thread serves several pages in turn, so work is done in small pieces with a pause after each.

use std::{io, sync::Arc};

use bytes::Bytes;
use encoding_rs::{CoderResult, Decoder as TextDecoder, Encoding, UTF_8};
use futures_util::stream;
use gleaner_filters::{Chain, Domain, PageFeed, Part};
use tokio::{io::AsyncBufReadExt, sync::mpsc, task::yield_now};
use tokio_util::io::StreamReader;
use url::Url;

use super::{
    Finished,
    charset::{self, PRESCAN_BYTES},
    coding::{self, Coding, Decoder},
    eligibility::PassReason,
    first_bytes,
    memory_budget::Reservation,
};

/// Bytes decoded and parsed at once. Raising it saves little, and lets a page grow by more before its memory is counted.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

/// Bytes worked on between two pauses: less than half a millisecond of parsing, where the filters take a few. Raising it makes
/// other pages of the worker wait.
const BYTES_BETWEEN_PAUSES: usize = 64 * 1024;

/// What a worker must know about a page.
pub(super) struct Job {
    pub(super) chain: Arc<Chain>,
    pub(super) url: Url,
    /// What is known of other pages of its host.
    pub(super) domain: Option<Arc<Domain>>,
    pub(super) codings: Vec<Coding>,
    /// The memory that it may take.
    pub(super) reservation: Reservation,
    pub(super) declared: Option<&'static Encoding>,
    /// Whether nothing but the text can tell a document from a fragment.
    pub(super) must_look_like_document: bool,
    /// Bound on decoded bytes.
    pub(super) max_bytes: usize,
    pub(super) purpose: Purpose,
}

/// What a page is for.
pub(super) enum Purpose {
    /// It is the response.
    Page {
        /// The link to the page as it was.
        original: Option<Url>,
        /// Whether it is shown as a part of another page.
        in_frame: bool,
        /// The coding of the response.
        coding: Option<Coding>,
        /// Whether other pages may be put behind it.
        may_continue: bool,
    },
    /// It stands behind another page of the article.
    Part(Part),
}

impl Job {
    pub(super) async fn run(mut self, mut arriving: mpsc::Receiver<Bytes>) -> Result<Finished, PassReason> {
        let pieces = stream::poll_fn(move |cx| arriving.poll_recv(cx).map(|piece| piece.map(Ok::<_, io::Error>)));
        let reader: Decoder = Box::pin(StreamReader::new(pieces));
        let reader = coding::decoder(&self.codings, reader, self.max_bytes).await.map_err(coding::reason)?;
        let mut source = Source { reader, decoded: 0, max_bytes: self.max_bytes, since_pause: 0 };
        let start = source.read_start().await?;
        if start.is_empty() {
            return Err(PassReason::Empty);
        }
        let mut text = match charset::sniff(&start, self.declared) {
            Some(encoding) => self.read_declared(source, start, encoding).await?,
            None => self.read_undeclared(source, start).await?,
        };
        text.push(&[], true)?;
        let mut filtered = text.feed.finish()?;
        yield_now().await;
        let coded = match self.purpose {
            Purpose::Page { coding, may_continue, .. } if !may_continue || filtered.offer.is_none() => {
                let content = std::mem::take(&mut filtered.content);
                Some(coding::encode(content, coding).await?)
            }
            _ => None,
        };
        Ok(Finished { filtered, coded })
    }

    async fn read_declared(
        &mut self,
        mut source: Source,
        start: Vec<u8>,
        encoding: &'static Encoding,
    ) -> Result<Text, PassReason> {
        let mut text = Text::new(self);
        text.set(encoding)?;
        text.push(&start, false)?;
        while source.read(|piece| text.push(piece, false)).await? {
            self.reservation.grow_to(text.memory(source.decoded))?;
        }
        Ok(text)
    }

    /// Nearly every page that declares nothing is UTF-8, so it is read as that while it is; where it is not, all of
    /// it is guessed from.
    async fn read_undeclared(&mut self, mut source: Source, start: Vec<u8>) -> Result<Text, PassReason> {
        let mut text = Text::new(self);
        let (mut page, mut given) = (start, 0);
        let is_utf8 = loop {
            let beginning = charset::utf8_beginning(&page[given..]);
            text.push(&page[given..given + beginning.length], false)?;
            given += beginning.length;
            self.reservation.grow_to(text.memory(source.decoded))?;
            if beginning.is_broken {
                break false;
            }
            if !source.read_to(&mut page).await? {
                break true;
            }
        };
        if !is_utf8 {
            while source.read_to(&mut page).await? {}
            if !page[..given].is_ascii() {
                text.start_over();
                given = 0;
            }
            text.set(charset::detect(&page, self.url.host_str()))?;
        }
        for pieces in page[given..].chunks(BYTES_BETWEEN_PAUSES) {
            for piece in pieces.chunks(PIECE_BYTES) {
                text.push(piece, false)?;
                self.reservation.grow_to(text.memory(source.decoded))?;
            }
            yield_now().await;
        }
        Ok(text)
    }
}

/// The decoded bytes, counted.
struct Source {
    reader: Decoder,
    decoded: usize,
    max_bytes: usize,
    since_pause: usize,
}

impl Source {
    /// Gives the next piece on, with a pause after some; false at the end.
    async fn read(&mut self, give: impl FnOnce(&[u8]) -> Result<(), PassReason>) -> Result<bool, PassReason> {
        let piece = self.reader.fill_buf().await.map_err(coding::reason)?;
        let piece = &piece[..piece.len().min(PIECE_BYTES)];
        if piece.is_empty() {
            return Ok(false);
        }
        self.decoded += piece.len();
        if self.decoded > self.max_bytes {
            return Err(PassReason::TooLarge);
        }
        give(piece)?;
        let length = piece.len();
        self.reader.consume(length);
        self.since_pause += length;
        if self.since_pause >= BYTES_BETWEEN_PAUSES {
            self.since_pause = 0;
            yield_now().await;
        }
        Ok(true)
    }

    /// The same behind what has been read.
    async fn read_to(&mut self, page: &mut Vec<u8>) -> Result<bool, PassReason> {
        self.read(|piece| {
            page.extend_from_slice(piece);
            Ok(())
        })
        .await
    }

    /// As much as is needed to see what the page declares.
    async fn read_start(&mut self) -> Result<Vec<u8>, PassReason> {
        let mut start = Vec::new();
        while start.len() < PRESCAN_BYTES && self.read_to(&mut start).await? {}
        Ok(start)
    }
}

/// From bytes to text to the page.
struct Text {
    feed: PageFeed,
    decoder: TextDecoder,
    decoded: String,
    must_look_like_document: bool,
    /// The text is held back until its beginning shows what it is.
    undecided: bool,
}

impl Text {
    fn new(job: &Job) -> Self {
        let mut feed = job.chain.page(&job.url);
        match &job.purpose {
            Purpose::Page { original, in_frame, .. } => {
                if let Some(original) = original.clone() {
                    feed.link_to_untouched(original);
                }
                if *in_frame {
                    feed.stand_in_frame();
                }
            }
            Purpose::Part(part) => feed.continue_article(part.clone()),
        }
        if let Some(domain) = job.domain.clone() {
            feed.know_domain(domain);
        }
        Self {
            feed,
            decoder: UTF_8.new_decoder(),
            decoded: String::new(),
            must_look_like_document: job.must_look_like_document,
            undecided: true,
        }
    }

    /// Forgets what was given.
    fn start_over(&mut self) {
        self.feed.start_over();
        self.decoded.clear();
        self.undecided = true;
    }

    fn set(&mut self, encoding: &'static Encoding) -> Result<(), PassReason> {
        if !charset::can_be_read(encoding) {
            return Err(PassReason::Charset);
        }
        self.decoder = encoding.new_decoder_with_bom_removal();
        Ok(())
    }

    /// Bytes of memory of a page of so many: its tree, its text there and as it is written, and the original beside it.
    fn memory(&self, bytes: usize) -> usize {
        self.feed.memory() + 3 * bytes
    }

    /// Decodes a piece; what cannot be decoded becomes U+FFFD, as in browsers.
    fn push(&mut self, bytes: &[u8], last: bool) -> Result<(), PassReason> {
        let mut rest = bytes;
        loop {
            let room = self.decoder.max_utf8_buffer_length(rest.len()).ok_or(PassReason::TooLarge)?;
            self.decoded.reserve(room);
            let (result, read, _) = self.decoder.decode_to_string(rest, &mut self.decoded, last);
            rest = &rest[read..];
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        self.give(last)
    }

    /// Gives the text to the page, once it is known to be one.
    fn give(&mut self, last: bool) -> Result<(), PassReason> {
        if self.undecided {
            match first_bytes::is_page(&self.decoded, self.must_look_like_document, last) {
                Some(verdict) => verdict?,
                None => return Ok(()),
            }
            self.undecided = false;
        }
        self.feed.feed(&self.decoded)?;
        self.decoded.clear();
        Ok(())
    }
}
