//! `gleaner extract`: the chain over files, without the proxy.
//!
//! A page on which the chain gives up because too little would be left comes out as it was: byte for byte as HTML, with
//! all its text as text. What cannot be read or parsed is an error of that file alone.

mod extractor;
mod record;
mod tasks;

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use gleaner::{
    Config,
    offline::{Progress, chains, parallel},
};
use gleaner_filters::{ChainConfig, output};
use url::Url;

use extractor::{Extractor, Page};
use record::Record;

use super::{EX_USAGE, Failure, complain, exit_code, overlay::Overlay};

pub(super) use tasks::{address_of, page_address};

/// Arguments of `gleaner extract`.
#[derive(Debug, clap::Args)]
#[command(after_help = chains::help())]
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

impl Format {
    /// What the configuration asks for.
    fn configured(filters: &ChainConfig) -> Format {
        match filters.output.format {
            output::Format::Html => Format::Html,
            output::Format::Text => Format::Text,
        }
    }
}

/// Extracts every page; an error at the end if any failed.
pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<()> {
    let filters = args.overlay.over(&config.filters, args.main_block.as_deref())?;
    let format = args.format.unwrap_or(Format::configured(&filters));
    let mut extractor = Extractor::with_filters(config, &filters)?;
    if args.url.is_some() && args.files.len() > 1 {
        let message = format!("--url is the address of one page, but {} files are named", args.files.len());
        return Err(Failure::error(EX_USAGE, message));
    }
    let mut tasks = tasks::all(args)?;
    if args.same_site {
        tasks = extractor.learn(tasks)?;
    }
    let mut progress = progress(args);
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
            progress.page();
            pages += 1;
            if let Err(error) = &record {
                failed += 1;
                first_code.get_or_insert_with(|| exit_code(error));
                if !args.jsonl {
                    progress.clear();
                    complain(format_args!("{file}: {error:#}"));
                }
            }
            if let Ok(page) = &record
                && page.extract.text.trim().is_empty()
                && matches!(format, Format::Text | Format::Markdown)
                && !args.jsonl
            {
                progress.clear();
                complain(format_args!("{file}: the page has no text"));
            }
            write_record(format, args.jsonl, &mut out, file, record)
        },
    )?;
    out.flush()?;
    progress.clear();
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
        Format::Html if !jsonl => out.write_all(page.original.as_deref().unwrap_or(page.extract.html.as_bytes())),
        Format::Text if !jsonl => out.write_all(page.extract.text.as_bytes()),
        Format::Markdown if !jsonl => out.write_all(page.extract.markdown.as_bytes()),
        _ => write_json(out, &Record::of(file, page)),
    }
}

fn write_json(out: &mut impl Write, record: &Record) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

fn name(file: &Path) -> String {
    file.display().to_string()
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
    let base = own.and_then(|own| url.join(&own).ok()).unwrap_or_else(|| url.clone());
    let Some(at) = html.find(START).map(|at| at + START.len()) else {
        return html;
    };
    let base = base.as_str().replace('&', "&amp;").replace('"', "&quot;");
    format!("{}{BASE}{base}\">{}", &html[..at], &html[at..])
}

/// Shown while nothing else is written to the terminal.
fn progress(args: &Args) -> Progress {
    let is_list = args.from_list.is_some();
    let total = (!is_list).then_some(args.files.len());
    let is_many = is_list || args.files.len() > 1;
    Progress::new(total, is_many && !io::stdout().is_terminal())
}
