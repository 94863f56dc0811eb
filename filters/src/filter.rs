//! The filters, one file each (`main_block` is beside this folder). A filter changes the page only through the methods
//! of `Page`, and reads no clock, file or socket; [`crate::chain`] runs them in order, measures their time and catches
//! their panics.

pub mod ad_servers;
pub mod captions;
pub mod empty_tables;
pub mod ignore;
pub mod lazy_images;
pub mod link_lists;
pub mod link_quota;
pub mod removed_links;
pub(crate) mod unseen;

use crate::analysis::AnalysedPage;

/// One step of the chain.
pub(crate) trait Filter: Send + Sync {
    /// The YAML key, the report key and the log field: one spelling.
    fn name(&self) -> &'static str;

    /// Edits the page. What it removed is counted by the page; the note is for what a count cannot say.
    fn apply(&self, page: &mut AnalysedPage) -> Option<String>;
}
