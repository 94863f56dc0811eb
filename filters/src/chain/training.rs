//! The features of a page's text blocks, and chains with another forest, for `gleaner-lab`.

use std::sync::Arc;

use url::Url;

use super::{Chain, PageOptions};
use crate::{
    ChainConfig, ConfigError, HostList, PageError, PageLimits,
    main_block::auto::{blocks::TextBlocks, features, forest::Forest, records::Records, text},
    page_type::LazyPageType,
};

/// A page as the block scorer sees it.
#[derive(Debug)]
pub struct Sample {
    /// Text of each block.
    pub texts: Vec<String>,
    /// Numbers in a row.
    pub width: usize,
    /// The rows.
    pub values: Vec<f32>,
    /// Names of the columns.
    pub names: Vec<String>,
}

/// A chain whose choice of the main block is made by another forest; `None` where the bytes are none.
pub fn chain(
    config: &ChainConfig,
    limits: PageLimits,
    ad_servers: HostList,
    forest: &[u8],
) -> Result<Option<Chain>, ConfigError> {
    let lists = ad_servers.into();
    Forest::parse(forest).map(|forest| Chain::with_forest(config, limits, &lists, &Arc::new(forest))).transpose()
}

/// How many prices a text tells.
#[must_use]
pub fn prices(text: &str) -> usize {
    crate::page_type::prices(text)
}

/// Runs the filters before the choice of the main block on a page and takes the features of what is left.
pub fn sample(chain: &Arc<Chain>, html: &str, url: &Url) -> Result<Sample, PageError> {
    let mut feed = chain.arrived(html, url, PageOptions::default())?;
    let mut page = feed.parse()?;
    page.headline = crate::metadata::read(&page).headline;
    let mut is_before = true;
    feed.run_some(&mut page, |name| {
        is_before &= name != "main_block";
        is_before
    })?;
    let blocks = TextBlocks::from_page(&page, &text::hashes(&page.headline.text));
    let records = Records::from_page(&page, &blocks, LazyPageType::new(&page, &page.claims).is_forum());
    let mut names = Vec::new();
    let rows = features::rows(&page, &blocks, &records, Some(&mut names));
    let text_of = |&id: &_| page.text(id).map_or_else(|| " ".to_owned(), |text| text.clone());
    Ok(Sample {
        texts: blocks
            .list
            .iter()
            .map(|block| {
                crate::vocabulary::words::one_line(&blocks.texts(block).iter().map(text_of).collect::<String>())
            })
            .collect(),
        width: rows.width(),
        values: rows.to_vec(),
        names,
    })
}
