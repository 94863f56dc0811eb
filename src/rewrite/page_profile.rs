//! The filter chain and the entity tags of each profile. `views::page_profile` changes them for one request.

use std::sync::Arc;

use gleaner_filters::{Chain, ChainConfig, ReaderLook};
use http::HeaderMap;

use super::{PictureProfile, pictures::saves_data};
use crate::{
    blocking::Blocker,
    config::{Config, ConfigError, PictureScale, Profile},
    http::headers::validators::Tagger,
};

/// A chain with these filters, that asks these lists.
pub(crate) fn chain(
    config: &Config,
    blocker: &Arc<Blocker>,
    filters: &ChainConfig,
) -> Result<Chain, gleaner_filters::ConfigError> {
    let lists: Arc<dyn gleaner_filters::Blocker> = Arc::<Blocker>::clone(blocker);
    Chain::new(filters, config.page_limits(), lists)
}

/// A chain with the filters of a profile, which were checked when the configuration was read.
pub(super) fn checked_chain(
    config: &Config,
    blocker: &Arc<Blocker>,
    filters: &ChainConfig,
) -> Result<Arc<Chain>, ConfigError> {
    let chain = chain(config, blocker, filters);
    chain.map(Arc::new).map_err(|error| ConfigError::overrides(format!("configuration: filters.{error}")))
}

#[derive(Clone)]
pub(crate) struct PageProfile {
    /// Whether they are rewritten at all.
    pub(crate) enabled: bool,
    pub(crate) chain: Arc<Chain>,
    /// The fingerprint of the lists that the chain asks.
    pub(super) lists: u64,
    pub(crate) tagger: Tagger,
    pub(crate) pictures: Arc<PictureProfile>,
    /// This profile for a browser that asks to save data, where that changes its pages.
    pub(super) saving: Option<Arc<Self>>,
    /// The device's choice in place of the configured look of the reader page.
    pub(crate) reader: Option<ReaderLook>,
}

impl PageProfile {
    /// The looks of all profiles, in their order. Profiles with the same settings share a chain.
    pub(super) fn all(config: &Config, blocker: &Arc<Blocker>) -> Result<Vec<Self>, ConfigError> {
        let mut looks: Vec<Self> = Vec::new();
        let profiles = &config.profiles.all;
        for (index, profile) in profiles.iter().enumerate() {
            let blocker = blocker.for_profile(index);
            let is_same = |(other, look): (&Arc<Profile>, &Self)| {
                other.fingerprint == profile.fingerprint && look.lists == blocker.fingerprint
            };
            let same = profiles.iter().zip(&looks).position(is_same);
            let chain = match same {
                Some(same) => Arc::clone(&looks[same].chain),
                None => checked_chain(config, blocker, &profile.filters)?,
            };
            let mut look = Self {
                enabled: profile.rewrite,
                chain,
                lists: blocker.fingerprint,
                tagger: Tagger::new(profile.fingerprint).with(&blocker.fingerprint),
                pictures: Arc::new(PictureProfile::new(&profile.pictures)),
                saving: None,
                reader: None,
            };
            if profile.pictures.scale == PictureScale::SaveData && profile.pictures.max_width.is_some() {
                let mut filters = profile.filters.clone();
                filters.output.picture_width = profile.pictures.max_width;
                let chain = checked_chain(config, blocker, &filters)?;
                look.saving = Some(Arc::new(Self { chain, tagger: look.tagger.with(&"save-data"), ..look.clone() }));
            }
            looks.push(look);
        }
        Ok(looks)
    }

    /// This profile for a request.
    pub(crate) fn for_saving(&self, headers: &HeaderMap) -> &Self {
        self.saving.as_deref().filter(|_| saves_data(headers)).unwrap_or(self)
    }
}
