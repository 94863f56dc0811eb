//! Makes and checks the table of `main_block.algorithm: auto`; see `lab/README.md`.

mod align;
mod check;
mod export;
mod folds;
mod snippets;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use gleaner_filters::{Chain, ChainConfig, Floor, HostList, PageLimits, training};

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// Folder of the data set: `html/*.html.gz` and `ground-truth/*.json`
    dataset: PathBuf,
    /// Folder to write to
    out: PathBuf,
    /// Folder of pages with texts that must and must not be kept; their blocks are added
    #[arg(long, value_name = "FOLDER")]
    snippets: Option<PathBuf>,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Folder of the data set: `html/*.html.gz` and `ground-truth/*.json`
    dataset: PathBuf,
    /// Folder of the tables, which `fit.py` writes: `0.forest` and so on, one for each fold
    folds: PathBuf,
    /// Write a line for each page to this file
    #[arg(long, value_name = "FILE")]
    pages: Option<PathBuf>,
    /// Take the settings of the chain from this file instead of the defaults: what stands under `filters` in a configuration
    #[arg(long, value_name = "FILE")]
    chain: Option<PathBuf>,
    /// Write each page to this folder, as text and as HTML
    #[arg(long, value_name = "FOLDER")]
    texts: Option<PathBuf>,
}

/// Arguments of `snippets`.
#[derive(Debug, clap::Args)]
pub(crate) struct SnippetsArgs {
    /// Folder of pages with texts that must and must not be kept
    snippets: PathBuf,
    /// One table, or a folder of the tables of the folds; the one that ships where there is none
    #[arg(long, value_name = "PATH")]
    forest: Option<PathBuf>,
    /// Take the settings of the chain from this file instead of the defaults
    #[arg(long, value_name = "FILE")]
    chain: Option<PathBuf>,
    /// List the texts that are wrong
    #[arg(long)]
    list: bool,
    /// Write each page to this folder, as text and as HTML
    #[arg(long, value_name = "FOLDER")]
    texts: Option<PathBuf>,
}

/// Writes the features and labels of all text blocks.
pub(crate) fn export(args: &ExportArgs) -> anyhow::Result<()> {
    let config = without_floor(ChainConfig::default());
    export::run(&chain(&config, None)?, &args.dataset, &args.out, args.snippets.as_deref())
}

/// Measures the chain with the tables of the folds.
pub(crate) fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let config = settings(args.chain.as_deref())?;
    check::run(
        &without_floor(config),
        &args.dataset,
        &args.folds,
        &check::Out { pages: args.pages.as_deref(), texts: args.texts.as_deref() },
    )
}

/// Measures the share of texts that are kept and dropped as they must be.
pub(crate) fn snippets(args: &SnippetsArgs) -> anyhow::Result<()> {
    let config = without_floor(settings(args.chain.as_deref())?);
    snippets::run(&forests(&config, args.forest.as_deref())?, &args.snippets, args.list, args.texts.as_deref())
}

fn settings(file: Option<&Path>) -> anyhow::Result<ChainConfig> {
    let Some(file) = file else { return Ok(ChainConfig::default()) };
    fs::read_to_string(file)
        .map_err(anyhow::Error::from)
        .and_then(|text| Ok(serde_yaml::from_str(&text)?))
        .with_context(|| file.display().to_string())
}

/// A chain for each table of a folder, for one table, or for the one that ships.
fn forests(config: &ChainConfig, path: Option<&Path>) -> anyhow::Result<Vec<Arc<Chain>>> {
    let read = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
    match path {
        None => Ok(vec![chain(config, None)?]),
        Some(path) if !path.is_dir() => Ok(vec![chain(config, Some(&read(path)?))?]),
        Some(path) => {
            (0..folds::FOLDS).map(|fold| chain(config, Some(&read(&path.join(format!("{fold}.forest")))?))).collect()
        }
    }
}

/// Measures the result as it is: the floor would send the original page, which is no answer of the chain.
fn without_floor(mut config: ChainConfig) -> ChainConfig {
    config.floor = Floor { page_chars: 0, kept_share: 0.0, kept_chars: 0, ..Floor::default() };
    config
}

/// A chain with the embedded host list, and a forest other than the one that ships.
fn chain(config: &ChainConfig, forest: Option<&[u8]>) -> anyhow::Result<Arc<Chain>> {
    let mut ads = HostList::default();
    ads.add(include_str!("../../adservers.txt"))?;
    let chain = match forest {
        None => Chain::new(config, PageLimits::default(), ads)?,
        Some(bytes) => {
            training::chain(config, PageLimits::default(), ads, bytes)?.context("no forest of this format")?
        }
    };
    Ok(Arc::new(chain))
}
