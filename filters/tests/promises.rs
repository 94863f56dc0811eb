//! What a reader may rely on, on real pages: every word was there before, no two words are glued, what is one thing stays or goes as
//! one, a kept text keeps its heading, a shop its prices, and the headline is not the name of the site.
//!
//! The pages are those of WCXB dev, which are not part of this repository: `GLEANER_WCXB` names the folder that holds `html/` and
//! `ground-truth/`. `tests/properties.rs` tries pages that nobody wrote.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::{HashMap, HashSet},
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use gleaner_filters::{Chain, ChainConfig, FilterName, HostList, PageLimits, output::Style};
use kuchikiki::{NodeData, NodeRef, traits::TendrilSink};
use url::Url;

#[path = "../../tests/e2e/harness/optional.rs"]
#[allow(dead_code)]
mod optional;

fn chain() -> Arc<Chain> {
    chain_of(&ChainConfig::default())
}

/// Without haste: programs that are tested are slow.
fn chain_of(config: &ChainConfig) -> Arc<Chain> {
    let limits = PageLimits { cpu: Duration::from_mins(1), ..PageLimits::default() };
    Arc::new(Chain::new(config, limits, HostList::default()).unwrap())
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

/// The texts of a page by themselves and its attributes, and its texts as they run on; in lower case.
struct Source {
    words: HashSet<String>,
    running: String,
}

impl Source {
    fn from_html(html: &str) -> Source {
        // Without scripts their replacements are shown.
        let html = html.replace("<noscript", "<div").replace("</noscript", "</div");
        let document = kuchikiki::parse_html().one(html).document_node;
        let (mut all, mut running) = (String::new(), String::new());
        read(&document, &mut all, &mut running);
        // Soft hyphens are no part of a word.
        let [all, running] = [all, running].map(|text| text.replace('\u{ad}', "").to_lowercase());
        Source { words: words(&all).collect(), running }
    }

    /// A word may be a part of one that runs on: `<a>LinkedIn</a><a>X</a>` is two words to a reader.
    fn has(&self, word: &str) -> bool {
        self.words.contains(word) || self.running.contains(word)
    }
}

fn read(node: &NodeRef, all: &mut String, running: &mut String) {
    if let NodeData::Text(text) = node.data() {
        running.push_str(&text.borrow());
        all.push_str(&text.borrow());
        all.push(' ');
    }
    let (mut is_block, mut is_shown) = (false, true);
    if let NodeData::Element(element) = node.data() {
        for attribute in element.attributes.borrow().map.values() {
            all.push_str(&attribute.value);
            all.push(' ');
        }
        match &*element.name.local {
            // Nothing is shown of them, and what stands around them touches.
            "script" | "style" | "template" | "svg" => is_shown = false,
            tag => is_block = BLOCKS.split(' ').any(|block| block == tag),
        }
    }
    let end = running.len();
    if is_block {
        running.push(' ');
    }
    for child in node.children() {
        read(&child, all, running);
    }
    if !is_shown {
        running.truncate(end);
    }
    if is_block {
        running.push(' ');
    }
}

/// Elements that part words (HTML Standard § 15.3).
const BLOCKS: &str = "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset \
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main menu nav ol option p \
    pre section select summary table td textarea th tr ul";

/// Faults of every `every`th page of the set, found by `faults` from a page's name and markup. Nothing without the set.
fn on_pages(every: usize, faults: impl Fn(&str, &str) -> Vec<String> + Sync) {
    let Some(files) = optional::wcxb_pages(0, every) else {
        return;
    };
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = file.file_name().unwrap().to_string_lossy().replace(".html.gz", "");
            let html = optional::unpacked(&fs::read(file).unwrap());
            let faults = faults(&name, &String::from_utf8_lossy(&html));
            if !faults.is_empty() {
                found.lock().unwrap().push((name, faults));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{} of {} pages: {:#?}", found.len(), files.len(), &found[..found.len().min(20)]);
}

fn url() -> Url {
    "https://example.org/a/b".parse().unwrap()
}

#[test]
fn each_word_that_comes_out_is_a_word_of_the_page() {
    let chain = chain();
    on_pages(1, |_, html| {
        let Ok(extract) = chain.extract(html, &url()) else {
            return Vec::new();
        };
        let source = Source::from_html(html);
        words(&extract.text).filter(|word| !source.has(word)).collect()
    });
}

/// The name of the numbers by which elements of a page are told before and after its main block is chosen.
const NUMBER: &str = "data-number";

/// A page with its elements numbered.
fn numbered(html: &str) -> String {
    let document = kuchikiki::parse_html().one(html).document_node;
    for (number, element) in document.inclusive_descendants().filter_map(NodeRef::into_element_ref).enumerate() {
        element.attributes.borrow_mut().insert(NUMBER, number.to_string());
    }
    document.to_string()
}

/// The visible text of a page: by number, the words of each element's own texts.
struct Shown {
    document: NodeRef,
    texts: HashMap<String, usize>,
}

impl Shown {
    fn from_html(html: &str) -> Shown {
        let document = kuchikiki::parse_html().one(html).document_node;
        let mut texts = HashMap::new();
        for text in document.inclusive_descendants().filter_map(NodeRef::into_text_ref) {
            let parent = text.as_node().parent().unwrap();
            let is_shown = !matches!(name(&parent).as_str(), "script" | "style" | "template" | "textarea" | "title");
            let words = words(&text.borrow()).count();
            if let Some(number) = number(&parent).filter(|_| is_shown && words > 0) {
                *texts.entry(number).or_default() += words;
            }
        }
        Shown { document, texts }
    }

    /// The page before its main block is chosen, and after. Comments, which are under a line of ours in place of their heading, are none of it.
    fn before_and_after(html: &str) -> Option<[Shown; 2]> {
        let mut config: ChainConfig = serde_yaml::from_str("main_block: { comments: drop }").unwrap();
        config.output.style = Style::Original;
        let mut cleaning = config.clone();
        cleaning.order.retain(|name| !matches!(name, FilterName::MainBlock | FilterName::RemovedLinks));
        let html = numbered(html);
        let [before, after] = [cleaning, config].map(|config| chain_of(&config).extract(&html, &url()));
        let (before, after) = (before.ok()?, after.ok()?);
        after.report.selected.then(|| [Shown::from_html(&before.html), Shown::from_html(&after.html)])
    }

    fn elements(&self) -> impl Iterator<Item = NodeRef> {
        self.document.inclusive_descendants().filter(|node| node.as_element().is_some())
    }

    /// The words below an element, and how many of them another page shows as well.
    fn left(&self, node: &NodeRef, after: &Shown) -> [usize; 2] {
        let mut sums = [0, 0];
        for number in node.inclusive_descendants().filter_map(|node| number(&node)) {
            let words = self.texts.get(&number).copied().unwrap_or(0);
            sums[0] += words;
            sums[1] += words.min(after.texts.get(&number).copied().unwrap_or(0));
        }
        sums
    }
}

fn number(node: &NodeRef) -> Option<String> {
    node.as_element()?.attributes.borrow().get(NUMBER).map(str::to_owned)
}

fn name(node: &NodeRef) -> String {
    node.as_element().map(|element| element.name.local.to_string()).unwrap_or_default()
}

/// Short items of lists, rows of tables with a head, questions that unfold.
fn is_one_thing(node: &NodeRef) -> bool {
    let has = |tags: &[&str]| node.descendants().any(|inside| tags.contains(&name(&inside).as_str()));
    let is_row = || {
        let table = node.ancestors().find(|up| name(up) == "table");
        let heads = table.iter().flat_map(NodeRef::descendants).filter(|inside| name(inside) == "th").count();
        heads > 1 && !has(&["table"])
    };
    match name(node).as_str() {
        "li" => !has(&["li", "form"]),
        "details" => !has(&["form"]),
        "tr" => is_row(),
        _ => false,
    }
}

#[test]
fn rows_items_and_questions_stay_or_go_as_one() {
    /// Words of an item that is one thing.
    const MOST: usize = 60;
    on_pages(3, |_, html| {
        let Some([before, after]) = Shown::before_and_after(html) else {
            return Vec::new();
        };
        // The headline stays wherever it stands.
        let title = before.elements().find(|node| name(node) == "title").map(|node| node.text_contents());
        let headline = title.unwrap_or_default().split(" | ").next().unwrap_or_default().trim().to_owned();
        let holds_headline = |unit: &NodeRef| !headline.is_empty() && unit.text_contents().contains(&headline);
        let units = before.elements().filter(is_one_thing).filter(|unit| !holds_headline(unit));
        let parted = units.filter_map(|unit| {
            let [all, left] = before.left(&unit, &after);
            let is_parted = (1..all).contains(&left) && all <= MOST;
            is_parted.then(|| format!("{left} of {all} words: {}", unit.text_contents().trim()))
        });
        parted.collect()
    });
}

#[test]
fn a_kept_text_keeps_its_heading() {
    /// Words of a text, at least; shorter ones are labels.
    const SHORT: usize = 5;
    on_pages(3, |_, html| {
        let Some([before, after]) = Shown::before_and_after(html) else {
            return Vec::new();
        };
        let is_heading = |node: &NodeRef| matches!(name(node).as_str(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        let headings = before.elements().filter(is_heading);
        let lost = headings.filter_map(|heading| {
            let [own, left] = before.left(&heading, &after);
            // It may stand in boxes of its own.
            let is_alone = |around: &NodeRef| before.left(around, &after)[0] == own;
            let boxes = heading.ancestors().take_while(is_alone).last();
            let alone = boxes.unwrap_or_else(|| heading.clone());
            let below = alone.following_siblings().find(|node| before.left(node, &after)[0] > 0)?;
            let is_text = matches!(name(&below).as_str(), "p" | "ul" | "ol" | "pre" | "blockquote" | "div" | "section")
                && !below.descendants().any(|inside| is_heading(&inside));
            let [all, kept] = before.left(&below, &after);
            let is_lost = is_text && own > 0 && left == 0 && all >= SHORT && kept == all;
            is_lost.then(|| format!("{}: {}", heading.text_contents().trim(), below.text_contents().trim()))
        });
        lost.collect()
    });
}

/// The labels that people gave a page.
fn truth(name: &str) -> Option<serde_json::Value> {
    let file = optional::wcxb()?.join("ground-truth").join(format!("{name}.json"));
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Amounts of money in a text.
fn prices(text: &str) -> usize {
    let is_amount = |&(at, sign): &(usize, &str)| {
        let after = text[at + sign.len()..].trim_start();
        text[..at].trim_end().ends_with(|c: char| c.is_ascii_digit()) || after.starts_with(|c: char| c.is_ascii_digit())
    };
    text.match_indices(['$', '€', '£']).filter(is_amount).count()
}

#[test]
fn a_shop_keeps_prices() {
    let mut cleaning = ChainConfig::default();
    cleaning.main_block.enabled = false;
    let whole = chain_of(&cleaning);
    let chain = chain();
    on_pages(1, |name, html| {
        let truth = truth(name).unwrap_or_default();
        let kind = truth["_internal"]["page_type"]["primary"].as_str().unwrap_or_default();
        if !matches!(kind, "product" | "collection") {
            return Vec::new();
        }
        let url = truth["url"].as_str().and_then(|url| url.parse().ok()).unwrap_or_else(url);
        // A page that is passed as it was keeps all it has.
        let (Ok(whole), Ok(kept)) = (whole.extract(html, &url), chain.extract(html, &url)) else {
            return Vec::new();
        };
        // Prices in a promotion above the page are none of its own.
        let is_told = prices(truth["ground_truth"]["main_content"].as_str().unwrap_or_default()) > 0;
        let all = prices(&whole.text);
        if is_told && all >= 3 && prices(&kept.text) == 0 { vec![format!("{all} prices")] } else { Vec::new() }
    });
}

#[test]
fn the_headline_is_not_the_name_of_the_site() {
    let chain = chain();
    on_pages(1, |name, html| {
        let truth = truth(name).unwrap_or_default();
        let url: Url = truth["url"].as_str().and_then(|url| url.parse().ok()).unwrap_or_else(url);
        let Ok(extract) = chain.extract(html, &url) else {
            return Vec::new();
        };
        let letters = |text: &str| words(text).collect::<String>();
        let title = letters(&extract.metadata.title);
        let is_site = extract.metadata.site.is_some_and(|site| letters(&site) == title);
        // Of a front page it is.
        let known = truth["ground_truth"]["title"].as_str().map(letters).unwrap_or_default();
        if is_site && !known.contains(&title) { vec![title] } else { Vec::new() }
    });
}

#[test]
fn words_that_stand_apart_are_not_glued_in_markup() {
    let text = "The tide was out and the boats lay on the sand, and nobody was in a hurry. ".repeat(9);
    let html = format!(
        "<title>The tide</title><main><h1>The tide</h1><p>{text}</p><p><span>4.9</span><span>2,695 boats</span> and \
         apps<b><br></b><i>Track</i> if<span> </span>x</p><p>{text}</p></main>"
    );
    let html = chain().extract(&html, &url()).unwrap().html;
    for apart in ["4.9</span> <span>2,695", "apps<b><br></b><i>Track", "if<span> </span>x"] {
        assert!(html.contains(apart), "{apart}: {html}");
    }
}
