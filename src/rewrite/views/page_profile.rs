//! Changes a profile for one request: a view of the bar, paused blocking, the device's choice of type and colours, the
//! reader's address.

use std::sync::Arc;

use gleaner_filters::{
    Format, ReaderLook, Shape, View,
    main_block::auto::Favor,
    output::{Controls, Style},
};

use crate::{
    blocking::Blocker,
    config::{Config, ConfigError, Pictures},
    http::headers::validators::Tagger,
    rewrite::{PageProfile, PictureProfile, SentForm, page_profile::checked_chain},
};

/// What is asked of a page at the reader's address.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadingOptions {
    pub(crate) view: View,
    /// In HTML 3.2.
    pub(crate) is_plain: bool,
    /// For a program that reads for a language model.
    pub(crate) is_for_agent: bool,
    /// All of it: nothing is chosen.
    pub(crate) is_whole: bool,
    /// Whether blocking is paused.
    pub(crate) is_paused: bool,
    pub(crate) reader: Option<ReaderLook>,
}

impl PageProfile {
    /// How the page of one request looks, where that is not as its profile has it. `blocker` has the lists that count for it.
    pub(crate) fn for_request(
        &self,
        config: &Config,
        blocker: &Arc<Blocker>,
        profile: usize,
        view: Option<View>,
        is_paused: bool,
        reader: Option<ReaderLook>,
    ) -> Option<Self> {
        let changed = if view.is_some() || is_paused || blocker.fingerprint != self.lists {
            Self::for_view(config, blocker, profile, view.unwrap_or_default(), is_paused, None).ok()
        } else {
            None
        };
        match reader {
            Some(reader) => Some(changed.as_ref().unwrap_or(self).with_reader(reader)),
            None => changed,
        }
    }

    /// How a page looks that is sent as Markdown to a program that reads for a language model.
    pub(crate) fn for_agent(
        config: &Config,
        blocker: &Arc<Blocker>,
        profile: usize,
        is_paused: bool,
    ) -> Result<Self, ConfigError> {
        let look = Self::for_view(config, blocker, profile, View::default(), is_paused, Some(config.agents.favor))?;
        Ok(Self { tagger: look.tagger.with(&(SentForm::Markdown, &config.agents)), ..look })
    }

    /// How this profile's pages look in a view, and while blocking is paused.
    fn for_view(
        config: &Config,
        blocker: &Arc<Blocker>,
        profile: usize,
        view: View,
        is_paused: bool,
        favor: Option<Favor>,
    ) -> Result<Self, ConfigError> {
        let profile = &config.profiles.all[profile];
        let mut filters = profile.filters.for_view(view);
        filters.main_block.favor = favor.unwrap_or(filters.main_block.favor);
        filters.ad_servers.enabled &= !is_paused;
        Ok(Self {
            enabled: profile.rewrite,
            chain: checked_chain(config, blocker, &filters)?,
            lists: blocker.fingerprint,
            tagger: Tagger::new(profile.fingerprint).with(&(blocker.fingerprint, is_paused)),
            pictures: Arc::new(PictureProfile::new(&profile.pictures)),
            saving: None,
            reader: None,
        })
    }

    /// How a page looks at the reader's address: in our own style, whatever the profile leaves alone.
    pub(crate) fn for_reading(
        config: &Config,
        blocker: &Arc<Blocker>,
        profile: usize,
        asked: &ReadingOptions,
    ) -> Result<Self, ConfigError> {
        let profile = &config.profiles.all[profile];
        let mut filters = profile.filters.for_view(asked.view);
        if asked.is_for_agent {
            filters.main_block.favor = config.agents.favor;
        }
        if asked.is_whole {
            filters = filters.cleaned_only();
        }
        filters.ad_servers.enabled &= !asked.is_paused;
        if asked.view.shape != Shape::Text {
            filters.output.format = Format::Html;
        }
        filters.output.style = match filters.output.style {
            _ if asked.is_plain => Style::Plain,
            Style::Original => Style::Reader,
            style => style,
        };
        filters.output.controls = Controls::On;
        Ok(Self {
            enabled: true,
            chain: checked_chain(config, blocker, &filters)?,
            lists: blocker.fingerprint,
            tagger: Tagger::new(profile.fingerprint),
            pictures: Arc::new(PictureProfile::new(&profile.pictures)),
            saving: None,
            reader: asked.reader,
        })
    }

    /// This look for pages that stay as they are.
    pub(crate) fn left_alone(&self) -> Self {
        Self {
            enabled: false,
            chain: Arc::clone(&self.chain),
            lists: self.lists,
            tagger: self.tagger.with(&"left alone"),
            pictures: Arc::new(PictureProfile::new(&Pictures::default())),
            saving: None,
            reader: None,
        }
    }

    /// This look with a device's choices for the reader page.
    fn with_reader(&self, reader: ReaderLook) -> Self {
        let tagger = self.tagger.with(&reader);
        Self { tagger, reader: Some(reader), ..self.clone() }
    }

    /// Whether its pages have a bar.
    pub(crate) fn has_controls(&self) -> bool {
        self.enabled && self.chain.has_controls()
    }
}
