//! A page on its way through the chain: parsed as it arrives, filtered and written at its end.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use encoding_rs::Encoding;
use url::Url;

use super::{
    Chain, CspChange, Explanation, Filtered,
    trace::{self, Trace},
};
use crate::{
    analysis::AnalysedPage,
    domain::{self, Domain},
    error::PageError,
    extract::Extract,
    filter::{Filter, unseen},
    html::budget::{Budget, CpuClock, Stop},
    html::{
        Page, page_encoding,
        parse::{PIECE, Parser},
    },
    metadata::{self, HiddenText, Metadata},
    output::{
        self, Form, Format, LinkForm, Links, Part, ReaderLook, Shape, SharedAddresses, Surroundings, View,
        controls::{self, Bar},
        interface::Interface,
    },
    page_type,
    report::{FilterReport, Report},
};

/// What is known of a page beside its text and its address, and wished of it.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// Where the page can be had without our changes; the rewritten page links to it.
    pub bypass_link: Option<Url>,
    /// Where other views of the page can be had; the rewritten page gets the bar of them.
    pub links: Option<Links>,
    /// How the reader page looks, instead of what the configuration says.
    pub look: Option<ReaderLook>,
    /// Whether the page is shown as a part of another one: the rewritten page has no head of ours.
    pub in_frame: bool,
    /// Whether its site encrypts it, and it is shown in clear: the bar says so, and a page with a field for a password warns.
    pub is_exposed: bool,
    /// Where the page is a later one of an article: its content alone is written, for [`Filtered::join`]. Pages of which nothing is
    /// chosen end in [`PageError::NoPart`], and so do all where the output is not the reader page.
    pub part: Option<Part>,
    /// Knowledge of other pages of the same domain: filters that compare pages make use of it, and [`Filtered::survey`] says what
    /// this one adds.
    pub domain: Option<Arc<Domain>>,
    /// Where its addresses lead, if not where the page says: the page is written from a list of what may be written, and runs
    /// nothing.
    pub addresses: Option<SharedAddresses>,
    /// Which part of a page in parts is written, from 1; 0 for that of the view.
    pub number: usize,
    /// How it is written, if not as the configuration says.
    pub form: Form,
    /// How links stand in an extract.
    pub links_as: LinkForm,
    /// Whether pictures are left out of an extract.
    pub without_images: bool,
    /// Whether text that the page hides from eyes is left out, however much that is.
    pub only_seen: bool,
    /// The encoding that the page came in, where it is not UTF-8: queries of its addresses and forms stay in it.
    pub encoding: Option<&'static Encoding>,
}

/// A page on its way. Lives on one thread.
pub struct PageFeed {
    /// `None` after it panicked.
    parser: Option<Parser>,
    chain: Arc<Chain>,
    url: Url,
    options: PageOptions,
    /// Whether the type of the page is asked for.
    wants_type: bool,
    /// CPU time so far.
    spent: Duration,
    /// Whether nobody waits for the page any longer.
    cancelled: Arc<AtomicBool>,
}

impl PageFeed {
    pub(super) fn new(chain: &Arc<Chain>, url: &Url, options: PageOptions) -> PageFeed {
        PageFeed {
            parser: Some(parser(chain)),
            chain: Arc::clone(chain),
            url: url.clone(),
            options,
            wants_type: chain.output.format == Format::Text,
            spent: Duration::ZERO,
            cancelled: Arc::default(),
        }
    }

    /// Gives the flag that says that nobody waits for the page any longer: once it is set, the work ends with
    /// [`PageError::Cancelled`], also in the middle of a filter.
    pub fn stop_when(&mut self, cancelled: Arc<AtomicBool>) {
        self.cancelled = cancelled;
    }

    /// Parses one more piece, of any size. The limits are checked every few kilobytes.
    pub fn feed(&mut self, text: &str) -> Result<(), PageError> {
        let mut rest = text;
        let mut clock = CpuClock::start();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_end(rest));
            rest = after;
            let parser = self.parser.as_mut().ok_or(PANICKED_PARSER)?;
            let fed = catch_unwind(AssertUnwindSafe(|| parser.feed(piece)));
            if !matches!(fed, Ok(Ok(()))) {
                self.parser = None;
            }
            fed.map_err(|_| PANICKED_PARSER)??;
            if clock.may_exceed(self.chain.limits.cpu.saturating_sub(self.spent)) {
                self.spend(&mut clock)?;
            }
        }
        self.spend(&mut clock)?;
        Ok(())
    }

    /// Bytes of memory that the page takes so far, a little more rather than less: for those who have many at once.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.parser.as_ref().map_or(0, Parser::memory)
    }

    /// Runs the filters and writes the page, in the form of its view.
    pub fn finish(mut self) -> Result<Filtered, PageError> {
        guarded("chain", || match self.shape() {
            _ if self.options.form == Form::Extract => self.write_extract(),
            Shape::Why | Shape::Json => self.write_explanation(),
            shape => self.write_page(shape),
        })?
    }

    /// Runs the filters and writes what a tool asks for.
    pub(super) fn finish_as<T>(
        mut self,
        write: impl FnOnce(&mut PageFeed) -> Result<T, PageError>,
    ) -> Result<T, PageError> {
        self.wants_type = true;
        guarded("chain", || write(&mut self))?
    }

    fn shape(&self) -> Shape {
        let shape = self.options.links.as_ref().map_or(Shape::Page, |links| links.view.shape);
        match shape {
            // What explains a page shows its own markup, which must not stand at another address than the page's.
            Shape::Why | Shape::Json if self.options.addresses.is_some() => Shape::Page,
            shape => shape,
        }
    }

    /// What stands around the page when it is written.
    fn surroundings<'a>(&'a self, page: &AnalysedPage, bar: Option<&'a Bar<'a>>) -> Surroundings<'a> {
        Surroundings {
            words: Interface::for_language(page.metadata.language.as_deref()),
            look: self.options.look.unwrap_or(self.chain.output.look),
            bypass_link: self.options.bypass_link.as_ref(),
            bar,
            in_frame: self.options.in_frame,
            addresses: self.options.addresses.as_deref(),
            number: match (self.options.number, &self.options.links) {
                (0, Some(links)) => links.view.part.into(),
                (number, _) => number,
            },
            warning: self.options.is_exposed.then(|| controls::exposure(page)),
        }
    }

    fn bar(&self, page: &AnalysedPage, report: &Report) -> Option<Bar<'_>> {
        self.options.links.as_ref().map(|links| self.chain.bar(links, page, report))
    }

    fn write_page(&mut self, shape: Shape) -> Result<Filtered, PageError> {
        let (mut page, report) = self.filter()?;
        let survey = page.survey.take();
        guarded("output", || {
            let output = &self.chain.output;
            let bar = self.bar(&page, &report);
            let around = self.surroundings(&page, bar.as_ref());
            let (mut format, mut csp) = (output.format, self.chain.csp_change());
            let written = match (&self.options.part, output.format) {
                (None, _) if self.options.form == Form::Chapter => output::chapter(&page, output, around),
                (Some(part), _) => output::part(&mut page, output, part).ok_or(PageError::NoPart)?,
                (None, Format::Html) => output::html(&page, output, around),
                (None, Format::Text) => {
                    let headline = output::lift_headline(&mut page, output);
                    let text = output::text(&page, output);
                    let content = if shape == Shape::Text {
                        // A browser shows bare text as wide as a desk and without a way back.
                        (format, csp) = (Format::Html, CspChange::Replace(output::READER_CSP));
                        output::text_page(&page, headline.as_deref(), &text, around)
                    } else {
                        output::below_headline(headline.as_deref(), text, output)
                    };
                    output::Written { content, next_page_link: None }
                }
            };
            Ok(Filtered {
                content: written.content,
                next_page_link: written.next_page_link,
                format,
                csp,
                policies: if matches!(csp, CspChange::Replace(_)) {
                    output::policies::from_page(&page)
                } else {
                    Vec::new()
                },
                metadata: page.metadata.clone(),
                report,
                encoding: self.options.encoding,
                extract: None,
                survey,
            })
        })?
    }

    /// Everything that is known about the page; its text as the content.
    fn write_extract(&mut self) -> Result<Filtered, PageError> {
        self.wants_type = true;
        let extract = self.extract()?;
        Ok(Filtered {
            content: extract.text.clone(),
            next_page_link: None,
            format: Format::Text,
            csp: CspChange::Keep,
            policies: Vec::new(),
            metadata: extract.metadata.clone(),
            report: extract.report.clone(),
            extract: Some(Box::new(extract)),
            survey: None,
            encoding: self.options.encoding,
        })
    }

    /// The page that explains the page, or the same as data.
    fn write_explanation(&mut self) -> Result<Filtered, PageError> {
        self.wants_type = true;
        let (explanation, metadata) = self.explain()?;
        let report = explanation.report.clone();
        let content = match self.shape() {
            Shape::Json => {
                serde_json::to_string_pretty(&explanation).map_err(|_| PageError::Panicked { place: "why" })?
            }
            _ => explanation.html,
        };
        let csp = CspChange::Replace(output::why::CSP);
        let (format, policies) = (Format::Html, Vec::new());
        Ok(Filtered {
            content,
            next_page_link: None,
            format,
            csp,
            policies,
            metadata,
            report,
            extract: None,
            survey: None,
            encoding: self.options.encoding,
        })
    }

    pub(super) fn explain(&mut self) -> Result<(Explanation, Metadata), PageError> {
        let (page, report) = self.run()?;
        let metadata = page.metadata.clone();
        let bar = self.bar(&page, &report);
        let around = Surroundings { in_frame: false, ..self.surroundings(&page, bar.as_ref()) };
        let explanation = guarded("why", || self.chain.explain(page, report, metadata.kind, around))?;
        Ok((explanation, metadata))
    }

    pub(super) fn extract(&mut self) -> Result<Extract, PageError> {
        let (mut page, report) = self.filter()?;
        let (links, without_images) = (self.options.links_as, self.options.without_images);
        guarded("output", || Extract::from_page(&mut page, &self.chain.output, report, links, without_images))
    }

    pub(super) fn trace(&mut self) -> Result<Trace, PageError> {
        let (mut page, report) = self.filter()?;
        let output = &self.chain.output;
        let clock = CpuClock::start();
        guarded("output", || output::prepare_text(&mut page, output))?;
        let text = guarded("output", || output::text(&page, output))?;
        let cpu = self.spent + clock.elapsed();
        let (texts, blocks) = guarded("trace", || (trace::texts(&page), trace::blocks(&page)))?;
        Ok(Trace { text, texts, blocks, title: page.metadata.title, report, cpu })
    }

    /// The page as it was sent, laid out.
    pub(super) fn parse(&mut self) -> Result<AnalysedPage, PageError> {
        let chain = Arc::clone(&self.chain);
        let mut clock = CpuClock::start();
        let parser = self.parser.take().ok_or(PANICKED_PARSER)?;
        let url = self.url.clone();
        let mut page = guarded("parser", || {
            let document = parser.finish()?;
            Page::new(document, &url, chain.scripting, chain.limits.depth).map(AnalysedPage::from)
        })??;
        self.spend(&mut clock)?;
        page.budget = Budget::new(chain.limits.cpu, self.spent, Arc::clone(&self.cancelled));
        page.domain = self.options.domain.take();
        if let Some(encoding) = self.options.encoding {
            page_encoding::keep_queries(&mut page, encoding);
        }
        Ok(page)
    }

    /// The page after all filters and the edits of its look, and what the filters did.
    fn filter(&mut self) -> Result<(AnalysedPage, Report), PageError> {
        let (mut page, report) = self.run()?;
        self.chain.check_result(&page, &report)?;
        let mut clock = CpuClock::start();
        guarded("output", || output::prepare(&mut page, &self.chain.output))?;
        self.spend(&mut clock)?;
        Ok((page, report))
    }

    /// The page after all filters as they left it, and what they did.
    fn run(&mut self) -> Result<(AnalysedPage, Report), PageError> {
        let chain = Arc::clone(&self.chain);
        let mut page = self.parse()?;
        let mut clock = CpuClock::start();
        if self.options.links.as_ref().is_some_and(|links| links.view != View::default()) {
            output::keep_address(&mut page);
        }
        if self.options.only_seen {
            guarded("unseen", || unseen::drop_unseen(&mut page))?;
        }
        if page.domain.is_some() {
            page.survey = Some(guarded("survey", || domain::survey(&page))?);
        }
        let mut found = guarded("metadata", || metadata::read(&page))?;
        if self.wants_type {
            found.metadata.kind = guarded("kind", || page_type::classify(&page, found.claims.clone()))?;
        }
        // What a page tells search engines is not what it shows.
        let told = if self.options.only_seen { HiddenText::default() } else { found.hidden_text };
        let whole = guarded("structured_text", || chain.with_structured_text(page.page, told))??;
        let mut page = AnalysedPage { page: whole, metadata: found.metadata, claims: found.claims, ..page };
        page.removals.collects_links = chain.collect_links;
        page.has_bar = self.options.links.is_some();
        page.headline = found.headline;
        let mut report = Report { text_before: page.chars(page.body()), ..Report::default() };
        self.spend(&mut clock)?;
        chain.check_page(&page, report.text_before)?;
        self.run_filters(&mut page, &mut report)?;
        report.text_after = page.chars(page.body());
        report.selected = page.outcome.main_block.is_some();
        report.links = page.removed_link_count;
        report.confidence = page.outcome.confidence;
        Ok((page, report))
    }

    fn run_filters(&mut self, page: &mut AnalysedPage, report: &mut Report) -> Result<(), PageError> {
        let chain = Arc::clone(&self.chain);
        let mut clock = CpuClock::start();
        for filter in &chain.filters {
            let mut done = run_filter(filter.as_ref(), page)?;
            done.cpu = self.spend(&mut clock)?;
            report.filters.push(done);
        }
        Ok(())
    }

    /// The filters of these names.
    pub(super) fn run_some(
        &mut self,
        page: &mut AnalysedPage,
        mut wanted: impl FnMut(&'static str) -> bool,
    ) -> Result<(), PageError> {
        let chain = Arc::clone(&self.chain);
        let mut clock = CpuClock::start();
        for filter in chain.filters.iter().filter(|filter| wanted(filter.name())) {
            run_filter(filter.as_ref(), page)?;
            self.spend(&mut clock)?;
        }
        Ok(())
    }

    /// Charges the page for the time since the last lap, and says how much that was.
    fn spend(&mut self, clock: &mut CpuClock) -> Result<Duration, PageError> {
        if self.cancelled.load(Relaxed) {
            return Err(PageError::Cancelled);
        }
        let lap = clock.lap();
        self.spent += lap;
        let limit = self.chain.limits.cpu;
        if self.spent > limit {
            return Err(out_of_time(limit));
        }
        Ok(lap)
    }
}

fn parser(chain: &Chain) -> Parser {
    let parser = Parser::new(chain.scripting, chain.limits.depth, chain.limits.nodes);
    if chain.script_text { parser } else { parser.without_script_text() }
}

const PANICKED_PARSER: PageError = PageError::Panicked { place: "parser" };

fn run_filter(filter: &dyn Filter, page: &mut AnalysedPage) -> Result<FilterReport, PageError> {
    (page.removals.nodes, page.removals.chars) = (0, 0);
    let note = guarded(filter.name(), || filter.apply(page))?;
    Ok(FilterReport {
        filter: filter.name(),
        removed: page.removals.nodes,
        removed_chars: page.removals.chars,
        note,
        cpu: Duration::ZERO,
    })
}

/// Turns a panic, and the end of a page's time, into an error. The page is given up afterwards, so a half-edited one is
/// never seen.
pub(super) fn guarded<T>(place: &'static str, work: impl FnOnce() -> T) -> Result<T, PageError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|thrown| match thrown.downcast_ref() {
        Some(Stop::OutOfTime { limit }) => out_of_time(*limit),
        Some(Stop::Cancelled) => PageError::Cancelled,
        None => PageError::Panicked { place },
    })
}

fn out_of_time(limit: Duration) -> PageError {
    PageError::OutOfTime { limit_ms: limit.as_millis() }
}

/// Where the next piece ends: at most [`PIECE`] bytes, on a character boundary.
fn piece_end(text: &str) -> usize {
    text.floor_char_boundary(PIECE.min(text.len()))
}
