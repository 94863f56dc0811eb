//! The filter chain of Gleaner: HTML in, decluttered HTML and a report out. No network, no files, no async.
//!
//! ```
//! use std::sync::Arc;
//!
//! use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut ad_servers = HostList::default();
//! ad_servers.add("ads.example.com")?;
//! let chain = Arc::new(Chain::new(&ChainConfig::default(), PageLimits::default(), ad_servers)?);
//!
//! let url = "https://example.org/page".parse()?;
//! let html = "<p>A page that is worth reading.</p><img src='//ads.example.com/banner.gif'>";
//! let filtered = chain.run(html, &url)?;
//! assert!(filtered.content.contains("worth reading"));
//! assert!(!filtered.content.contains("banner"));
//! # Ok(())
//! # }
//! ```
//!
//! # The promise
//!
//! A page goes in as text and comes out as text, or as a [`PageError`] that says why not; the caller keeps the original
//! for that case. Nothing a page holds can make the chain panic past it, recurse, or work longer than its
//! [`PageLimits`]. The same page and configuration give the same output.
//!
//! # Folders
//!
//! Each uses those above it and none below (`tests/layout.rs`).
//!
//! | folder | what is done there |
//! |---|---|
//! | `vocabulary` | what is asked of a text alone: letters, words, and the lists of words in `data/` |
//! | `html` | the parsed page: tree, marks, parser, serializer, style sheets, time budget; the methods through which filters edit it |
//! | `measure` | what is measured of nodes: characters, links, tables, formulas; a subtree as text |
//! | `page_type` | what kind of page it is: article, forum, product, … |
//! | `metadata` | what a page says about itself: title, author, date, language, site |
//! | `domain` | what several pages of one domain have in common; the caller keeps it |
//! | `analysis` | a page with all of this beside it: what filters are given |
//! | `entities` | names in a text, and how alike two texts are by them |
//! | `filter` | the filters, a file each |
//! | `main_block` | the algorithms that choose the main block, and what holds for all of them |
//! | `output` | the page as HTML, text and Markdown, and the repairs before it is written |
//! | `extract` | everything that is known about a page, for programs |
//! | `chain` | filters in order, limits, panics; blocks and traces for tools |
//!
//! `hosts` (lists of hosts), `blocking` (rules for elements), `report`, `config` and `error` are files beside them.

mod analysis;
#[cfg(feature = "benching")]
#[doc(hidden)]
pub mod benching;
mod blocking;
mod chain;
mod config;
mod domain;
mod entities;
mod error;
mod extract;
mod filter;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod hashing;
mod hosts;
mod html;
pub mod main_block;
mod measure;
mod metadata;
mod outline;
pub mod output;
mod page_type;
mod report;
#[cfg(test)]
mod testing;
mod vocabulary;

pub use blocking::{Blocker, Hiding, Names, Resource, Selectors};
pub use chain::blocks::{Block, PageBlocks, TreeBlock};
#[cfg(feature = "training")]
#[doc(hidden)]
pub use chain::training;
pub use chain::{
    Chain, CspChange, Explanation, Filtered, PageFeed, PageOptions, PartKind, RemovedPart, Trace, TracedBlock,
    TracedText,
};
pub use config::{ChainConfig, FilterName, Floor, PageLimits, StructuredText};
pub use domain::{Domain, Survey};
pub use error::{ConfigError, PageError};
pub use extract::{Comment, Extract, Image, Link};
pub use filter::{ad_servers, captions, empty_tables, ignore, lazy_images, link_lists, link_quota, removed_links};
pub use hosts::{HostList, HostListError, registrable_domain};
pub use main_block::{core_ex::PageShape, menus::Menu};
pub use metadata::Metadata;
pub use output::{Addresses, Form, Format, Links, Part, ReaderLook, Shape, SharedAddresses, Theme, Typeface, View};
pub use page_type::PageType;
pub use report::{FilterReport, Report};
