//! `gleaner evaluate`: how much of the main content the chain keeps, on pages whose main content is known.
//!
//! The data set is a folder in the layout of WCXB (Foley, 2026): `html/*.html.gz` and `ground-truth/*.json`. The measure is
//! word F1: the harmonic mean of precision and recall over the bags of lower-case `\w+` words of the kept text and of the
//! reference, averaged over pages. A page on which the chain gives up counts with the text of the whole page, because
//! that is what its reader gets.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    io::{self, Write as _},
    num::NonZero,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, bail};
use gleaner::Config;
use gleaner_filters::{ChainConfig, PageError};
use indicatif::{ProgressBar, ProgressStyle};
use regex::Regex;
use serde::Deserialize;
use url::Url;

use super::{
    EX_USAGE, Failure,
    extract::{self, Extractor},
    parallel,
};

/// Arguments of `gleaner evaluate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder of the data set: `html/*.html.gz` and `ground-truth/*.json`
    dataset: PathBuf,
    /// Settings laid over the configuration's `filters:` section, as YAML: `{link_lists: {ratio: 0.5}}`
    #[arg(long, value_name = "YAML")]
    filters: Option<String>,
    /// Evaluate every N-th page only
    #[arg(long, value_name = "N", default_value = "1")]
    every: NonZero<usize>,
    /// List the N pages with the lowest F1
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
}

/// One page's result.
struct Score {
    id: String,
    page_type: String,
    precision: f64,
    recall: f64,
    f1: f64,
    outcome: Result<bool, PageError>,
}

#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    url: String,
    #[serde(rename = "_internal")]
    internal: Internal,
    ground_truth: GroundTruth,
}

#[derive(Deserialize)]
struct Internal {
    page_type: PageType,
}

#[derive(Deserialize)]
struct PageType {
    primary: String,
}

#[derive(Deserialize)]
struct GroundTruth {
    main_content: Option<String>,
}

/// Evaluates the chain of `config` and prints a table.
pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<()> {
    let filters = lay_over(&config.filters, args.filters.as_deref())?;
    let extractor = Extractor::with_filters(config, &filters)
        .map_err(|error| Failure::error(EX_USAGE, format!("--filters: {error}")))?;
    let pages = pages(&args.dataset, args.every)?;
    let bar = progress_bar(pages.len());
    let mut scores = Vec::with_capacity(pages.len());
    parallel::in_order(
        pages.into_iter(),
        |page| score(&page, &extractor),
        |score| {
            bar.inc(1);
            scores.push(score?);
            anyhow::Ok(())
        },
    )?;
    bar.finish_and_clear();
    let mut out = io::stdout().lock();
    write!(out, "{}{}", table(&scores), worst(&scores, args.worst))?;
    out.flush()?;
    Ok(())
}

fn lay_over(config: &ChainConfig, overlay: Option<&str>) -> anyhow::Result<ChainConfig> {
    let Some(overlay) = overlay else {
        return Ok(config.clone());
    };
    let mut value = serde_yaml::to_value(config)?;
    let overlay: serde_yaml::Value = serde_yaml::from_str(overlay)
        .map_err(|error| Failure::error(EX_USAGE, format!("--filters is not YAML: {error}")))?;
    merge(&mut value, overlay);
    serde_yaml::from_value(value).map_err(|error| {
        let message = format!("--filters does not fit the filters section: {error}");
        Failure::error(EX_USAGE, message)
    })
}

fn merge(base: &mut serde_yaml::Value, over: serde_yaml::Value) {
    match (base, over) {
        (serde_yaml::Value::Mapping(base), serde_yaml::Value::Mapping(over)) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    Some(slot) => merge(slot, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (base, over) => *base = over,
    }
}

fn pages(dataset: &Path, every: NonZero<usize>) -> anyhow::Result<Vec<PathBuf>> {
    let folder = dataset.join("ground-truth");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(&folder)
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

fn score(annotation: &Path, extractor: &Extractor) -> anyhow::Result<Score> {
    let id = annotation
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let truth: Annotation = serde_json::from_slice(&std::fs::read(annotation)?)
        .with_context(|| format!("cannot read {}", annotation.display()))?;
    let html = annotation
        .parent()
        .and_then(Path::parent)
        .map(|dataset| dataset.join("html").join(format!("{id}.html.gz")))
        .context("the annotation stands in no folder")?;
    let html = gleaner::decode_html(&extract::read(&html)?);
    // Some annotations have lost their address; any will do, since only text is compared.
    let url = Url::parse(&truth.url).or_else(|_| Url::parse("https://page.invalid/"))?;
    let (text, outcome) = match extractor.page(&html, &url) {
        Ok(page) => {
            let selected = page.extract.report.selected;
            (page.extract.text, page.passed.map_or(Ok(selected), Err))
        }
        Err(error) => (String::new(), Err(error)),
    };
    let reference = truth.ground_truth.main_content.unwrap_or_default();
    let (precision, recall, f1) = word_scores(&text, &reference);
    Ok(Score {
        id,
        page_type: truth.internal.page_type.primary,
        precision,
        recall,
        f1,
        outcome,
    })
}

fn word_scores(text: &str, reference: &str) -> (f64, f64, f64) {
    let (kept, wanted) = (bag(text), bag(reference));
    let (kept_words, wanted_words): (usize, usize) = (kept.values().sum(), wanted.values().sum());
    if wanted_words == 0 || kept_words == 0 {
        let both_empty = f64::from(u8::from(wanted_words == kept_words));
        return (both_empty, both_empty, both_empty);
    }
    let common: usize = kept
        .iter()
        .map(|(word, count)| (*count).min(wanted.get(word).copied().unwrap_or(0)))
        .sum();
    let precision = common as f64 / kept_words as f64;
    let recall = common as f64 / wanted_words as f64;
    let f1 = if common == 0 {
        0.0
    } else {
        2.0 * precision * recall / (precision + recall)
    };
    (precision, recall, f1)
}

fn bag(text: &str) -> HashMap<String, usize> {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\w+").expect("the pattern is a constant"));
    let mut bag = HashMap::new();
    for word in WORD.find_iter(text) {
        *bag.entry(word.as_str().to_lowercase()).or_insert(0) += 1;
    }
    bag
}

fn progress_bar(pages: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pages, {eta} left");
    ProgressBar::new(pages as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[derive(Default)]
struct Sums {
    pages: usize,
    precision: f64,
    recall: f64,
    f1: f64,
    harmed: usize,
    selected: usize,
    passed: BTreeMap<&'static str, usize>,
}

impl Sums {
    fn add(&mut self, score: &Score) {
        self.pages += 1;
        self.precision += score.precision;
        self.recall += score.recall;
        self.f1 += score.f1;
        self.harmed += usize::from(score.recall < 0.5);
        match &score.outcome {
            Ok(selected) => self.selected += usize::from(*selected),
            Err(error) => *self.passed.entry(error.reason()).or_default() += 1,
        }
    }
}

fn table(scores: &[Score]) -> String {
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    let mut all = Sums::default();
    for score in scores {
        sums.entry(&score.page_type).or_default().add(score);
        all.add(score);
    }
    let mut out = String::from(
        "type            pages     F1  precision  recall  harmed  selected  passed untouched\n",
    );
    for (name, sum) in sums.into_iter().chain([("all", all)]) {
        let mean = |total: f64| total / sum.pages as f64;
        let _ = writeln!(
            out,
            "{name:<14} {:>6}  {:.3}      {:.3}   {:.3}  {:>6}  {:>8}  {:?}",
            sum.pages,
            mean(sum.f1),
            mean(sum.precision),
            mean(sum.recall),
            sum.harmed,
            sum.selected,
            sum.passed,
        );
    }
    out
}

fn worst(scores: &[Score], count: usize) -> String {
    let mut sorted: Vec<&Score> = scores.iter().collect();
    sorted.sort_by(|a, b| a.f1.total_cmp(&b.f1));
    sorted.iter().take(count).fold(String::new(), |mut out, s| {
        let _ = writeln!(
            out,
            "{} {:<14} F1 {:.3} precision {:.3} recall {:.3}",
            s.id, s.page_type, s.f1, s.precision, s.recall
        );
        out
    })
}
