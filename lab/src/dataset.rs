//! The data set: pages, and what people said their main content is.

use std::{
    collections::BTreeSet,
    fmt, fs,
    num::NonZero,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use gleaner::offline::input;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::measure::{Bag, bag};

/// A page and its annotation.
pub(crate) struct Sample {
    /// The file's name without its ending.
    pub(crate) id: String,
    pub(crate) page_type: String,
    pub(crate) url: Url,
    pub(crate) html: String,
    pub(crate) reference: Reference,
}

/// The content of a page that should be kept.
pub(crate) struct Reference {
    pub(crate) text: String,
    pub(crate) words: Bag,
    /// The title's words, where one is known.
    pub(crate) title: Option<Bag>,
    pub(crate) required: Vec<String>,
    pub(crate) forbidden: Vec<String>,
}

#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    url: String,
    #[serde(rename = "_internal")]
    internal: Option<Internal>,
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

/// The type of a page whose annotation has none.
const NO_TYPE: &str = "other";

impl Annotation {
    fn page_type(&self) -> String {
        let internal = self.internal.as_ref();
        internal.map_or(NO_TYPE, |internal| &internal.page_type.primary).to_owned()
    }
}

/// Where the host of a page ends whose annotation has none; it begins with the page's id.
const NO_SITE: &str = ".invalid";

/// Where a page and its annotation are.
#[derive(Debug)]
pub(crate) struct Pair {
    /// The files' name without their endings.
    id: String,
    html: PathBuf,
    truth: PathBuf,
}

/// A page that could not be read, and why.
#[derive(Debug, Serialize)]
pub(crate) struct Unread {
    pub(crate) file: String,
    pub(crate) error: String,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.error)
    }
}

impl std::error::Error for Unread {}

/// Ending of a page's file.
const HTML: &str = ".html.gz";

/// Ending of an annotation.
const TRUTH: &str = ".json";

/// The expected layout of the folder.
const LAYOUT: &str = "expected a data set, a folder with html/*.html.gz and ground-truth/*.json";

/// All pages, in the order of their names.
pub(crate) fn all(dataset: &Path) -> anyhow::Result<Vec<Pair>> {
    pairs(dataset, NonZero::<usize>::MIN)
}

/// Every N-th page, in the order of their names. A page without its annotation is among them, and so is an annotation
/// without its page: reading them tells.
pub(crate) fn pairs(dataset: &Path, every: NonZero<usize>) -> anyhow::Result<Vec<Pair>> {
    let (pages, truths) = (dataset.join("html"), dataset.join("ground-truth"));
    let no_data_set = || format!("{}: {LAYOUT}", dataset.display());
    let mut ids = stems(&truths, TRUTH).with_context(no_data_set)?;
    if ids.is_empty() {
        bail!("{}; {} has no *{TRUTH}", no_data_set(), truths.display());
    }
    ids.extend(stems(&pages, HTML).with_context(no_data_set)?);
    let pair =
        |id: String| Pair { html: pages.join(format!("{id}{HTML}")), truth: truths.join(format!("{id}{TRUTH}")), id };
    Ok(ids.into_iter().step_by(every.get()).map(pair).collect())
}

/// The names of the files with an ending, without it.
fn stems(folder: &Path, ending: &str) -> anyhow::Result<BTreeSet<String>> {
    let cannot_read = || format!("cannot read the folder {}", folder.display());
    let mut stems = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(cannot_read)? {
        let name = entry.with_context(cannot_read)?.file_name();
        stems.extend(name.to_str().and_then(|name| name.strip_suffix(ending)).map(str::to_owned));
    }
    Ok(stems)
}

impl Sample {
    /// Reads a page of at most so many bytes, and its annotation.
    pub(crate) fn read(pair: &Pair, max_bytes: usize) -> Result<Sample, Unread> {
        let unread = |file: &Path, error: anyhow::Error| Unread {
            file: file.display().to_string(),
            error: format!("{error:#}"),
        };
        let truth = annotation(&pair.truth).map_err(|error| unread(&pair.truth, error))?;
        let bytes = input::read(&pair.html, max_bytes).map_err(|error| unread(&pair.html, error.into()))?;
        Ok(Sample {
            id: pair.id.clone(),
            page_type: truth.page_type(),
            url: address(&truth.url, &pair.id),
            html: input::decode(&bytes),
            reference: Reference::new(truth.ground_truth),
        })
    }

    /// The site that the page belongs to, for errors of means: pages of one site fare alike.
    pub(crate) fn domain(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        host.strip_prefix("www.").or_else(|| host.strip_suffix(NO_SITE)).unwrap_or(host).to_owned()
    }
}

fn annotation(file: &Path) -> anyhow::Result<Annotation> {
    const NOT_ONE: &str = "not an annotation of a page";
    let tree: Value = serde_json::from_slice(&fs::read(file)?).context(NOT_ONE)?;
    // Sequences would be read as structs, by the order of their fields.
    let truth = &tree["ground_truth"];
    if !truth.is_object() {
        bail!("{NOT_ONE}: expected an object with the key `ground_truth`, an object too");
    }
    // An empty text says that nothing is to be kept; snippets alone are something to go by.
    if ["main_content", "with", "without"].iter().all(|key| truth[key].is_null()) {
        bail!("{NOT_ONE}: the key `ground_truth.main_content` is missing");
    }
    serde_json::from_value(tree).context(NOT_ONE)
}

/// Some annotations have lost their address: any will do that no other page has, since only text is compared.
fn address(written: &str, id: &str) -> Url {
    let parsed = Url::parse(written).or_else(|_| Url::parse(&format!("https://{id}{NO_SITE}/")));
    parsed.unwrap_or_else(|_| Url::parse("https://page.invalid/").expect("the address is a constant"))
}

/// Lower case, white space collapsed: how snippets are compared.
pub(crate) fn flat(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
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
