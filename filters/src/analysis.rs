//! A parsed page with its metadata, type and headline, and the result of the choice of the main block: what every
//! filter gets. The tree itself knows nothing of it.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use crate::{
    domain::{Domain, Survey},
    html::{NodeId, Page},
    metadata::{Headline, Metadata},
    page_type::Claims,
};

/// Links appended at the end of the page, under a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkGroup {
    /// Its name in `data/interface.txt`.
    pub(crate) heading: &'static str,
    /// Their texts and addresses.
    pub(crate) links: Vec<(String, String)>,
}

/// What a reader wrote below the page's article.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CommentNode {
    /// The element around it; answers to it may stand in the same element.
    pub(crate) element: NodeId,
    pub(crate) author: Option<String>,
    /// The day as [`Metadata::date`] has it, or as the page writes it.
    pub(crate) date: Option<String>,
    /// The texts of its head, in document order: who wrote it and when.
    pub(crate) head: Vec<NodeId>,
    /// The words of it, without its head and without the answers to it; written when the page is.
    pub(crate) text: String,
}

/// What the choice of the main block found out.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The block that was chosen, if one was; the innermost element around the parts of a choice.
    pub(crate) main_block: Option<NodeId>,
    /// The posts of a thread, where the algorithm tells them apart.
    pub(crate) posts: Vec<NodeId>,
    /// The entries of a list, where the algorithm tells them apart.
    pub(crate) entries: Vec<NodeId>,
    /// The comments below the article, in document order.
    pub(crate) comments: Vec<CommentNode>,
    /// Whether they stand apart from the article when the page is written.
    pub(crate) folds_comments: bool,
    /// Who wrote the first of the posts.
    pub(crate) starter: Option<String>,
    /// Visible characters of the frame that was taken out of a page that is kept whole.
    pub(crate) landmark_chars: usize,
    /// Whether a reader can have no more of the page, where more was asked for, or else no less.
    pub(crate) at_end: bool,
    /// The word F1 to be expected, where the algorithm can tell.
    pub(crate) confidence: Option<f64>,
}

/// A page, what was found out about it before the filters ran, and what they found out.
pub(crate) struct AnalysedPage {
    pub(crate) page: Page,
    /// Metadata that the page declares.
    pub(crate) metadata: Metadata,
    /// The page's headline.
    pub(crate) headline: Headline,
    /// Claims of the page about its type, its author and its date.
    pub(crate) claims: Claims,
    /// Knowledge of other pages of the same domain, from the caller.
    pub(crate) domain: Option<Arc<Domain>>,
    /// The page's own blocks, for its domain.
    pub(crate) survey: Option<Survey>,
    /// Whether the page gets the bar, which offers steps to less and to more.
    pub(crate) has_bar: bool,
    pub(crate) outcome: Outcome,
    /// Removed links that are written after the page's own content.
    pub(crate) appended: Vec<LinkGroup>,
    /// How many links were removed, with those for which that has no room.
    pub(crate) removed_link_count: usize,
}

impl From<Page> for AnalysedPage {
    fn from(page: Page) -> AnalysedPage {
        AnalysedPage {
            page,
            metadata: Metadata::default(),
            headline: Headline::default(),
            claims: Claims::default(),
            domain: None,
            survey: None,
            has_bar: false,
            outcome: Outcome::default(),
            appended: Vec::new(),
            removed_link_count: 0,
        }
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
