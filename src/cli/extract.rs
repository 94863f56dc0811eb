//! `gleaner extract`: the chain over files, without the proxy.
//!
//! A page on which the chain gives up because too little would be left comes out as it was: byte for byte as HTML, with
//! all its text as text. What cannot be read or parsed is an error of that file alone.

mod record;

use std::{
    ffi::OsStr,
    fs,
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use clap::ValueEnum;
use gleaner::Config;
use gleaner_filters::{
    Chain, ChainConfig, ConfigError, Domain, Extract, FilterName, Floor, PageError, StructuredText,
    Survey, Trace, output,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use url::Url;

use record::Record;

use super::{
    EX_DATAERR, EX_IOERR, EX_USAGE, Failure, exit_code,
    input::{self, page_address},
    named_chain,
    overlay::Overlay,
    page_failure, parallel,
};

/// Arguments of `gleaner extract`.
#[derive(Debug, clap::Args)]
#[command(after_help = named_chain::help())]
pub(super) struct Args {
    /// Pages to read, plain or .gz; `-` or none is standard input
    files: Vec<PathBuf>,
    /// What is written
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
    /// How the main content is chosen, instead of the configuration's `main_block`: `cnr`, `core_ex`, …, or `none`
    #[arg(long, value_name = "NAME")]
    main_block: Option<String>,
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

/// What `extract` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The rewritten page
    Html,
    /// Its text
    Text,
    /// Its text as Markdown
    Markdown,
    /// An object with all of them, and title, author, date, language, site, links, images and the report
    Json,
}

/// One page to read.
#[derive(Debug)]
struct Task {
    /// `-` is standard input; a line of the list that cannot be read is called by its number.
    file: PathBuf,
    /// An error where the list has something else there.
    url: anyhow::Result<Option<Url>>,
}

impl Format {
    /// What the configuration asks for.
    fn configured(filters: &ChainConfig) -> Format {
        match filters.output.format {
            output::Format::Html => Format::Html,
            output::Format::Text => Format::Text,
        }
    }
}

impl Task {
    /// Its own address, or that of its file.
    fn address(&self) -> Url {
        let given = self.url.as_ref().ok().cloned().flatten();
        given.unwrap_or_else(|| address_of(&self.file))
    }
}

/// Extracts every page; an error at the end if any failed.
pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<()> {
    let filters = args.overlay.over(&config.filters)?;
    let filters = named_chain::or_configured(&filters, args.main_block.as_deref())?;
    let format = args.format.unwrap_or(Format::configured(&filters));
    let mut extractor = Extractor::with_filters(config, &filters)?;
    if args.url.is_some() && args.files.len() > 1 {
        let message = format!(
            "--url is the address of one page, but {} files are named",
            args.files.len()
        );
        return Err(Failure::error(EX_USAGE, message));
    }
    let mut tasks = tasks(args)?;
    if args.same_site {
        tasks = extractor.learn(tasks)?;
    }
    let bar = progress_bar(args);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut pages, mut failed) = (0usize, 0usize);
    let mut first_code = None;
    parallel::in_order(
        tasks,
        |task| {
            let file = name(&task.file);
            (extractor.extract(task), file)
        },
        |(record, file)| {
            bar.inc(1);
            pages += 1;
            if let Err(error) = &record {
                failed += 1;
                first_code.get_or_insert_with(|| exit_code(error));
                if !args.jsonl {
                    bar.suspend(|| eprintln!("gleaner: {file}: {error:#}"));
                }
            }
            if let Ok(page) = &record
                && page.extract.text.trim().is_empty()
                && matches!(format, Format::Text | Format::Markdown)
                && !args.jsonl
            {
                bar.suspend(|| eprintln!("gleaner: {file}: the page has no text"));
            }
            write_record(format, args.jsonl, &mut out, file, record)
        },
    )?;
    out.flush()?;
    bar.finish_and_clear();
    match first_code.filter(|_| !args.jsonl) {
        Some(code) => {
            let message = format!("{failed} of {pages} pages could not be extracted");
            Err(Failure::error(code, message))
        }
        None => Ok(()),
    }
}

fn write_record(
    format: Format,
    jsonl: bool,
    out: &mut impl Write,
    file: String,
    page: anyhow::Result<Page>,
) -> io::Result<()> {
    let page = match page {
        Ok(page) => page,
        Err(error) if jsonl => {
            let error = format!("{error:#}");
            return write_json(out, &Record::Error { file, error });
        }
        Err(_) => return Ok(()),
    };
    match format {
        Format::Html if !jsonl => out.write_all(
            page.original
                .as_deref()
                .unwrap_or(page.extract.html.as_bytes()),
        ),
        Format::Text if !jsonl => out.write_all(page.extract.text.as_bytes()),
        Format::Markdown if !jsonl => out.write_all(page.extract.markdown.as_bytes()),
        _ => write_json(out, &Record::of(file, page)),
    }
}

fn write_json(out: &mut impl Write, record: &Record) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

type Tasks = Box<dyn Iterator<Item = Task> + Send>;

/// The pages that were asked for, read as they are needed: a list may be long.
fn tasks(args: &Args) -> anyhow::Result<Tasks> {
    let Some(list) = &args.from_list else {
        let mut files = args.files.clone();
        if files.is_empty() {
            files.push(PathBuf::from("-"));
        }
        let url = args.url.clone();
        return Ok(Box::new(files.into_iter().map(move |file| {
            let url = Ok(url.clone());
            Task { file, url }
        })));
    };
    let lines: Box<dyn BufRead + Send> = if list == OsStr::new("-") {
        Box::new(io::BufReader::new(io::stdin()))
    } else {
        let name = || list.display().to_string();
        if list.is_dir() {
            return Err(Failure::error(EX_IOERR, format!("{}: is a folder", name())));
        }
        let file = fs::File::open(list).with_context(name)?;
        Box::new(io::BufReader::new(file))
    };
    Ok(Box::new(lines.lines().enumerate().filter_map(
        |(index, line)| match line {
            Ok(line) if line.trim().is_empty() => None,
            Ok(line) => Some(task_of_line(&line)),
            Err(error) => Some(Task {
                file: format!("line {} of the list", index + 1).into(),
                url: Err(error.into()),
            }),
        },
    )))
}

fn task_of_line(line: &str) -> Task {
    let (file, url) = match line.split_once('\t') {
        Some((file, url)) => (file, Some(url.trim())),
        None => (line, None),
    };
    let url = url.filter(|url| !url.is_empty()).map(page_address);
    Task {
        file: PathBuf::from(file.trim_end_matches('\r')),
        url: url
            .transpose()
            .map_err(|problem| Failure::error(EX_DATAERR, problem)),
    }
}

fn name(file: &Path) -> String {
    file.display().to_string()
}

/// The chain of a configuration, and the road for pages on which it gives up.
pub(crate) struct Extractor {
    chain: Arc<Chain>,
    whole: Arc<Chain>,
    /// Longest page, as for the proxy.
    max_bytes: usize,
    /// What the pages have in common, where they are of one site.
    site: Option<Arc<Domain>>,
}

/// A page, extracted.
struct Page {
    /// What was extracted.
    extract: Extract,
    /// Why it is the whole page, if it is.
    passed: Option<PageError>,
    /// Its bytes, if it is.
    original: Option<Vec<u8>>,
}

impl Extractor {
    /// Builds the chain of `config` with these filter settings.
    pub(crate) fn with_filters(
        config: &Config,
        filters: &ChainConfig,
    ) -> Result<Extractor, ConfigError> {
        let build = |filters: &ChainConfig| {
            Chain::new(filters, config.page_limits(), config.ad_servers.clone()).map(Arc::new)
        };
        Ok(Extractor {
            chain: build(filters)?,
            whole: build(&cleaned_only(filters))?,
            max_bytes: config.rewrite.max_html_bytes,
            site: None,
        })
    }

    /// Learns what repeats on these pages, which are one site's. Those that cannot be read are told of when they are extracted.
    fn learn(&mut self, tasks: Tasks) -> anyhow::Result<Tasks> {
        let tasks: Vec<Task> = tasks.collect();
        let mut site = Domain::default();
        parallel::in_order(
            tasks.iter(),
            |task| {
                let html = input::decode(&input::read(&task.file)?);
                Ok(self.chain.survey(&html, &task.address())?)
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

    fn extract(&self, task: Task) -> anyhow::Result<Page> {
        let address = task.address();
        let given = task.url?;
        let bytes = input::read(&task.file)?;
        input::check_length(&bytes, self.max_bytes)?;
        let html = input::decode(&bytes);
        let mut page = self.page(&html, &address).map_err(page_failure)?;
        if page.passed.is_some() {
            page.extract.html = html;
            page.original = Some(bytes);
        } else if let Some(url) = &given {
            page.extract.html = with_base(page.extract.html, url);
        }
        Ok(page)
    }

    /// Runs the chain on a page.
    fn page(&self, html: &str, url: &Url) -> Result<Page, PageError> {
        let (extract, passed) = self.or_whole(|chain| match &self.site {
            Some(site) => chain.extract_knowing(html, url, Arc::clone(site)),
            None => chain.extract(html, url),
        })?;
        Ok(Page {
            extract,
            passed,
            original: None,
        })
    }

    /// Runs the chain on a page and tells what became of its texts, and why it is the whole page, if it is.
    pub(crate) fn trace(
        &self,
        html: &str,
        url: &Url,
    ) -> Result<(Trace, Option<PageError>), PageError> {
        self.or_whole(|chain| chain.trace(html, url))
    }

    fn or_whole<T>(
        &self,
        run: impl Fn(&Arc<Chain>) -> Result<T, PageError>,
    ) -> Result<(T, Option<PageError>), PageError> {
        match run(&self.chain) {
            Ok(done) => Ok((done, None)),
            Err(error @ (PageError::LittleText { .. } | PageError::KeptTooLittle { .. })) => {
                Ok((run(&self.whole)?, Some(error)))
            }
            Err(error) => Err(error),
        }
    }
}

/// Scripts and their like dropped, nothing else, and no floor.
fn cleaned_only(filters: &ChainConfig) -> ChainConfig {
    ChainConfig {
        order: vec![FilterName::LazyImages, FilterName::Ignore],
        floor: Floor {
            page_chars: 0,
            kept_share: 0.0,
            kept_chars: 0,
            structured_text: StructuredText::Any,
        },
        ignore: gleaner_filters::ignore::Settings::default(),
        ..filters.clone()
    }
}

/// Adds the address that relative links start at, so that a saved page still leads somewhere. A `<base>` of the page's
/// own wins where it is absolute, and is made so where it is not: of two, browsers take the first (HTML § 4.2.3).
pub(super) fn with_base(html: String, url: &Url) -> String {
    /// Both looks begin with it.
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
    let base = own
        .and_then(|own| url.join(&own).ok())
        .unwrap_or_else(|| url.clone());
    let Some(at) = html.find(START).map(|at| at + START.len()) else {
        return html;
    };
    let base = base.as_str().replace('&', "&amp;").replace('"', "&quot;");
    format!("{}{BASE}{base}\">{}", &html[..at], &html[at..])
}

/// Relative links of a file lead to the files beside it.
pub(super) fn address_of(file: &Path) -> Url {
    std::path::absolute(file)
        .ok()
        .and_then(|path| Url::from_file_path(path).ok())
        .unwrap_or_else(|| {
            Url::parse("about:blank").expect("the address is a constant and an address")
        })
}

/// A bar on standard error while it is a terminal and nothing else is written to it.
fn progress_bar(args: &Args) -> ProgressBar {
    let many = args.from_list.is_some() || args.files.len() > 1;
    if !many || !io::stderr().is_terminal() || (io::stdout().is_terminal()) {
        return ProgressBar::hidden();
    }
    let (length, template) = if args.from_list.is_some() {
        (None, "{spinner} {pos} pages, {per_sec}")
    } else {
        (
            Some(args.files.len() as u64),
            "{bar:40} {pos}/{len} pages, {eta} left",
        )
    };
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr()).with_style(style)
}
