//! Content codings: decoded as the bytes arrive, applied to the finished page.

use std::{io, pin::Pin};

use async_compression::{Level, tokio::bufread, zstd::DParameter};
use bytes::BytesMut;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, header};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt};
use tokio_util::io::{ReaderStream, StreamReader};

use super::{Coded, page_job::PIECE_BYTES};
use crate::http::{
    headers::{Coding, members},
    outcome::PassReason,
};

/// Codings that may be stacked. Two are rare, three are an attack or a mistake.
const MAX_STACKED: usize = 2;

/// Below this, compressing saves less than a packet (its payload is about 1,400 bytes; common servers draw the line
/// between 860 and 1,400).
const MIN_BYTES: usize = 860;

/// Levels at which a page of 100 KiB takes about a millisecond: a rewritten page is made for one reader, so the higher
/// levels never pay.
const GZIP_LEVEL: Level = Level::Precise(5);
const ZSTD_LEVEL: Level = Level::Precise(3);

/// Window of zstd: 8 MiB is what HTTP allows (RFC 9659 § 3); more would let a small response claim much memory.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A reader of decoded bytes. It stays on the page's own thread.
pub(super) type Decoder = Pin<Box<dyn AsyncBufRead>>;

/// The codings of a response in the order they were applied; `None` if one is unknown or there are too many.
pub(super) fn from_headers(headers: &HeaderMap) -> Option<Vec<Coding>> {
    // A value that is not text names no known coding; `members` would skip it.
    if headers.get_all(header::CONTENT_ENCODING).iter().any(|value| value.to_str().is_err()) {
        return None;
    }
    let codings: Vec<Coding> = members(headers, &header::CONTENT_ENCODING)
        .filter(|name| !name.eq_ignore_ascii_case("identity"))
        .map(Coding::parse)
        .collect::<Option<_>>()?;
    (codings.len() <= MAX_STACKED).then_some(codings)
}

/// Decodes, beginning with the coding that was applied last. Each may yield at most `max_bytes`: 8 MiB of gzip can hold
/// 8 GB of empty gzip files, of which nothing comes out in the end.
pub(super) async fn decoder(codings: &[Coding], mut reader: Decoder, max_bytes: usize) -> io::Result<Decoder> {
    for coding in codings.iter().rev() {
        reader = match coding {
            Coding::Gzip => bounded(gzip_decoder(reader), max_bytes),
            Coding::Deflate if is_zlib(&mut reader).await? => bounded(bufread::ZlibDecoder::new(reader), max_bytes),
            Coding::Deflate => bounded(bufread::DeflateDecoder::new(reader), max_bytes),
            Coding::Brotli => bounded(bufread::BrotliDecoder::new(reader), max_bytes),
            Coding::Zstd => {
                let window = [DParameter::window_log_max(ZSTD_WINDOW_LOG)];
                let mut zstd = bufread::ZstdDecoder::with_params(reader, &window);
                // RFC 8878 § 3: several frames are one content.
                zstd.multiple_members(true);
                bounded(zstd, max_bytes)
            }
        };
    }
    Ok(reader)
}

/// RFC 1952 § 2.2: a file may have several members. Browsers ignore what follows and is none, such as zeros that fill a block.
fn gzip_decoder(reader: Decoder) -> impl AsyncRead {
    const FIRST_BYTE: u8 = 0x1f;
    let pieces = stream::try_unfold(bufread::GzipDecoder::new(reader), |mut gzip| async move {
        let mut piece = BytesMut::with_capacity(PIECE_BYTES);
        while gzip.read_buf(&mut piece).await? == 0 {
            let mut rest = gzip.into_inner();
            if rest.fill_buf().await?.first() != Some(&FIRST_BYTE) {
                return Ok::<_, io::Error>(None);
            }
            gzip = bufread::GzipDecoder::new(rest);
        }
        Ok(Some((piece, gzip)))
    });
    StreamReader::new(pieces)
}

/// The error of a coding that holds too much.
const TOO_LARGE: io::ErrorKind = io::ErrorKind::FileTooLarge;

/// A reader that fails with [`TOO_LARGE`] after `max_bytes`.
fn bounded(reader: impl AsyncRead + 'static, max_bytes: usize) -> Decoder {
    let mut left = max_bytes;
    let pieces = ReaderStream::with_capacity(reader, PIECE_BYTES).map(move |piece| {
        let piece = piece?;
        left = left.checked_sub(piece.len()).ok_or(TOO_LARGE)?;
        Ok::<_, io::Error>(piece)
    });
    Box::pin(StreamReader::new(pieces))
}

/// "deflate" means the zlib format, but some servers send the bare stream (RFC 9110 § 8.4.1.2, note). The first byte of
/// zlib names method 8 and a window of at most 32 KiB (RFC 1950 § 2.2).
async fn is_zlib(reader: &mut Decoder) -> io::Result<bool> {
    Ok(reader.fill_buf().await?.first().is_some_and(|byte| byte & 0x0f == 8 && byte >> 4 <= 7))
}

/// Why a page passes whose coding could not be decoded.
#[allow(clippy::needless_pass_by_value, reason = "given to `map_err`")]
pub(super) fn reason(error: io::Error) -> PassReason {
    if error.kind() == TOO_LARGE { PassReason::TOO_LARGE } else { PassReason::BROKEN_CODING }
}

/// Applies a coding where it is worth it.
pub(super) async fn encode(text: Vec<u8>, wanted: Option<Coding>) -> Result<Coded, PassReason> {
    let Some(coding) = wanted.filter(|_| text.len() >= MIN_BYTES) else {
        return Ok(Coded { body: text.into(), coding: None });
    };
    let mut body = Vec::with_capacity(text.len() / 3);
    let text = text.as_slice();
    let mut encoder: Pin<Box<dyn AsyncRead + '_>> = match coding {
        Coding::Gzip => Box::pin(bufread::GzipEncoder::with_quality(text, GZIP_LEVEL)),
        Coding::Zstd => Box::pin(bufread::ZstdEncoder::with_quality(text, ZSTD_LEVEL)),
        // Never offered.
        Coding::Deflate | Coding::Brotli => return Ok(Coded { body: text.to_vec().into(), coding: None }),
    };
    encoder.read_to_end(&mut body).await.map_err(reason)?;
    Ok(Coded { body: body.into(), coding: Some(coding) })
}
