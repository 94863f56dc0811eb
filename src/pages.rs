//! Pages of the proxy itself: the start page and the panel at the control host, and the pages that stand in the place of a
//! site's: errors, blocked pages, and views that cannot be made.

pub(crate) mod admin;
pub(crate) mod blocked;
pub(crate) mod bypass;
pub(crate) mod error;
pub(crate) mod error_pages;
pub(crate) mod panel;
pub(crate) mod template;
