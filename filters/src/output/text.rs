//! A page's plain text, without captions of pictures (`captions.rs`).

use super::captions;
use crate::{analysis::AnalysedPage, html::NodeId, measure::text::without};

/// The text of a page, for those who have no pictures, and get the author and the day apart.
pub(crate) fn from_page(page: &AnalysedPage, max_line_breaks: usize) -> String {
    let mut left_out = captions::left_out(page);
    left_out.sort_unstable();
    // What is in another goes with it.
    let mut end = NodeId::DOCUMENT;
    left_out.retain(|&id| {
        let is_outside = id >= end;
        if is_outside {
            end = page.end(id);
        }
        is_outside
    });
    without(page, page.body(), max_line_breaks, &left_out)
}
