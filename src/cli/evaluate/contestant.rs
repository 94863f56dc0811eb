//! The chains that are measured side by side.

use anyhow::Context;
use gleaner::Config;
use gleaner_filters::{ChainConfig, FilterName, Floor};

use super::{
    super::{extract::Extractor, named_chain::named},
    Args,
};

/// A chain with a name.
pub(super) struct Contestant {
    pub(super) name: String,
    pub(super) extractor: Extractor,
    /// Whether the page counts as empty where no main content was chosen.
    pub(super) must_select: bool,
}

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
