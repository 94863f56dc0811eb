//! HTML through the whole chain, in each of its forms: no panic, no time that its size does not explain, and what comes out
//! is a page again.
#![no_main]

use std::sync::{Arc, LazyLock};

use gleaner_filters::{Chain, ChainConfig, HostList, PageError, PageLimits, output::Format};
use libfuzzer_sys::fuzz_target;
use url::Url;

static CHAINS: LazyLock<Vec<Arc<Chain>>> = LazyLock::new(|| {
    let mut text = ChainConfig::default();
    text.output.format = Format::Text;
    let mut eager = ChainConfig::default();
    eager.floor.page_chars = 0;
    eager.floor.kept_share = 0.0;
    eager.floor.kept_chars = 0;
    let configs = [eager, ChainConfig::crunch(), text];
    let chain = |config: &ChainConfig| {
        let mut hosts = HostList::default();
        hosts.add("ads.example").expect("a host");
        Arc::new(Chain::new(config, PageLimits::default(), hosts).expect("in order"))
    };
    configs.iter().map(chain).collect()
});

static URL: LazyLock<Url> =
    LazyLock::new(|| "https://example.org/a/b?c".parse().expect("an address"));

fuzz_target!(|html: &str| {
    for chain in CHAINS.iter() {
        match chain.run(html, &URL) {
            Ok(filtered) => assert!(filtered.content.len() < 40_000 + 20 * html.len()),
            Err(PageError::Panicked { place }) => panic!("{place} panicked"),
            Err(PageError::OutOfTime { .. }) => panic!("out of time"),
            Err(_) => {}
        }
    }
});
