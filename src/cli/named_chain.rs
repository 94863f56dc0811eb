//! Filter chains by the name of an algorithm, for command lines.

use anyhow::bail;
use gleaner::config::in_plain_words;
use gleaner_filters::{ChainConfig, FilterName, link_lists, main_block};

use super::{EX_USAGE, Failure};

/// Chains that choose no main block: `none` only cleans, `crunch` removes lists of links from table cells, `crunch_any`
/// from any block.
pub(super) const WITHOUT_CHOICE: [&str; 3] = ["none", "crunch", "crunch_any"];

/// Every name, the algorithms first, then their variants, then the chains without a choice.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    main_block::Settings::names().chain(WITHOUT_CHOICE)
}

/// The names as `--help` tells them, a few on each line.
pub(super) fn help() -> String {
    const PER_LINE: usize = 6;
    let names: Vec<&str> = names().collect();
    let lines: Vec<String> = names
        .chunks(PER_LINE)
        .map(|names| format!("  {}", names.join(", ")))
        .collect();
    format!("Names for --main-block:\n{}", lines.join(",\n"))
}

/// These filters with another choice of the main block.
pub(super) fn named(base: &ChainConfig, name: &str) -> anyhow::Result<ChainConfig> {
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
                let known = known.join(", ");
                bail!(in_plain_words(&format!(
                    "unknown algorithm `{name}`, expected one of {known}"
                )));
            };
            filters.main_block = settings;
            filters.main_block.enabled = true;
            if !filters.order.contains(&FilterName::MainBlock) {
                let end = filters.order.len();
                let is_retained = filters.order.last() == Some(&FilterName::RemovedLinks);
                let at = end - usize::from(is_retained);
                filters.order.insert(at, FilterName::MainBlock);
            }
        }
    }
    Ok(filters)
}

/// The configured filters, with the choice that was asked for where one was.
pub(super) fn or_configured(
    filters: &ChainConfig,
    name: Option<&str>,
) -> anyhow::Result<ChainConfig> {
    match name {
        None => Ok(filters.clone()),
        Some(name) => named(filters, name)
            .map_err(|error| Failure::error(EX_USAGE, format!("--main-block: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_a_chain() {
        for name in names() {
            assert!(named(&ChainConfig::default(), name).is_ok(), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_by_the_nearest_and_all_names() {
        let error = named(&ChainConfig::default(), "cetrr").unwrap_err();
        let error = error.to_string();
        assert!(error.contains("did you mean `cetr`?"), "{error}");
        assert!(names().all(|name| error.contains(name)), "{error}");
    }

    #[test]
    fn help_tells_every_name() {
        let help = help();
        assert!(names().all(|name| help.contains(name)), "{help}");
        assert!(help.lines().all(|line| line.len() <= 120), "{help}");
    }

    #[test]
    fn a_choice_comes_before_the_retainer_where_the_order_has_none() {
        let base = ChainConfig {
            order: vec![FilterName::Ignore, FilterName::RemovedLinks],
            ..ChainConfig::default()
        };
        let chain = named(&base, "bte").unwrap();
        let wanted = [
            FilterName::Ignore,
            FilterName::MainBlock,
            FilterName::RemovedLinks,
        ];
        assert_eq!(chain.order, wanted);
    }
}
