//! Pages of the proxy itself: `control_pages`, the start page and its neighbours at the control host; `panel`, the panel there; and the pages in
//! the place of a site's: errors (`error` says what went wrong, `error_pages` how that looks), blocked pages, and `bypass`, the question
//! before an unfiltered page; `opening` asks for the password that opens a blocked service. `reading` is the form and the messages of `/read`,
//! `shelf` the pages that were kept there; `form_fields` parses queries and forms. All pages use
//! `template`.

pub(crate) mod blocked;
pub(crate) mod bypass;
pub(crate) mod control_pages;
pub(crate) mod error;
pub(crate) mod error_pages;
pub(crate) mod form_fields;
pub(crate) mod opening;
pub(crate) mod panel;
pub(crate) mod reading;
pub(crate) mod shelf;
pub(crate) mod template;
