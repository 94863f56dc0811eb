//! A configuration together with its compiled blocking lists.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use gleaner_filters::{Chain, ChainConfig};

use crate::{
    blocking::Blocker,
    config::{Config, ConfigError, ListSource, Lookup, ParsedConfig, RawConfig},
    rewrite,
};

/// A configuration with its lists.
#[derive(Clone, Debug)]
pub struct LoadedConfig {
    /// The settings.
    pub config: Config,
    /// The file as written.
    pub raw: RawConfig,
    /// Its file; `None` when the built-in defaults are used.
    pub file: Option<PathBuf>,
    /// Lists of advertisements and trackers.
    pub blocker: Arc<Blocker>,
    /// The files of lists that are not in use, and why.
    pub unread_lists: Option<ConfigError>,
    /// Hints about settings that are read otherwise than they may have been meant.
    pub hints: Vec<String>,
    /// Files whose change means a reload.
    pub watched: Vec<PathBuf>,
}

impl From<ParsedConfig> for LoadedConfig {
    /// Reads and compiles the lists, which may take seconds. One that cannot be read is left out.
    fn from(parsed: ParsedConfig) -> Self {
        let blocker = Blocker::load_all(&parsed.config);
        let problems: Vec<_> = blocker
            .lists()
            .iter()
            .filter_map(|list| match (&list.source, &list.problem) {
                (ListSource::File(file), Some(problem)) => Some((file.clone(), problem.clone())),
                _ => None,
            })
            .collect();
        let unread_lists = parsed.unread_lists(&problems);
        let ParsedConfig { config, raw, file, hints, mut watched, .. } = parsed;
        watched.extend(blocker.files());
        Self { config, raw, file, blocker: Arc::new(blocker), unread_lists, hints, watched }
    }
}

impl LoadedConfig {
    /// Settings of the program itself, with lists that are loaded already.
    pub(crate) fn new(config: Config, blocker: Arc<Blocker>) -> Self {
        let (hints, watched) = (Vec::new(), Vec::new());
        Self { config, raw: RawConfig::default(), file: None, blocker, unread_lists: None, hints, watched }
    }

    /// Reads and loads the text of a configuration file. `file` is used for messages and for relative paths.
    pub fn from_yaml(text: &str, file: Option<&Path>) -> Result<Self, ConfigError> {
        ParsedConfig::from_yaml(text, file).map(Self::from)
    }

    /// Reads the first file that is there, and loads it.
    pub fn find(lookup: &Lookup) -> Result<Self, ConfigError> {
        lookup.read().map(Self::from)
    }

    /// A chain with these filters.
    pub fn chain(&self, filters: &ChainConfig) -> Result<Chain, gleaner_filters::ConfigError> {
        rewrite::chain(&self.config, &self.blocker, filters)
    }
}
