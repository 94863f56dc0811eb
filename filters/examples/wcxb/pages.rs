//! The pages of a data set in the layout of WCXB, with what is known of each.

use std::{fs, io::Read as _, path::Path, sync::Arc, time::Duration};

use gleaner_filters::{Chain, ChainConfig, Floor, HostList, Metadata, PageLimits};
use serde_json::Value;

/// A page and what people have said of it.
#[allow(dead_code, reason = "each program reads its own part of it")]
pub(crate) struct Sample {
    pub(crate) id: String,
    /// The page type, as it was annotated.
    pub(crate) kind: String,
    /// The annotations: `title`, `author`, `publish_date` and others.
    pub(crate) truth: Value,
    url: url::Url,
    html: String,
}

impl Sample {
    /// Metadata of the page; nothing where it cannot be read.
    pub(crate) fn metadata(&self, chain: &Arc<Chain>) -> Metadata {
        match chain.extract(&self.html, &self.url) {
            Ok(extract) => extract.metadata,
            Err(_) => Metadata::default(),
        }
    }
}

/// The default chain, without a floor: what is measured is what can be told of every page.
pub(crate) fn chain() -> Arc<Chain> {
    let config = ChainConfig {
        floor: Floor { page_chars: 0, kept_share: 0.0, kept_chars: 0, ..Floor::default() },
        ..ChainConfig::default()
    };
    let limits = PageLimits { cpu: Duration::from_mins(1), ..PageLimits::default() };
    Arc::new(Chain::new(&config, limits, HostList::default()).unwrap())
}

/// The pages in a folder, in the order of their names.
pub(crate) fn all(folder: &Path) -> impl Iterator<Item = Sample> + '_ {
    let mut files: Vec<_> =
        fs::read_dir(folder.join("ground-truth")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty(), "the folder holds no pages");
    files.sort();
    files.into_iter().map(move |file| {
        let mut told: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let id = file.file_stem().unwrap().to_string_lossy().into_owned();
        let packed = fs::File::open(folder.join("html").join(format!("{id}.html.gz"))).unwrap();
        let mut html = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut html).unwrap();
        let url = told["url"].as_str().and_then(|url| url.parse().ok());
        Sample {
            id,
            kind: told["_internal"]["page_type"]["primary"].as_str().unwrap().to_owned(),
            truth: told["ground_truth"].take(),
            url: url.unwrap_or_else(|| "about:blank".parse().unwrap()),
            html: String::from_utf8_lossy(&html).into_owned(),
        }
    })
}
