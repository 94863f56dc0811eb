//! How a page looks in a view, while blocking is paused, and as its device chose.

use std::sync::Arc;

use gleaner_filters::{ReaderLook, View};

use crate::{
    blocking::Blocker,
    config::{Config, ConfigError},
    http::headers::validators::Tagger,
    rewrite::{PageProfile, look::checked_chain},
};

impl PageProfile {
    /// How the page of one request looks, where that is not as its profile has it.
    pub(crate) fn for_request(
        &self,
        config: &Config,
        blocker: &Arc<Blocker>,
        profile: usize,
        view: Option<View>,
        is_paused: bool,
        reader: Option<ReaderLook>,
    ) -> Option<Self> {
        let changed = if view.is_some() || is_paused {
            Self::for_view(config, blocker, profile, view.unwrap_or_default(), is_paused).ok()
        } else {
            None
        };
        match reader {
            Some(reader) => Some(changed.as_ref().unwrap_or(self).with_reader(reader)),
            None => changed,
        }
    }

    /// How this profile's pages look in a view, and while blocking is paused.
    fn for_view(
        config: &Config,
        blocker: &Arc<Blocker>,
        profile: usize,
        view: View,
        is_paused: bool,
    ) -> Result<Self, ConfigError> {
        let profile = &config.profiles.all[profile];
        let mut filters = profile.filters.for_view(view);
        filters.ad_servers.enabled &= !is_paused;
        Ok(Self {
            enabled: profile.rewrite,
            chain: checked_chain(config, blocker, &filters)?,
            tagger: Tagger::new(profile.fingerprint).with(&(blocker.fingerprint, is_paused)),
            reader: None,
        })
    }

    /// This look with a device's choices for the reader page.
    fn with_reader(&self, reader: ReaderLook) -> Self {
        let tagger = self.tagger.with(&reader);
        Self { enabled: self.enabled, chain: Arc::clone(&self.chain), tagger, reader: Some(reader) }
    }

    /// Whether its pages have a bar.
    pub(crate) fn has_controls(&self) -> bool {
        self.enabled && self.chain.has_controls()
    }
}
