//! How the pages of one profile, view or device are rewritten.

use std::sync::Arc;

use gleaner_filters::{Chain, ReaderLook, View};

use crate::{
    config::{Config, ConfigError},
    headers::validators::Tagger,
};

pub(crate) struct Look {
    /// Whether they are rewritten at all.
    pub(super) enabled: bool,
    pub(super) chain: Arc<Chain>,
    pub(crate) tagger: Tagger,
    /// What the device chose in place of the configured look of the reader page.
    pub(super) reader: Option<ReaderLook>,
}

impl Look {
    /// How this profile's pages look in a view, and while blocking is paused.
    pub(crate) fn of_view(config: &Config, profile: usize, view: View, is_paused: bool) -> Result<Self, ConfigError> {
        let profile = &config.profiles.all[profile];
        let mut filters = profile.filters.for_view(view);
        filters.ad_servers.enabled &= !is_paused;
        Ok(Self {
            enabled: profile.rewrite,
            chain: Arc::new(config.chain(&filters)?),
            tagger: Tagger::new(profile.fingerprint).with(&is_paused),
            reader: None,
        })
    }

    /// The same with what a device chose for the reader page.
    pub(crate) fn with_reader(&self, reader: ReaderLook) -> Self {
        let tagger = self.tagger.with(&reader);
        Self { enabled: self.enabled, chain: Arc::clone(&self.chain), tagger, reader: Some(reader) }
    }

    /// Whether its pages have a bar.
    pub(crate) fn has_controls(&self) -> bool {
        self.enabled && self.chain.has_controls()
    }

    /// Those of all profiles, in their order. Profiles with the same settings share a chain.
    pub(super) fn all(config: &Config) -> Result<Vec<Self>, ConfigError> {
        let mut looks: Vec<Self> = Vec::new();
        let profiles = &config.profiles.all;
        for (index, profile) in profiles.iter().enumerate() {
            let same = profiles[..index].iter().position(|other| other.fingerprint == profile.fingerprint);
            let chain = match same {
                Some(same) => Arc::clone(&looks[same].chain),
                None => Arc::new(config.chain(&profile.filters)?),
            };
            looks.push(Self {
                enabled: profile.rewrite,
                chain,
                tagger: Tagger::new(profile.fingerprint),
                reader: None,
            });
        }
        Ok(looks)
    }
}
