//! The chain: filters in order, over a page that arrives piece by piece.
//!
//! A [`Chain`] is built once from its configuration and shared. A [`PageFeed`] is one page on its way: text is fed as it
//! arrives and parsed at once, so that after the last byte only the filters and the writing remain. It lives on one
//! thread (the tree is made of `Rc`); what comes out of it can be sent.
//!
//! Limits, clocks and panics are dealt with here and nowhere else. Whatever goes wrong ends in a [`PageError`], and the
//! caller still has the original bytes.

mod clock;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use html5ever::local_name;
use url::Url;

use crate::{
    config::{ChainConfig, FilterName, Floor, PageLimits, StructuredText},
    domain::{self, Domain, Survey},
    error::{ConfigError, PageError},
    extract::Extract,
    filter::{
        Filter,
        ad_servers::AdServers,
        captions::Captions,
        empty_tables::EmptyTables,
        genre::GenreFilter,
        ignore::Ignore,
        lazy_images::LazyImages,
        link_lists::LinkLists,
        link_quota::LinkQuota,
        main_block::{MainBlock, blocks, blocks::PageBlocks, cnr},
        output::{self, Format, Style},
        removed_links::RemovedLinks,
    },
    hosts::HostList,
    metadata::{self, HiddenText, Metadata},
    page::{
        NodeId, Page, Removals,
        parse::{PIECE, Parser},
        tag::Tag,
    },
    report::{FilterReport, Report},
};
use clock::CpuClock;

/// The filters of a configuration, ready to run. `Send + Sync`; share it in an `Arc`.
pub struct Chain {
    filters: Vec<Box<dyn Filter>>,
    output: output::Settings,
    floor: Floor,
    limits: PageLimits,
    /// Whether the reader's browser will run the page's scripts.
    scripting: bool,
    collect_links: bool,
    /// For [`Chain::blocks`].
    cnr: cnr::Settings,
}

impl Chain {
    /// Checks the settings and the order once, and builds the filters that are switched on.
    pub fn new(
        config: &ChainConfig,
        limits: PageLimits,
        ad_servers: HostList,
    ) -> Result<Chain, ConfigError> {
        check(config)?;
        let order: Vec<FilterName> = config.filters_on().collect();
        let mut ad_servers = Some(ad_servers);
        let filters = order
            .iter()
            .map(|&name| build(config, name, &mut ad_servers))
            .collect::<Result<_, _>>()?;
        Ok(Chain {
            filters,
            output: config.output.clone(),
            floor: config.floor.clone(),
            limits,
            scripting: !(order.contains(&FilterName::Ignore) && config.ignore.scripts),
            collect_links: order.contains(&FilterName::RemovedLinks),
            cnr: config.main_block.cnr.clone(),
        })
    }

    /// A page that is about to arrive from `url`.
    #[must_use]
    pub fn page(self: &Arc<Self>, url: &Url) -> PageFeed {
        PageFeed {
            parser: Some(Parser::new(
                self.scripting,
                self.limits.depth,
                self.limits.nodes,
            )),
            chain: Arc::clone(self),
            url: url.clone(),
            untouched: None,
            domain: None,
            spent: Duration::ZERO,
        }
    }

    /// A whole page in one call.
    pub fn run(self: &Arc<Self>, html: &str, url: &Url) -> Result<Filtered, PageError> {
        let mut feed = self.page(url);
        feed.feed(html)?;
        feed.finish()
    }

    /// The blocks of a page as its domain should remember them ([`Domain::learn`]).
    pub fn survey(self: &Arc<Self>, html: &str, url: &Url) -> Result<Survey, PageError> {
        let mut feed = self.page(url);
        feed.feed(html)?;
        let page = feed.parse()?;
        guarded("survey", || domain::survey(&page))
    }

    /// The page's blocks by relevance, its menus and its kind, as the filters before the choice of the main block leave them.
    pub fn blocks(
        self: &Arc<Self>,
        html: &str,
        url: &Url,
        most: usize,
    ) -> Result<PageBlocks, PageError> {
        let mut feed = self.page(url);
        feed.feed(html)?;
        let mut page = feed.parse()?;
        page.headline = metadata::read(&page).headline;
        feed.run_cleaning(&mut page)?;
        guarded("blocks", || blocks::of_page(page, &self.cnr, most))
    }

    /// The same, with everything that can be told about the page.
    pub fn extract(self: &Arc<Self>, html: &str, url: &Url) -> Result<Extract, PageError> {
        let mut feed = self.page(url);
        feed.feed(html)?;
        feed.finish_as_extract()
    }
}

/// What must happen to a response's Content-Security-Policy for the rewritten page to look as intended.
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
    /// What it is.
    pub format: Format,
    /// What must happen to the response's Content-Security-Policy.
    pub csp: CspChange,
    /// What the page says about itself.
    pub metadata: Metadata,
    /// What was done.
    pub report: Report,
}

/// A page on its way. Lives on one thread.
pub struct PageFeed {
    /// `None` after it panicked.
    parser: Option<Parser>,
    chain: Arc<Chain>,
    url: Url,
    untouched: Option<Url>,
    domain: Option<Arc<Domain>>,
    /// CPU time so far.
    spent: Duration,
}

impl Chain {
    /// What pages are written as.
    #[must_use]
    pub fn format(&self) -> Format {
        self.output.format
    }

    /// What a rewritten page asks of its policies.
    #[must_use]
    pub fn csp_change(&self) -> CspChange {
        csp_change(&self.output)
    }
}

impl PageFeed {
    /// Tells where the page can be had untouched; the rewritten page links to it.
    pub fn link_to_untouched(&mut self, address: Url) {
        self.untouched = Some(address);
    }

    /// Tells what other pages of the same domain were like: filters that compare pages make use of it.
    pub fn know_domain(&mut self, domain: Arc<Domain>) {
        self.domain = Some(domain);
    }

    /// Parses one more piece, of any size. The limits are checked every few kilobytes.
    pub fn feed(&mut self, text: &str) -> Result<(), PageError> {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_end(rest));
            rest = after;
            let clock = CpuClock::start();
            let mut parser = self.parser.take().ok_or(PANICKED_PARSER)?;
            let parser = catch_unwind(AssertUnwindSafe(move || {
                parser.feed(piece)?;
                Ok(parser)
            }))
            .map_err(|_| PANICKED_PARSER)?;
            self.parser = Some(parser?);
            self.spend(&clock)?;
        }
        Ok(())
    }

    /// Runs the filters and writes the page.
    pub fn finish(self) -> Result<Filtered, PageError> {
        let chain = Arc::clone(&self.chain);
        let untouched = self.untouched.clone();
        let (page, report) = self.filter()?;
        guarded("output", || {
            let output = &chain.output;
            Filtered {
                content: match output.format {
                    Format::Html => output::html(&page, output, untouched.as_ref()),
                    Format::Text => output::text(&page, output),
                },
                format: output.format,
                csp: csp_change(output),
                metadata: page.metadata.clone(),
                report,
            }
        })
    }

    fn finish_as_extract(self) -> Result<Extract, PageError> {
        let chain = Arc::clone(&self.chain);
        let (page, report) = self.filter()?;
        guarded("output", || Extract::of(&page, &chain.output, report))
    }

    /// The page as it was sent, laid out.
    fn parse(&mut self) -> Result<Page, PageError> {
        let chain = Arc::clone(&self.chain);
        let clock = CpuClock::start();
        let parser = self.parser.take().ok_or(PANICKED_PARSER)?;
        let url = self.url.clone();
        let mut page = guarded("parser", || {
            let document = parser.finish()?;
            Page::new(document, &url, chain.scripting, chain.limits.depth)
        })??;
        self.spend(&clock)?;
        page.domain = self.domain.take();
        Ok(page)
    }

    fn filter(mut self) -> Result<(Page, Report), PageError> {
        let chain = Arc::clone(&self.chain);
        let mut page = self.parse()?;
        let clock = CpuClock::start();
        let found = guarded("metadata", || metadata::read(&page))?;
        page = guarded("structured_text", || {
            chain.with_structured_text(page, found.hidden_text)
        })??;
        page.collect_links = chain.collect_links;
        page.headline = found.headline;
        page.metadata = found.metadata;
        let mut report = Report {
            text_before: page.chars(page.body()),
            ..Report::default()
        };
        self.spend(&clock)?;
        chain.check_page(&page, report.text_before)?;
        self.run_filters(&mut page, &mut report)?;
        report.text_after = page.chars(page.body());
        report.selected = page.main_block.is_some();
        chain.check_result(&report)?;
        if chain.output.format == Format::Html {
            let clock = CpuClock::start();
            guarded("output", || output::prepare(&mut page, &chain.output))?;
            self.spend(&clock)?;
        }
        Ok((page, report))
    }

    fn run_filters(&mut self, page: &mut Page, report: &mut Report) -> Result<(), PageError> {
        let chain = Arc::clone(&self.chain);
        for filter in &chain.filters {
            let clock = CpuClock::start();
            report.filters.push(run_filter(filter.as_ref(), page)?);
            self.spend(&clock)?;
        }
        Ok(())
    }

    /// The filters before the choice of the main block.
    fn run_cleaning(&mut self, page: &mut Page) -> Result<(), PageError> {
        let chain = Arc::clone(&self.chain);
        let cleaning = chain
            .filters
            .iter()
            .take_while(|filter| filter.name() != "main_block");
        for filter in cleaning {
            let clock = CpuClock::start();
            run_filter(filter.as_ref(), page)?;
            self.spend(&clock)?;
        }
        Ok(())
    }

    fn spend(&mut self, clock: &CpuClock) -> Result<(), PageError> {
        self.spent += clock.elapsed();
        let limit = self.chain.limits.cpu;
        if self.spent > limit {
            return Err(PageError::OutOfTime {
                limit_ms: limit.as_millis(),
            });
        }
        Ok(())
    }
}

/// Visible characters below which a page has next to no text of its own: the default of `floor.page_chars`, where a page is
/// taken to be drawn by its scripts. Higher: text of the JSON-LD is shown beside the page's own, and says it twice.
const LITTLE_TEXT: usize = 200;

const PANICKED_PARSER: PageError = PageError::Panicked { place: "parser" };

impl Chain {
    /// A page with next to no text of its own, and its article in its JSON-LD: the article is put into the page. The headline
    /// was found in the page as it was, and stays where it is: rows are only added after it.
    fn with_structured_text(&self, page: Page, hidden: HiddenText) -> Result<Page, PageError> {
        let paragraphs = match self.floor.structured_text {
            StructuredText::Off => return Ok(page),
            _ if hidden.is_article() => hidden.article,
            StructuredText::Article => return Ok(page),
            StructuredText::Any => hidden.description,
        };
        if paragraphs.is_empty() || page.chars(page.body()) >= LITTLE_TEXT {
            return Ok(page);
        }
        page.with_article(&paragraphs, self.scripting, self.limits.depth)
    }

    /// A page that only leads on must lead on; a page whose scripts would draw it is no use without them, and one without any
    /// text has nothing to choose from.
    fn check_page(&self, page: &Page, chars: usize) -> Result<(), PageError> {
        if page.about(Tag::Meta).any(|meta| is_redirect(page, meta)) {
            return Err(PageError::Redirect);
        }
        let has_scripts = || {
            page.live(NodeId::DOCUMENT)
                .any(|id| page.tag(id) == Some(Tag::Script))
        };
        let is_drawn = !self.scripting && chars < self.floor.page_chars && has_scripts();
        if is_drawn || chars == 0 && self.floor.page_chars > 0 {
            return Err(PageError::LittleText { chars });
        }
        Ok(())
    }

    fn check_result(&self, report: &Report) -> Result<(), PageError> {
        let needed = self.floor.kept_chars.min(report.text_before);
        if report.text_after < needed || report.kept_share() < self.floor.kept_share {
            return Err(PageError::KeptTooLittle {
                chars: report.text_after,
                of: report.text_before,
            });
        }
        Ok(())
    }
}

/// `<meta http-equiv="refresh" content="0; url=…">`, unless it is for readers without scripts only.
fn is_redirect(page: &Page, meta: NodeId) -> bool {
    page.attribute(meta, &local_name!("http-equiv"))
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh"))
        && page
            .attribute(meta, &local_name!("content"))
            .is_some_and(|content| content.to_ascii_lowercase().contains("url"))
        && !page
            .ancestors(meta)
            .any(|up| page.tag(up) == Some(Tag::Noscript))
}

fn run_filter(filter: &dyn Filter, page: &mut Page) -> Result<FilterReport, PageError> {
    let start = Instant::now();
    page.removals = Removals::default();
    let note = guarded(filter.name(), || filter.apply(page))?;
    Ok(FilterReport {
        filter: filter.name(),
        removed: page.removals.nodes,
        removed_chars: page.removals.chars,
        note,
        elapsed: start.elapsed(),
    })
}

/// Turns a panic into an error. The page is given up afterwards, so a half-edited one is never seen.
fn guarded<T>(place: &'static str, work: impl FnOnce() -> T) -> Result<T, PageError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| PageError::Panicked { place })
}

/// Where the next piece ends: at most [`PIECE`] bytes, on a character boundary.
fn piece_end(text: &str) -> usize {
    text.floor_char_boundary(PIECE.min(text.len()))
}

fn csp_change(output: &output::Settings) -> CspChange {
    match (output.format, output.style) {
        (Format::Html, Style::Reader) => CspChange::Replace(output::READER_CSP),
        (Format::Html, Style::Original) => CspChange::AllowStyle(output::ORIGINAL_STYLE_SOURCE),
        (Format::Text, _) => CspChange::Keep,
    }
}

fn check(config: &ChainConfig) -> Result<(), ConfigError> {
    for (at, name) in config.order.iter().enumerate() {
        if config.order[..at].contains(name) {
            return Err(ConfigError::new(
                "order",
                format!(
                    "`{}` is named twice; expected each filter once at most",
                    name.as_str()
                ),
            ));
        }
    }
    let retainer = FilterName::RemovedLinks;
    if config.order.contains(&retainer) && config.order.last() != Some(&retainer) {
        return Err(ConfigError::new(
            "order",
            "removed_links lists what the filters before it removed; expected it to be the last",
        ));
    }
    let share = config.floor.kept_share;
    if !(0.0..=1.0).contains(&share) {
        return Err(ConfigError::new(
            "floor.kept_share",
            format!("{share} is out of range; expected 0 to 1"),
        ));
    }
    config.genre.check()?;
    config.link_lists.check()?;
    config.link_quota.check("link_quota")?;
    config.main_block.check()?;
    config.captions.check()?;
    config.output.check()
}

/// The list of filters.
fn build(
    config: &ChainConfig,
    name: FilterName,
    ad_servers: &mut Option<HostList>,
) -> Result<Box<dyn Filter>, ConfigError> {
    Ok(match name {
        FilterName::LazyImages => Box::new(LazyImages),
        FilterName::Ignore => Box::new(Ignore::new(&config.ignore)),
        FilterName::Genre => Box::new(GenreFilter {
            settings: config.genre.clone(),
        }),
        FilterName::AdServers => Box::new(AdServers::new(
            &config.ad_servers,
            ad_servers.take().unwrap_or_default(),
        )?),
        FilterName::LinkLists => Box::new(LinkLists {
            settings: config.link_lists.clone(),
        }),
        FilterName::LinkQuota => Box::new(LinkQuota {
            settings: config.link_quota.clone(),
        }),
        FilterName::EmptyTables => Box::new(EmptyTables::new(&config.empty_tables)?),
        FilterName::MainBlock => Box::new(MainBlock {
            settings: config.main_block.clone(),
        }),
        FilterName::Captions => Box::new(Captions::new(&config.captions)),
        FilterName::RemovedLinks => Box::new(RemovedLinks {
            settings: config.removed_links.clone(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panics;

    impl Filter for Panics {
        fn name(&self) -> &'static str {
            "panics"
        }

        fn apply(&self, _page: &mut Page) -> Option<String> {
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

    #[test]
    fn a_filter_named_twice_is_refused() {
        let config = ChainConfig {
            order: vec![FilterName::Ignore, FilterName::Ignore],
            ..ChainConfig::default()
        };
        let error = chain(&config).err().unwrap();
        assert_eq!(error.key, "order");
        assert!(error.problem.contains("twice"), "{error}");
    }

    #[test]
    fn a_retainer_before_a_remover_is_refused() {
        let config = ChainConfig {
            order: vec![FilterName::RemovedLinks, FilterName::LinkLists],
            ..ChainConfig::default()
        };
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
        assert_eq!(
            with(|c| c.main_block.min_share = 1.5),
            "main_block.min_share"
        );
        assert_eq!(with(|c| c.main_block.cnr.top = 0), "main_block.cnr.top");
        assert_eq!(
            with(|c| c.output.max_line_breaks = 0),
            "output.max_line_breaks"
        );
        assert_eq!(with(|c| c.floor.kept_share = -0.1), "floor.kept_share");
        assert_eq!(
            with(|c| c.empty_tables.substance = vec!["imgg".to_owned()]),
            "empty_tables.substance"
        );
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
