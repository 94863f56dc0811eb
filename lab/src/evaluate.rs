//! `evaluate`: how much of the main content the chain keeps, on pages whose main content is known.
//!
//! The data set is a folder in the layout of WCXB (Foley, 2026): `html/*.html.gz` and `ground-truth/*.json`. The measure is
//! word F1: the harmonic mean of precision and recall over the bags of lower-case words of the kept text and of the
//! reference, averaged over pages. A page on which the chain gives up counts with the text of the whole page, because
//! that is what its reader gets; with `--bare`, which measures an algorithm by itself, a page without an answer counts
//! as empty.
//!
//! Several algorithms are compared page by page: the mean of the differences to the first one and its standard error.
//!
//! A page of the set that cannot be read is named, counted and left out; the rest is measured, and the exit code tells.

mod align;
mod contestant;
mod nodes;
mod plot;
mod report;
mod score;
mod sums;
mod table;

use std::{
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    num::NonZero,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use gleaner::{
    LoadedConfig,
    offline::{Progress, chains, parallel},
};

use contestant::Contestant;
use plot::{DialPoint, Point};
use score::PageScores;
use sums::{Means, Sums, pages_of_type};

use crate::dataset::{self, Pair, Sample, Unread};

const HELP: &str = "\
What is measured:
  F1, precision, recall   over the words (lower-case runs of letters, digits and _) of the kept text and of the
                          reference, as bags; a mean over the pages, 0 to 1
  nodes P, R              precision and recall over text nodes, each counting one. A text node belongs to the reference
                          if at least half of its words are aligned with it in order; pages whose reference is not to be
                          found in their text nodes (less than 90 % of its words) are left out
  text P, R               the same, each node counting its words
  with, without           share of the snippets that must be there, and of those that must not, found in the kept text
  title                   share of the known titles that was found: word F1 of 0.5 or more
  harmed                  pages with a recall under 0.5, but for those without a word of reference
  empty, failed           pages with no word left; pages on which nothing came out
  to first (s.e.)         mean of the pages' differences in F1 to the first algorithm, and its standard error, clustered
                          by domain
  CPU, choice             processor time of a page in milliseconds: parsing, filters, writing its text; and what of it,
                          of one chain, the choice of the main block took; means

The text is that of `gleaner extract --format text`. Pages of the data set that cannot be read are named and counted
below the tables, are in no mean, and make the exit code 1.

Examples:
  gleaner-lab evaluate DEV                                             the configured chain, by page type
  gleaner-lab evaluate DEV --bare --main-block cnr,core_ex,link_quota  algorithms by themselves, side by side
  gleaner-lab evaluate DEV --every 10 --worst 5 --html report.html     a quick look, with the worst pages to look at";

/// Arguments of `evaluate`.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{}\n\n{HELP}", chains::help()))]
pub(crate) struct Args {
    /// Folder of the data set: pages in `html/ID.html.gz`, what should be kept of them in `ground-truth/ID.json`
    dataset: PathBuf,
    /// Settings laid over the configuration's `filters:` section, as YAML: `{link_lists: {enabled: true}}`
    #[arg(long, value_name = "YAML")]
    filters: Option<String>,
    /// Algorithms to run side by side, by name (see below); `none`, `crunch` and
    /// `crunch_any` are chains without a choice; `all` is every one
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    main_block: Vec<String>,
    /// One more chain to run side by side: a name and settings laid over, `dial=main_block: {cnr: {dial: 0.5}}`
    #[arg(long, value_name = "NAME=YAML")]
    variant: Vec<String>,
    /// Run CNR at 21 settings of its dial too, from -1 to 1
    #[arg(long)]
    dial: bool,
    /// Run only `ignore` before the algorithm, without floor and headline: the algorithm by itself
    #[arg(long)]
    bare: bool,
    /// Evaluate every N-th page only
    #[arg(long, value_name = "N", default_value = "1", value_parser = one_or_more)]
    every: NonZero<usize>,
    /// List the N pages with the lowest F1 of each algorithm, and show them in the report
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// Write every page's scores to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a report to this file: tables, plots, and the worst pages as outlines and word by word (with --worst)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write plots to this folder: `recall-precision.svg`, and with --dial `cnr-dial.svg`
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

/// The results of a measurement.
struct Results {
    contestants: Vec<Contestant>,
    /// The pages that could be read, in the order of their names.
    pairs: Vec<Pair>,
    /// Their scores.
    pages: Vec<PageScores>,
    unread: Vec<Unread>,
    /// Longest page that is read.
    max_bytes: usize,
}

/// Evaluates the chain of the configuration, or the algorithms that were named, and prints a table.
pub(crate) fn run(args: &Args, loaded: &LoadedConfig) -> anyhow::Result<()> {
    let contestants = contestant::all(args, loaded)?;
    let pairs = dataset::pairs(&args.dataset, args.every)?;
    // Minutes of work must not end in a folder that is not there.
    for file in args.json.iter().chain(&args.html) {
        check_place(file)?;
    }
    let results = Results::new(pairs, contestants, loaded.config.rewrite.max_html_bytes)?;
    if !results.pages.is_empty() {
        io::stdout().write_all(results.tables(args.worst).as_bytes())?;
        results.write(args)?;
    }
    match results.unread.len() {
        0 => Ok(()),
        count => {
            let of = count + results.pages.len();
            bail!("{count} of {of} pages of the data set could not be read")
        }
    }
}

impl Results {
    fn new(pairs: Vec<Pair>, contestants: Vec<Contestant>, max_bytes: usize) -> anyhow::Result<Results> {
        let mut progress = Progress::new(Some(pairs.len()), true);
        let mut results =
            Results { contestants: Vec::new(), pairs: Vec::new(), pages: Vec::new(), unread: Vec::new(), max_bytes };
        parallel::in_order(
            pairs.into_iter(),
            |pair| {
                let sample = Sample::read(&pair, max_bytes);
                let scores = sample.map(|sample| score::page(&sample, &contestants));
                (pair, scores)
            },
            |(pair, scores)| {
                progress.page();
                match scores {
                    Ok(scores) => {
                        results.pages.push(scores);
                        results.pairs.push(pair);
                    }
                    Err(unread) => {
                        progress.clear();
                        eprintln!("{unread}");
                        results.unread.push(unread);
                    }
                }
                anyhow::Ok(())
            },
        )?;
        progress.clear();
        results.contestants = contestants;
        Ok(results)
    }

    fn names(&self) -> Vec<String> {
        let names = self.contestants.iter();
        names.map(|contestant| contestant.name.clone()).collect()
    }

    fn tables(&self, worst: usize) -> String {
        let mut out = if self.contestants.len() == 1 {
            table::by_type(&self.pages)
        } else {
            table::side_by_side(&self.pages, &self.names())
        };
        out += &table::worst(&self.pages, &self.contestants, worst);
        if !self.unread.is_empty() {
            let count = self.unread.len();
            let _ = writeln!(
                out,
                "\nFailed: {count} pages of the data set could not be read (named on standard error); they are in no mean"
            );
        }
        out
    }

    /// Writes the files that were asked for.
    fn write(&self, args: &Args) -> anyhow::Result<()> {
        if let Some(file) = &args.json {
            let mut json = serde_json::to_vec(&serde_json::json!({
                "algorithms": self.names(),
                "pages": self.pages,
                "unread": self.unread,
            }))?;
            json.push(b'\n');
            write(file, json)?;
        }
        let plots = self.plots();
        if let Some(folder) = &args.plots {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            for (name, plot) in &plots {
                write(&folder.join(name), plot)?;
            }
        }
        if let Some(file) = &args.html {
            let plots: Vec<String> = plots.into_iter().map(|(_, plot)| plot).collect();
            write(file, report::page(self, &plots, args.worst))?;
        }
        Ok(())
    }

    /// The plots with their files' names.
    fn plots(&self) -> Vec<(&'static str, String)> {
        let all = pages_of_type(&self.pages, None);
        let (mut points, mut dial) = (Vec::new(), Vec::new());
        for (number, contestant) in self.contestants.iter().enumerate() {
            let Means { precision, recall, f1, .. } = Sums::from_pages(&all, number).means();
            match contestant.dial {
                Some(at) => dial.push(DialPoint { dial: at, precision, recall, f1 }),
                None => points.push(Point { name: contestant.name.clone(), precision, recall, f1 }),
            }
        }
        let mut plots = vec![("recall-precision.svg", plot::recall_precision(&points, &dial))];
        if !dial.is_empty() {
            plots.push(("cnr-dial.svg", plot::dial(&dial)));
        }
        plots
    }
}

/// Whether a file can be written there, as far as its folder tells.
fn check_place(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    if folder.is_some_and(|folder| !folder.is_dir()) || file.is_dir() {
        bail!("cannot write {}: it is a folder, or its folder is not there", file.display());
    }
    Ok(())
}

fn write(file: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    fs::write(file, content).with_context(|| format!("cannot write {}", file.display()))
}

/// A number of at least 1, or what was expected.
fn one_or_more(text: &str) -> Result<NonZero<usize>, &'static str> {
    text.parse().map_err(|_| "expected a whole number, 1 or more")
}
