//! Content codings that lie, break off or burst: the client gets the origin's bytes as they were, never half a page.

use std::time::Duration;

use async_compression::tokio::write::{
    BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder,
};
use bytes::Bytes;
use tokio::{io::AsyncWriteExt, time::timeout};

use crate::harness::{Origin, PAGE, TestProxy, get, origin::response};

/// Generous: a release build takes well under a second for each.
const SOON: Duration = Duration::from_secs(30);

/// Larger than the bound on decoded bytes.
const BURST_BYTES: usize = 20_000_000;

async fn encode(coding: &str, bytes: &[u8]) -> Vec<u8> {
    macro_rules! with {
        ($encoder:ident) => {{
            let mut encoder = $encoder::new(Vec::new());
            encoder.write_all(bytes).await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }};
    }
    match coding {
        "gzip" => with!(GzipEncoder),
        "deflate" => with!(ZlibEncoder),
        "bare deflate" => with!(DeflateEncoder),
        "br" => with!(BrotliEncoder),
        "zstd" => with!(ZstdEncoder),
        other => panic!("{other} is no coding of this test"),
    }
}

/// Gives the reason why this body came back as it was.
async fn passes(proxy: &TestProxy, coding: &str, body: Vec<u8>) -> String {
    let coding = coding.to_owned();
    let body = Bytes::from(body);
    let copy = body.clone();
    let field = coding.clone();
    let origin = Origin::http(move |_| {
        let fields = [
            ("content-type", "text/html; charset=utf-8"),
            ("content-encoding", field.as_str()),
        ];
        response(&fields, copy.clone())
    })
    .await;
    let answer = timeout(SOON, get(proxy, &origin.url("/"), &[]))
        .await
        .unwrap();
    assert_eq!(answer.status, 200, "{coding}");
    assert!(answer.body == body, "{coding}: {} bytes", answer.body.len());
    assert_eq!(answer.header("content-encoding"), coding);
    assert_eq!(answer.header("content-length"), body.len().to_string());
    answer
        .header("gleaner")
        .trim_start_matches("passed; reason=")
        .to_owned()
}

#[tokio::test]
async fn bombs_of_every_coding_pass_unopened() {
    let proxy = TestProxy::start("").await;
    let mut page = PAGE.as_bytes().to_vec();
    page.resize(BURST_BYTES, b' ');
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let bomb = encode(coding, &page).await;
        assert!(bomb.len() < 30_000, "{coding}: {}", bomb.len());
        assert_eq!(passes(&proxy, coding, bomb).await, "too-large", "{coding}");
    }
    let bare = encode("bare deflate", &page).await;
    assert_eq!(passes(&proxy, "deflate", bare).await, "too-large");
}

/// 60 KB that hold 10 GB, as gzip files packed again.
#[tokio::test]
async fn a_bomb_in_a_bomb_passes_unopened() {
    let proxy = TestProxy::start("").await;
    let mut inner = encode("gzip", PAGE.as_bytes()).await;
    inner.extend(encode("gzip", &vec![b' '; 16_000_000]).await.repeat(640));
    for outer in ["gzip", "br", "zstd"] {
        let bomb = encode(outer, &inner).await;
        assert!(bomb.len() < 200_000, "{outer}: {}", bomb.len());
        let codings = format!("gzip, {outer}");
        assert_eq!(passes(&proxy, &codings, bomb).await, "too-large", "{outer}");
    }
}

/// Gigabytes of empty files come to nothing, so no bound on what comes out would stop them.
#[tokio::test]
async fn a_bomb_of_nothing_passes_unopened() {
    let proxy = TestProxy::start("").await;
    let inner = encode("gzip", b"").await.repeat(2_000_000);
    let bomb = encode("gzip", &inner).await;
    assert!(bomb.len() < 400_000, "{}", bomb.len());
    assert_eq!(passes(&proxy, "gzip, gzip", bomb).await, "too-large");
}

#[tokio::test]
async fn a_coding_that_breaks_off_lies_or_is_damaged_passes() {
    let proxy = TestProxy::start("").await;
    let page = format!("{PAGE}{}", "<p>And some more of it.".repeat(500));
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let whole = encode(coding, page.as_bytes()).await;
        for end in [1, whole.len() / 2, whole.len() - 1] {
            let reason = passes(&proxy, coding, whole[..end].to_vec()).await;
            assert_eq!(reason, "broken-coding", "{coding} cut at {end}");
        }
        let reason = passes(&proxy, coding, page.clone().into_bytes()).await;
        assert_eq!(reason, "broken-coding", "{coding} that is none");
    }
    // The checksum is the last thing of gzip and zlib: nothing may go out before it is seen.
    for (coding, from_end) in [("gzip", 8), ("deflate", 4)] {
        let mut damaged = encode(coding, page.as_bytes()).await;
        let at = damaged.len() - from_end;
        damaged[at] ^= 1;
        let reason = passes(&proxy, coding, damaged).await;
        assert_eq!(reason, "broken-coding", "{coding} with a wrong sum");
    }
}

#[tokio::test]
async fn unknown_codings_and_more_than_two_pass() {
    let proxy = TestProxy::start("").await;
    for coding in [
        "compress",
        "dcb",
        "aes128gcm",
        "gzip, gzip, gzip",
        "gzip;x",
        "utf-8",
    ] {
        let reason = passes(&proxy, coding, PAGE.as_bytes().to_vec()).await;
        assert_eq!(reason, "unknown-coding", "{coding}");
    }
}
