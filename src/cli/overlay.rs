//! Command-line options that override the configured filter settings and the main-block algorithm.

use gleaner_filters::ChainConfig;

use super::{EX_USAGE, Failure};
use crate::cli::offline::chains::{lay_over, named};

/// Arguments of commands that run the chain.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Overlay {
    /// The algorithm that chooses the main content, instead of the configuration's `main_block`: `cnr`, `core_ex`, …
    #[arg(long, value_name = "NAME")]
    pub(super) main_block: Option<String>,
    /// Settings laid over the configuration's `filters:` section, as YAML: `{link_lists: {enabled: true}}`
    #[arg(long = "filters", value_name = "YAML")]
    yaml: Option<String>,
}

impl Overlay {
    /// These settings with the command line's laid over them, and with the algorithm that was named.
    pub(super) fn over(&self, filters: &ChainConfig) -> anyhow::Result<ChainConfig> {
        let usage = |option: &str, error: anyhow::Error| Failure::error(EX_USAGE, format!("{option}: {error}"));
        let mut filters = filters.clone();
        if let Some(yaml) = &self.yaml {
            filters = lay_over(&filters, yaml).map_err(|error| usage("--filters", error))?;
        }
        if let Some(name) = &self.main_block {
            filters = named(&filters, name).map_err(|error| usage("--main-block", error))?;
        }
        Ok(filters)
    }
}
