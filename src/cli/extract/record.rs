//! One line of `--jsonl`, and the object of `--format json`.

use gleaner_filters::{Image, Link, Metadata, Report};
use serde::Serialize;

use super::Page;

/// The output for one file.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Record {
    /// A page that was read.
    Page(Box<PageRecord>),
    /// A file that could not be read or filtered.
    Error { file: String, error: String },
}

/// All about a page; the fields of its metadata are beside the others.
#[derive(Debug, Serialize)]
pub(super) struct PageRecord {
    file: String,
    #[serde(flatten)]
    metadata: Metadata,
    /// The chain's confidence in its choice, 0 to 1; `null` where its algorithm gives none.
    confidence: Option<f64>,
    text: String,
    html: String,
    markdown: String,
    links: Vec<Link>,
    images: Vec<Image>,
    /// Why nothing was selected or removed, where that is so.
    passed: Option<&'static str>,
    report: Report,
}

impl Record {
    pub(super) fn of(file: String, page: Page) -> Record {
        let extract = page.extract;
        Record::Page(Box::new(PageRecord {
            file,
            metadata: extract.metadata,
            confidence: extract.report.confidence,
            text: extract.text,
            html: extract.html,
            markdown: extract.markdown,
            links: extract.links,
            images: extract.images,
            passed: page.passed.map(|error| error.reason()),
            report: extract.report,
        }))
    }
}
