//! The reader of messages without a connection, for the fuzz target.

use std::{io, sync::LazyLock};

use bytes::Bytes;
use futures_util::stream;
use tokio::{
    io::AsyncRead,
    runtime::{Builder, Runtime},
};
use tokio_util::io::StreamReader;

use super::{
    IDLE,
    head::{IcapHead, MAX_ICAP_HEAD, http_request, http_response},
    message_reader::{BodyPiece, MessageReader},
};

static RUNTIME: LazyLock<Option<Runtime>> = LazyLock::new(|| Builder::new_current_thread().enable_time().build().ok());

/// Reads a connection's bytes as messages, up to the first that is none. What is read must not depend on the pieces in which they come.
#[allow(clippy::missing_panics_doc, reason = "a panic is what the fuzzer looks for")]
pub fn messages(bytes: &[u8], piece: usize) {
    let Some(runtime) = &*RUNTIME else { return };
    let whole = runtime.block_on(read(bytes, bytes.len()));
    assert_eq!(whole, runtime.block_on(read(bytes, piece)), "{piece}");
}

/// The heads and bodies that were read.
async fn read(bytes: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let pieces = bytes.chunks(piece.max(1)).map(|piece| io::Result::Ok(Bytes::copy_from_slice(piece)));
    let mut reader = MessageReader::new(StreamReader::new(stream::iter(pieces)), IDLE, IDLE);
    let mut parts = Vec::new();
    while let Ok(Some(head)) = reader.head(MAX_ICAP_HEAD, IDLE).await {
        parts.push(head.to_vec());
        let Ok(head) = IcapHead::parse(&head) else { break };
        let Ok(heads) = reader.exactly(head.sections.bytes()).await else { break };
        let _ = (http_request(&heads[head.sections.request]), http_response(&heads[head.sections.response]));
        if head.sections.has_body {
            let Some(body) = read_body(&mut reader).await else { break };
            parts.push(body);
        }
    }
    parts
}

async fn read_body<R: AsyncRead + Unpin>(reader: &mut MessageReader<R>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match reader.chunk().await.ok()? {
            BodyPiece::Data(data) => body.extend_from_slice(&data),
            BodyPiece::End { .. } => return Some(body),
        }
    }
}
