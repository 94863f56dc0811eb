//! Pages of every kind through the default chain: where there is a main block it is chosen, and where there is none the page
//! is not emptied.
//!
//! `gate/<kind>/<name>.html` are pages of our own. `data-main` marks what a reader came for, and `data-main="no"` what
//! stands inside it without belonging to it; the chain never sees these marks.
//!
//! `cargo test -p gleaner-filters --test gate -- --nocapture` prints the tables.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};
use kuchikiki::{NodeData, NodeRef, traits::TendrilSink};

/// Raised with every page: a runner that finds no pages must not pass.
const LEAST_PAGES: usize = 119;

/// Pages that are read from top to bottom: a main block is to be chosen.
const READ: [&str; 6] = ["article", "documentation", "forum", "product", "recipe", "reference"];

/// Pages that are looked over or worked with: whatever is done, what they are for must stay.
const USED: [&str; 8] = ["application", "checkout", "error", "front", "gallery", "login", "mail", "search"];

/// Share of the marked words below which a page counts as emptied: one teaser, message or field of five is lost. The
/// measure of data sets, a half, would let a front page lose half of its news.
const EMPTIED: f64 = 0.8;

/// Mean word F1 over all pages, measured on 2026-11-30. Lower it only with a reason.
const F1: f64 = 0.9447;

/// How far it may fall: what is less moves with the order of equal scores.
const SLACK: f64 = 0.005;

#[test]
fn every_kind_of_page_is_reduced_or_left_as_it_should_be() {
    let results = run_all();
    println!("{}", table(&results));
    let (read, used): (Vec<&Outcome>, Vec<&Outcome>) =
        results.iter().partition(|page| READ.contains(&page.kind.as_str()));
    let lost = |pages: &[&Outcome]| -> Vec<String> {
        let emptied = pages.iter().filter(|page| page.recall < EMPTIED);
        emptied.map(|page| page.name.clone()).collect()
    };
    assert!(lost(&used).len() * 20 <= used.len(), "emptied: {:?}", lost(&used));
    assert_eq!(lost(&read), [""; 0], "articles without their text");
    let whole: Vec<&str> = read.iter().filter(|page| !page.selected).map(|page| page.name.as_str()).collect();
    assert!(whole.len() * 20 <= read.len(), "left whole: {whole:?}");
    let recall = mean(&read, |page| page.recall);
    let precision = mean(&read, |page| page.precision);
    assert!(recall >= 0.95, "recall of main text {recall:.3}");
    assert!(precision >= 0.9, "precision of main text {precision:.3}");
}

#[test]
fn the_quality_on_our_own_pages_does_not_fall() {
    let results = run_all();
    let f1 = mean(&results.iter().collect::<Vec<_>>(), Outcome::f1);
    assert!(
        f1 >= F1 - SLACK,
        "mean word F1 fell from {F1:.4} to {f1:.4}: look at the table that the other test prints"
    );
    assert!(f1 <= F1 + SLACK, "mean word F1 rose from {F1:.4} to {f1:.4}: write the new figure down");
}

struct Outcome {
    kind: String,
    name: String,
    selected: bool,
    recall: f64,
    precision: f64,
    note: String,
}

impl Outcome {
    fn f1(&self) -> f64 {
        let sum = self.recall + self.precision;
        if sum == 0.0 {
            return 0.0;
        }
        2.0 * self.recall * self.precision / sum
    }
}

fn run_all() -> Vec<Outcome> {
    let chain = Chain::new(&ChainConfig::default(), PageLimits::default(), HostList::default());
    let chain = Arc::new(chain.unwrap());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gate");
    let pages = pages(&folder);
    assert!(pages.len() >= LEAST_PAGES, "only {} pages", pages.len());
    pages.iter().map(|page| run(&chain, page)).collect()
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries
    };
    entries(folder).iter().flat_map(|kind| entries(kind)).collect()
}

/// A page that the chain passes on is as it was: whole.
fn run(chain: &Arc<Chain>, file: &Path) -> Outcome {
    let kind = file.parent().unwrap().file_name().unwrap();
    let kind = kind.to_str().unwrap().to_owned();
    assert!(READ.contains(&kind.as_str()) || USED.contains(&kind.as_str()), "{kind}: a new kind");
    let source = fs::read_to_string(file).unwrap();
    let name = format!("{kind}/{}", file.file_stem().unwrap().to_str().unwrap());
    // The plain text of an article leaves captions out.
    let marked = match kind.as_str() {
        "article" => source.replace("<figcaption", "<template").replace("</figcaption", "</template"),
        _ => source.clone(),
    };
    let marked = text_of(&marked, false);
    assert!(!marked.trim().is_empty(), "{name}: nothing is marked");
    let unmarked = source.replace(" data-main=\"no\"", "").replace(" data-main", "");
    let path = if kind == "front" { "" } else { "section/page" };
    let url = format!("https://example.org/{path}").parse().unwrap();
    let (text, selected, note) = match chain.extract(&unmarked, &url) {
        Err(why) => (text_of(&unmarked, true), false, format!("passed: {why}")),
        Ok(extract) => {
            let filter = extract.report.filters.iter();
            let note = filter.filter(|filter| filter.filter == "main_block").find_map(|filter| filter.note.clone());
            (extract.text, extract.report.selected, note.unwrap_or_default())
        }
    };
    let (recall, precision) = score(&text, &marked);
    Outcome { kind, name, selected, recall, precision, note }
}

/// The text of a page below its marks, or all that is shown of it.
fn text_of(html: &str, is_whole: bool) -> String {
    let document = kuchikiki::parse_html().one(html).document_node;
    let mut text = String::new();
    read(&document, is_whole, &mut text);
    text
}

fn read(node: &NodeRef, is_main: bool, out: &mut String) {
    let mut is_main = is_main;
    if let NodeData::Element(element) = node.data() {
        if matches!(&*element.name.local, "script" | "style" | "head" | "template") {
            return;
        }
        match element.attributes.borrow().get("data-main") {
            Some("no") => is_main = false,
            Some(_) => is_main = true,
            None => {}
        }
    }
    if let NodeData::Text(text) = node.data()
        && is_main
    {
        out.push_str(&text.borrow());
        out.push(' ');
    }
    for child in node.children() {
        read(&child, is_main, out);
    }
}

/// Recall and precision of the bags of words.
fn score(text: &str, marked: &str) -> (f64, f64) {
    let (kept, wanted) = (words(text), words(marked));
    let mut bag: HashMap<&str, usize> = HashMap::new();
    for word in &wanted {
        *bag.entry(word).or_default() += 1;
    }
    let mut common = 0;
    for word in &kept {
        if let Some(count) = bag.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    let share = |of: usize| f64::from(common) / of.max(1) as f64;
    (share(wanted.len()), share(kept.len()))
}

/// Lower-case words; scripts that put no spaces between words give a word for each character.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        let is_unspaced = matches!(u32::from(c), 0x0E00..=0x0E7F | 0x3040..=0x30FF | 0x4E00..=0x9FFF);
        if c.is_alphanumeric() && !is_unspaced {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_unspaced {
            words.push(c.to_string());
        }
    }
    words
}

fn mean(pages: &[&Outcome], of: impl Fn(&Outcome) -> f64) -> f64 {
    pages.iter().map(|page| of(page)).sum::<f64>() / pages.len().max(1) as f64
}

/// The outcome of each kind, and of each page.
fn table(results: &[Outcome]) -> String {
    let mut kinds: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for page in results {
        kinds.entry(&page.kind).or_default().push(page);
    }
    let mut out = "| kind | pages | selected | whole | emptied | recall | precision |\n".to_owned();
    out.push_str("|---|---|---|---|---|---|---|\n");
    for (kind, pages) in kinds {
        let count = |is: &dyn Fn(&Outcome) -> bool| pages.iter().filter(|page| is(page)).count();
        writeln!(
            out,
            "| {kind} | {} | {} | {} | {} | {:.3} | {:.3} |",
            pages.len(),
            count(&|page| page.selected && page.recall >= EMPTIED),
            count(&|page| !page.selected && page.recall >= EMPTIED),
            count(&|page| page.recall < EMPTIED),
            mean(&pages, |page| page.recall),
            mean(&pages, |page| page.precision),
        )
        .unwrap();
    }
    out.push('\n');
    for page in results {
        writeln!(
            out,
            "{} recall {:.2} precision {:.2} {}: {}",
            page.name,
            page.recall,
            page.precision,
            if page.selected { "selected" } else { "whole" },
            page.note
        )
        .unwrap();
    }
    let all: Vec<&Outcome> = results.iter().collect();
    write!(out, "mean word F1 {:.4}", mean(&all, Outcome::f1)).unwrap();
    out
}
