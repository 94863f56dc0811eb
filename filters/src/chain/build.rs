//! From a configuration to filters: the settings and the order are checked once, here.

use std::sync::Arc;

use crate::{
    blocking::Blocker,
    config::{ChainConfig, FilterName},
    error::ConfigError,
    filter::{
        Filter,
        ad_servers::AdServers,
        captions::Captions,
        empty_tables::EmptyTables,
        ignore::{self, Ignore},
        lazy_images::LazyImages,
        link_lists::LinkLists,
        link_quota::LinkQuota,
        removed_links::RemovedLinks,
    },
    main_block::{Algorithm, MainBlock, auto::forest::Forest},
    output::Style,
};

pub(super) fn check(config: &ChainConfig) -> Result<(), ConfigError> {
    for (at, name) in config.order.iter().enumerate() {
        if config.order[..at].contains(name) {
            return Err(ConfigError::new(
                "order",
                format!("`{}` is named twice; expected each filter once at most", name.as_str()),
            ));
        }
    }
    let retainer = FilterName::RemovedLinks;
    if config.order.contains(&retainer) && config.order.last() != Some(&retainer) {
        return Err(ConfigError::new(
            "order",
            "removed_links lists what the filters before it removed; expected it to be the last",
        ));
    }
    let share = config.floor.kept_share;
    if !(0.0..=1.0).contains(&share) {
        return Err(ConfigError::new("floor.kept_share", format!("{share} is out of range; expected 0 to 1")));
    }
    config.link_lists.check()?;
    config.link_quota.check("link_quota")?;
    config.main_block.check()?;
    config.captions.check()?;
    config.output.check()
}

/// The list of filters.
pub(super) fn build(
    config: &ChainConfig,
    name: FilterName,
    lists: &Arc<dyn Blocker>,
    forest: &Arc<Forest>,
) -> Result<Box<dyn Filter>, ConfigError> {
    Ok(match name {
        FilterName::LazyImages => Box::new(LazyImages),
        FilterName::Ignore => Box::new(Ignore::new(&ignore::Settings {
            hidden: config.ignore.hidden && !scores_hidden_text(config),
            ..config.ignore.clone()
        })),
        FilterName::AdServers => Box::new(AdServers::new(&config.ad_servers, Arc::clone(lists))?),
        FilterName::LinkLists => Box::new(LinkLists { settings: config.link_lists.clone() }),
        FilterName::LinkQuota => Box::new(LinkQuota { settings: config.link_quota.clone() }),
        FilterName::EmptyTables => Box::new(EmptyTables::new(&config.empty_tables)?),
        FilterName::MainBlock => {
            let scores_hidden = scores_hidden_text(config);
            let filter = MainBlock::new(&config.main_block, Arc::clone(forest), scores_hidden);
            Box::new(filter.keeping_look(config.output.style == Style::Original))
        }
        FilterName::Captions => Box::new(Captions::new(&config.captions)),
        FilterName::RemovedLinks => Box::new(RemovedLinks { settings: config.removed_links.clone() }),
    })
}

/// Whether what the page hides is left for the choice of the main block, rather than removed before it.
fn scores_hidden_text(config: &ChainConfig) -> bool {
    let mut order = config.filters_on();
    config.ignore.hidden
        && config.main_block.algorithm == Algorithm::Auto
        && order.any(|name| name == FilterName::Ignore)
        && order.any(|name| name == FilterName::MainBlock)
}
