//! Settings of the whole chain. Each filter's own settings, with their defaults and sources, live beside the filter.

use serde::{Deserialize, Serialize};

use crate::{
    filter::{ad_servers, captions, empty_tables, ignore, lazy_images, link_lists, link_quota, removed_links},
    main_block::{self, Steering},
    output::{self, Format, Shape, View},
};

/// A filter that may be put in the chain's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FilterName {
    /// Makes lazily loaded images real.
    LazyImages,
    /// Drops tags and attributes.
    Ignore,
    /// Removes what comes from advertisement servers.
    AdServers,
    /// Removes lists of links.
    LinkLists,
    /// Removes blocks in which links have too large a part.
    LinkQuota,
    /// Removes tables that hold nothing.
    EmptyTables,
    /// Chooses the main block and removes the rest.
    MainBlock,
    /// Removes images whose captions have nothing to do with the text.
    Captions,
    /// Appends the links that were removed.
    RemovedLinks,
}

impl FilterName {
    /// The filter's name as written in the YAML.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FilterName::LazyImages => "lazy_images",
            FilterName::Ignore => "ignore",
            FilterName::AdServers => "ad_servers",
            FilterName::LinkLists => "link_lists",
            FilterName::LinkQuota => "link_quota",
            FilterName::EmptyTables => "empty_tables",
            FilterName::MainBlock => "main_block",
            FilterName::Captions => "captions",
            FilterName::RemovedLinks => "removed_links",
        }
    }
}

/// Settings of the chain. Every field has a default; [`ChainConfig::default`] serves today's reader and
/// [`ChainConfig::crunch`] is the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ChainConfig {
    /// The filters in the order in which they run. One that is not named does not run.
    pub order: Vec<FilterName>,
    /// Makes lazily loaded images real: without the page's scripts nothing else would.
    pub lazy_images: lazy_images::Settings,
    /// Which tags and attributes are dropped.
    pub ignore: ignore::Settings,
    /// Removes elements whose `src` or `href` leads to an advertisement server.
    pub ad_servers: ad_servers::Settings,
    /// Removes lists of links.
    pub link_lists: link_lists::Settings,
    /// Removes blocks in which links have too large a part: another way to find lists of links.
    pub link_quota: link_quota::Settings,
    /// Removes tables that hold nothing of substance.
    pub empty_tables: empty_tables::Settings,
    /// Chooses the block with the main content and removes the rest.
    pub main_block: main_block::Settings,
    /// Removes images whose captions have nothing to do with the main block's text.
    pub captions: captions::Settings,
    /// Appends the text links that other filters removed.
    pub removed_links: removed_links::Settings,
    /// How the page is written when all filters have run.
    pub output: output::Settings,
    /// When the result is not trusted and the original page is sent.
    pub floor: Floor,
}

impl Default for ChainConfig {
    fn default() -> ChainConfig {
        ChainConfig {
            order: vec![
                FilterName::LazyImages,
                FilterName::Ignore,
                FilterName::AdServers,
                FilterName::LinkLists,
                FilterName::LinkQuota,
                FilterName::EmptyTables,
                FilterName::MainBlock,
                FilterName::Captions,
                FilterName::RemovedLinks,
            ],
            lazy_images: lazy_images::Settings::default(),
            ignore: ignore::Settings::default(),
            ad_servers: ad_servers::Settings::default(),
            link_lists: link_lists::Settings::default(),
            link_quota: link_quota::Settings::default(),
            empty_tables: empty_tables::Settings::default(),
            main_block: main_block::Settings::default(),
            captions: captions::Settings::default(),
            removed_links: removed_links::Settings::default(),
            output: output::Settings::default(),
            floor: Floor::default(),
        }
    }
}

impl ChainConfig {
    /// The settings for a view of a page.
    #[must_use]
    pub fn for_view(&self, view: View) -> ChainConfig {
        let mut config = self.clone();
        config.main_block.steer(Steering { steps: view.steps, skipped: view.block });
        if view.is_steered() {
            // The reader asked for it, however little that is.
            (config.floor.kept_share, config.floor.kept_chars) = (0.0, 0);
        }
        if view.shape == Shape::Text {
            config.output.format = Format::Text;
        }
        config
    }

    /// These settings without a choice: scripts and their like go, and whatever is left is accepted.
    #[must_use]
    pub fn cleaned_only(&self) -> ChainConfig {
        ChainConfig {
            order: vec![FilterName::LazyImages, FilterName::Ignore],
            floor: Floor { page_chars: 0, kept_share: 0.0, kept_chars: 0, structured_text: StructuredText::Any },
            ignore: ignore::Settings::default(),
            ..self.clone()
        }
    }

    /// The filters that run, in order: those that are named and switched on.
    pub fn filters_on(&self) -> impl Iterator<Item = FilterName> + '_ {
        self.order.iter().copied().filter(|name| match name {
            FilterName::LazyImages => self.lazy_images.enabled,
            FilterName::Ignore => self.ignore.enabled,
            FilterName::AdServers => self.ad_servers.enabled,
            FilterName::LinkLists => self.link_lists.enabled,
            FilterName::LinkQuota => self.link_quota.enabled,
            FilterName::EmptyTables => self.empty_tables.enabled,
            FilterName::MainBlock => self.main_block.enabled,
            FilterName::Captions => self.captions.enabled,
            FilterName::RemovedLinks => self.removed_links.enabled,
        })
    }

    /// The settings of the paper's Figures 1 and 2 (Agarwal et al. 2013), exactly: its four algorithmic filters, no
    /// choice of a main block, the page's own look.
    #[must_use]
    pub fn crunch() -> ChainConfig {
        ChainConfig {
            order: vec![
                FilterName::Ignore,
                FilterName::AdServers,
                FilterName::LinkLists,
                FilterName::EmptyTables,
                FilterName::RemovedLinks,
            ],
            ignore: ignore::Settings::crunch(),
            link_lists: link_lists::Settings::crunch(),
            empty_tables: empty_tables::Settings::crunch(),
            main_block: main_block::Settings { enabled: false, ..main_block::Settings::default() },
            removed_links: removed_links::Settings { enabled: false, ..removed_links::Settings::default() },
            output: output::Settings::crunch(),
            lazy_images: lazy_images::Settings { enabled: false },
            ..ChainConfig::default()
        }
    }
}

/// When the result is not trusted and the original page is sent instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Floor {
    /// A page with scripts and fewer visible characters than this is left alone: its scripts would draw it.
    pub page_chars: usize,
    /// Whose text is used on a page with scripts and fewer characters than `page_chars`, from what it tells search engines
    /// (JSON-LD).
    pub structured_text: StructuredText,
    /// Share of the page's visible characters (0 to 1) that must be left after all filters, unless the main block was chosen by
    /// `auto`, which knows how sure it is (`main_block.auto.min_confidence`).
    pub kept_share: f64,
    /// Visible characters that must be left at the end; a page that had fewer to begin with is not held to it.
    pub kept_chars: usize,
}

impl Default for Floor {
    fn default() -> Floor {
        Floor { page_chars: 200, structured_text: StructuredText::default(), kept_share: 0.05, kept_chars: 140 }
    }
}

/// Which text of a page's JSON-LD stands in for text that the page's scripts would draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StructuredText {
    /// None: the page is left alone.
    Off,
    /// A whole article (`articleBody`). A summary would be less than what the reader's browser makes of the page.
    #[default]
    Article,
    /// A summary (`description`) too: for programs, which have no browser.
    Any,
}

/// Bounds on the work for one page. Past any of them the original bytes are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// Deepest nesting of elements; browsers stop at 512 (`maximumHTMLParserDOMTreeDepth` in Chromium and Safari).
    pub depth: usize,
    /// Most nodes of a page, text and comments included.
    pub nodes: usize,
    /// CPU time for parsing, filtering and writing.
    pub cpu: std::time::Duration,
}

impl Default for PageLimits {
    fn default() -> PageLimits {
        PageLimits { depth: 512, nodes: 400_000, cpu: std::time::Duration::from_secs(1) }
    }
}
