//! Runs a page's bytes through a worker's job, and feeds through their reader, without a proxy, for the fuzz targets.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};
use http::HeaderMap;
use quick_xml::events::Event;
use tokio::{runtime::Runtime, sync::mpsc};

use super::{
    charset, coding,
    feeds::{self, Feed, FeedItem, FeedKind},
    memory_budget::MemoryBudget,
    page_job::{Job, Purpose},
    shares::{Owner, Turns},
};
use crate::http::outcome::PassReason;

/// Bytes per frame.
const FRAME: usize = 61;

static CHAIN: LazyLock<Arc<Chain>> = LazyLock::new(|| {
    let chain = Chain::new(&ChainConfig::default(), PageLimits::default(), HostList::default());
    Arc::new(chain.expect("the default chain is in order"))
});

/// Bytes of a page, decoded: few, so that bombs are cheap.
const MAX_BYTES: usize = 1 << 20;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime")
});

/// Runs a worker's job on these bytes; the reason where they pass unchanged.
pub(crate) fn run(headers: &HeaderMap, body: &[u8]) -> Result<(), String> {
    let codings = coding::from_headers(headers).ok_or_else(|| PassReason::CODING.to_string())?;
    RUNTIME.block_on(async {
        let budget = MemoryBudget::new(256 << 20, MAX_BYTES);
        let owner = Owner::new([127, 0, 0, 1].into(), "example.org");
        let reservation = budget.reserve(&owner, Some(body.len()), false);
        let reservation = reservation.await.map_err(|reason| reason.to_string())?;
        let job = Job {
            chain: Arc::clone(&CHAIN),
            owner,
            url: "https://example.org/".parse().expect("an address"),
            domain: None,
            codings,
            reservation,
            declared: charset::declared(headers),
            must_look_like_document: false,
            max_bytes: MAX_BYTES,
            look: None,
            purpose: Purpose::Page {
                links: None,
                original: Some("https://example.org/?x".parse().expect("an address")),
                in_frame: false,
                is_exposed: false,
                presentation: Box::default(),
            },
        };
        let (sender, arriving) = mpsc::channel(body.len() / FRAME + 1);
        for frame in body.chunks(FRAME) {
            sender.try_send(Bytes::copy_from_slice(frame)).expect("the channel holds all of them");
        }
        drop(sender);
        job.run(arriving, &Turns::new(1), Arc::default()).await.map(|_| ()).map_err(|reason| reason.to_string())
    })
}

/// Whether a text is XML whose elements are all closed in their order, or none at all.
fn is_in_order(text: &str) -> bool {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut depth = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth -= 1,
            Ok(Event::Eof) => return depth == 0,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// Fills the items of a feed with a text. What comes out is a feed of the same kind; where its elements are closed in their order,
/// with the same items, which have the text.
pub(crate) fn feed(headers: &HeaderMap, bytes: &[u8]) {
    const ADDRESS: &str = "https://example.org/feed";
    let text: Arc<str> = format!("<p>{} ]]> &amp; \u{1}</p>", "gleaner ".repeat(40)).into();
    let address = ADDRESS.parse().expect("an address");
    let _ = feeds::linked(bytes, headers, &address);
    for filled in [false, true] {
        let Some(feed) = Feed::parse(bytes, headers, &address) else { return };
        let (kind, items) = (feed.kind, feed.items.clone());
        let texts: Vec<_> = items.iter().map(|_| filled.then(|| Arc::clone(&text))).collect();
        let written = feed.with_texts(&texts);
        let again = Feed::parse(written.as_bytes(), &HeaderMap::new(), &address).expect("a feed again");
        assert_eq!(again.kind, kind);
        if kind != FeedKind::Json && !is_in_order(&written) {
            continue;
        }
        let pages = |items: &[FeedItem]| items.iter().map(|item| item.page.clone()).collect::<Vec<_>>();
        assert_eq!(pages(&again.items), pages(&items), "{written}");
        let has_text = |item: &FeedItem| item.page.is_none() || item.chars >= 280;
        assert!(!filled || again.items.iter().all(has_text), "{written}");
    }
}
