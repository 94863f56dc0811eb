//! The chains that are measured side by side.

use anyhow::Context;
use gleaner::{
    LoadedConfig,
    offline::chains::{WithFallback, lay_over, named, names},
};
use gleaner_filters::{ChainConfig, FilterName, Floor, PageError, StructuredText, Trace};

use super::Args;
use crate::dataset::Sample;

/// A chain with a name.
pub(super) struct Contestant {
    pub(super) name: String,
    chain: WithFallback,
    /// Whether the page counts as empty where no main content was chosen.
    must_select: bool,
    /// The setting of CNR's dial that it was made for.
    pub(super) dial: Option<f64>,
}

impl Contestant {
    /// The result of the chain on a page, and why it is the whole page, if it is. By itself, an algorithm without an answer
    /// keeps nothing.
    pub(super) fn trace(&self, sample: &Sample) -> Result<(Trace, Option<PageError>), PageError> {
        let (mut trace, passed) = self.chain.run(|chain| chain.trace(&sample.html, &sample.url))?;
        if self.must_select && !trace.report.selected {
            trace.text.clear();
            for text in &mut trace.texts {
                text.kept = false;
            }
        }
        Ok((trace, passed))
    }
}

/// The contestants: the configured chain, or one chain for each name that was given.
pub(super) fn all(args: &Args, loaded: &LoadedConfig) -> anyhow::Result<Vec<Contestant>> {
    let base = match &args.filters {
        None => loaded.config.filters.clone(),
        Some(yaml) => lay_over(&loaded.config.filters, yaml).context("--filters")?,
    };
    let mut contestants = Vec::new();
    let mut add = |name: &str, filters: ChainConfig, dial: Option<f64>| {
        let filters = if args.bare { bare(filters) } else { filters };
        contestants.push(Contestant {
            name: name.to_owned(),
            must_select: args.bare && filters.order.contains(&FilterName::MainBlock),
            chain: WithFallback::new(loaded, &filters)?,
            dial,
        });
        anyhow::Ok(())
    };
    for name in &args.main_block {
        match name.as_str() {
            "all" => {
                for name in names() {
                    add(name, named(&base, name)?, None)?;
                }
            }
            name => add(name, named(&base, name)?, None)?,
        }
    }
    for variant in &args.variant {
        let (name, yaml) = variant
            .split_once('=')
            .with_context(|| {
                format!(
                    "--variant {variant:?}: expected a name of its own and settings, such as `dial=main_block: {{cnr: {{dial: \
                     0.5}}}}`, or an algorithm, such as `mine=cnr`"
                )
            })?;
        let filters = base_with(&base, yaml).with_context(|| format!("--variant {name}"))?;
        add(name, filters, None)?;
    }
    if args.dial {
        for step in -DIAL_STEPS..=DIAL_STEPS {
            let dial = f64::from(step) / f64::from(DIAL_STEPS);
            let mut filters = named(&base, "cnr")?;
            filters.main_block.cnr.dial = dial;
            add(&format!("dial {dial:+.1}"), filters, Some(dial))?;
        }
    }
    if args.main_block.is_empty() && args.variant.is_empty() && !args.dial {
        add("chain", base, None)?;
    }
    Ok(contestants)
}

/// Settings of the dial on either side of 0.
const DIAL_STEPS: i32 = 10;

fn base_with(base: &ChainConfig, yaml: &str) -> anyhow::Result<ChainConfig> {
    // `NAME=algorithm` is short for a variant that only chooses it.
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !yaml.is_empty() && yaml.bytes().all(is_word) {
        return named(base, yaml);
    }
    lay_over(base, yaml)
}

/// Only `ignore` before the algorithm, no floor, no headline: the algorithm by itself. Crunch keeps its two filters.
fn bare(mut filters: ChainConfig) -> ChainConfig {
    let order = if filters.main_block.enabled {
        vec![FilterName::Ignore, FilterName::MainBlock]
    } else if filters.link_quota.enabled {
        vec![FilterName::Ignore, FilterName::LinkQuota]
    } else {
        vec![FilterName::Ignore, FilterName::LinkLists, FilterName::EmptyTables]
    };
    filters.order = order;
    filters.main_block.min_chars = 0;
    filters.main_block.min_share = 0.0;
    filters.main_block.picture_chars = 0;
    filters.main_block.keep_headline = false;
    filters.floor = Floor { structured_text: StructuredText::Off, page_chars: 0, kept_share: 0.0, kept_chars: 0 };
    filters
}
