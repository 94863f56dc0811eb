//! Remembers the validators of documents that were sent unmodified, so that a client's conditional request for one of
//! them may go to the origin: its copy is no page that would now be rewritten.
//!
//! Of a copy that is not known here (after a start, or of the time before its pages were rewritten) the whole is asked for.

use std::hash::{BuildHasher as _, RandomState};

use http::HeaderMap;

use super::RequestInfo;
use crate::{
    http::headers::validators,
    util::expiring_map::{ExpiringMap, Lifetime},
};

/// Most documents, each some 100 bytes: more than the browsers of a household ask for again before they drop them.
const MAX_DOCUMENTS: usize = 16_384;

/// The documents that have passed under one configuration.
pub(super) struct UnmodifiedDocuments {
    hasher: RandomState,
    documents: ExpiringMap<u64, ()>,
}

impl UnmodifiedDocuments {
    pub(super) fn new() -> Self {
        Self { hasher: RandomState::new(), documents: ExpiringMap::new(MAX_DOCUMENTS, Lifetime::Unlimited) }
    }

    pub(super) fn add(&self, asked: &RequestInfo<'_>, response: &HeaderMap) {
        if let Some(validator) = validators::response_validator(response) {
            self.documents.insert(self.key(asked, &validator), ());
        }
    }

    /// Whether these validators are all of such documents.
    pub(super) fn has_all(&self, asked: &RequestInfo<'_>, validators: &[String]) -> bool {
        let is_known = |validator: &String| self.documents.get(&self.key(asked, validator)).is_some();
        !validators.is_empty() && validators.iter().all(is_known)
    }

    fn key(&self, asked: &RequestInfo<'_>, validator: &str) -> u64 {
        self.hasher.hash_one((asked.document(), validator))
    }
}
