//! Content codings: undone as the bytes arrive, applied to the finished page.
//!
//! How many bytes may come out is counted by the reader (`page_job`); what goes from one coding to the next is counted here.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use async_compression::{Level, tokio::bufread, zstd::DParameter};
use http::{HeaderMap, header};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader, ReadBuf};

use super::{Coded, eligibility::PassReason, page_job::PIECE_BYTES};
use crate::headers::members;

/// A coding we can undo and apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Codings that may be stacked. Two are rare, three are an attack or a mistake.
const MAX_STACKED: usize = 2;

/// Below this, compressing saves less than a packet (the payload of one is about 1,400 bytes, and
/// common servers draw the line between 860 and 1,400).
const WORTH_BYTES: usize = 860;

/// Levels at which a page of 100 KiB takes about a millisecond: a rewritten page is made for one reader,
/// so the higher levels never pay.
const BROTLI_LEVEL: Level = Level::Precise(4);
const GZIP_LEVEL: Level = Level::Precise(5);
const ZSTD_LEVEL: Level = Level::Precise(3);

/// Window of zstd: 8 MiB is what HTTP allows (RFC 9659 § 3); more would let a small response claim
/// much memory.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A reader of decoded bytes. It stays on the page's own thread.
pub(super) type Decoder = Pin<Box<dyn AsyncBufRead>>;

impl Coding {
    /// Reads a coding's name (RFC 9110 § 8.4.1; `x-gzip` is equal to `gzip`).
    pub(crate) fn parse(name: &str) -> Option<Self> {
        const NAMES: [(&str, Coding); 5] = [
            ("gzip", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("deflate", Coding::Deflate),
            ("br", Coding::Brotli),
            ("zstd", Coding::Zstd),
        ];
        let mut known = NAMES.into_iter();
        known.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, coding)| coding)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// The codings of a response in the order they were applied; none if one is unknown or there are too
/// many.
pub(super) fn of(headers: &HeaderMap) -> Option<Vec<Coding>> {
    // A field that is not text names no coding that we know.
    if headers.get_all(header::CONTENT_ENCODING).iter().any(|value| value.to_str().is_err()) {
        return None;
    }
    let codings: Vec<Coding> = members(headers, &header::CONTENT_ENCODING)
        .filter(|name| !name.eq_ignore_ascii_case("identity"))
        .map(Coding::parse)
        .collect::<Option<_>>()?;
    (codings.len() <= MAX_STACKED).then_some(codings)
}

/// Undoes codings, the last applied first. Of what goes from one to the next at most `max_bytes` are let through: 8 MiB of
/// gzip can hold 8 GB of empty gzip files, which come to nothing and would be counted as nothing.
pub(super) async fn decoder(codings: &[Coding], reader: Decoder, max_bytes: usize) -> io::Result<Decoder> {
    let mut reader = reader;
    for (at, coding) in codings.iter().rev().enumerate() {
        if at > 0 {
            reader = Box::pin(Bounded { inner: reader, left: max_bytes });
        }
        reader = match coding {
            Coding::Gzip => {
                let mut gzip = bufread::GzipDecoder::new(reader);
                // RFC 1952 § 2.2: a file may have several members, and browsers read them all.
                gzip.multiple_members(true);
                buffered(gzip)
            }
            Coding::Deflate => deflate(reader).await?,
            Coding::Brotli => buffered(bufread::BrotliDecoder::new(reader)),
            Coding::Zstd => {
                let window = [DParameter::window_log_max(ZSTD_WINDOW_LOG)];
                let mut zstd = bufread::ZstdDecoder::with_params(reader, &window);
                // RFC 8878 § 3: several frames are one content.
                zstd.multiple_members(true);
                buffered(zstd)
            }
        };
    }
    Ok(reader)
}

fn buffered(reader: impl AsyncRead + 'static) -> Decoder {
    Box::pin(BufReader::with_capacity(PIECE_BYTES, reader))
}

/// The error of a coding that holds too much.
const TOO_LARGE: io::ErrorKind = io::ErrorKind::FileTooLarge;

/// A reader that ends in [`TOO_LARGE`] after so many bytes.
struct Bounded {
    inner: Decoder,
    left: usize,
}

impl AsyncRead for Bounded {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let data = ready!(self.as_mut().poll_fill_buf(cx))?;
        let count = data.len().min(buf.remaining());
        buf.put_slice(&data[..count]);
        self.consume(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncBufRead for Bounded {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        let data = ready!(this.inner.as_mut().poll_fill_buf(cx))?;
        if !data.is_empty() && this.left == 0 {
            return Poll::Ready(Err(TOO_LARGE.into()));
        }
        Poll::Ready(Ok(&data[..data.len().min(this.left)]))
    }

    fn consume(mut self: Pin<&mut Self>, count: usize) {
        self.left -= count;
        self.inner.as_mut().consume(count);
    }
}

/// "deflate" means the zlib format, but some servers send the bare stream (RFC 9110 § 8.4.1.2, note).
/// The first byte of zlib names method 8 and a window of at most 32 KiB (RFC 1950 § 2.2).
async fn deflate(mut reader: Decoder) -> io::Result<Decoder> {
    let zlib = reader.fill_buf().await?.first().is_some_and(|byte| byte & 0x0f == 8 && byte >> 4 <= 7);
    Ok(if zlib { buffered(bufread::ZlibDecoder::new(reader)) } else { buffered(bufread::DeflateDecoder::new(reader)) })
}

/// Why a page passes whose coding could not be undone.
#[allow(clippy::needless_pass_by_value, reason = "given to `map_err`")]
pub(super) fn reason(error: io::Error) -> PassReason {
    if error.kind() == TOO_LARGE { PassReason::TooLarge } else { PassReason::BrokenCoding }
}

/// Applies a coding where it is worth it.
pub(super) async fn encode(text: String, wanted: Option<Coding>) -> Result<Coded, PassReason> {
    let Some(coding) = wanted.filter(|_| text.len() >= WORTH_BYTES) else {
        return Ok(Coded { body: text.into(), coding: None });
    };
    let mut body = Vec::with_capacity(text.len() / 3);
    let text = text.as_bytes();
    let mut encoder: Pin<Box<dyn AsyncRead + '_>> = match coding {
        Coding::Gzip => Box::pin(bufread::GzipEncoder::with_quality(text, GZIP_LEVEL)),
        Coding::Deflate => Box::pin(bufread::ZlibEncoder::with_quality(text, GZIP_LEVEL)),
        Coding::Brotli => Box::pin(bufread::BrotliEncoder::with_quality(text, BROTLI_LEVEL)),
        Coding::Zstd => Box::pin(bufread::ZstdEncoder::with_quality(text, ZSTD_LEVEL)),
    };
    encoder.read_to_end(&mut body).await.map_err(reason)?;
    Ok(Coded { body: body.into(), coding: Some(coding) })
}

#[cfg(test)]
mod tests {
    use async_compression::tokio::write;
    use bytes::Bytes;
    use http::HeaderValue;
    use tokio::io::AsyncWriteExt;

    use super::*;

    const ALL: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];

    fn page() -> String {
        "<p>A page that repeats itself.</p>\n".repeat(100)
    }

    async fn decode(codings: &[Coding], bytes: Bytes) -> io::Result<String> {
        let mut text = String::new();
        let reader: Decoder = Box::pin(io::Cursor::new(bytes));
        decoder(codings, reader, 1_000_000).await?.read_to_string(&mut text).await?;
        Ok(text)
    }

    #[tokio::test]
    async fn every_coding_comes_back_as_it_was() {
        for coding in ALL {
            let coded = encode(page(), Some(coding)).await.unwrap();
            assert_eq!(coded.coding, Some(coding));
            assert!(coded.body.len() < page().len() / 5);
            let decoded = decode(&[coding], coded.body).await.unwrap();
            assert_eq!(decoded, page(), "{coding:?}");
        }
    }

    #[tokio::test]
    async fn a_broken_off_coding_is_an_error() {
        for coding in ALL {
            let bytes = encode(page(), Some(coding)).await.unwrap().body;
            let half = bytes.slice(..bytes.len() / 2);
            assert!(decode(&[coding], half).await.is_err(), "{coding:?}");
        }
    }

    #[tokio::test]
    async fn deflate_without_its_wrapper_is_read_too() {
        let mut encoder = write::DeflateEncoder::new(Vec::new());
        encoder.write_all(page().as_bytes()).await.unwrap();
        encoder.shutdown().await.unwrap();
        let bytes = encoder.into_inner().into();
        assert_eq!(decode(&[Coding::Deflate], bytes).await.unwrap(), page());
    }

    /// Empty gzip files, packed again: 200 bytes a megabyte, and nothing comes out.
    #[tokio::test]
    async fn what_goes_from_one_coding_to_the_next_is_bounded() {
        async fn packed(bytes: &[u8]) -> Vec<u8> {
            let mut gzip = write::GzipEncoder::new(Vec::new());
            gzip.write_all(bytes).await.unwrap();
            gzip.shutdown().await.unwrap();
            gzip.into_inner()
        }
        let empty = packed(b"").await;
        for (copies, is_bounded) in [(100, false), (60_000, true)] {
            let bytes = packed(&empty.repeat(copies)).await.into();
            let decoded = decode(&[Coding::Gzip, Coding::Gzip], bytes).await;
            let bounded = decoded.is_err_and(|error| error.kind() == TOO_LARGE);
            assert_eq!(bounded, is_bounded, "{copies}");
        }
    }

    #[tokio::test]
    async fn small_pages_are_not_compressed() {
        let coded = encode("short".to_owned(), Some(Coding::Gzip));
        let coded = coded.await.unwrap();
        assert_eq!((&coded.body[..], coded.coding), (&b"short"[..], None));
    }

    #[test]
    fn known_codings_are_read_in_order_and_at_most_two() {
        let of = |value| of(&HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static(value))]));
        assert_eq!(of("X-GZIP, identity, br"), Some(vec![Coding::Gzip, Coding::Brotli]));
        assert_eq!(of("gzip, gzip, gzip"), None);
        assert_eq!(of("gzip, compress"), None);
    }
}
