//! What the pages of each host have in common: kept in memory only, for so many hosts, and only where that is asked for.
//!
//! What a page becomes then depends on the pages before it; that is why it is off unless asked for. Numbers are kept (hashes of
//! places and texts), no words, and a reload of the configuration forgets them.

use std::sync::Arc;

use gleaner_filters::{Domain, Survey};
use moka::{ops::compute::Op, sync::Cache};
use url::Url;

/// The memory; `None` where nothing is to be remembered.
pub(super) struct Domains(Option<Cache<String, Arc<Domain>>>);

impl Domains {
    /// For so many hosts; of more, those asked for least are forgotten.
    pub(super) fn new(hosts: u32) -> Self {
        Self((hosts > 0).then(|| Cache::new(u64::from(hosts))))
    }

    /// What is known of a page's host: nothing yet is knowledge too. `None` where nothing is to be remembered.
    pub(super) fn of(&self, url: &Url) -> Option<Arc<Domain>> {
        let known = self.0.as_ref()?.get(url.host_str()?);
        Some(known.unwrap_or_default())
    }

    /// Takes one more page of a host into account.
    pub(super) fn learn(&self, url: &Url, survey: Option<&Survey>) {
        let (Some(domains), Some(host), Some(survey)) = (&self.0, url.host_str(), survey) else {
            return;
        };
        domains.entry(host.to_owned()).and_compute_with(|entry| {
            let mut domain = entry.map(moka::Entry::into_value).unwrap_or_default();
            Arc::make_mut(&mut domain).learn(survey);
            Op::Put(domain)
        });
    }
}
