//! A few hundred real pages through the proxy, in both looks: none fails, none comes out blank, and what is not rewritten is
//! the same to the byte.
//!
//! The pages are those of WCXB, which are not part of this repository: `GLEANER_WCXB` names the folder that holds `html/`.
//! `cargo test --test e2e real_pages -- --nocapture` prints the figures.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use http::{HeaderValue, Response, header};
use http_body_util::Full;

use crate::harness::{Origin, TestProxy, client::Answer, get, optional};

/// Every n-th page is fetched in each style, other ones in the second: 300 of the 1,497.
const EVERY: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn real_pages_survive_in_the_reader_style() {
    let Some(corpus) = Corpus::find(0) else { return };
    corpus.run("reader").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn real_pages_survive_in_their_original_style() {
    let Some(corpus) = Corpus::find(EVERY / 2) else { return };
    corpus.run("original").await;
}

struct Corpus {
    pages: Vec<PathBuf>,
}

#[derive(Default)]
struct Figures {
    rewritten: usize,
    selected: usize,
    bytes_before: usize,
    bytes_after: usize,
    passed: BTreeMap<String, usize>,
}

impl Corpus {
    fn find(first: usize) -> Option<Corpus> {
        Some(Corpus { pages: optional::wcxb_pages(first, EVERY)? })
    }

    async fn run(self, style: &str) {
        let origin = self.serve().await;
        let proxy = TestProxy::start(&format!("filters: {{ output: {{ style: {style} }} }}")).await;
        let mut figures = Figures::default();
        for number in 0..self.pages.len() {
            let url = origin.url(&format!("/{number}"));
            let answer = get(&proxy, &url, &[("accept-encoding", "gzip")]).await;
            figures.add(&self.pages[number], &answer);
        }
        figures.print(style, self.pages.len());
        assert!(figures.rewritten * 10 > self.pages.len() * 9, "too few rewritten");
        proxy.stop().await;
    }

    async fn serve(&self) -> Origin {
        let pages = Arc::new(self.pages.clone());
        Origin::http(move |request| {
            let number: usize = request.uri.path()[1..].parse().unwrap();
            let body = fs::read(&pages[number]).unwrap();
            let mut response = Response::new(Full::new(Bytes::from(body)));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response
        })
        .await
    }
}

impl Figures {
    fn add(&mut self, page: &Path, answer: &Answer) {
        let name = page.file_name().unwrap().to_string_lossy();
        assert_eq!(answer.status, 200, "{name}");
        let original = fs::read(page).unwrap();
        let outcome = answer.header("gleaner");
        if let Some(reason) = outcome.strip_prefix("passed; reason=") {
            assert_eq!(answer.body, original, "{name} is not what it was");
            *self.passed.entry(reason.to_owned()).or_default() += 1;
            return;
        }
        assert!(outcome.starts_with("rewritten; kept="), "{name}: {outcome:?}");
        self.rewritten += 1;
        self.selected += usize::from(outcome.contains("main_block:"));
        let before = optional::unpacked(&original);
        let after = if answer.header("content-encoding") == "gzip" {
            optional::unpacked(&answer.body)
        } else {
            answer.body.to_vec()
        };
        self.bytes_before += before.len();
        self.bytes_after += after.len();
        let html = String::from_utf8(after).expect("rewritten pages are UTF-8");
        assert!(words(&html) >= 10, "{name} came out blank: {html}");
    }

    fn print(&self, style: &str, pages: usize) {
        println!(
            "{style}: {pages} pages, {} rewritten ({} reduced to a main block), {} passed {:?}, none failed, none blank; \
             {} kB before, {} kB after ({:.0} %)",
            self.rewritten,
            self.selected,
            self.passed.values().sum::<usize>(),
            self.passed,
            self.bytes_before / 1000,
            self.bytes_after / 1000,
            100.0 * self.bytes_after as f64 / self.bytes_before.max(1) as f64,
        );
    }
}

/// Words between tags, below `<body>`: enough to see that a page is not blank.
fn words(html: &str) -> usize {
    let body = html.split_once("<body").map_or(html, |(_, body)| body);
    body.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text.split_whitespace().count()).sum()
}
