//! Filter settings typed on the command line, laid over those of the configuration.

use gleaner::config::filters_over;
use gleaner_filters::ChainConfig;

use super::{EX_USAGE, Failure};

/// Settings laid over the configuration's `filters:` section, for commands that run the chain.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Overlay {
    /// Settings laid over the configuration's `filters:` section, as YAML: `{link_lists: {enabled: true}}`
    #[arg(long = "filters", value_name = "YAML")]
    yaml: Option<String>,
}

impl Overlay {
    /// The settings with what was typed laid over them.
    pub(super) fn over(&self, filters: &ChainConfig) -> anyhow::Result<ChainConfig> {
        match &self.yaml {
            None => Ok(filters.clone()),
            Some(yaml) => lay_over(filters, yaml)
                .map_err(|error| Failure::error(EX_USAGE, format!("--filters: {error:#}"))),
        }
    }
}

/// These settings with others laid over them, key by key.
pub(super) fn lay_over(filters: &ChainConfig, yaml: &str) -> anyhow::Result<ChainConfig> {
    filters_over(filters, yaml).map_err(anyhow::Error::msg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_stays() {
        let base = ChainConfig::default();
        let over = lay_over(&base, "{main_block: {cnr: {dial: 0.5}}}").unwrap();
        let mut wanted = base;
        wanted.main_block.cnr.dial = 0.5;
        assert_eq!(over, wanted);
    }

    #[test]
    fn a_wrong_value_is_told_with_its_key() {
        let error = lay_over(&ChainConfig::default(), "{main_block: {favor: x}}").unwrap_err();
        let error = format!("{error:#}");
        assert!(
            error.starts_with("main_block.favor: unknown word `x`"),
            "{error}"
        );
        assert!(!error.contains(" line "), "{error}");
    }

    #[test]
    fn a_key_that_is_not_there_is_named() {
        let error = lay_over(&ChainConfig::default(), "{main_blok: {}}").unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("unknown key `main_blok`"), "{error}");
        assert!(error.contains("did you mean `main_block`?"), "{error}");
    }
}
