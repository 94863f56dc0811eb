//! The work on one page in a worker thread: decode, parse as it arrives, filter and serialize.
//!
//! The pages take turns at the processors, so work is done in small pieces, each in a turn of its own.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use bytes::Bytes;
use encoding_rs::{Decoder as TextDecoder, Encoding, REPLACEMENT, UTF_8};
use futures_util::{StreamExt, stream};
use gleaner_filters::{Chain, Domain, Filtered, Form, Links, PageFeed, PageOptions, Part, ReaderLook};
use tokio::sync::mpsc;
use tokio_util::io::{ReaderStream, StreamReader};
use url::Url;

use super::{
    charset::{self, PRESCAN_BYTES},
    coding::{self, Decoder},
    first_bytes,
    memory_budget::Reservation,
    presentation::Presentation,
    shares::{Owner, Turns},
};
use crate::http::{headers::Coding, outcome::PassReason};

/// Bytes decoded and parsed in one turn. Raising it saves little; other pages of the worker wait longer, and a page
/// grows by more before its memory is counted.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

/// The input of a worker: a page and its settings.
pub(super) struct Job {
    pub(super) chain: Arc<Chain>,
    pub(super) owner: Arc<Owner>,
    /// Instead of the configured look of the reader page.
    pub(super) look: Option<ReaderLook>,
    pub(super) url: Url,
    /// Memory of other pages of its host.
    pub(super) domain: Option<Arc<Domain>>,
    pub(super) codings: Vec<Coding>,
    pub(super) reservation: Reservation,
    /// The encoding that `Content-Type` names.
    pub(super) declared: Option<&'static Encoding>,
    /// Whether the request had no `Sec-Fetch-Dest`, so that the text itself must look like a document.
    pub(super) must_look_like_document: bool,
    /// Limit of decoded bytes.
    pub(super) max_bytes: usize,
    pub(super) purpose: Purpose,
}

pub(super) enum Purpose {
    /// The page is the response.
    Page {
        /// The link to the original page.
        original: Option<Url>,
        /// The links of the bar.
        links: Option<Box<Links>>,
        /// Whether it is shown in a frame.
        in_frame: bool,
        /// Whether its site encrypts it, and the client gets it in clear.
        is_exposed: bool,
        presentation: Box<Presentation>,
    },
    /// The page is appended to another page of the article.
    Part(Part),
}

impl Job {
    /// `cancelled` stops it in the middle of a turn.
    pub(super) async fn run(
        self,
        mut arriving: mpsc::Receiver<Bytes>,
        turns: &Arc<Turns>,
        cancelled: Arc<AtomicBool>,
    ) -> Result<Filtered, PassReason> {
        let received = stream::poll_fn(move |cx| arriving.poll_recv(cx).map(|chunk| chunk.map(Ok::<_, io::Error>)));
        let reader: Decoder = Box::pin(StreamReader::new(received));
        let reader = coding::decoder(&self.codings, reader, self.max_bytes).await.map_err(coding::reason)?;
        let mut source = Source { pieces: ReaderStream::with_capacity(reader, PIECE_BYTES), bytes: 0 };
        let mut start = Vec::new();
        while start.len() < PRESCAN_BYTES && source.read_to(&mut start).await? {}
        if start.is_empty() {
            return Err(PassReason::EMPTY);
        }
        let encoding = match charset::sniff(&start, self.declared) {
            Some(encoding) if charset::is_certain(encoding) => encoding,
            _ => self.whole_page_encoding(&mut source, &mut start).await?,
        };
        if encoding == REPLACEMENT {
            // It stands for labels that are used in attacks.
            return Err(PassReason::CHARSET);
        }
        let mut text = Text::new(&self, encoding);
        text.feed.stop_when(cancelled);
        for piece in start.chunks(PIECE_BYTES) {
            let _turn = turns.take(&self.owner).await;
            text.push(piece, false)?;
            self.reservation.grow_to(text.memory(source.bytes))?;
        }
        while let Some(piece) = source.next().await? {
            let _turn = turns.take(&self.owner).await;
            text.push(&piece, false)?;
            self.reservation.grow_to(text.memory(source.bytes))?;
        }
        let _turn = turns.take(&self.owner).await;
        text.push(&[], true)?;
        Ok(text.feed.finish()?)
    }

    /// The encoding of a page that declares none or an old one: it is read to its end.
    async fn whole_page_encoding(
        &self,
        source: &mut Source,
        page: &mut Vec<u8>,
    ) -> Result<&'static Encoding, PassReason> {
        // What is no page should pass at once: it may be a stream that does not end.
        let readable = page.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        if let Some(Err(reason)) = first_bytes::is_page(readable, self.must_look_like_document, false) {
            return Err(reason);
        }
        while source.read_to(page).await? {
            self.reservation.grow_to(page.len())?;
        }
        Ok(charset::from_page(page, self.declared, self.url.host_str()))
    }
}

/// The decoded bytes, counted.
struct Source {
    pieces: ReaderStream<Decoder>,
    bytes: usize,
}

impl Source {
    async fn next(&mut self) -> Result<Option<Bytes>, PassReason> {
        let piece = self.pieces.next().await.transpose().map_err(coding::reason)?;
        self.bytes += piece.as_ref().map_or(0, Bytes::len);
        Ok(piece)
    }

    /// Appends the next piece; false at the end.
    async fn read_to(&mut self, page: &mut Vec<u8>) -> Result<bool, PassReason> {
        let piece = self.next().await?;
        page.extend_from_slice(piece.as_deref().unwrap_or_default());
        Ok(piece.is_some())
    }
}

/// Decodes bytes to text and feeds it to the page's parser.
struct Text {
    feed: PageFeed,
    decoder: TextDecoder,
    decoded: String,
    must_look_like_document: bool,
    /// The text is held back until its beginning shows that it is a page.
    undecided: bool,
}

impl Text {
    fn new(job: &Job, encoding: &'static Encoding) -> Self {
        // Browsers encode queries of pages in UTF-16 as UTF-8 (`output_encoding`).
        let options = PageOptions {
            look: job.look,
            domain: job.domain.clone(),
            encoding: Some(encoding.output_encoding()).filter(|encoding| *encoding != UTF_8),
            ..PageOptions::default()
        };
        let options = match &job.purpose {
            Purpose::Page { original, links, in_frame, is_exposed, presentation } => PageOptions {
                bypass_link: original.clone(),
                links: links.clone().map(|links| *links),
                in_frame: *in_frame,
                is_exposed: *is_exposed,
                addresses: presentation.addresses.clone(),
                number: presentation.number,
                form: presentation.form.written(),
                only_seen: presentation.form.written() == Form::Extract,
                links_as: presentation.links_as,
                without_images: presentation.without_images,
                ..options
            },
            Purpose::Part(part) => PageOptions { part: Some(part.clone()), ..options },
        };
        Self {
            feed: job.chain.page(&job.url, options),
            decoder: encoding.new_decoder_with_bom_removal(),
            decoded: String::new(),
            must_look_like_document: job.must_look_like_document,
            undecided: true,
        }
    }

    /// Memory in bytes of a page of this length: its tree, its text there and as it is serialized, and the original.
    fn memory(&self, bytes: usize) -> usize {
        self.feed.memory() + 3 * bytes
    }

    /// Decodes a piece; malformed bytes become U+FFFD, as in browsers.
    fn push(&mut self, bytes: &[u8], last: bool) -> Result<(), PassReason> {
        let length = self.decoder.max_utf8_buffer_length(bytes.len()).ok_or(PassReason::TOO_LARGE)?;
        self.decoded.reserve(length);
        // With this much capacity one call takes all of the input.
        let _ = self.decoder.decode_to_string(bytes, &mut self.decoded, last);
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
