//! The state of the running program: what is in force ([`runtime_state`], replaced at a reload), and what outlives a reload
//! ([`proxy`]): sessions, tokens of forms, choices of readers, pages that are shown unfiltered, names of devices.

pub(crate) mod bypass_links;
pub(crate) mod device_names;
pub(crate) mod excepted_pages;
pub(crate) mod failed_connects;
pub(crate) mod feed_texts;
pub(crate) mod form_tokens;
pub(crate) mod loaded_config;
pub(crate) mod proxy;
pub(crate) mod reader_client;
pub(crate) mod reader_preferences;
pub(crate) mod runtime_state;
pub(crate) mod sessions;
pub(crate) mod shelf;
