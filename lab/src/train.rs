//! Makes and checks the table of `main_block.algorithm: auto`; see `lab/README.md`.

mod align;
mod check;
mod dataset;
mod export;

use std::{fs, path::PathBuf, sync::Arc};

use anyhow::Context;
use gleaner_filters::{Chain, ChainConfig, Floor, HostList, PageLimits, training};

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// Folder of the data set: `html/*.html.gz` and `ground-truth/*.json`
    dataset: PathBuf,
    /// Folder to write to
    out: PathBuf,
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
    /// Write the text of each page to this folder
    #[arg(long, value_name = "FOLDER")]
    texts: Option<PathBuf>,
}

/// Writes the features and labels of all text blocks.
pub(crate) fn export(args: &ExportArgs) -> anyhow::Result<()> {
    let config = without_floor(ChainConfig::default());
    export::run(&chain(&config, None)?, &args.dataset, &args.out)
}

/// Measures the chain with the tables of the folds.
pub(crate) fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let config = match &args.chain {
        None => ChainConfig::default(),
        Some(file) => fs::read_to_string(file)
            .map_err(anyhow::Error::from)
            .and_then(|text| Ok(serde_yaml::from_str(&text)?))
            .with_context(|| file.display().to_string())?,
    };
    check::run(
        &without_floor(config),
        &args.dataset,
        &args.folds,
        &check::Out { pages: args.pages.as_deref(), texts: args.texts.as_deref() },
    )
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
