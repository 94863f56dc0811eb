//! Filter chains for command lines: by the name of an algorithm, with settings laid over, and with a second chain for
//! pages on which the first gives up.

use std::sync::Arc;

use gleaner_filters::{Chain, ChainConfig, FilterName, PageError, link_lists, main_block};

use crate::{
    config::{filters_with, in_plain_words},
    state::loaded_config::LoadedConfig,
};

/// Chains that choose no main block: `none` only cleans, `crunch` removes lists of links from table cells, `crunch_any`
/// from any block.
pub const WITHOUT_CHOICE: [&str; 3] = ["none", "crunch", "crunch_any"];

/// Every name that [`named`] knows: the algorithms, then their variants, then [`WITHOUT_CHOICE`].
pub fn names() -> impl Iterator<Item = &'static str> {
    main_block::Settings::names().chain(WITHOUT_CHOICE)
}

/// The names as `--help` lists them, a few on each line.
#[must_use]
pub fn help() -> String {
    const PER_LINE: usize = 6;
    let names: Vec<&str> = names().collect();
    let lines: Vec<String> = names.chunks(PER_LINE).map(|names| format!("  {}", names.join(", "))).collect();
    format!("Names for --main-block:\n{}", lines.join(",\n"))
}

/// These filters with another choice of the main block.
pub fn named(base: &ChainConfig, name: &str) -> anyhow::Result<ChainConfig> {
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
                filters.link_lists = link_lists::Settings::crunch();
            }
        }
        _ => {
            let Some(settings) = filters.main_block.clone().named(name) else {
                let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
                let problem = format!("unknown algorithm `{name}`, expected one of {}", known.join(", "));
                anyhow::bail!(in_plain_words(&problem));
            };
            filters.main_block = settings;
            filters.main_block.enabled = true;
            if !filters.order.contains(&FilterName::MainBlock) {
                let has_retainer = filters.order.last() == Some(&FilterName::RemovedLinks);
                filters.order.insert(filters.order.len() - usize::from(has_retainer), FilterName::MainBlock);
            }
        }
    }
    Ok(filters)
}

/// These settings with others laid over them, key by key.
pub fn lay_over(filters: &ChainConfig, yaml: &str) -> anyhow::Result<ChainConfig> {
    filters_with(filters, yaml).map_err(anyhow::Error::msg)
}

/// A chain, and a second one that only cleans, for pages on which the first gives up because too little would be left.
pub struct WithFallback {
    /// The first of the two.
    pub chain: Arc<Chain>,
    cleaned_only: Arc<Chain>,
}

impl WithFallback {
    /// Builds both from these filter settings and the other settings of this configuration.
    pub fn new(loaded: &LoadedConfig, filters: &ChainConfig) -> Result<WithFallback, gleaner_filters::ConfigError> {
        let build = |filters: &ChainConfig| loaded.chain(filters).map(Arc::new);
        Ok(WithFallback { chain: build(filters)?, cleaned_only: build(&filters.cleaned_only())? })
    }

    /// The result of `run` with the first chain; where that gives up, with the second, and why the first gave up.
    pub fn run<T>(
        &self,
        run: impl Fn(&Arc<Chain>) -> Result<T, PageError>,
    ) -> Result<(T, Option<PageError>), PageError> {
        match run(&self.chain) {
            Ok(done) => Ok((done, None)),
            Err(error @ (PageError::LittleText { .. } | PageError::KeptTooLittle { .. })) => {
                Ok((run(&self.cleaned_only)?, Some(error)))
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_a_chain_and_is_listed() {
        let help = help();
        let error = named(&ChainConfig::default(), "cetrr").unwrap_err().to_string();
        for name in names() {
            assert!(named(&ChainConfig::default(), name).is_ok(), "{name}");
            assert!(help.contains(name) && error.contains(name), "{name}: {help} {error}");
        }
        assert!(help.lines().all(|line| line.len() <= 120), "{help}");
    }

    #[test]
    fn a_choice_comes_before_the_retainer_where_the_order_has_none() {
        let base = ChainConfig { order: vec![FilterName::Ignore, FilterName::RemovedLinks], ..ChainConfig::default() };
        let wanted = [FilterName::Ignore, FilterName::MainBlock, FilterName::RemovedLinks];
        assert_eq!(named(&base, "bte").unwrap().order, wanted);
    }
}
