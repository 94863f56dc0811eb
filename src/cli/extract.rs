//! `gleaner extract`: the chain over files, without the proxy.
//!
//! A page on which the chain gives up because too little would be left comes out as it was: byte for byte as HTML, with
//! all its text as text. What cannot be read or parsed is an error of that file alone.

mod tasks;

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
    sync::Arc,
};

use anyhow::Context as _;
use clap::ValueEnum;
use gleaner_filters::{
    Addresses, Chain, ChainConfig, ConfigError, Domain, Extract, Filtered, PageError, Survey, output,
};
use serde::Serialize;
use serde_json::json;
use url::Url;

use self::tasks::{Task, Tasks};
pub(super) use self::tasks::{address_of, page_address};
use super::{EX_USAGE, Failure, complain, exit_code, overlay::Overlay, page_failure, printable};
use crate::{
    cli::offline::{
        Progress,
        chains::{self, WithFallback},
        input, parallel,
    },
    rewrite::epub::Book,
    state::loaded_config::LoadedConfig,
};

/// Arguments of `gleaner extract`.
#[derive(Debug, clap::Args)]
#[command(after_help = chains::help())]
pub(super) struct ExtractArgs {
    /// Pages to read, plain or .gz; `-` or none is standard input
    files: Vec<PathBuf>,
    /// Format of the output
    /// [default: what the configuration's `filters.output.format` says, html or text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Address of the page (one page only): its relative links become absolute, and rewritten HTML gets a `<base href>`,
    /// so that it works when saved. Without it they stay as the page wrote them
    #[arg(long, value_name = "URL", value_parser = page_address)]
    url: Option<Url>,
    /// Read the files' paths from this file, or `-` for standard input: one a line; a TAB and the page's address may
    /// follow
    #[arg(long, value_name = "LIST", conflicts_with_all = ["files", "url"])]
    from_list: Option<PathBuf>,
    #[command(flatten)]
    overlay: Overlay,
    /// The pages are of one site: read all of them first, so that what repeats on them is known (`link_quota.domain_strength`,
    /// `link_quota.image_lists_by_domain`)
    #[arg(long)]
    same_site: bool,
    /// Write one JSON object per file and line, in input order, whatever the format
    #[arg(long)]
    jsonl: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The rewritten page
    Html,
    /// Its text
    Text,
    /// Its text as Markdown
    Markdown,
    /// A book (EPUB 3) with a chapter for each page, without pictures
    Epub,
    /// An object with all of them, and title, author, date, language, site, links, images and the report
    Json,
}

/// Extracts every page; an error at the end if any failed.
pub(super) fn run(args: &ExtractArgs, loaded: &LoadedConfig) -> anyhow::Result<()> {
    let filters = args.overlay.over(&loaded.config.filters)?;
    let format = args.format.unwrap_or(match filters.output.format {
        output::Format::Html => Format::Html,
        output::Format::Text => Format::Text,
    });
    let mut extractor = Extractor::with_filters(loaded, &filters)?;
    if args.url.is_some() && args.files.len() > 1 {
        let problem = format!("--url is the address of one page, but {} files are named", args.files.len());
        return Err(Failure::error(EX_USAGE, problem));
    }
    let mut tasks = tasks::all(args)?;
    if args.same_site {
        tasks = extractor.learn(tasks)?;
    }
    if format == Format::Epub {
        return write_book(args, &extractor, tasks);
    }
    let mut progress = progress(args);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut pages, mut failed, mut first_code) = (0usize, 0usize, None);
    parallel::in_order(
        tasks,
        |task| {
            let file = task.file.display().to_string();
            (extractor.extract(task), file)
        },
        |(page, file)| {
            progress.page();
            pages += 1;
            let problem = match &page {
                Ok(page) => {
                    let is_text = matches!(format, Format::Text | Format::Markdown);
                    (is_text && page.extract.text.trim().is_empty()).then(|| "the page has no text".to_owned())
                }
                Err(error) => {
                    failed += 1;
                    first_code.get_or_insert_with(|| exit_code(error));
                    Some(format!("{error:#}"))
                }
            };
            if let Some(problem) = problem.filter(|_| !args.jsonl) {
                progress.clear();
                complain(format_args!("{file}: {problem}"));
            }
            write_record(format, args.jsonl, &mut out, file, page)
        },
    )?;
    out.flush()?;
    progress.clear();
    match first_code.filter(|_| !args.jsonl) {
        Some(code) => Err(Failure::error(code, format!("{failed} of {pages} pages could not be extracted"))),
        None => Ok(()),
    }
}

/// Writes all pages as one book.
fn write_book(args: &ExtractArgs, extractor: &Extractor, tasks: Tasks) -> anyhow::Result<()> {
    if args.jsonl {
        return Err(Failure::error(EX_USAGE, "--jsonl writes lines of text, and a book is none"));
    }
    if io::stdout().is_terminal() {
        return Err(Failure::error(EX_USAGE, "a book is no text for a terminal; `> book.epub` writes it to a file"));
    }
    let mut book = Book::default();
    for task in tasks {
        let file = task.file.display().to_string();
        let page = extractor.chapter(task).with_context(|| file)?;
        book.add(page.content, &page.metadata);
    }
    let mut out = io::stdout().lock();
    out.write_all(&book.write())?;
    Ok(out.flush()?)
}

/// The chain of a configuration, the limit on a page, and the statistics of its site.
struct Extractor {
    chain: WithFallback,
    /// Longest page, as for the proxy.
    max_bytes: usize,
    /// Knowledge of the pages' site, where they are of one.
    site: Option<Arc<Domain>>,
}

struct Page {
    extract: Extract,
    /// Why nothing was removed, where the chain gave up.
    passed: Option<PageError>,
    /// The page's bytes, where the chain gave up.
    original: Option<Vec<u8>>,
}

impl Extractor {
    /// Builds the chain of this configuration with these filter settings.
    fn with_filters(loaded: &LoadedConfig, filters: &ChainConfig) -> Result<Extractor, ConfigError> {
        Ok(Extractor {
            chain: WithFallback::new(loaded, filters)?,
            max_bytes: loaded.config.rewrite.max_html_bytes,
            site: None,
        })
    }

    /// Learns what repeats on these pages, which are one site's. Pages that cannot be read are reported when they are extracted.
    fn learn(&mut self, tasks: Tasks) -> anyhow::Result<Tasks> {
        let tasks: Vec<Task> = tasks.collect();
        let mut site = Domain::default();
        parallel::in_order(
            tasks.iter(),
            |task| {
                let html = input::decode(&input::read(&task.file, self.max_bytes)?);
                Ok(self.chain.chain.survey(&html, &task.address())?)
            },
            |survey: anyhow::Result<Survey>| {
                if let Ok(survey) = survey {
                    site.learn(&survey);
                }
                anyhow::Ok(())
            },
        )?;
        self.site = Some(Arc::new(site));
        Ok(Box::new(tasks.into_iter()))
    }

    fn chapter(&self, task: Task) -> anyhow::Result<Filtered> {
        let address = task.address();
        task.url?;
        let html = input::decode(&input::read(&task.file, self.max_bytes)?);
        let chapter = |chain: &Arc<Chain>| chain.chapter(&html, &address, Arc::new(OnTheWeb));
        Ok(self.chain.run(chapter).map_err(page_failure)?.0)
    }

    fn extract(&self, task: Task) -> anyhow::Result<Page> {
        let address = task.address();
        let given = task.url?;
        let bytes = input::read(&task.file, self.max_bytes)?;
        let html = input::decode(&bytes);
        let run = |chain: &Arc<Chain>| match &self.site {
            Some(site) => chain.extract_knowing(&html, &address, Arc::clone(site)),
            None => chain.extract(&html, &address),
        };
        let (mut extract, passed) = self.chain.run(run).map_err(page_failure)?;
        let original = passed.is_some().then_some(bytes);
        if original.is_some() {
            extract.html = html;
        } else if let Some(url) = &given {
            extract.html = with_base(extract.html, url);
        }
        Ok(Page { extract, passed, original })
    }
}

/// The addresses of a book: links lead to the web, pictures are left out.
#[derive(Debug)]
struct OnTheWeb;

impl Addresses for OnTheWeb {
    fn page(&self, url: &Url) -> String {
        url.to_string()
    }

    fn picture(&self, _url: &Url) -> Option<String> {
        None
    }

    fn form(&self, _action: &Url) -> Option<(String, (String, String))> {
        None
    }

    fn part(&self, _number: usize) -> String {
        String::new()
    }
}

/// A page as one line of `--jsonl`, and the object of `--format json`.
#[derive(Serialize)]
struct ExtractedRecord {
    file: String,
    #[serde(flatten)]
    extract: Extract,
    /// The chain's confidence in its choice, 0 to 1; `null` where its algorithm gives none.
    confidence: Option<f64>,
    /// Why nothing was selected or removed, where that is so.
    passed: Option<&'static str>,
}

fn write_record(
    format: Format,
    jsonl: bool,
    out: &mut impl Write,
    file: String,
    page: anyhow::Result<Page>,
) -> io::Result<()> {
    match (page, format) {
        (Ok(page), Format::Html) if !jsonl => {
            let html = page.original.as_deref().unwrap_or(page.extract.html.as_bytes());
            if io::stdout().is_terminal() {
                return out.write_all(printable(&String::from_utf8_lossy(html)).as_bytes());
            }
            return out.write_all(html);
        }
        (Ok(page), Format::Text) if !jsonl => return out.write_all(printable(&page.extract.text).as_bytes()),
        (Ok(page), Format::Markdown) if !jsonl => return out.write_all(printable(&page.extract.markdown).as_bytes()),
        (Ok(Page { extract, passed, .. }), _) => {
            let (confidence, passed) = (extract.report.confidence, passed.map(|error| error.reason()));
            write_json(out, &ExtractedRecord { file, extract, confidence, passed })?;
        }
        (Err(error), _) if jsonl => {
            write_json(out, &json!({ "file": file, "error": format!("{error:#}") }))?;
        }
        (Err(_), _) => return Ok(()),
    }
    out.write_all(b"\n")
}

fn write_json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut serde_json::Serializer::with_formatter(out, EscapedControls))?)
}

/// JSON whose strings have no control characters: DEL and C1 may stand in them as they are (RFC 8259 § 7), and terminals obey
/// C1.
struct EscapedControls;

impl serde_json::ser::Formatter for EscapedControls {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(char::is_control) {
            let (before, control) = rest.split_at(at);
            writer.write_all(before.as_bytes())?;
            let mut chars = control.chars();
            if let Some(control) = chars.next() {
                write!(writer, "\\u{:04x}", u32::from(control))?;
            }
            rest = chars.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Adds a `<base>` with the address of the page, so that the links of a saved page work. A `<base>` of the page's own is kept
/// where it is absolute, and resolved where it is not: of two, browsers take the first (HTML § 4.2.3).
pub(super) fn with_base(html: String, url: &Url) -> String {
    /// Both styles begin with it.
    const START: &str = "<meta charset=\"utf-8\">";
    const BASE: &str = "<base href=\"";
    let head = &html[..html.find("</head>").unwrap_or(html.len())];
    let own = head.find(BASE).and_then(|at| {
        let rest = &head[at + BASE.len()..];
        Some(rest[..rest.find('"')?].replace("&amp;", "&"))
    });
    if own.as_deref().is_some_and(|own| Url::parse(own).is_ok()) {
        return html;
    }
    let base = own.and_then(|own| url.join(&own).ok()).unwrap_or_else(|| url.clone());
    let Some(at) = html.find(START).map(|at| at + START.len()) else {
        return html;
    };
    let base = base.as_str().replace('&', "&amp;").replace('"', "&quot;");
    format!("{}{BASE}{base}\">{}", &html[..at], &html[at..])
}

/// Shown while nothing else is written to the terminal.
fn progress(args: &ExtractArgs) -> Progress {
    let is_list = args.from_list.is_some();
    let total = (!is_list).then_some(args.files.len());
    let is_many = is_list || args.files.len() > 1;
    Progress::new(total, is_many && !io::stdout().is_terminal())
}
