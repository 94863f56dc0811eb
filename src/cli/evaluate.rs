//! `gleaner evaluate`: how much of the main content the chain keeps, on pages whose main content is known.
//!
//! The data set is a folder in the layout of WCXB (Foley, 2026): `html/*.html.gz` and `ground-truth/*.json`. The measure is
//! word F1: the harmonic mean of precision and recall over the bags of lower-case `\w+` words of the kept text and of the
//! reference, averaged over pages. A page on which the chain gives up counts with the text of the whole page, because
//! that is what its reader gets; with `--bare`, which measures an algorithm by itself, a page without an answer counts
//! as empty.
//!
//! Several algorithms are compared page by page: the mean of the differences to the first one and its standard error.

mod align;
mod contestant;
mod dataset;
mod nodes;
mod plot;
mod report;
mod score;
mod sums;
mod table;

use std::{
    collections::HashMap,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
};

use anyhow::Context;
use gleaner::Config;
use indicatif::{ProgressBar, ProgressStyle};

use super::{EX_USAGE, Failure, parallel, say};
use contestant::Contestant;
use dataset::Sample;
use plot::{DialPoint, Point};
use score::PageScores;
use sums::{Means, Sums, of_type};

const HELP: &str = "\
What is measured:
  F1, precision, recall   over the words (lower-case runs of letters, digits and _) of the kept text and of the
                          reference, as bags; a mean over the pages
  nodes P, R              precision and recall over text nodes, each counting one. A text node belongs to the reference
                          if at least half of its words are aligned with it in order; pages whose reference is not to be
                          found in their text nodes (less than 90 % of its words) are left out
  with, without           share of the snippets that must be there, and of those that must not, found in the kept text
  title                   share of the known titles that was found: word F1 of 0.5 or more
  harmed                  pages with a recall under 0.5
  empty, failed           pages with no word left; pages on which nothing came out
  against first           mean of the pages' differences in F1 to the first algorithm, and its standard error, clustered
                          by domain
  ms                      CPU time of a page, parsing, filters and writing its text, a mean

The text is that of `gleaner extract --format text`.";

/// Arguments of `gleaner evaluate`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Folder of the data set: `html/*.html.gz` and `ground-truth/*.json`
    dataset: PathBuf,
    /// Settings laid over the configuration's `filters:` section, as YAML: `{link_lists: {ratio: 0.5}}`
    #[arg(long, value_name = "YAML")]
    filters: Option<String>,
    /// Algorithms to run side by side, by the names of `main_block.algorithm` and their variants; `none`, `crunch` and
    /// `crunch_any` are chains without a choice; `all` is every one
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    main_block: Vec<String>,
    /// One more chain to run side by side: a name and settings laid over, `dial=main_block: {cnr: {dial: 0.5}}`
    #[arg(long, value_name = "NAME=YAML")]
    variant: Vec<String>,
    /// Run CNR at 21 settings of its dial too, from -1 to 1
    #[arg(long)]
    dial: bool,
    /// Run only `ignore` before the algorithm, without floor and headline
    #[arg(long)]
    bare: bool,
    /// Evaluate every N-th page only
    #[arg(long, value_name = "N", default_value = "1")]
    every: NonZero<usize>,
    /// List the N pages with the lowest F1 (of the first algorithm), and show them in the report
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// Write every page's scores to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a report to this file: tables, plots, and the worst pages with what was kept beside what should have been
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write plots to this folder: `recall-precision.svg`, and with --dial `cnr-dial.svg`
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

/// Evaluates the chain of `config`, or the algorithms that were named, and prints a table.
pub(crate) fn run(args: &Args, config: &Config) -> anyhow::Result<()> {
    let contestants = contestant::all(args, config)
        .map_err(|error| Failure::error(EX_USAGE, format!("{error:#}")))?;
    let annotations = dataset::annotations(&args.dataset, args.every)?;
    let pages = scores(&annotations, &contestants)?;
    let names: Vec<String> = contestants.iter().map(|c| c.name.clone()).collect();
    let tables = if names.len() == 1 {
        table::by_type(&pages)
    } else {
        table::side_by_side(&pages, &names)
    };
    say(&(tables + &table::worst(&pages, args.worst)))?;
    if let Some(file) = &args.json {
        let mut json = serde_json::to_vec(&serde_json::json!({
            "algorithms": names,
            "pages": pages,
        }))?;
        json.push(b'\n');
        write(file, json)?;
    }
    let plots = plots(&contestants, &pages);
    if let Some(folder) = &args.plots {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        for (name, plot) in &plots {
            write(&folder.join(name), plot)?;
        }
    }
    if let Some(file) = &args.html {
        let worst = worst_pages(args, &annotations, &pages, &contestants[0])?;
        let plots: Vec<String> = plots.into_iter().map(|(_, plot)| plot).collect();
        write(file, report::page(&names, &pages, &plots, &worst))?;
    }
    Ok(())
}

fn scores(annotations: &[PathBuf], contestants: &[Contestant]) -> anyhow::Result<Vec<PageScores>> {
    let bar = progress_bar(annotations.len());
    let mut pages: Vec<PageScores> = Vec::with_capacity(annotations.len());
    parallel::in_order(
        annotations.iter(),
        |annotation| Ok(score::page(&Sample::read(annotation)?, contestants)),
        |page: anyhow::Result<PageScores>| {
            bar.inc(1);
            pages.push(page?);
            anyhow::Ok(())
        },
    )?;
    bar.finish_and_clear();
    Ok(pages)
}

/// The pages to look at are read and run once more: their texts are too large to keep for all.
fn worst_pages(
    args: &Args,
    annotations: &[PathBuf],
    pages: &[PageScores],
    first: &Contestant,
) -> anyhow::Result<Vec<report::WorstPage>> {
    let by_id: HashMap<&str, &PathBuf> = pages
        .iter()
        .map(|p| p.id.as_str())
        .zip(annotations)
        .collect();
    let mut worst = Vec::new();
    for scores in sums::worst(pages, args.worst) {
        let annotation = by_id
            .get(scores.id.as_str())
            .context("a page was scored that was not read")?;
        let sample = Sample::read(annotation)?;
        let trace = first.trace(&sample).ok().map(|(trace, _)| trace);
        worst.push(report::WorstPage::new(sample, trace, scores));
    }
    Ok(worst)
}

/// The plots with their files' names.
fn plots(contestants: &[Contestant], pages: &[PageScores]) -> Vec<(&'static str, String)> {
    let all = of_type(pages, None);
    let (mut points, mut dial) = (Vec::new(), Vec::new());
    for (number, contestant) in contestants.iter().enumerate() {
        let Means {
            precision,
            recall,
            f1,
            ..
        } = Sums::of(&all, number).means();
        match contestant.dial {
            Some(at) => dial.push(DialPoint {
                dial: at,
                precision,
                recall,
                f1,
            }),
            None => points.push(Point {
                name: contestant.name.clone(),
                precision,
                recall,
                f1,
            }),
        }
    }
    let mut plots = vec![(
        "recall-precision.svg",
        plot::recall_precision(&points, &dial),
    )];
    if !dial.is_empty() {
        plots.push(("cnr-dial.svg", plot::dial(&dial)));
    }
    plots
}

fn write(file: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    fs::write(file, content).with_context(|| format!("cannot write {}", file.display()))
}

fn progress_bar(pages: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pages, {eta} left");
    ProgressBar::new(pages as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
