//! A data set in the layout of WCXB: `html/NAME.html.gz` beside `ground-truth/NAME.json`.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use url::Url;

/// Pages of one site go into one fold, so that no forest is asked about a site that it has seen.
pub(crate) const FOLDS: u64 = 5;

/// A page whose main content is known.
pub(crate) struct Page {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) url: Url,
    pub(crate) html: String,
    pub(crate) reference: String,
    pub(crate) fold: u64,
}

#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    url: String,
    #[serde(rename = "_internal")]
    internal: Internal,
    ground_truth: Truth,
}

#[derive(Deserialize)]
struct Internal {
    page_type: Kind,
}

#[derive(Deserialize)]
struct Kind {
    primary: String,
}

#[derive(Deserialize)]
struct Truth {
    #[serde(default)]
    main_content: Option<String>,
}

/// The annotations of a data set, by name.
pub(crate) fn annotations(dataset: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(dataset.join("ground-truth"))?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.sort();
    Ok(files)
}

/// The page that an annotation is about.
pub(crate) fn page(dataset: &Path, annotation: &Path) -> anyhow::Result<Page> {
    let id = annotation.file_stem().unwrap_or_default();
    let id = id.to_string_lossy().into_owned();
    let told: Annotation = serde_json::from_slice(&fs::read(annotation)?)?;
    let html = unpack(&dataset.join("html").join(format!("{id}.html.gz")))?;
    let url = Url::parse(&told.url).or_else(|_| Url::parse(&format!("https://{id}.invalid/")))?;
    Ok(Page {
        fold: fold(&domain(&url)),
        id,
        kind: told.internal.page_type.primary,
        url,
        html,
        reference: told.ground_truth.main_content.unwrap_or_default(),
    })
}

/// The text of a compressed page.
pub(crate) fn unpack(file: &Path) -> anyhow::Result<String> {
    let mut html = Vec::new();
    flate2::read::GzDecoder::new(&fs::read(file)?[..]).read_to_end(&mut html)?;
    Ok(String::from_utf8_lossy(&html).into_owned())
}

/// The last two labels of the host, three under a short second one (`co.uk`).
pub(super) fn domain(url: &Url) -> String {
    let labels: Vec<&str> = url.host_str().unwrap_or_default().split('.').collect();
    let count = labels.len();
    let is_short = count >= 3 && labels[count - 2].len() <= 3;
    labels[count.saturating_sub(if is_short { 3 } else { 2 })..].join(".")
}

/// FNV-1a over the domain: the same fold on every machine.
pub(crate) fn fold(domain: &str) -> u64 {
    let hash = domain
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 32) % FOLDS
}
