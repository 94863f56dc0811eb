//! Golden pages: `pages/<case>/` holds a page, the chain that is run on it, and what must come out.
//!
//! | file | |
//! |---|---|
//! | `source.html` | the page; its address is `https://example.org/page` |
//! | `chain.yaml` | the `filters:` section; `ads.example.com` and `tracker.example.net` are advertisement servers |
//! | `expected.html` or `expected.txt` | the output; HTML is compared as a tree, text as it is |
//! | `expected-report.yaml` | what each filter reports; or `expected-error.txt`, the reason for which the page is passed |
//!
//! `BLESS=1 cargo test -p gleaner-filters --test pages` writes the expected files anew: read the diff before it is kept.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use gleaner_filters::{Chain, ChainConfig, Format, HostList, PageLimits};
use kuchikiki::{NodeData, NodeRef, traits::TendrilSink};

/// Raised with every case: a runner that finds no cases must not pass.
const LEAST_CASES: usize = 358;

#[test]
fn every_golden_page_comes_out_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut cases: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    cases.sort();
    assert!(cases.len() >= LEAST_CASES, "only {} cases in {}", cases.len(), folder.display());
    let bless = std::env::var_os("BLESS").is_some();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let name = case.file_name().unwrap().to_string_lossy().into_owned();
            run(case, bless).err().map(|why| format!("{name}: {why}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} golden pages failed\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// A word or two may differ: what plain text leaves out (bylines, captions) depends on what stands beside it.
#[test]
fn the_dial_keeps_no_less_of_any_page_as_it_is_turned_up() {
    const SPARED: usize = 3;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let chain = |favor: &str| {
        let yaml = format!("main_block: {{ favor: {favor} }}\noutput: {{ format: text }}");
        let config: ChainConfig = serde_yaml::from_str(&yaml).unwrap();
        let chain = Chain::new(&config, PageLimits::default(), HostList::default());
        Arc::new(chain.unwrap())
    };
    let dial = ["precision", "balanced", "recall"].map(chain);
    let url = "https://example.org/page".parse().unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let case = entry.unwrap().path();
        let source = read(&case.join("source.html")).unwrap();
        let texts: Vec<String> = dial
            .iter()
            .filter_map(|chain| chain.run(&source, &url).ok())
            // A page of which too little would be left is kept whole.
            .filter(|filtered| filtered.report.selected)
            .map(|filtered| filtered.content)
            .collect();
        for pair in texts.windows(2) {
            let mut more: Vec<&str> = pair[1].split_whitespace().collect();
            more.sort_unstable();
            let mut less: Vec<&str> = pair[0].split_whitespace().collect();
            less.sort_unstable();
            let mut left = more.into_iter().peekable();
            less.retain(|word| {
                while left.next_if(|other| other < word).is_some() {}
                left.next_if_eq(word).is_none()
            });
            assert!(less.len() <= SPARED, "{}: {less:?}", case.display());
        }
    }
}

fn run(case: &Path, bless: bool) -> Result<(), String> {
    let source = read(&case.join("source.html"))?;
    let yaml = read(&case.join("chain.yaml"))?;
    let config: ChainConfig = serde_yaml::from_str(&yaml).map_err(|error| format!("chain.yaml: {error}"))?;
    let mut ads = HostList::default();
    ads.add("ads.example.com\ntracker.example.net\n").map_err(|error| error.to_string())?;
    let chain = Chain::new(&config, PageLimits::default(), ads).map_err(|error| error.to_string())?;
    let url = "https://example.org/page".parse().unwrap();
    match Arc::new(chain).run(&source, &url) {
        Err(error) => same_text(case, "expected-error.txt", &format!("{}\n", error.reason()), bless),
        Ok(filtered) => {
            let mut report = filtered.report;
            for filter in &mut report.filters {
                // How sure a choice is moves with every fit of the forest.
                let note = filter.note.take();
                filter.note = note.map(|note| note.split("; ").next().unwrap_or_default().to_owned());
            }
            report.confidence = None;
            let report = serde_yaml::to_string(&report).unwrap();
            same_text(case, "expected-report.yaml", &report, bless)?;
            match filtered.format {
                Format::Text => same_text(case, "expected.txt", &filtered.content, bless),
                Format::Html => same_tree(case, "expected.html", &filtered.content, bless),
            }
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn same_text(case: &Path, file: &str, actual: &str, bless: bool) -> Result<(), String> {
    let path = case.join(file);
    if bless {
        fs::write(&path, actual).map_err(|error| error.to_string())?;
    }
    let expected = read(&path)?;
    if expected == actual {
        return Ok(());
    }
    Err(format!("{file}\n--- expected\n{expected}\n--- actual\n{actual}"))
}

fn same_tree(case: &Path, file: &str, actual: &str, bless: bool) -> Result<(), String> {
    let path = case.join(file);
    let actual = &without_our_style(actual);
    if bless {
        fs::write(&path, actual).map_err(|error| error.to_string())?;
    }
    let expected = read(&path)?;
    let (left, right) = (outline(&expected), outline(actual));
    for (index, (left, right)) in left.iter().zip(&right).enumerate() {
        if left != right {
            return Err(format!(
                "{file}: node {index}\n--- expected {left}\n--- actual   {right}\n--- whole output\n{actual}"
            ));
        }
    }
    if left.len() == right.len() {
        return Ok(());
    }
    let (longer, what) =
        if left.len() > right.len() { (&left[right.len()], "is missing") } else { (&right[left.len()], "is too much") };
    Err(format!("{file}: {longer} {what}\n--- whole output\n{actual}"))
}

/// Our own style sheets are the same on every page: the cases show that there is one, not what it says.
fn without_our_style(html: &str) -> String {
    let mut html = html.to_owned();
    for (look, start) in [("original", "<style>html,body{"), ("reader", "<style>:root{")] {
        if let Some(at) = html.find(start)
            && let Some(length) = html[at..].find("</style>")
        {
            html.replace_range(at..at + length, &format!("<style id=\"{look}\">"));
        }
    }
    html
}

/// One line per node: the path of its parents, then its attributes or its text, white space collapsed where it is not
/// shown as written.
fn outline(html: &str) -> Vec<String> {
    let document = kuchikiki::parse_html().one(html).document_node;
    let mut lines = Vec::new();
    let mut stack = vec![(document, String::new())];
    while let Some((node, path)) = stack.pop() {
        let here = match node.data() {
            NodeData::Element(element) => {
                let mut attributes: Vec<String> = element
                    .attributes
                    .borrow()
                    .map
                    .iter()
                    .map(|(name, attribute)| format!(" {}={:?}", name.local, attribute.value))
                    .collect();
                attributes.sort();
                let here = format!("{path}/{}", element.name.local);
                lines.push(format!("{here}{}", attributes.concat()));
                here
            }
            NodeData::Text(text) => {
                let text = text.borrow();
                let words: Vec<&str> = text.split_whitespace().collect();
                if shows_space(&path) {
                    lines.push(format!("{path} {text:?}"));
                } else if !words.is_empty() {
                    lines.push(format!("{path} {:?}", words.join(" ")));
                }
                path
            }
            NodeData::Comment(text) => {
                lines.push(format!("{path} <!--{}-->", text.borrow()));
                path
            }
            NodeData::Doctype(doctype) => {
                lines.push(format!("{doctype:?}"));
                path
            }
            _ => path,
        };
        let children: Vec<NodeRef> = match node.as_element().and_then(|e| e.template_contents.clone()) {
            Some(contents) => contents.children().collect(),
            None => node.children().collect(),
        };
        for child in children.into_iter().rev() {
            stack.push((child, here.clone()));
        }
    }
    lines
}

fn shows_space(path: &str) -> bool {
    path.split('/').any(|tag| matches!(tag, "pre" | "textarea"))
}
