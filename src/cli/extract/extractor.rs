//! The chain as `gleaner extract` runs it.

use std::sync::Arc;

use gleaner_filters::{Chain, ChainConfig, ConfigError, Domain, Extract, PageError, Survey};

use super::{
    tasks::{Task, Tasks},
    with_base,
};
use crate::cli::page_failure;
use crate::{
    Config,
    offline::{chains::WithFallback, input, parallel},
};

/// The chain of a configuration, the limit on a page, and the statistics of its site.
pub(super) struct Extractor {
    chain: WithFallback,
    /// Longest page, as for the proxy.
    max_bytes: usize,
    /// What the pages have in common, where they are of one site.
    site: Option<Arc<Domain>>,
}

/// A page, extracted.
pub(super) struct Page {
    pub(super) extract: Extract,
    /// Why nothing was removed, where the chain gave up.
    pub(super) passed: Option<PageError>,
    /// The page's bytes, where the chain gave up.
    pub(super) original: Option<Vec<u8>>,
}

impl Extractor {
    /// Builds the chain of `config` with these filter settings.
    pub(super) fn with_filters(config: &Config, filters: &ChainConfig) -> Result<Extractor, ConfigError> {
        Ok(Extractor {
            chain: WithFallback::new(config, filters)?,
            max_bytes: config.rewrite.max_html_bytes,
            site: None,
        })
    }

    /// Learns what repeats on these pages, which are one site's. Pages that cannot be read are reported when they are extracted.
    pub(super) fn learn(&mut self, tasks: Tasks) -> anyhow::Result<Tasks> {
        let tasks: Vec<Task> = tasks.collect();
        let mut site = Domain::default();
        parallel::in_order(
            tasks.iter(),
            |task| {
                let html = input::decode(&input::read(&task.file, self.max_bytes)?);
                Ok(self.chain.first().survey(&html, &task.address())?)
            },
            |survey: anyhow::Result<Survey>| {
                if let Ok(survey) = survey {
                    site.learn(&survey);
                }
                anyhow::Ok(())
            },
        )?;
        self.site = Some(Arc::new(site));
        Ok(Box::new(tasks.into_iter()))
    }

    pub(super) fn extract(&self, task: Task) -> anyhow::Result<Page> {
        let address = task.address();
        let given = task.url?;
        let bytes = input::read(&task.file, self.max_bytes)?;
        let html = input::decode(&bytes);
        let run = |chain: &Arc<Chain>| match &self.site {
            Some(site) => chain.extract_knowing(&html, &address, Arc::clone(site)),
            None => chain.extract(&html, &address),
        };
        let (mut extract, passed) = self.chain.run(run).map_err(page_failure)?;
        let original = passed.is_some().then_some(bytes);
        if original.is_some() {
            extract.html = html;
        } else if let Some(url) = &given {
            extract.html = with_base(extract.html, url);
        }
        Ok(Page { extract, passed, original })
    }
}
