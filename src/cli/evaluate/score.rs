//! One page's scores: word F1 against the reference, and the snippets that must and must not be there.

use std::{collections::HashMap, path::Path, sync::LazyLock};

use anyhow::Context;
use gleaner_filters::PageError;
use regex::Regex;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{super::extract, contestant::Contestant};

/// One page's results, one for each contestant.
#[derive(Serialize)]
pub(super) struct PageScores {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) page_type: String,
    pub(super) scores: Vec<Score>,
}

/// What one chain made of one page.
#[derive(Serialize)]
pub(super) struct Score {
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
    /// Snippets that had to be kept, and how many of them were.
    pub(super) required: Share,
    /// Snippets that had to go, and how many of them did not.
    pub(super) forbidden: Share,
    /// Word F1 of the title that was found, where one is known.
    pub(super) title: Option<f64>,
    /// No word was left.
    pub(super) empty: bool,
    /// A main content was chosen.
    pub(super) selected: bool,
    /// Why the page was passed untouched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passed: Option<&'static str>,
    /// Nothing came out: not even the whole page.
    pub(super) failed: bool,
}

/// Some of a number of things.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Share {
    pub(super) found: usize,
    pub(super) of: usize,
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

/// Runs every contestant on the page of an annotation.
pub(super) fn page(annotation: &Path, contestants: &[Contestant]) -> anyhow::Result<PageScores> {
    let id = annotation
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let truth: Annotation = serde_json::from_slice(&std::fs::read(annotation)?)
        .with_context(|| format!("cannot read {}", annotation.display()))?;
    let html = annotation
        .parent()
        .and_then(Path::parent)
        .map(|dataset| dataset.join("html").join(format!("{id}.html.gz")))
        .context("the annotation stands in no folder")?;
    let html = gleaner::decode_html(&extract::read(&html)?);
    // Some annotations have lost their address; any will do, since only text is compared.
    let url = Url::parse(&truth.url).or_else(|_| Url::parse("https://page.invalid/"))?;
    let reference = Reference::new(&truth.ground_truth);
    Ok(PageScores {
        id,
        page_type: truth.internal.page_type.primary,
        scores: contestants
            .iter()
            .map(|contestant| score(contestant, &html, &url, &reference))
            .collect(),
    })
}

struct Reference {
    title: Option<HashMap<String, usize>>,
    words: HashMap<String, usize>,
    required: Vec<String>,
    forbidden: Vec<String>,
}

impl Reference {
    fn new(truth: &GroundTruth) -> Reference {
        let snippets = |list: &Option<Vec<String>>| {
            list.iter()
                .flatten()
                .map(|snippet| flat(snippet))
                .filter(|snippet| !snippet.is_empty())
                .collect()
        };
        let title = truth.title.as_deref().map(bag);
        Reference {
            title: title.filter(|words| !words.is_empty()),
            words: bag(truth.main_content.as_deref().unwrap_or_default()),
            required: snippets(&truth.with),
            forbidden: snippets(&truth.without),
        }
    }
}

fn score(contestant: &Contestant, html: &str, url: &Url, reference: &Reference) -> Score {
    let (text, title, selected, passed, failed) = match contestant.extractor.page(html, url) {
        Ok(page) => {
            let selected = page.extract.report.selected;
            let text = if contestant.must_select && !selected {
                String::new()
            } else {
                page.extract.text
            };
            let title = page.extract.metadata.title;
            (text, title, selected, page.passed, false)
        }
        Err(error) => (String::new(), String::new(), false, Some(error), true),
    };
    let kept = bag(&text);
    let (precision, recall, f1) = word_scores(&kept, &reference.words);
    let text = flat(&text);
    let share = |snippets: &[String]| Share {
        found: snippets
            .iter()
            .filter(|s| text.contains(s.as_str()))
            .count(),
        of: snippets.len(),
    };
    Score {
        precision,
        recall,
        f1,
        required: share(&reference.required),
        forbidden: share(&reference.forbidden),
        title: reference
            .title
            .as_ref()
            .map(|words| word_scores(&bag(&title), words).2),
        empty: kept.is_empty(),
        selected,
        passed: passed.as_ref().map(PageError::reason),
        failed,
    }
}

fn word_scores(kept: &HashMap<String, usize>, wanted: &HashMap<String, usize>) -> (f64, f64, f64) {
    let (kept_words, wanted_words): (usize, usize) = (kept.values().sum(), wanted.values().sum());
    if wanted_words == 0 || kept_words == 0 {
        let both_empty = f64::from(u8::from(wanted_words == kept_words));
        return (both_empty, both_empty, both_empty);
    }
    let common: usize = kept
        .iter()
        .map(|(word, count)| (*count).min(wanted.get(word).copied().unwrap_or(0)))
        .sum();
    let precision = common as f64 / kept_words as f64;
    let recall = common as f64 / wanted_words as f64;
    let f1 = if common == 0 {
        0.0
    } else {
        2.0 * precision * recall / (precision + recall)
    };
    (precision, recall, f1)
}

fn bag(text: &str) -> HashMap<String, usize> {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\w+").expect("the pattern is a constant"));
    let mut bag = HashMap::new();
    for word in WORD.find_iter(text) {
        *bag.entry(word.as_str().to_lowercase()).or_insert(0) += 1;
    }
    bag
}

/// Lower case, white space collapsed: how snippets are compared.
fn flat(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_scores_compare_bags() {
        // Kept: a a b; wanted: a b c d. Common: a, b.
        let (precision, recall, f1) = word_scores(&bag("a A b"), &bag("a b c d"));
        assert!((precision - 2.0 / 3.0).abs() < 1e-12);
        assert!((recall - 0.5).abs() < 1e-12);
        assert!((f1 - 4.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_reference_is_met_by_an_empty_text_only() {
        assert_eq!(word_scores(&bag(""), &bag("")), (1.0, 1.0, 1.0));
        assert_eq!(word_scores(&bag("a"), &bag("")), (0.0, 0.0, 0.0));
    }
}
