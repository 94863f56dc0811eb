//! What the pages of each host have in common: kept in memory, for a limited number of hosts, and only if enabled.
//!
//! The result for a page then depends on earlier pages; that is why it is off by default. Only hashes of places and texts are
//! kept, and a reload of the configuration drops them.

use std::sync::Arc;

use gleaner_filters::{Domain, Survey};
use url::Url;

use crate::util::expiring_map::{ExpiringMap, Lifetime};

/// The cache; `None` if it is disabled.
pub(super) struct Domains(Option<ExpiringMap<String, Arc<Domain>>>);

impl Domains {
    /// For this many hosts; of more, the least used are evicted.
    pub(super) fn new(hosts: u32) -> Self {
        Self((hosts > 0).then(|| ExpiringMap::new(hosts as usize, Lifetime::Unlimited)))
    }

    /// Memory of a page's host, possibly nothing yet. `None` if the cache is disabled.
    pub(super) fn get(&self, url: &Url) -> Option<Arc<Domain>> {
        let known = self.0.as_ref()?.get(url.host_str()?);
        Some(known.unwrap_or_default())
    }

    pub(super) fn learn(&self, url: &Url, survey: Option<&Survey>) {
        let (Some(domains), Some(host), Some(survey)) = (&self.0, url.host_str(), survey) else {
            return;
        };
        let mut domain = domains.get(host).unwrap_or_default();
        Arc::make_mut(&mut domain).learn(survey);
        domains.insert(host.to_owned(), domain);
    }
}
