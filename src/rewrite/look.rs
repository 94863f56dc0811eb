//! How the pages of one profile are rewritten. How those of a view or of a device are is in `views`.

use std::sync::Arc;

use gleaner_filters::{Chain, ReaderLook};

use crate::{
    config::{Config, ConfigError},
    http::headers::validators::Tagger,
};

pub(crate) struct Look {
    /// Whether they are rewritten at all.
    pub(crate) enabled: bool,
    pub(crate) chain: Arc<Chain>,
    pub(crate) tagger: Tagger,
    /// The device's choice in place of the configured look of the reader page.
    pub(crate) reader: Option<ReaderLook>,
}

impl Look {
    /// The looks of all profiles, in their order. Profiles with the same settings share a chain.
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
