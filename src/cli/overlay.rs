//! The chain that a command line asks for: the configured one, with the settings and the algorithm of its arguments.

use gleaner::offline::chains::{SettingsError, lay_over, named};
use gleaner_filters::ChainConfig;

use super::{EX_USAGE, Failure};

/// Arguments of commands that run the chain.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Overlay {
    /// Settings laid over the configuration's `filters:` section, as YAML: `{link_lists: {enabled: true}}`
    #[arg(long = "filters", value_name = "YAML")]
    yaml: Option<String>,
}

impl Overlay {
    /// The settings with what was typed laid over them, and with the algorithm that was named.
    pub(super) fn over(&self, filters: &ChainConfig, main_block: Option<&str>) -> anyhow::Result<ChainConfig> {
        let usage = |option: &str, error: SettingsError| Failure::error(EX_USAGE, format!("{option}: {error}"));
        let mut filters = filters.clone();
        if let Some(yaml) = &self.yaml {
            filters = lay_over(&filters, yaml).map_err(|error| usage("--filters", error))?;
        }
        if let Some(name) = main_block {
            filters = named(&filters, name).map_err(|error| usage("--main-block", error))?;
        }
        Ok(filters)
    }
}
