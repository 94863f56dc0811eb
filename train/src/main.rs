//! Makes and checks the table of `main_block.algorithm: auto`; see `train/README.md`.

mod align;
mod check;
mod dataset;
mod export;
mod snippets;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use gleaner_filters::{Chain, ChainConfig, Floor, HostList, PageLimits, training};

const USAGE: &str = "usage: gleaner-train export DATASET OUT [SNIPPETS]
       gleaner-train check DATASET FOLDS [PAGES.tsv] [CHAIN.yaml] [TEXTS]
       gleaner-train snippets SNIPPETS FOREST|FOLDS|- [-] [CHAIN.yaml] [list]";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (command, dataset, folder) = match &arguments[..] {
        [command, dataset, folder, ..] => (command.to_str(), dataset, folder),
        _ => anyhow::bail!(USAGE),
    };
    // The result is measured as it is: the floor would send the original page, which is no answer of the chain.
    let mut config = ChainConfig::default();
    if let Some(file) = arguments.get(4).filter(|file| file.exists()) {
        config = serde_yaml::from_str(&std::fs::read_to_string(file)?)?;
    }
    config.floor = Floor {
        page_chars: 0,
        kept_share: 0.0,
        kept_chars: 0,
        ..Floor::default()
    };
    match command {
        Some("export") => {
            let snippets = arguments.get(3).map(PathBuf::as_path);
            export::run(&chain(&config, None)?, dataset, folder, snippets)
        }
        Some("check") => check::run(
            &config,
            dataset,
            folder,
            &check::Out {
                pages: arguments.get(3).map(PathBuf::as_path),
                texts: arguments.get(5).map(PathBuf::as_path),
            },
        ),
        Some("snippets") => {
            let list = arguments.len() > 5;
            snippets::run(&forests(&config, folder)?, dataset, list)
        }
        _ => anyhow::bail!(USAGE),
    }
}

/// A chain for each forest of a folder, for one forest, or for `-`, the one that ships.
fn forests(config: &ChainConfig, path: &Path) -> anyhow::Result<Vec<Arc<Chain>>> {
    let read = |path: PathBuf| fs::read(&path).with_context(|| path.display().to_string());
    if path == Path::new("-") {
        return Ok(vec![chain(config, None)?]);
    }
    if !path.is_dir() {
        return Ok(vec![chain(config, Some(&read(path.to_owned())?))?]);
    }
    (0..dataset::FOLDS)
        .map(|fold| chain(config, Some(&read(path.join(format!("{fold}.forest")))?)))
        .collect()
}

/// A chain with the embedded host list, and a forest other than the one that ships.
fn chain(config: &ChainConfig, forest: Option<&[u8]>) -> anyhow::Result<Arc<Chain>> {
    let mut ads = HostList::default();
    ads.add(include_str!("../../adservers.txt"))?;
    let chain = match forest {
        None => Chain::new(config, PageLimits::default(), ads)?,
        Some(bytes) => training::chain(config, PageLimits::default(), ads, bytes)?
            .context("no forest of this format")?,
    };
    Ok(Arc::new(chain))
}
