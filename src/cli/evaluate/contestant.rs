//! The chains that are measured side by side.

use anyhow::{Context, bail};
use gleaner::Config;
use gleaner_filters::{ChainConfig, FilterName, Floor, StructuredText, main_block};

use super::{super::extract::Extractor, Args};

/// A chain with a name.
pub(super) struct Contestant {
    pub(super) name: String,
    pub(super) extractor: Extractor,
    /// Whether the page counts as empty where no main content was chosen.
    pub(super) must_select: bool,
}

/// Chains that are no choice of a main block, for `--main-block`.
const CHAINS: [&str; 3] = ["none", "crunch", "crunch_any"];

/// What is measured: the configured chain, or one chain for each name that was given.
pub(super) fn all(args: &Args, config: &Config) -> anyhow::Result<Vec<Contestant>> {
    let base = lay_over(&config.filters, args.filters.as_deref())?;
    let mut chains: Vec<(String, ChainConfig)> = Vec::new();
    for name in &args.main_block {
        chains.push((name.clone(), named(&base, name)?));
    }
    for variant in &args.variant {
        let (name, yaml) = variant
            .split_once('=')
            .context("--variant is not NAME=YAML")?;
        chains.push((name.to_owned(), base_with(&base, yaml)?));
    }
    if chains.is_empty() {
        chains.push(("chain".to_owned(), base));
    }
    chains
        .into_iter()
        .map(|(name, filters)| {
            let filters = if args.bare { bare(filters) } else { filters };
            let must_select = args.bare && filters.order.contains(&FilterName::MainBlock);
            Ok(Contestant {
                extractor: Extractor::with_filters(config, &filters)?,
                name,
                must_select,
            })
        })
        .collect()
}

fn base_with(base: &ChainConfig, yaml: &str) -> anyhow::Result<ChainConfig> {
    // `NAME=algorithm` is short for a variant that only chooses it.
    if named(base, yaml).is_ok() {
        return named(base, yaml);
    }
    lay_over(base, Some(yaml))
}

fn named(base: &ChainConfig, name: &str) -> anyhow::Result<ChainConfig> {
    let mut filters = base.clone();
    match name {
        "none" => {
            filters.main_block.enabled = false;
            filters.link_lists.enabled = false;
            filters.empty_tables.enabled = false;
        }
        "crunch" | "crunch_any" => {
            filters.main_block.enabled = false;
            filters.link_lists.enabled = true;
            if name == "crunch" {
                filters.link_lists = gleaner_filters::link_lists::Settings::crunch();
            }
        }
        _ => {
            let Some(settings) = filters.main_block.clone().named(name) else {
                let known: Vec<&str> = CHAINS
                    .into_iter()
                    .chain(main_block::Settings::names())
                    .collect();
                bail!(
                    "{name:?} is no algorithm; expected one of {}",
                    known.join(", ")
                );
            };
            filters.main_block = settings;
            filters.main_block.enabled = true;
        }
    }
    Ok(filters)
}

/// Only `ignore` before the algorithm, no floor, no headline: the algorithm by itself. Crunch keeps its two filters.
fn bare(mut filters: ChainConfig) -> ChainConfig {
    let order = if filters.main_block.enabled {
        vec![FilterName::Ignore, FilterName::MainBlock]
    } else if filters.link_quota.enabled {
        vec![FilterName::Ignore, FilterName::LinkQuota]
    } else {
        vec![
            FilterName::Ignore,
            FilterName::LinkLists,
            FilterName::EmptyTables,
        ]
    };
    filters.order = order;
    filters.main_block.min_chars = 0;
    filters.main_block.min_share = 0.0;
    filters.main_block.picture_chars = 0;
    filters.main_block.keep_headline = false;
    filters.floor = Floor {
        structured_text: StructuredText::Off,
        page_chars: 0,
        kept_share: 0.0,
        kept_chars: 0,
    };
    filters
}

fn lay_over(config: &ChainConfig, overlay: Option<&str>) -> anyhow::Result<ChainConfig> {
    let Some(overlay) = overlay else {
        return Ok(config.clone());
    };
    let mut value = serde_yaml::to_value(config)?;
    let overlay: serde_yaml::Value =
        serde_yaml::from_str(overlay).context("the settings are not YAML")?;
    merge(&mut value, overlay);
    serde_yaml::from_value(value).context("the settings do not fit the filters section")
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
