//! The chain as `gleaner extract` runs it.

use std::sync::Arc;

use gleaner::{
    Config,
    offline::{chains::WithFallback, input, parallel},
};
use gleaner_filters::{ChainConfig, ConfigError, Domain, Extract, PageError, Survey};
use url::Url;

use super::{
    tasks::{Task, Tasks},
    with_base,
};
use crate::cli::page_failure;

/// The chain of a configuration, and what it needs besides.
pub(super) struct Extractor {
    chain: WithFallback,
    /// Longest page, as for the proxy.
    max_bytes: usize,
    /// What the pages have in common, where they are of one site.
    site: Option<Arc<Domain>>,
}

/// A page, extracted.
pub(super) struct Page {
    /// What was extracted.
    pub(super) extract: Extract,
    /// Why it is the whole page, if it is.
    pub(super) passed: Option<PageError>,
    /// Its bytes, if it is.
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

    /// Learns what repeats on these pages, which are one site's. Those that cannot be read are told of when they are extracted.
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
        let mut page = self.page(&html, &address).map_err(page_failure)?;
        if page.passed.is_some() {
            page.extract.html = html;
            page.original = Some(bytes);
        } else if let Some(url) = &given {
            page.extract.html = with_base(page.extract.html, url);
        }
        Ok(page)
    }

    /// Runs the chain on a page.
    fn page(&self, html: &str, url: &Url) -> Result<Page, PageError> {
        let (extract, passed) = self.chain.run(|chain| match &self.site {
            Some(site) => chain.extract_knowing(html, url, Arc::clone(site)),
            None => chain.extract(html, url),
        })?;
        Ok(Page { extract, passed, original: None })
    }
}
