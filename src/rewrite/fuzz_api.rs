//! The road of a page's bytes without a proxy around it, for the fuzz targets.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};
use http::HeaderMap;
use tokio::{runtime::Runtime, sync::mpsc, task::LocalSet};

use super::{
    charset, coding,
    eligibility::PassReason,
    memory_budget::MemoryBudget,
    workers::{Job, Use},
};

/// Bound on decoded bytes: small, so that bombs are cheap.
const MAX_BYTES: usize = 1 << 20;

/// Bytes a frame.
const FRAME: usize = 61;

/// Memory for the page, in bytes.
const ROOM: usize = 256 << 20;

static CHAIN: LazyLock<Arc<Chain>> = LazyLock::new(|| {
    let chain = Chain::new(
        &ChainConfig::default(),
        PageLimits::default(),
        HostList::default(),
    );
    Arc::new(chain.expect("the default chain is in order"))
});

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.expect("a runtime")
});

/// Runs a worker's job on these bytes; the reason where they pass untouched.
pub(crate) fn run(headers: &HeaderMap, body: &[u8]) -> Result<Bytes, String> {
    let codings = coding::of(headers).ok_or_else(|| PassReason::Coding.to_string())?;
    LocalSet::new().block_on(&RUNTIME, async {
        let share = MemoryBudget::new(ROOM).enter(Some(body.len()), false).await;
        let share = share.map_err(|skip| skip.to_string())?;
        let job = Job {
            chain: Arc::clone(&CHAIN),
            url: "https://example.org/".parse().expect("an address"),
            domain: None,
            codings,
            share,
            declared: charset::declared(headers),
            must_look_like_document: false,
            max_bytes: MAX_BYTES,
            purpose: Use::Page {
                untouched: Some("https://example.org/?x".parse().expect("an address")),
                in_frame: false,
                accepted: None,
                may_continue: false,
            },
        };
        let frames: Vec<Bytes> = body.chunks(FRAME).map(Bytes::copy_from_slice).collect();
        let (sender, arriving) = mpsc::channel(frames.len().max(1));
        for frame in frames {
            // There is room for all of them.
            let _ = sender.try_send(frame);
        }
        drop(sender);
        let (finished, _left) = job.work(arriving).await.map_err(|skip| skip.to_string())?;
        let body = finished.coded.expect("nothing is put behind it").body;
        assert!(std::str::from_utf8(&body).is_ok(), "the label says UTF-8");
        Ok(body)
    })
}
