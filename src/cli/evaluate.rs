//! `gleaner evaluate`: how much of the main content the chain keeps, on pages whose main content is known.
//!
//! The data set is a folder in the layout of WCXB (Foley, 2026): `html/*.html.gz` and `ground-truth/*.json`. The measure is
//! word F1: the harmonic mean of precision and recall over the bags of lower-case `\w+` words of the kept text and of the
//! reference, averaged over pages. A page on which the chain gives up counts with the text of the whole page, because
//! that is what its reader gets; with `--bare`, which measures an algorithm by itself, a page without an answer counts
//! as empty.
//!
//! Several algorithms are compared page by page: the mean of the differences to the first one and its standard error.

mod contestant;
mod score;
mod table;

use std::{
    fs,
    io::{BufWriter, Write as _},
    num::NonZero,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use gleaner::Config;
use indicatif::{ProgressBar, ProgressStyle};

use super::{EX_USAGE, Failure, parallel};
use score::PageScores;

/// Arguments of `gleaner evaluate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the data set: `html/*.html.gz` and `ground-truth/*.json`
    dataset: PathBuf,
    /// Settings laid over the configuration's `filters:` section, as YAML: `{link_lists: {ratio: 0.5}}`
    #[arg(long, value_name = "YAML")]
    filters: Option<String>,
    /// Algorithms to run side by side, by the names of `main_block.algorithm` and their variants; `none`, `crunch` and
    /// `crunch_any` are chains without a choice
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    main_block: Vec<String>,
    /// One more chain to run side by side: a name and settings laid over, `dial=main_block: {cnr: {dial: 0.5}}`
    #[arg(long, value_name = "NAME=YAML")]
    variant: Vec<String>,
    /// Run only `ignore` before the algorithm, without floor and headline
    #[arg(long)]
    bare: bool,
    /// Evaluate every N-th page only
    #[arg(long, value_name = "N", default_value = "1")]
    every: NonZero<usize>,
    /// List the N pages with the lowest F1 (of the first algorithm)
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// Write every page's scores to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Evaluates the chain of `config`, or the algorithms that were named, and prints a table.
pub(crate) fn run(args: &Args, config: &Config) -> anyhow::Result<()> {
    let contestants = contestant::all(args, config)
        .map_err(|error| Failure::error(EX_USAGE, format!("{error:#}")))?;
    let annotations = annotations(&args.dataset, args.every)?;
    let bar = progress_bar(annotations.len());
    let mut pages: Vec<PageScores> = Vec::with_capacity(annotations.len());
    parallel::in_order(
        annotations.into_iter(),
        |annotation| score::page(&annotation, &contestants),
        |page| {
            bar.inc(1);
            pages.push(page?);
            anyhow::Ok(())
        },
    )?;
    bar.finish_and_clear();
    let names: Vec<String> = contestants.into_iter().map(|c| c.name).collect();
    if names.len() == 1 {
        print!("{}", table::by_type(&pages));
    } else {
        print!("{}", table::side_by_side(&pages, &names));
    }
    print!("{}", table::worst(&pages, args.worst));
    match &args.json {
        Some(file) => write_json(file, &names, &pages),
        None => Ok(()),
    }
}

fn annotations(dataset: &Path, every: NonZero<usize>) -> anyhow::Result<Vec<PathBuf>> {
    let folder = dataset.join("ground-truth");
    let mut pages: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    pages.sort();
    let pages: Vec<PathBuf> = pages.into_iter().step_by(every.get()).collect();
    if pages.is_empty() {
        bail!("{} holds no *.json", folder.display());
    }
    Ok(pages)
}

/// `{"algorithms": [...], "pages": [{"id", "type", "scores": [one for each algorithm]}]}`.
fn write_json(file: &Path, names: &[String], pages: &[PageScores]) -> anyhow::Result<()> {
    let target =
        fs::File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut target = BufWriter::new(target);
    serde_json::to_writer(
        &mut target,
        &serde_json::json!({ "algorithms": names, "pages": pages }),
    )?;
    target.write_all(b"\n")?;
    target.flush().context("cannot write the results")
}

fn progress_bar(pages: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pages, {eta} left");
    ProgressBar::new(pages as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
