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
//! # Rooms
//!
//! | room | what is done there |
//! |---|---|
//! | `chain` | filters in order, limits, clocks, panics |
//! | `filter/` | the filters, a file each; `main_block/` the algorithms that choose the main block |
//! | `page` | the parsed page and the doors through which filters change it; parsing and writing |
//! | `metadata` | what a page says about itself: title, author, date, language, site |
//! | `kind` | what kind of page it is: article, forum, product, … |
//! | `dom`, `text`, `markdown` | what is measured of nodes; page to plain text and to Markdown |
//! | `extract` | all that can be told about a page, for programs |
//! | `outline` | a page as the tree of its blocks, for eyes |
//! | `entities` | names in a text, and how alike two texts are by them |
//! | `hosts` | lists of hosts |
//! | `domain` | what several pages of one domain have in common; the caller keeps it |
//! | `report`, `config`, `error` | what was done, what is asked for, what went wrong |

mod analysis;
#[cfg(feature = "benching")]
#[doc(hidden)]
pub mod benching;
mod chain;
mod config;
mod domain;
mod entities;
mod error;
mod extract;
mod filter;
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

pub use chain::blocks::{Block, PageBlocks, TreeBlock};
#[cfg(feature = "training")]
#[doc(hidden)]
pub use chain::training;
pub use chain::{Chain, CspChange, Filtered, PageFeed, Remains, Trace, TracedBlock, TracedText};
pub use config::{ChainConfig, FilterName, Floor, PageLimits, StructuredText};
pub use domain::{Domain, Survey};
pub use error::{ConfigError, PageError};
pub use extract::{Extract, Image, Link};
pub use filter::{ad_servers, captions, empty_tables, ignore, lazy_images, link_lists, link_quota, removed_links};
pub use hosts::{HostList, HostListError};
pub use main_block::{core_ex::PageShape, menus::Menu};
pub use metadata::Metadata;
pub use output::{Format, Part};
pub use page_type::Kind;
pub use report::{FilterReport, Report};
