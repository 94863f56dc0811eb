//! The data set: pages, and what people said their main content is.

use std::{
    collections::HashMap,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::Deserialize;
use url::Url;

use super::{
    super::{EX_NOINPUT, Failure, input},
    score::{bag, flat},
};

/// A page and its annotation.
pub(super) struct Sample {
    /// The file's name without its ending.
    pub(super) id: String,
    pub(super) page_type: String,
    pub(super) url: Url,
    pub(super) html: String,
    pub(super) reference: Reference,
}

/// What should be kept of a page.
pub(super) struct Reference {
    pub(super) text: String,
    pub(super) words: HashMap<String, usize>,
    /// The title's words, where one is known.
    pub(super) title: Option<HashMap<String, usize>>,
    pub(super) required: Vec<String>,
    pub(super) forbidden: Vec<String>,
}

#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    url: String,
    #[serde(rename = "_internal")]
    internal: Internal,
    ground_truth: GroundTruth,
}

#[derive(Deserialize)]
struct Internal {
    page_type: PageType,
}

#[derive(Deserialize)]
struct PageType {
    primary: String,
}

#[derive(Deserialize)]
struct GroundTruth {
    title: Option<String>,
    main_content: Option<String>,
    with: Option<Vec<String>>,
    without: Option<Vec<String>>,
}

/// What the folder should have been.
const LAYOUT: &str = "expected a data set, a folder with html/*.html.gz and ground-truth/*.json";

/// Every N-th annotation, in the order of their names.
pub(super) fn annotations(dataset: &Path, every: NonZero<usize>) -> anyhow::Result<Vec<PathBuf>> {
    let folder = dataset.join("ground-truth");
    let mut pages: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| {
            format!(
                "{}: {LAYOUT}; cannot read {}",
                dataset.display(),
                folder.display()
            )
        })?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    pages.sort();
    let pages: Vec<PathBuf> = pages.into_iter().step_by(every.get()).collect();
    if pages.is_empty() {
        let message = format!(
            "{}: {LAYOUT}; {} has no *.json",
            dataset.display(),
            folder.display()
        );
        return Err(Failure::error(EX_NOINPUT, message));
    }
    Ok(pages)
}

impl Sample {
    /// Reads an annotation and the page beside it.
    pub(super) fn read(annotation: &Path) -> anyhow::Result<Sample> {
        let id = annotation
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let truth: Annotation = serde_json::from_slice(&fs::read(annotation)?)
            .with_context(|| format!("cannot read {}", annotation.display()))?;
        let html = annotation
            .parent()
            .and_then(Path::parent)
            .map(|dataset| dataset.join("html").join(format!("{id}.html.gz")))
            .context("the annotation stands in no folder")?;
        let bytes =
            input::read(&html).with_context(|| format!("cannot read {}", html.display()))?;
        Ok(Sample {
            id,
            page_type: truth.internal.page_type.primary,
            // Some annotations have lost their address; any will do, since only text is compared.
            url: Url::parse(&truth.url).or_else(|_| Url::parse("https://page.invalid/"))?,
            html: input::decode(&bytes),
            reference: Reference::new(truth.ground_truth),
        })
    }

    /// The site that the page belongs to, for errors of means: pages of one site fare alike.
    pub(super) fn domain(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    }
}

impl Reference {
    fn new(truth: GroundTruth) -> Reference {
        let snippets = |list: Option<Vec<String>>| {
            let list = list.unwrap_or_default();
            let flattened = list.iter().map(|snippet| flat(snippet));
            flattened.filter(|snippet| !snippet.is_empty()).collect()
        };
        let title = truth.title.as_deref().map(bag);
        let text = truth.main_content.unwrap_or_default();
        Reference {
            words: bag(&text),
            title: title.filter(|words| !words.is_empty()),
            text,
            required: snippets(truth.with),
            forbidden: snippets(truth.without),
        }
    }
}
