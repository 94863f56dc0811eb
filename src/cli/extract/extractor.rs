//! The chain as `gleaner extract` and its like run it.

use std::sync::Arc;

use gleaner::Config;
use gleaner_filters::{
    Chain, ChainConfig, ConfigError, Domain, Extract, FilterName, Floor, PageError, StructuredText,
    Survey, Trace,
};
use url::Url;

use super::{
    tasks::{Task, Tasks},
    with_base,
};
use crate::cli::{input, page_failure, parallel};

/// The chain of a configuration, and the road for pages on which it gives up.
pub(crate) struct Extractor {
    chain: Arc<Chain>,
    whole: Arc<Chain>,
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
    pub(crate) fn with_filters(
        config: &Config,
        filters: &ChainConfig,
    ) -> Result<Extractor, ConfigError> {
        let build = |filters: &ChainConfig| {
            Chain::new(filters, config.page_limits(), config.ad_servers.clone()).map(Arc::new)
        };
        Ok(Extractor {
            chain: build(filters)?,
            whole: build(&cleaned_only(filters))?,
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
                Ok(self.chain.survey(&html, &task.address())?)
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
        let (extract, passed) = self.or_whole(|chain| match &self.site {
            Some(site) => chain.extract_knowing(html, url, Arc::clone(site)),
            None => chain.extract(html, url),
        })?;
        Ok(Page {
            extract,
            passed,
            original: None,
        })
    }

    /// Runs the chain on a page and tells what became of its texts, and why it is the whole page, if it is.
    pub(crate) fn trace(
        &self,
        html: &str,
        url: &Url,
    ) -> Result<(Trace, Option<PageError>), PageError> {
        self.or_whole(|chain| chain.trace(html, url))
    }

    fn or_whole<T>(
        &self,
        run: impl Fn(&Arc<Chain>) -> Result<T, PageError>,
    ) -> Result<(T, Option<PageError>), PageError> {
        match run(&self.chain) {
            Ok(done) => Ok((done, None)),
            Err(error @ (PageError::LittleText { .. } | PageError::KeptTooLittle { .. })) => {
                Ok((run(&self.whole)?, Some(error)))
            }
            Err(error) => Err(error),
        }
    }
}

/// Scripts and their like dropped, nothing else, and no floor.
fn cleaned_only(filters: &ChainConfig) -> ChainConfig {
    ChainConfig {
        order: vec![FilterName::LazyImages, FilterName::Ignore],
        floor: Floor {
            page_chars: 0,
            kept_share: 0.0,
            kept_chars: 0,
            structured_text: StructuredText::Any,
        },
        ignore: gleaner_filters::ignore::Settings::default(),
        ..filters.clone()
    }
}
