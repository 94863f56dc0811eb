//! `gleaner blocks`: all blocks of a page in order of relevance, and its menus.
//!
//! The most relevant block is found, taken out, and the next one found in what is left (López, Silva, Insa 2012, § 7). Four
//! forms: a table to read, the tree of the page with the ratio of each block (§ 5), JSON, and a copy of the page with its
//! blocks outlined and numbered.

mod table;

use std::{path::PathBuf, sync::Arc};

use anyhow::Context;
use clap::ValueEnum;
use url::Url;

use super::{
    EX_USAGE, Failure,
    extract::{address_of, page_address, with_base},
    overlay::Overlay,
    page_failure, say,
};
use crate::{
    cli::offline::{chains, input},
    rewrite::outline,
    state::loaded_config::LoadedConfig,
};

/// Arguments of `gleaner blocks`.
#[derive(Debug, clap::Args)]
#[command(after_help = chains::help())]
pub(super) struct BlocksArgs {
    /// Page to read, plain or .gz; `-` or none is standard input
    page: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = BlocksFormat::Table)]
    format: BlocksFormat,
    #[command(flatten)]
    overlay: Overlay,
    /// Blocks to find at most
    #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one)]
    limit: usize,
    /// Address of the page, for its relative links and styles
    #[arg(long, value_name = "URL", value_parser = page_address)]
    url: Option<Url>,
}

/// Output format of `blocks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BlocksFormat {
    /// A line for each block and menu: its share of the page's text, where it is, how it begins
    Table,
    /// The page as the tree of its blocks: characters outside links, nodes, and their ratio (CNR) of each
    Tree,
    /// Blocks, menus and tree with all figures
    Json,
    /// The page with its blocks outlined and numbered, its menus outlined, and what other filters remove faded; without
    /// scripts
    Html,
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|number| *number > 0).ok_or("expected a number, 1 or more")
}

/// Finds the blocks of a page and writes them.
pub(super) fn run(args: &BlocksArgs, loaded: &LoadedConfig) -> anyhow::Result<()> {
    if let Some(name) = args.overlay.main_block.as_deref()
        && chains::WITHOUT_CHOICE.contains(&name)
    {
        let problem = format!("--main-block: {name:?} chooses no block, so there is none to show");
        return Err(Failure::error(EX_USAGE, problem));
    }
    let filters = args.overlay.over(&loaded.config.filters)?;
    let chain = loaded.chain(&filters)?;
    let file = args.page.clone().unwrap_or_else(|| PathBuf::from("-"));
    let name = || file.display().to_string();
    let html = input::decode(&input::read(&file, loaded.config.rewrite.max_html_bytes).with_context(name)?);
    let url = args.url.clone().unwrap_or_else(|| address_of(&file));
    let blocks = Arc::new(chain).blocks(&html, &url, args.limit).map_err(page_failure).with_context(name)?;
    say(&match args.format {
        BlocksFormat::Table => table::render(&blocks),
        BlocksFormat::Tree => outline::render(&blocks),
        BlocksFormat::Json => serde_json::to_string_pretty(&blocks)? + "\n",
        BlocksFormat::Html => match &args.url {
            Some(url) => with_base(blocks.marked_html, url),
            None => blocks.marked_html,
        },
    })
}
