//! Pages that would hurt a process without bounds come back as errors, and soon.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{sync::Arc, time::Duration};

use gleaner_filters::{Chain, ChainConfig, HostList, PageError, PageLimits};
use url::Url;

fn chain(limits: PageLimits) -> Arc<Chain> {
    Arc::new(Chain::new(&ChainConfig::default(), limits, HostList::default()).unwrap())
}

fn url() -> Url {
    "https://example.org/".parse().unwrap()
}

#[test]
fn a_million_nested_elements_are_refused() {
    let html = "<div>".repeat(1_000_000);
    let error = chain(PageLimits::default()).run(&html, &url()).unwrap_err();
    assert_eq!(error, PageError::TooDeep { limit: 512 });
}

#[test]
fn nesting_at_the_limit_is_written_back() {
    let depth = 500;
    let html = format!(
        "<title>Deep</title>{}{}{}",
        "<div>".repeat(depth),
        "words at the bottom of it all ".repeat(20),
        "</div>".repeat(depth)
    );
    let filtered = chain(PageLimits::default()).run(&html, &url()).unwrap();
    assert!(filtered.content.contains("words at the bottom"));
}

#[test]
fn depth_that_is_left_again_within_one_piece_is_still_seen() {
    let html = format!("{}x{}", "<i>".repeat(560), "</i>".repeat(560));
    let error = chain(PageLimits::default()).run(&html, &url()).unwrap_err();
    assert_eq!(error, PageError::TooDeep { limit: 512 });
}

#[test]
fn more_nodes_than_the_limit_are_refused() {
    let limits = PageLimits {
        nodes: 1000,
        ..PageLimits::default()
    };
    let html = "<p>one".repeat(2000);
    let error = chain(limits).run(&html, &url()).unwrap_err();
    assert_eq!(error, PageError::TooManyNodes { limit: 1000 });
}

#[test]
fn a_page_without_time_is_refused() {
    let limits = PageLimits {
        cpu: Duration::ZERO,
        ..PageLimits::default()
    };
    let error = chain(limits).run("<p>one", &url()).unwrap_err();
    assert_eq!(error, PageError::OutOfTime { limit_ms: 0 });
}

#[test]
fn a_page_in_pieces_is_the_page_in_one() {
    let html = "<title>Pieces</title><h1>Pieces</h1><p>".to_owned()
        + &"Ein Satz mit Umlauten: äöüß, und 日本語の文 auch. ".repeat(40);
    let chain = chain(PageLimits::default());
    let whole = chain.run(&html, &url()).unwrap();
    let mut feed = chain.page(&url());
    for piece in html
        .char_indices()
        .map(|(at, c)| &html[at..at + c.len_utf8()])
    {
        feed.feed(piece).unwrap();
    }
    assert_eq!(feed.finish().unwrap().content, whole.content);
}
