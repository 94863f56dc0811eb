//! Content codings that lie, break off or burst: the client gets the origin's bytes as they were, never half a page.

use std::time::Duration;

use async_compression::tokio::write::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use bytes::Bytes;
use tokio::{
    io::AsyncWriteExt,
    time::{sleep, timeout},
};

use crate::harness::{
    Origin, PAGE, TestProxy, get,
    origin::{read_head, response},
};

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

/// Answers with this page in this coding.
async fn origin_of(coding: &str, body: Bytes) -> Origin {
    let coding = coding.to_owned();
    Origin::http(move |_| {
        let fields = [("content-type", "text/html; charset=utf-8"), ("content-encoding", coding.as_str())];
        response(&fields, body.clone())
    })
    .await
}

/// Gives the reason why this body came back as it was.
async fn passes(proxy: &TestProxy, coding: &str, body: Vec<u8>) -> String {
    let body = Bytes::from(body);
    let origin = origin_of(coding, body.clone()).await;
    let answer = timeout(SOON, get(proxy, &origin.url("/"), &[])).await.unwrap();
    assert_eq!(answer.status, 200, "{coding}");
    assert!(answer.body == body, "{coding}: {} bytes", answer.body.len());
    assert_eq!(answer.header("content-encoding"), coding);
    assert_eq!(answer.header("content-length"), body.len().to_string());
    answer.header("gleaner").trim_start_matches("passed; reason=").to_owned()
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

/// A page of which more than a first frame comes before the rest.
fn long_page() -> String {
    let paragraphs = (0..4000_u32).map(|number| {
        // Letters that do not repeat, so that little is left to compress a second time.
        let letters = number.wrapping_mul(2_654_435_761);
        format!("<p>Paragraph {number} of a long text, {letters:x}.</p>")
    });
    format!("{PAGE}{}", paragraphs.collect::<String>())
}

#[tokio::test]
async fn what_comes_late_behind_the_end_of_a_coding_costs_nothing() {
    let page = long_page();
    let zlib = encode("deflate", page.as_bytes()).await;
    let stacked = encode("gzip", &zlib).await;
    let (begun, trailer) = stacked.split_at(stacked.len() - 8);
    for (coding, body, tail) in [("deflate", &zlib[..], &b"\r\n"[..]), ("deflate, gzip", begun, trailer)] {
        assert!(body.len() > 2 * 4096, "{coding}: {}", body.len());
        for pause in [0, 20, 200] {
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: {coding}\r\n\
                 Content-Length: {}\r\n\r\n",
                body.len() + tail.len()
            );
            let (sent, tail) = ([head.as_bytes(), body].concat(), tail.to_owned());
            let origin = Origin::sockets(move |mut stream| {
                let (sent, tail) = (sent.clone(), tail.clone());
                async move {
                    read_head(&mut stream).await;
                    stream.write_all(&sent).await.unwrap();
                    sleep(Duration::from_millis(pause)).await;
                    stream.write_all(&tail).await.unwrap();
                }
            })
            .await;
            let proxy = TestProxy::start("").await;
            let answer = get(&proxy, &origin.url("/"), &[]).await;
            let action = answer.header("gleaner");
            assert!(action.starts_with("rewritten"), "{coding}, {pause}: {action}");
            assert!(answer.text().contains("Paragraph 3999"), "{coding}, {pause}");
        }
    }
}

#[tokio::test]
async fn all_frames_of_zstd_are_read() {
    let page = long_page();
    let (first, second) = page.as_bytes().split_at(page.len() / 3);
    let mut body = encode("zstd", first).await;
    // A frame that is to be skipped (RFC 8878 § 3.1.2).
    body.extend(b"\x50\x2a\x4d\x18\x03\0\0\0any");
    body.extend(encode("zstd", second).await);
    let origin = origin_of("zstd", body.into()).await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert!(answer.header("gleaner").starts_with("rewritten"));
    for number in [0, 3999] {
        let text = format!("Paragraph {number} of");
        assert!(answer.text().contains(&text), "{number}");
    }
}

#[tokio::test]
async fn all_members_of_gzip_are_read_and_what_follows_and_is_none_is_ignored() {
    let page = long_page();
    let (first, second) = page.as_bytes().split_at(page.len() / 3);
    let members = [encode("gzip", first).await, encode("gzip", second).await].concat();
    let proxy = TestProxy::start("").await;
    for tail in [&b""[..], &[0; 512], b"\0\0junk", b"junk"] {
        let origin = origin_of("gzip", [&members[..], tail].concat().into()).await;
        let answer = get(&proxy, &origin.url("/"), &[]).await;
        assert!(answer.header("gleaner").starts_with("rewritten"), "{tail:?}: {}", answer.header("gleaner"));
        assert!(answer.text().contains("Paragraph 3999 of"), "{tail:?}");
    }
}

/// The time that empty frames take is bounded by their bytes.
#[tokio::test]
async fn frames_of_nothing_pass_soon() {
    let proxy = TestProxy::start("").await;
    for coding in ["gzip", "zstd"] {
        let empty = encode(coding, b"").await;
        let body = empty.repeat(4_000_000 / empty.len());
        assert_eq!(passes(&proxy, coding, body).await, "empty", "{coding}");
    }
}

#[tokio::test]
async fn unknown_codings_and_more_than_two_pass() {
    let proxy = TestProxy::start("").await;
    for coding in ["compress", "dcb", "aes128gcm", "gzip, gzip, gzip", "gzip;x", "utf-8"] {
        let reason = passes(&proxy, coding, PAGE.as_bytes().to_vec()).await;
        assert_eq!(reason, "unknown-coding", "{coding}");
    }
}
