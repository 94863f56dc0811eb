//! Where pages are worked on: a fixed set of threads, each page on one of them from its first byte to
//! its last, because the tree cannot move between threads.
//!
//! A worker serves several pages in turn, so work is done in small pieces with a pause after each.

use std::{io, num::NonZero, sync::Arc, thread, time::Instant};

use bytes::Bytes;
use encoding_rs::{CoderResult, Decoder as TextDecoder, Encoding};
use futures_util::stream;
use gleaner_filters::{Chain, Domain, Filtered, PageFeed, Part, Remains};
use tokio::{
    io::AsyncBufReadExt,
    sync::{mpsc, oneshot},
    task::{JoinError, yield_now},
};
use tokio_util::{
    io::StreamReader,
    task::{AbortOnDropHandle, LocalPoolHandle},
};
use tracing::{debug, error};
use url::Url;

use super::{
    Coded, Finished,
    charset::{self, PRESCAN_BYTES},
    coding::{self, Coding, Decoder},
    eligibility::PassReason,
    memory_budget::Reservation,
};

/// Frames between the network and a worker. A few let both run; the bytes are bounded elsewhere.
const FRAMES_IN_BETWEEN: usize = 8;

/// Bytes decoded and parsed at once. Raising it saves little, and lets a page grow by more before its memory is counted.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

/// Bytes worked on between two pauses: less than half a millisecond of parsing, where the filters take a few. Each pause costs a call into
/// the kernel. Raising it makes other pages of the worker wait.
const BYTES_BETWEEN_PAUSES: usize = 64 * 1024;

/// Text in which a document must show itself: licences and comments stand in front of many, and few
/// of them are longer.
const DOCUMENT_SIGN_BYTES: usize = 4096;

/// The threads.
#[derive(Clone, Debug)]
pub(crate) struct Workers(LocalPoolHandle);

impl Workers {
    /// As many as asked for, else one per processor.
    pub(crate) fn new(count: Option<usize>) -> Self {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        Self(LocalPoolHandle::new(count.unwrap_or_else(processors)))
    }

    /// Begins a page.
    pub(super) fn start(&self, job: Job) -> Worker {
        let (frames, arriving) = mpsc::channel(FRAMES_IN_BETWEEN);
        let (answer, answered) = oneshot::channel();
        let task = self.0.spawn_pinned(move || job.run(arriving, answer));
        Worker {
            frames: Some(frames),
            answered,
            task: AbortOnDropHandle::new(task),
            finished: None,
        }
    }

    /// Codes a page that has grown since it was finished.
    pub(super) async fn encode(
        &self,
        content: String,
        accepted: Option<Coding>,
    ) -> Result<Coded, PassReason> {
        let task = self.0.spawn_pinned(move || encode(content, accepted));
        let joined = AbortOnDropHandle::new(task).await;
        joined.unwrap_or_else(|error| Err(panicked(&error)))
    }
}

/// One page in work. Dropping it ends the work.
pub(super) struct Worker {
    /// `None` after it has read all that it needs.
    frames: Option<mpsc::Sender<Bytes>>,
    answered: oneshot::Receiver<Result<Finished, PassReason>>,
    task: AbortOnDropHandle<()>,
    /// The page, where it was done before the last byte came.
    finished: Option<Finished>,
}

impl Worker {
    /// Gives bytes to the page; waits while it has enough. An error is the reason it stopped. What comes behind the end of a
    /// coding is nothing to the page.
    pub(super) async fn send(&mut self, data: Bytes) -> Result<(), PassReason> {
        let Some(frames) = &self.frames else {
            return Ok(());
        };
        if frames.send(data).await.is_err() {
            self.frames = None;
            self.finished = Some(self.outcome().await?);
        }
        Ok(())
    }

    /// No more bytes will come: waits for the page.
    pub(super) async fn finish(mut self) -> Result<Finished, PassReason> {
        self.frames = None;
        match self.finished.take() {
            Some(finished) => Ok(finished),
            None => self.outcome().await,
        }
    }

    async fn outcome(&mut self) -> Result<Finished, PassReason> {
        if let Ok(outcome) = (&mut self.answered).await {
            return outcome;
        }
        let error = (&mut self.task).await.err();
        Err(error.map_or(PassReason::Panicked, |error| panicked(&error)))
    }
}

fn panicked(error: &JoinError) -> PassReason {
    error!(%error, "a page worker failed");
    PassReason::Panicked
}

/// What a worker must know about a page.
pub(super) struct Job {
    pub(super) chain: Arc<Chain>,
    pub(super) url: Url,
    /// What is known of other pages of its host.
    pub(super) domain: Option<Arc<Domain>>,
    pub(super) codings: Vec<Coding>,
    /// The memory that it may take.
    pub(super) share: Reservation,
    pub(super) declared: Option<&'static Encoding>,
    /// Whether nothing but the text can tell a document from a fragment.
    pub(super) must_look_like_document: bool,
    /// Bound on decoded bytes.
    pub(super) max_bytes: usize,
    pub(super) purpose: Use,
}

/// What a page is for.
pub(super) enum Use {
    /// It is the answer.
    Page {
        /// Where the page can be had as it was.
        untouched: Option<Url>,
        /// Whether it is shown as a part of another page.
        in_frame: bool,
        /// The coding of the answer.
        accepted: Option<Coding>,
        /// Whether other pages may be put behind it.
        may_continue: bool,
    },
    /// It stands behind another page of the article.
    Part(Part),
}

impl Job {
    /// The answer goes out before the page's memory is freed, which is a twentieth of the work on it.
    async fn run(
        self,
        arriving: mpsc::Receiver<Bytes>,
        answer: oneshot::Sender<Result<Finished, PassReason>>,
    ) {
        match self.work(arriving).await {
            Ok((finished, left)) => {
                let _ = answer.send(Ok(finished));
                drop(left);
            }
            Err(skip) => {
                let _ = answer.send(Err(skip));
            }
        }
    }

    pub(super) async fn work(
        mut self,
        mut arriving: mpsc::Receiver<Bytes>,
    ) -> Result<(Finished, Left), PassReason> {
        let frames = stream::poll_fn(move |cx| {
            arriving
                .poll_recv(cx)
                .map(|frame| frame.map(Ok::<_, io::Error>))
        });
        let reader: Decoder = Box::pin(StreamReader::new(frames));
        let reader = coding::decoder(&self.codings, reader, self.max_bytes)
            .await
            .map_err(cannot_decode)?;
        let mut source = Source {
            reader,
            decoded: 0,
            max_bytes: self.max_bytes,
            since_pause: 0,
        };

        let start = source.read_start().await?;
        if start.is_empty() {
            return Err(PassReason::Empty);
        }
        let text = match charset::sniff(&start, self.declared) {
            Some(encoding) => self.read_declared(source, start, encoding).await?,
            None => self.read_undeclared(source, start).await?,
        };
        let all_read = Instant::now();
        let (mut filtered, remains) = text.finish()?;
        let filtering = all_read.elapsed();
        yield_now().await;
        let coded = match self.purpose {
            Use::Page {
                accepted,
                may_continue,
                ..
            } if !may_continue || filtered.offer.is_none() => {
                let content = std::mem::take(&mut filtered.content);
                Some(encode(content, accepted).await?)
            }
            _ => None,
        };
        debug!(
            ?filtering,
            in_all = ?all_read.elapsed(),
            "a page was worked on after its last byte"
        );
        let left = Left {
            _remains: remains,
            _share: self.share,
        };
        Ok((Finished { filtered, coded }, left))
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
            self.share.grow_to(text.memory(source.decoded))?;
        }
        Ok(text)
    }

    /// Nearly every page that declares nothing is UTF-8, so it is read as that while it is; where it is not, all of
    /// it is guessed from.
    async fn read_undeclared(
        &mut self,
        mut source: Source,
        start: Vec<u8>,
    ) -> Result<Text, PassReason> {
        let mut text = Text::new(self);
        let (mut page, mut given) = (start, 0);
        let is_utf8 = loop {
            let beginning = charset::utf8_beginning(&page[given..]);
            text.push(&page[given..given + beginning.length], false)?;
            given += beginning.length;
            self.share.grow_to(text.memory(source.decoded))?;
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
                text.start_over(self.must_look_like_document);
                given = 0;
            }
            text.set(charset::detect(&page, self.url.host_str()))?;
        }
        for pieces in page[given..].chunks(BYTES_BETWEEN_PAUSES) {
            for piece in pieces.chunks(PIECE_BYTES) {
                text.push(piece, false)?;
                self.share.grow_to(text.memory(source.decoded))?;
            }
            yield_now().await;
        }
        Ok(text)
    }
}

/// The memory of a page, and its share of what all may take.
pub(super) struct Left {
    _remains: Remains,
    _share: Reservation,
}

/// A page's bytes as they are sent.
async fn encode(content: String, accepted: Option<Coding>) -> Result<Coded, PassReason> {
    let (body, coding) = coding::encode(content, accepted)
        .await
        .map_err(cannot_decode)?;
    Ok(Coded { body, coding })
}

#[allow(clippy::needless_pass_by_value, reason = "given to `map_err`")]
fn cannot_decode(error: io::Error) -> PassReason {
    if error.kind() == coding::TOO_LARGE {
        PassReason::TooLarge
    } else {
        PassReason::BrokenCoding
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
    async fn read(
        &mut self,
        give: impl FnOnce(&[u8]) -> Result<(), PassReason>,
    ) -> Result<bool, PassReason> {
        let piece = self.reader.fill_buf().await.map_err(cannot_decode)?;
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
    /// Text held back until it is known to be a document.
    undecided: bool,
}

impl Text {
    fn new(job: &Job) -> Self {
        let mut feed = job.chain.page(&job.url);
        match &job.purpose {
            Use::Page {
                untouched,
                in_frame,
                ..
            } => {
                if let Some(untouched) = untouched.clone() {
                    feed.link_to_untouched(untouched);
                }
                if *in_frame {
                    feed.stand_in_frame();
                }
            }
            Use::Part(part) => feed.continue_article(part.clone()),
        }
        if let Some(domain) = job.domain.clone() {
            feed.know_domain(domain);
        }
        Self {
            feed,
            decoder: encoding_rs::UTF_8.new_decoder(),
            decoded: String::new(),
            undecided: job.must_look_like_document,
        }
    }

    /// Forgets what was given.
    fn start_over(&mut self, must_look_like_document: bool) {
        self.feed.start_over();
        self.decoded.clear();
        self.undecided = must_look_like_document;
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
            let room = self
                .decoder
                .max_utf8_buffer_length(rest.len())
                .ok_or(PassReason::TooLarge)?;
            self.decoded.reserve(room);
            let (result, read, _) = self.decoder.decode_to_string(rest, &mut self.decoded, last);
            rest = &rest[read..];
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        self.give(last)
    }

    /// Gives the text to the page, once it is known to be a document.
    fn give(&mut self, last: bool) -> Result<(), PassReason> {
        if self.undecided {
            if looks_like_document(&self.decoded) {
                self.undecided = false;
            } else if last || self.decoded.len() >= DOCUMENT_SIGN_BYTES {
                return Err(PassReason::Fragment);
            } else {
                return Ok(());
            }
        }
        self.feed.feed(&self.decoded)?;
        self.decoded.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<(Filtered, Remains), PassReason> {
        self.push(&[], true)?;
        Ok(self.feed.finish_and_leave()?)
    }
}

/// Whether the beginning has one of the tags that documents have and fragments have not.
fn looks_like_document(start: &str) -> bool {
    const SIGNS: [&[u8]; 5] = [b"<!doctype", b"<html", b"<head", b"<body", b"<title"];
    let start = &start.as_bytes()[..start.len().min(DOCUMENT_SIGN_BYTES)];
    SIGNS.iter().any(|sign| {
        start.windows(sign.len() + 1).any(|window| {
            let (tag, after) = window.split_at(sign.len());
            // `<header` is no sign.
            tag.eq_ignore_ascii_case(sign) && !after[0].is_ascii_alphanumeric()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_from_fragments() {
        for document in [
            "<!DOCTYPE html><p>",
            "<!-- x --><HTML lang=en>",
            "<title>x</title>",
        ] {
            assert!(looks_like_document(document), "{document}");
        }
        for fragment in ["<div>x</div>", "<header>x</header>", "{\"html\": 1}", ""] {
            assert!(!looks_like_document(fragment), "{fragment}");
        }
        let late = format!("{}<html>", " ".repeat(DOCUMENT_SIGN_BYTES));
        assert!(!looks_like_document(&late));
    }
}
