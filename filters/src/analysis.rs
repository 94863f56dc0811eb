//! A page with what was found out about it. The tree knows nothing of it; the filters get both.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use crate::{
    domain::{Domain, Survey},
    html::Page,
    metadata::Metadata,
    page_type::Claims,
};

/// A page and its analysis, made once before the filters run.
pub(crate) struct AnalysedPage {
    pub(crate) page: Page,
    /// Metadata that the page declares.
    pub(crate) metadata: Metadata,
    /// Claims of the page about its type, its author and its date.
    pub(crate) claims: Claims,
    /// Knowledge of other pages of the same domain, from the caller.
    pub(crate) domain: Option<Arc<Domain>>,
    /// The page's own blocks, for its domain.
    pub(crate) survey: Option<Survey>,
}

impl From<Page> for AnalysedPage {
    fn from(page: Page) -> AnalysedPage {
        AnalysedPage { page, metadata: Metadata::default(), claims: Claims::default(), domain: None, survey: None }
    }
}

impl Deref for AnalysedPage {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.page
    }
}

impl DerefMut for AnalysedPage {
    fn deref_mut(&mut self) -> &mut Page {
        &mut self.page
    }
}
