//! What the chain tells of a page's parts, and what every algorithm must bear.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{sync::Arc, time::Duration};

use gleaner_filters::{
    Chain, ChainConfig, Domain, FilterName, Floor, HostList, PageLimits, PageOptions, PageShape, main_block,
};
use url::Url;

fn chain(config: &ChainConfig) -> Arc<Chain> {
    let limits = PageLimits {
        // Debug builds are slow; what is tested is that it ends.
        cpu: Duration::from_mins(2),
        ..PageLimits::default()
    };
    Arc::new(Chain::new(config, limits, HostList::default()).unwrap())
}

fn without_floor(order: Vec<FilterName>) -> ChainConfig {
    ChainConfig {
        order,
        floor: Floor { page_chars: 0, kept_share: 0.0, kept_chars: 0, ..Floor::default() },
        ..ChainConfig::default()
    }
}

fn url() -> Url {
    "https://example.org/".parse().unwrap()
}

/// Pages that are deep, wide, all links, all text, and nothing.
fn hard_pages() -> Vec<String> {
    let text = "words at the bottom of it all ".repeat(20);
    vec![
        String::new(),
        "<p>".to_owned(),
        format!("{}{text}{}", "<div>".repeat(480), "</div>".repeat(480)),
        "<div><p>one</p></div>".repeat(1_000),
        "<a href=/x>a</a>".repeat(1_000),
        "<b>x</b>".repeat(1_000),
        "<form>".to_owned() + &"<input><p>text of a form".repeat(200),
        text.repeat(20),
        "<table><tr><td>".repeat(100) + &text,
        "\n<p>日本語の文章がここにあります。".repeat(200),
    ]
}

#[test]
fn every_algorithm_bears_every_page_and_answers_alike_twice() {
    let pages = hard_pages();
    for name in main_block::Settings::names() {
        let mut config = without_floor(vec![FilterName::Ignore, FilterName::MainBlock]);
        config.main_block = config.main_block.named(name).unwrap();
        config.main_block.min_chars = 0;
        config.main_block.min_share = 0.0;
        let chain = chain(&config);
        for (number, page) in pages.iter().enumerate() {
            let once = chain.run(page, &url()).unwrap_or_else(|error| {
                panic!("{name} on page {number}: {error}");
            });
            let twice = chain.run(page, &url()).unwrap();
            assert_eq!(once.content, twice.content, "{name} on page {number}");
        }
    }
}

#[test]
fn blocks_menus_and_kind_of_a_page_are_told() {
    let menu = "<ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul>";
    let text = "A sentence of the article that has no link at all. ".repeat(20);
    let html = format!("<nav>{menu}</nav><article><p>{text}</p><p>{text}</p></article>");
    let chain = chain(&without_floor(vec![FilterName::Ignore, FilterName::MainBlock]));
    let told = chain.blocks(&html, &url(), 3).unwrap();
    assert!(told.blocks[0].path.contains("article"), "{told:?}");
    assert!(told.menus[0].path.contains("nav"), "{told:?}");
    assert_eq!(told.shape, PageShape::Text);
    let none = chain.blocks(&html, &url(), 0).unwrap();
    assert!(none.blocks.is_empty());
}

#[test]
fn a_domain_that_was_seen_is_judged_by_what_repeats() {
    let bar = "<div id=bar>Latest from us this week <a href=/x>sign up now</a></div>";
    let page = |n: usize| {
        let text = "A sentence of the article that has no link at all. ".repeat(10 + n);
        format!("{bar}<div id=text><p>{text}</p></div>")
    };
    let mut config = without_floor(vec![FilterName::LinkQuota]);
    config.link_quota.enabled = true;
    let chain = chain(&config);
    let mut domain = Domain::default();
    for n in 0..4 {
        domain.learn(&chain.survey(&page(n), &url()).unwrap());
    }
    let alone = chain.run(&page(9), &url()).unwrap();
    assert!(alone.content.contains("sign up"));
    let options = PageOptions { domain: Some(Arc::new(domain)), ..PageOptions::default() };
    let mut feed = chain.page(&url(), options);
    feed.feed(&page(9)).unwrap();
    let known = feed.finish().unwrap();
    assert!(!known.content.contains("sign up"));
    assert!(known.content.contains("A sentence"));
}
