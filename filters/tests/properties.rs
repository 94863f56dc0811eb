//! What must hold for every page, tried on pages that nobody wrote.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{collections::HashSet, fmt::Write, sync::Arc, time::Duration};

use gleaner_filters::{
    Chain, ChainConfig, Extract, FilterName, Format, HostList, PageError, PageLimits, PageOptions, output::Style,
};
use proptest::{collection::vec, prelude::*, sample::select};
use url::Url;

fn chain(config: &ChainConfig) -> Arc<Chain> {
    let limits = PageLimits { cpu: Duration::from_secs(20), ..PageLimits::default() };
    let mut hosts = HostList::default();
    hosts.add("ads.example").unwrap();
    Arc::new(Chain::new(config, limits, hosts).unwrap())
}

fn url() -> Url {
    "https://example.org/a/b".parse().unwrap()
}

/// The default filters up to the choice of the main block, in the page's own look: what is left is a page again.
fn cleaning() -> ChainConfig {
    let mut config = ChainConfig::default();
    config.order.retain(|name| !matches!(name, FilterName::MainBlock | FilterName::RemovedLinks));
    config.output.style = Style::Original;
    config
}

fn nothing() -> ChainConfig {
    ChainConfig { order: Vec::new(), ..cleaning() }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

const NAMES: [&str; 58] = [
    "a",
    "b",
    "i",
    "p",
    "div",
    "span",
    "table",
    "tbody",
    "tr",
    "td",
    "th",
    "caption",
    "col",
    "colgroup",
    "ul",
    "li",
    "dl",
    "dd",
    "h1",
    "h2",
    "form",
    "input",
    "button",
    "select",
    "option",
    "optgroup",
    "textarea",
    "template",
    "script",
    "style",
    "title",
    "noscript",
    "svg",
    "math",
    "mi",
    "foreignObject",
    "desc",
    "annotation-xml",
    "frameset",
    "frame",
    "html",
    "head",
    "body",
    "br",
    "hr",
    "img",
    "pre",
    "plaintext",
    "nobr",
    "ruby",
    "rt",
    "object",
    "iframe",
    "noembed",
    "base",
    "meta",
    "font",
    "image",
];
const ATTRIBUTES: [&str; 14] = [
    "href=//ads.example/",
    "href='http:x'",
    "src=x.png",
    "data-src=/y.jpg",
    "hidden",
    "style='display:none'",
    "onclick=x()",
    "width=1 height=1",
    "encoding=text/html",
    "charset=koi8-r",
    "type=hidden",
    "color=red",
    "alt='x y'",
    "href=\\\\\\x",
];
const TEXTS: [&str; 12] =
    ["word", " two words ", "\n", "&amp;", "&#0;", "&nGt", "\0", "<", "<!--", "-->", "]]>", "日本語 ü\u{200b}"];
/// Markup as no author writes it: every tag that has rules of its own, in any order, cut anywhere.
fn soup() -> impl Strategy<Value = String> {
    let start = (select(NAMES.to_vec()), vec(select(ATTRIBUTES.to_vec()), 0..3))
        .prop_map(|(name, attributes)| format!("<{name} {}>", attributes.join(" ")));
    let end = select(NAMES.to_vec()).prop_map(|name| format!("</{name}>"));
    let text = select(TEXTS.to_vec()).prop_map(str::to_owned);
    let odd = "[ -~]{0,8}";
    vec(prop_oneof![5 => start, 3 => end, 3 => text, 1 => odd], 0..60).prop_map(|parts| parts.concat())
}

/// A page as authors mean it.
#[derive(Clone, Debug)]
enum Block {
    Group(&'static str, Vec<Block>),
    Text(&'static str, Vec<Inline>),
    Table(Vec<Vec<Vec<Inline>>>),
    Links(Vec<u8>),
}

#[derive(Clone, Debug)]
enum Inline {
    Words(u8),
    Link(u8),
    Strong(u8),
    Image,
}

fn inlines() -> impl Strategy<Value = Vec<Inline>> {
    vec(
        prop_oneof![
            4 => (1..60_u8).prop_map(Inline::Words),
            1 => (0..9_u8).prop_map(Inline::Link),
            1 => (1..9_u8).prop_map(Inline::Strong),
            1 => Just(Inline::Image),
        ],
        0..5,
    )
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let leaf = prop_oneof![
        5 => (select(vec!["p", "h1", "h2", "div", "blockquote", "div hidden", "p style='display:none'"]), inlines())
            .prop_map(|(tag, inlines)| Block::Text(tag, inlines)),
        1 => vec(vec(inlines(), 1..4), 0..4).prop_map(Block::Table),
        2 => vec(any::<u8>(), 0..8).prop_map(Block::Links),
    ];
    let block = leaf.prop_recursive(4, 40, 6, |inner| {
        (select(vec!["div", "section", "article", "main", "nav", "footer"]), vec(inner, 0..6))
            .prop_map(|(tag, blocks)| Block::Group(tag, blocks))
    });
    vec(block, 1..8)
}

/// Writes markup; `indent` puts a line and white space between blocks, as a person or a formatter does.
struct Markup {
    out: String,
    indent: bool,
    depth: usize,
}

impl Markup {
    fn page(blocks: &[Block], indent: bool) -> String {
        let mut markup =
            Markup { out: "<!DOCTYPE html><title>A page of words</title><body>".to_owned(), indent, depth: 0 };
        // Enough text that no floor decides anything.
        markup.block(&Block::Text("p", vec![Inline::Words(255)]));
        markup.blocks(blocks);
        markup.out
    }

    fn line(&mut self) {
        if self.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("\t ", self.depth));
        }
    }

    fn blocks(&mut self, blocks: &[Block]) {
        self.depth += 1;
        for block in blocks {
            self.block(block);
        }
        self.depth -= 1;
        self.line();
    }

    fn block(&mut self, block: &Block) {
        self.line();
        match block {
            Block::Group(tag, blocks) => {
                write!(self.out, "<{tag}>").unwrap();
                self.blocks(blocks);
                write!(self.out, "</{tag}>").unwrap();
            }
            Block::Text(tag, inlines) => {
                write!(self.out, "<{tag}>").unwrap();
                self.inlines(inlines);
                write!(self.out, "</{}>", tag.split(' ').next().unwrap()).unwrap();
            }
            Block::Table(rows) => {
                self.out.push_str("<table>");
                for row in rows {
                    self.line();
                    self.out.push_str("<tr>");
                    for cell in row {
                        self.line();
                        self.out.push_str("<td>");
                        self.inlines(cell);
                        self.out.push_str("</td>");
                    }
                    self.out.push_str("</tr>");
                }
                self.out.push_str("</table>");
            }
            Block::Links(links) => {
                self.out.push_str("<ul>");
                for link in links {
                    self.line();
                    write!(self.out, "<li><a href=/{link}>link{link}</a></li>").unwrap();
                }
                self.out.push_str("</ul>");
            }
        }
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            match inline {
                Inline::Words(count) => {
                    for word in 0..*count {
                        write!(self.out, "word{word} ").unwrap();
                    }
                }
                Inline::Link(to) => write!(self.out, "<a href=/{to}>to{to}</a> ").unwrap(),
                Inline::Strong(word) => write!(self.out, "<b>bold{word}</b>").unwrap(),
                Inline::Image => self.out.push_str("<img src=x.png alt='a picture'>"),
            }
        }
    }
}

/// The decisions about a page: by each filter how many subtrees went, with how much text, and what it says. Around the
/// main block the white space between blocks goes, too, each a node of its own: its count says nothing.
fn decisions(extract: &Extract) -> Vec<(&'static str, usize, usize, Option<String>)> {
    let reports = extract.report.filters.iter();
    reports
        .map(|report| {
            let counts = report.filter != "main_block";
            let removed = if counts { report.removed } else { 0 };
            (report.filter, removed, report.removed_chars, report.note.clone())
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_soup_makes_any_chain_panic(html in soup()) {
        let prefixed = format!("<title>x</title><p>{}</p>{html}", "some words ".repeat(30));
        let mut text = ChainConfig::crunch();
        text.output.format = Format::Text;
        for config in [ChainConfig::default(), ChainConfig::crunch(), text, cleaning()] {
            let chain = chain(&config);
            for html in [&html, &prefixed] {
                let outcome = chain.run(html, &url());
                let panicked = matches!(outcome, Err(PageError::Panicked { .. } | PageError::OutOfTime { .. }));
                prop_assert!(!panicked, "{:?}", outcome);
            }
        }
    }

    #[test]
    fn a_page_in_pieces_of_any_size_is_the_page_in_one(html in soup(), size in 1..40_usize) {
        let chain = chain(&nothing());
        let (mut feed, mut fed) = (chain.page(&url(), PageOptions::default()), Ok(()));
        let mut rest = html.as_str();
        while let Some(first) = rest.chars().next() {
            let end = rest.floor_char_boundary(size).max(first.len_utf8());
            let (piece, after) = rest.split_at(end);
            fed = feed.feed(piece);
            rest = if fed.is_ok() { after } else { "" };
        }
        let pieces = fed.and_then(|()| feed.finish()).map(|filtered| filtered.content);
        prop_assert_eq!(pieces, chain.run(&html, &url()).map(|filtered| filtered.content));
    }

    #[test]
    fn the_page_that_is_written_holds_the_text_that_was_kept(blocks in blocks()) {
        let html = Markup::page(&blocks, true);
        for config in [cleaning(), nothing()] {
            let first = chain(&config).extract(&html, &url()).unwrap();
            let again = chain(&nothing()).extract(&first.html, &url()).unwrap();
            prop_assert_eq!(first.text, again.text);
        }
    }

    /// The cleaning filters find nothing more on a page they cleaned. `main_block` is left out: on a page that was reduced
    /// to one block it chooses again, inside. So is `removed_links`: the list it adds is itself a list of links.
    #[test]
    fn cleaning_twice_is_cleaning_once(blocks in blocks()) {
        let chain = chain(&cleaning());
        let first = chain.extract(&Markup::page(&blocks, false), &url()).unwrap();
        let second = chain.extract(&first.html, &url()).unwrap();
        prop_assert_eq!(&first.text, &second.text);
        for (filter, removed, ..) in decisions(&second) {
            prop_assert_eq!(removed, 0, "{} found more in {}", filter, first.html);
        }
    }

    #[test]
    fn each_word_that_comes_out_is_a_word_of_the_page(blocks in blocks()) {
        let html = Markup::page(&blocks, false);
        let extract = chain(&ChainConfig::default()).extract(&html, &url()).unwrap();
        let is_sign = |c: char| c.is_whitespace() || matches!(c, '<' | '>');
        // Emphasis and links part no words.
        let links = (0..9).map(|to| format!("<a href=/{to}>"));
        let inline = links.chain(["<b>", "</b>", "</a>"].map(str::to_owned));
        let html = inline.fold(html, |html, tag| html.replace(&tag, ""));
        let known: HashSet<&str> = html.split(is_sign).chain(["A", "page", "of", "words", "picture"]).collect();
        for word in words(&extract.text) {
            prop_assert!(known.contains(word), "{} of {}", word, html);
        }
    }

    /// A short text that nothing on the page unfolds, however it is hidden.
    #[test]
    fn what_a_page_hides_is_not_shown(before in blocks(), after in blocks(), way in 0..3_usize) {
        let hidden = [
            "<p hidden>Marmalade</p>",
            "<p style='display:none'>Marmalade</p>",
            "<style>.x{display:none}</style><p class=x>Marmalade</p>",
        ][way];
        let after = Markup::page(&after, true);
        let html = format!("{}{hidden}{}", Markup::page(&before, true), after.split_once("<body>").unwrap().1);
        let extract = chain(&ChainConfig::default()).extract(&html, &url()).unwrap();
        prop_assert!(!extract.text.contains("Marmalade"), "{}", html);
    }

    #[test]
    fn the_headline_is_not_the_name_of_the_site(blocks in blocks(), site in "[A-Z][a-z]{4,8} Post", level in 1..4_u8) {
        let page = Markup::page(&blocks, true);
        let body = page.split_once("<body>").unwrap().1;
        let html = format!(
            "<!DOCTYPE html><title>A page of words | {site}</title><meta property=og:site_name content='{site}'>\
             <body><header><h{level}><a href=/>{site}</a></h{level}></header>{body}"
        );
        let extract = chain(&ChainConfig::default()).extract(&html, &url()).unwrap();
        prop_assert_ne!(extract.metadata.title, site);
    }

    #[test]
    fn indenting_a_page_changes_no_decision(blocks in blocks()) {
        let chain = chain(&ChainConfig::default());
        let tight = chain.extract(&Markup::page(&blocks, false), &url());
        let loose = chain.extract(&Markup::page(&blocks, true), &url());
        match (tight, loose) {
            (Ok(tight), Ok(loose)) => {
                prop_assert_eq!(words(&tight.text), words(&loose.text));
                prop_assert_eq!(decisions(&tight), decisions(&loose));
                prop_assert_eq!(tight.metadata, loose.metadata);
            }
            (tight, loose) => prop_assert_eq!(tight.err(), loose.err()),
        }
    }
}
