//! Helpers that the unit tests of several modules share.

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{
        NodeId, Page,
        parse::Parser,
        serialize::{Rules, write},
    },
    page_type::Claims,
};

/// A page as the chain would lay it out, with scripts off.
pub(crate) fn page(html: &str) -> AnalysedPage {
    page_at("https://example.org/", html)
}

/// A page with this address, as the chain would lay it out, with scripts off.
pub(crate) fn page_at(address: &str, html: &str) -> AnalysedPage {
    let mut parser = Parser::new(false, 512, 100_000);
    parser.feed(html).unwrap();
    let url = address.parse().unwrap();
    Page::new(parser.finish().unwrap(), &url, false, 512).unwrap().into()
}

/// A page that says it is this, with so much between its headline and its description.
pub(crate) fn chair(open_graph: &str, between: &str) -> AnalysedPage {
    let html = format!("<h1 id=h>Oak chair</h1>{between}<p>{}</p>", words(30));
    let mut page = page_at("https://example.org/chair", &html);
    page.headline.node = Some(by_id(&page, "h"));
    page.claims = Claims { open_graph: open_graph.to_owned(), ..Claims::default() };
    page
}

/// The content of a page's body, as the chain would lay it out.
pub(crate) fn shown(html: &str) -> String {
    shown_of(&page(html))
}

/// The content of the body of a page.
pub(crate) fn shown_of(page: &Page) -> String {
    let mut shown = String::new();
    for child in page.live_children(page.body()) {
        write(page, child, Rules { comments: false, ..Rules::VERBATIM }, &mut shown);
    }
    shown
}

/// The element with an id.
pub(crate) fn by_id(page: &Page, wanted: &str) -> NodeId {
    page.live(NodeId::DOCUMENT)
        .find(|&id| id_of(page, id).is_some_and(|id| id == wanted))
        .unwrap_or_else(|| panic!("the page has no element {wanted:?}"))
}

/// The ids of nodes, `#text` and its like for those without.
pub(crate) fn ids(page: &Page, nodes: &[NodeId]) -> Vec<String> {
    nodes.iter().map(|&id| id_of(page, id).unwrap_or_else(|| format!("{:?}", page.kind(id)))).collect()
}

fn id_of(page: &Page, id: NodeId) -> Option<String> {
    page.attribute(id, &local_name!("id")).map(std::string::ToString::to_string)
}

/// A number of words.
pub(crate) fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

/// Numbers that look random and are the same in every run (Knuth's multiplier for 64 bits).
pub(crate) struct Lcg(pub(crate) u64);

impl Lcg {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// A random page as a list of tags and words, to be joined with or without white space between the parts.
pub(crate) fn random_parts(seed: u64) -> Vec<String> {
    let mut random = Lcg(seed);
    let mut open: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    for number in 0..200 {
        match random.below(6) {
            0 | 1 if open.len() < 8 => {
                let tag = ["div", "section", "article", "ul", "nav", "blockquote"][random.below(6)];
                parts.push(format!("<{tag} id=n{number}>"));
                open.push(tag);
            }
            2 => {
                if let Some(tag) = open.pop() {
                    parts.push(format!("</{tag}>"));
                }
            }
            3 => {
                let text = words(1 + random.below(6));
                parts.push(format!("<div><a href=/x>{text}</a></div>"));
            }
            _ => {
                let text = words(1 + random.below(30));
                parts.push(format!("<div id=n{number}>{text}</div>"));
            }
        }
    }
    while let Some(tag) = open.pop() {
        parts.push(format!("</{tag}>"));
    }
    parts
}
