//! The chain: filters in order, over a page that arrives piece by piece.
//!
//! A [`Chain`] is built once from its configuration and shared. A [`PageFeed`] is one page on its way: text is fed as it
//! arrives and parsed at once, so that after the last byte only the filters and the writing remain. It lives on one
//! thread (the tree is made of `Rc`); what comes out of it can be sent.
//!
//! Limits, clocks and panics are dealt with here and nowhere else. Whatever goes wrong ends in a [`PageError`], and the
//! caller still has the original bytes.

mod acceptance;
pub(crate) mod blocks;
mod build;
mod feed;
#[cfg(test)]
mod linear;
mod structured;
mod trace;
#[cfg(feature = "training")]
#[doc(hidden)]
pub mod training;
mod why;

use std::{ops::Range, sync::Arc};

use encoding_rs::Encoding;
use url::Url;

use crate::{
    analysis::AnalysedPage,
    blocking::{Blocker, Names, Resource, holes},
    config::{ChainConfig, FilterName, Floor, PageLimits},
    domain::{self, Domain, Survey},
    error::{ConfigError, PageError},
    extract::Extract,
    filter::Filter,
    html::tag::Tag,
    main_block::{self, Algorithm, auto::forest::Forest},
    metadata::{self, Metadata},
    output::{
        self, Format, Links, Style,
        controls::{Bar, Removed},
    },
    page_type,
    report::Report,
};
use blocks::PageBlocks;
use build::{build, check};
use feed::guarded;
pub use feed::{PageFeed, PageOptions};
pub use trace::{Trace, TracedBlock, TracedText};
pub use why::{Explanation, PartKind, RemovedPart};

/// Filters that restore or hide content as a browser would, before any choice.
const SHOWING: [&str; 2] = ["lazy_images", "ignore"];

/// The filter whose removals are advertisements.
const AD_SERVERS: &str = "ad_servers";

/// The filters of a configuration, ready to run. `Send + Sync`; share it in an `Arc`.
pub struct Chain {
    filters: Vec<Box<dyn Filter>>,
    output: output::Settings,
    floor: Floor,
    limits: PageLimits,
    /// Whether the reader's browser will run the page's scripts.
    scripting: bool,
    /// Whether some filter reads the text of scripts before they are taken out.
    script_text: bool,
    collect_links: bool,
    /// For extracts of pages, and by [`Chain::blocks`].
    lists: Arc<dyn Blocker>,
    main_block: main_block::Settings,
}

impl Chain {
    /// Checks the settings and the order once, and builds the filters that are switched on.
    pub fn new(
        config: &ChainConfig,
        limits: PageLimits,
        lists: impl Into<Arc<dyn Blocker>>,
    ) -> Result<Chain, ConfigError> {
        Chain::with_forest(config, limits, &lists.into(), &Forest::shipped())
    }

    fn with_forest(
        config: &ChainConfig,
        limits: PageLimits,
        lists: &Arc<dyn Blocker>,
        forest: &Arc<Forest>,
    ) -> Result<Chain, ConfigError> {
        check(config)?;
        let order: Vec<FilterName> = config.filters_on().collect();
        let filters = order.iter().map(|&name| build(config, name, lists, forest)).collect::<Result<_, _>>()?;
        Ok(Chain {
            filters,
            output: config.output.clone(),
            floor: config.floor.clone(),
            limits,
            scripting: !(order.contains(&FilterName::Ignore) && config.ignore.scripts),
            // An algorithm that counts what scripts say can only run before `ignore`.
            script_text: !config.ignore.scripts
                || order
                    .iter()
                    .find(|name| **name != FilterName::LazyImages)
                    .is_none_or(|first| *first != FilterName::Ignore),
            collect_links: order.contains(&FilterName::RemovedLinks),
            lists: Arc::clone(lists),
            main_block: config.main_block.clone(),
        })
    }

    /// A page that is about to arrive from `url`.
    #[must_use]
    pub fn page(self: &Arc<Self>, url: &Url, options: PageOptions) -> PageFeed {
        PageFeed::new(self, url, options)
    }

    /// A whole page that has arrived.
    fn arrived(self: &Arc<Self>, html: &str, url: &Url, options: PageOptions) -> Result<PageFeed, PageError> {
        let mut feed = self.page(url, options);
        feed.feed(html)?;
        Ok(feed)
    }

    /// A whole page in one call.
    pub fn run(self: &Arc<Self>, html: &str, url: &Url) -> Result<Filtered, PageError> {
        self.arrived(html, url, PageOptions::default())?.finish()
    }

    /// The blocks of a page as its domain should remember them ([`crate::Domain::learn`]).
    pub fn survey(self: &Arc<Self>, html: &str, url: &Url) -> Result<Survey, PageError> {
        let page = self.arrived(html, url, PageOptions::default())?.parse()?;
        guarded("survey", || domain::survey(&page))
    }

    /// The page's blocks by relevance, as the configured algorithm sees them after the filters before it; its menus and
    /// its kind.
    pub fn blocks(self: &Arc<Self>, html: &str, url: &Url, most: usize) -> Result<PageBlocks, PageError> {
        let mut feed = self.arrived(html, url, PageOptions::default())?;
        let mut page = feed.parse()?;
        let found = guarded("metadata", || metadata::read(&page))?;
        let kind = guarded("kind", || page_type::classify(&page, found.claims.clone()))?;
        page.headline = found.headline;
        page.claims = found.claims;
        feed.run_some(&mut page, |name| SHOWING.contains(&name))?;
        let whole = guarded("menus", || blocks::Whole::new(&page, kind))?;
        let mut is_before = true;
        feed.run_some(&mut page, |name| {
            is_before &= name != "main_block";
            is_before && !SHOWING.contains(&name)
        })?;
        guarded("blocks", || blocks::page_blocks(page, &whole, &self.main_block, most))
    }

    /// The page's text and what became of each of its text nodes.
    pub fn trace(self: &Arc<Self>, html: &str, url: &Url) -> Result<Trace, PageError> {
        self.arrived(html, url, PageOptions::default())?.finish_as(PageFeed::trace)
    }

    /// The parts that were removed of a page and why, and the page with all of it marked.
    pub fn why(self: &Arc<Self>, html: &str, url: &Url) -> Result<Explanation, PageError> {
        self.arrived(html, url, PageOptions::default())?.finish_as(|feed| Ok(feed.explain()?.0))
    }

    /// A page with everything that is known about it.
    pub fn extract(self: &Arc<Self>, html: &str, url: &Url) -> Result<Extract, PageError> {
        self.arrived(html, url, PageOptions::default())?.finish_as(PageFeed::extract)
    }

    /// A page with everything that is known about it, where other pages of its domain are known.
    pub fn extract_knowing(self: &Arc<Self>, html: &str, url: &Url, domain: Arc<Domain>) -> Result<Extract, PageError> {
        let options = PageOptions { domain: Some(domain), ..PageOptions::default() };
        self.arrived(html, url, options)?.finish_as(PageFeed::extract)
    }

    /// A page as a chapter of a book, with its addresses led elsewhere.
    pub fn chapter(
        self: &Arc<Self>,
        html: &str,
        url: &Url,
        addresses: output::SharedAddresses,
    ) -> Result<Filtered, PageError> {
        let form = output::Form::Chapter;
        self.arrived(html, url, PageOptions { form, addresses: Some(addresses), ..PageOptions::default() })?.finish()
    }

    /// A page with everything that is known about it and can be seen on it, for programs that read for a language model.
    pub fn extract_seen(self: &Arc<Self>, html: &str, url: &Url) -> Result<Extract, PageError> {
        let options = PageOptions { only_seen: true, ..PageOptions::default() };
        self.arrived(html, url, options)?.finish_as(PageFeed::extract)
    }

    /// The format in which pages are written.
    #[must_use]
    pub fn format(&self) -> Format {
        self.output.format
    }

    /// The encoding in which pages are to be sent: `auto`, or a name.
    #[must_use]
    pub fn charset(&self) -> &str {
        &self.output.charset
    }

    /// Whether pages have the bar, where they are given its links.
    #[must_use]
    pub fn has_controls(&self) -> bool {
        self.output.has_controls()
    }

    /// The style sheet that hides what the lists hide on a page that is sent as it came, if they hide anything, and how many rules it has.
    #[must_use]
    pub fn hiding_style(&self, html: &[u8], url: &Url) -> Option<(String, usize)> {
        let is_on = self.filters.iter().any(|filter| filter.name() == AD_SERVERS);
        // A person who went to a listed host wants its page.
        if !is_on || self.lists.blocks(url, url, Resource::Document) {
            return None;
        }
        let hiding = self.lists.hiding(url, &|| Names::in_source(html));
        let (mut css, rules) = hiding.map(|hiding| hiding.style_sheet()).unwrap_or_default();
        let refuses = |address: &Url, wanted| self.lists.refuses(url, address, wanted);
        let rules = rules + holes::write_css(&mut css, html, url, refuses);
        (rules > 0).then_some((css, rules))
    }

    fn bar<'a>(&self, links: &'a Links, page: &AnalysedPage, report: &Report) -> Bar<'a> {
        let view = links.view;
        let ended = if view.steps > 0 { 1 } else { -1 };
        let on = |by: i8| view.stepped(by).filter(|_| !page.outcome.at_end || by != ended);
        let is_all = self.main_block.algorithm != Algorithm::Auto && page.outcome.main_block == Some(page.body());
        let is_last = view.block > 0 && !report.selected;
        let ads = report.filters.iter().find(|filter| filter.filter == AD_SERVERS).map_or(0, |filter| filter.removed);
        let removed = Removed { share: 1.0 - report.kept_share(), links: report.links, ads };
        let has_smaller_pictures = self.output.picture_width.is_some()
            && self.output.style != Style::Original
            && page.live(page.body()).any(|id| page.tag(id) == Some(Tag::Img));
        let (less, more, next) = (on(-1), on(1).filter(|_| !is_all), view.next_block(is_last));
        Bar { links, less, more, next, removed, has_smaller_pictures }
    }

    /// The change of the response's policies that a rewritten page needs.
    #[must_use]
    pub fn csp_change(&self) -> CspChange {
        match (self.output.format, self.output.style) {
            (Format::Html, Style::Reader | Style::Plain) => CspChange::Replace(output::READER_CSP),
            (Format::Html, Style::Original) => CspChange::AllowStyle(output::ORIGINAL_STYLE_SOURCE),
            (Format::Text, _) => CspChange::Keep,
        }
    }
}

/// The change of a response's Content-Security-Policy that lets the rewritten page look as intended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CspChange {
    /// Nothing.
    Keep,
    /// The page is ours: every policy is replaced by this one.
    Replace(&'static str),
    /// The page holds a style element of ours: the directive that rules styles must admit this source.
    AllowStyle(&'static str),
}

/// A rewritten page.
#[derive(Clone, Debug)]
pub struct Filtered {
    /// The page, to be sent as UTF-8.
    pub content: String,
    /// Where in it, in bytes, the way to the next page of the article stands, which is [`Metadata::next_page`]; only in reader
    /// pages.
    pub next_page_link: Option<Range<usize>>,
    /// The format of `content`.
    pub format: Format,
    /// The change that the response's Content-Security-Policy needs.
    pub csp: CspChange,
    /// The policies of the page's own `<meta>`s, where the page is ours and they are not in it: as if the response had them.
    pub policies: Vec<String>,
    /// The encoding in which the page's own browsers send queries and forms, where that is not UTF-8 ([`PageOptions::encoding`]).
    pub encoding: Option<&'static Encoding>,
    /// Metadata that the page declares.
    pub metadata: Metadata,
    /// Report of the chain.
    pub report: Report,
    /// Everything that is known about the page, where that was asked for ([`output::Form::Extract`]).
    pub extract: Option<Box<Extract>>,
    /// The page's part in the knowledge of its domain, where the caller keeps that ([`PageOptions::domain`]).
    pub survey: Option<Survey>,
}

impl Filtered {
    /// Whether a page goes on with the article of this one: it has the same headline, perhaps with the number of the page ("Clocks, page
    /// 2").
    #[must_use]
    pub fn is_same_article_as(&self, part: &Filtered) -> bool {
        metadata::pages::is_headline_of_both(&self.metadata.title, &part.metadata.title)
    }

    /// Puts the next page of the article ([`PageOptions::part`]) in the place of the way to it. Without that way nothing
    /// happens.
    pub fn join(&mut self, part: Filtered) {
        let Some(next_page_link) = self.next_page_link.take() else {
            return;
        };
        self.next_page_link =
            part.next_page_link.map(|next| next.start + next_page_link.start..next.end + next_page_link.start);
        self.content.replace_range(next_page_link, &part.content);
        self.metadata.next_page = part.metadata.next_page;
        self.report.text_before += part.report.text_before;
        self.report.text_after += part.report.text_after;
        self.report.links += part.report.links;
    }

    /// Takes out the way to the next page, which leads to what is here already.
    pub fn remove_next_page_link(&mut self) {
        if let Some(next_page_link) = self.next_page_link.take() {
            self.content.replace_range(next_page_link, "");
            self.metadata.next_page = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
        time::Duration,
    };

    use super::*;
    use crate::{HostList, analysis::AnalysedPage, html::NodeId, output::Part};

    struct Panics;

    impl Filter for Panics {
        fn name(&self) -> &'static str {
            "panics"
        }

        fn apply(&self, _page: &mut AnalysedPage) -> Option<String> {
            panic!("a filter with a bug");
        }
    }

    fn chain(config: &ChainConfig) -> Result<Chain, ConfigError> {
        Chain::new(config, PageLimits::default(), HostList::default())
    }

    fn url() -> Url {
        "https://example.org/".parse().unwrap()
    }

    #[test]
    fn a_filter_that_panics_costs_its_page_and_nothing_else() {
        let mut chain = chain(&ChainConfig::default()).unwrap();
        chain.filters.push(Box::new(Panics));
        let chain = Arc::new(chain);
        let error = chain.run("<p>a page", &url()).unwrap_err();
        assert_eq!(error, PageError::Panicked { place: "panics" });
        let error = chain.run("<p>another page", &url()).unwrap_err();
        assert_eq!(error.reason(), "panic");
    }

    /// Walks over the page again and again, for much longer than any page may take.
    struct Endless;

    const WALKS: usize = 100_000;

    static WALKED: AtomicUsize = AtomicUsize::new(0);

    impl Filter for Endless {
        fn name(&self) -> &'static str {
            "endless"
        }

        fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
            for _ in 0..WALKS {
                let nodes = page.live(NodeId::DOCUMENT).count();
                let ups = page.ancestors(page.body()).count();
                let children = page.live_children(page.body()).count();
                assert!(nodes > ups + children);
                WALKED.fetch_add(1, Relaxed);
            }
            None
        }
    }

    #[test]
    fn a_filter_that_takes_too_long_is_left_in_the_middle() {
        let limits = PageLimits { cpu: Duration::from_millis(100), ..PageLimits::default() };
        let config = ChainConfig { order: Vec::new(), ..ChainConfig::default() };
        let mut chain = Chain::new(&config, limits, HostList::default()).unwrap();
        chain.filters.push(Box::new(Endless));
        let page = "<p>some words".repeat(2000);
        let error = Arc::new(chain).run(&page, &url()).unwrap_err();
        assert_eq!(error, PageError::OutOfTime { limit_ms: 100 });
        assert!((1..WALKS).contains(&WALKED.load(Relaxed)));
    }

    /// The client may be served or gone while a filter works.
    #[test]
    fn a_page_that_nobody_waits_for_is_left_in_the_middle_of_a_filter() {
        struct Served(Arc<AtomicBool>);

        impl Filter for Served {
            fn name(&self) -> &'static str {
                "served"
            }

            fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
                self.0.store(true, Relaxed);
                for _ in 0..WALKS {
                    assert!(page.live(NodeId::DOCUMENT).count() > 1);
                }
                None
            }
        }

        let served = Arc::new(AtomicBool::new(false));
        let config = ChainConfig { order: Vec::new(), ..ChainConfig::default() };
        let limits = PageLimits { cpu: Duration::from_mins(10), ..PageLimits::default() };
        let mut chain = Chain::new(&config, limits, HostList::default()).unwrap();
        chain.filters.push(Box::new(Served(Arc::clone(&served))));
        let mut feed = Arc::new(chain).page(&url(), PageOptions::default());
        feed.stop_when(served);
        feed.feed(&"<p>some words".repeat(2000)).unwrap();
        assert_eq!(feed.finish().unwrap_err(), PageError::Cancelled);
    }

    /// A page of an article: its text, and the way to the next one.
    fn part(number: u32, article: Option<&str>) -> Result<Filtered, PageError> {
        let words = format!("The text of page {number} goes on and on. ").repeat(30);
        let html = format!(
            "<title>Clocks</title><nav>Menu</nav><article><h1>Clocks</h1><p>{words}<p>{words}</article>\
             <a rel=next href=/clocks/{}>Next</a>",
            number + 1
        );
        let config = ChainConfig::default();
        let url = format!("https://example.org/clocks/{number}");
        let part = article.map(|article| Part { article: article.to_owned(), number });
        let options = PageOptions { part, ..PageOptions::default() };
        Arc::new(chain(&config).unwrap()).arrived(&html, &url.parse().unwrap(), options)?.finish()
    }

    #[test]
    fn pages_are_joined_where_the_way_to_them_stood() {
        let mut page = part(1, None).unwrap();
        for number in 2..5 {
            page.join(part(number, Some("Clocks")).unwrap());
        }
        let at = |number| page.content.find(&format!("page {number} goes")).unwrap();
        assert!(at(1) < at(2) && at(2) < at(3) && at(3) < at(4));
        assert_eq!(page.content.matches("Clocks</h1>").count(), 1);
        assert_eq!(page.content.matches("Next page").count(), 1);
        assert!(page.content[page.next_page_link.unwrap()].contains("https://example.org/clocks/5"));
        assert_eq!(page.metadata.next_page.unwrap().path(), "/clocks/5");
    }

    #[test]
    fn a_page_of_which_nothing_is_chosen_is_no_part() {
        let config = ChainConfig { order: Vec::new(), ..ChainConfig::default() };
        let part = Part { article: "Clocks".to_owned(), number: 2 };
        let options = PageOptions { part: Some(part), ..PageOptions::default() };
        let feed = Arc::new(chain(&config).unwrap()).arrived("<p>some words", &url(), options).unwrap();
        assert_eq!(feed.finish().unwrap_err(), PageError::NoPart);
    }

    #[test]
    fn a_filter_named_twice_is_refused() {
        let config = ChainConfig { order: vec![FilterName::Ignore, FilterName::Ignore], ..ChainConfig::default() };
        let error = chain(&config).err().unwrap();
        assert_eq!(error.key, "order");
        assert!(error.problem.contains("twice"), "{error}");
    }

    #[test]
    fn a_retainer_before_a_remover_is_refused() {
        let config =
            ChainConfig { order: vec![FilterName::RemovedLinks, FilterName::LinkLists], ..ChainConfig::default() };
        assert_eq!(chain(&config).err().unwrap().key, "order");
    }

    #[test]
    fn values_out_of_range_are_refused_by_their_key() {
        let with = |change: fn(&mut ChainConfig)| {
            let mut config = ChainConfig::default();
            change(&mut config);
            chain(&config).err().unwrap().key
        };
        assert_eq!(with(|c| c.link_lists.ratio = 0.0), "link_lists.ratio");
        assert_eq!(with(|c| c.link_lists.ratio = f64::NAN), "link_lists.ratio");
        assert_eq!(with(|c| c.main_block.min_share = 1.5), "main_block.min_share");
        assert_eq!(with(|c| c.main_block.cnr.top = 0), "main_block.cnr.top");
        assert_eq!(with(|c| c.output.max_line_breaks = 0), "output.max_line_breaks");
        assert_eq!(with(|c| c.floor.kept_share = -0.1), "floor.kept_share");
        assert_eq!(with(|c| c.empty_tables.substance = vec!["imgg".to_owned()]), "empty_tables.substance");
    }

    #[test]
    fn a_chain_can_be_shared_and_its_results_sent() {
        fn shared<T: Send + Sync>() {}
        fn sent<T: Send>() {}
        shared::<Chain>();
        sent::<Filtered>();
        sent::<PageError>();
    }
}
