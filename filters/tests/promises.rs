//! What a reader may rely on, on real pages: every word was there before, no two words are glued, and what is not shown stays hidden.
//!
//! The pages are those of WCXB dev, which are not part of this repository: `GLEANER_WCXB` names the folder that holds `html/`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::HashSet,
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};
use kuchikiki::{NodeData, NodeRef, traits::TendrilSink};

#[path = "../../tests/e2e/harness/optional.rs"]
#[allow(dead_code)]
mod optional;

fn chain() -> Arc<Chain> {
    Arc::new(Chain::new(&ChainConfig::default(), PageLimits::default(), HostList::default()).unwrap())
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
    fn of(html: &str) -> Source {
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
            tag => is_block = BLOCKS.contains(&tag),
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
const BLOCKS: [&str; 48] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "select",
    "summary",
    "table",
    "td",
    "textarea",
    "th",
    "tr",
    "ul",
];

fn unpack(file: &Path) -> String {
    let mut html = Vec::new();
    flate2::read::GzDecoder::new(&fs::read(file).unwrap()[..]).read_to_end(&mut html).unwrap();
    String::from_utf8_lossy(&html).into_owned()
}

/// The words that come out of a page and are none of it.
fn new_words(chain: &Arc<Chain>, html: &str) -> Vec<String> {
    let url = "https://example.org/a/b".parse().unwrap();
    let Ok(extract) = chain.extract(html, &url) else {
        return Vec::new();
    };
    let source = Source::of(html);
    words(&extract.text).filter(|word| !source.has(word)).collect()
}

#[test]
fn each_word_that_comes_out_is_a_word_of_the_page() {
    let Some(folder) = optional::wcxb() else {
        return;
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("html")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 100, "only {} pages", files.len());
    let (chain, next, found) = (chain(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let new = new_words(&chain, &unpack(file));
            if !new.is_empty() {
                found.lock().unwrap().push((file.file_name().unwrap().to_owned(), new));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{} pages: {:#?}", found.len(), &found[..found.len().min(40)]);
}

#[test]
fn what_a_page_hides_is_not_shown() {
    let text = "The tide was out and the boats lay on the sand, and nobody was in a hurry. ".repeat(8);
    let hidden = [
        "<p hidden>Marmalade</p>",
        "<p style='display:none'>Marmalade</p>",
        "<style>.x{display:none}</style><p class=x>Marmalade</p>",
    ];
    for hidden in hidden {
        let html = format!("<title>Tides</title><article><h1>Tides</h1><p>{text}</p>{hidden}<p>{text}</p></article>");
        let extract = chain().extract(&html, &"https://example.org/a".parse().unwrap()).unwrap();
        assert!(!extract.text.contains("Marmalade"), "{hidden}");
    }
}

#[test]
fn a_form_keeps_its_only_button() {
    let text = "The tide was out and the boats lay on the sand, and nobody was in a hurry. ".repeat(3);
    let form = "<form action=/write><h2>Write to us</h2><p>We answer within two days, and gladly.</p>\
                <label>Your message <textarea name=m></textarea></label><button>Send</button></form>";
    let html = format!("<title>Contact</title><main><h1>Contact</h1>{form}<p>{text}</p></main>");
    let extract = chain().extract(&html, &"https://example.org/contact".parse().unwrap()).unwrap();
    assert!(!extract.html.contains("<textarea") || extract.html.contains("Send"), "{}", extract.html);
}
