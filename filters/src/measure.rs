//! What filters and writers ask of a node: its text length and links (here), its plain text (`text`), a formula in one
//! line (`formula`), whether a table holds data (`table`), what kind of image it is (`pictures`), what a form asks for
//! (`fields`).
//!
//! Characters are *visible* characters everywhere: white space is not counted, so that re-indenting or minifying a
//! page changes no decision (López, Silva, Insa 2012, § 4: "computed ignoring special characters such as spaces or
//! line breaks").

pub(crate) mod fields;
pub(crate) mod formula;
pub(crate) mod pictures;
pub(crate) mod table;
pub(crate) mod text;

use html5ever::{LocalName, local_name};
use url::Url;

use crate::html::{NodeId, Page, tag::Tag};
use crate::vocabulary::words::one_line;

/// Bytes of a formula's source.
const MAX_FORMULA_BYTES: usize = 4000;

/// The source in TeX that a formula in `MathML` carries, as `KaTeX`, `MathJax` and `MediaWiki` write it (`MathML` Core § 4: a
/// browser does not show it).
pub(crate) fn formula_source(page: &Page, math: NodeId) -> Option<String> {
    let encoding = LocalName::from("encoding");
    let source = page.live(math).find(|&inner| {
        page.attribute(inner, &encoding).is_some_and(|encoding| encoding.eq_ignore_ascii_case("application/x-tex"))
    })?;
    let source = page.raw_text(source, MAX_FORMULA_BYTES);
    let source = crate::vocabulary::words::one_line(&source);
    (!source.is_empty()).then_some(source)
}

/// Whether a heading was never closed, and holds the paragraphs below it (HTML Standard § 13.2.6.4.7: a `<p>` does not end it).
pub(crate) fn is_left_open(page: &Page, heading: NodeId) -> bool {
    /// Visible characters; the longest headlines are of 200.
    const LONG: usize = 300;
    page.chars(heading) > LONG && page.live(heading).any(|id| page.tag(id) == Some(Tag::P))
}

/// Whether this is, or stands in, a link to where readers log in or register.
pub(crate) fn leads_to_log_in(page: &Page, id: NodeId) -> bool {
    std::iter::once(id)
        .chain(page.ancestors(id))
        .find(|&up| page.tag(up) == Some(Tag::A))
        .and_then(|link| page.address(link, &local_name!("href")))
        .is_some_and(|to| is_log_in(&to))
}

/// Whether readers log in or register at an address.
pub(crate) fn is_log_in(address: &Url) -> bool {
    const LAST: [&str; 8] = ["login", "log-in", "log_in", "signin", "sign-in", "sign_in", "signup", "register"];
    let last = address.path_segments().and_then(|mut path| path.next_back()).map(str::to_lowercase);
    last.is_some_and(|last| LAST.iter().any(|name| last.starts_with(name)))
}

/// Sums over the live nodes of one subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Visible characters of text.
    pub(crate) chars: u32,
    /// Visible characters of text inside `<a href>`.
    pub(crate) linked: u32,
    /// Number of `<a href>` that hold text.
    pub(crate) links: u32,
}

impl Measure {
    pub(crate) fn unlinked(self) -> u32 {
        self.chars - self.linked
    }

    fn add(&mut self, other: Measure) {
        self.chars += other.chars;
        self.linked += other.linked;
        self.links += other.links;
    }

    pub(crate) fn subtract(&mut self, other: Measure) {
        self.chars -= other.chars;
        self.linked -= other.linked;
        self.links -= other.links;
    }
}

/// The measures of every node of a page, as it stands now.
pub(crate) struct Measures(Vec<Measure>);

impl Measures {
    /// Two passes over the page's table; no text is read again.
    pub(crate) fn from_page(page: &Page) -> Measures {
        Measures::from_texts(page, page.live(NodeId::DOCUMENT))
    }

    /// Measures of a page from its live texts, which may come among other nodes.
    pub(crate) fn from_texts(page: &Page, texts: impl Iterator<Item = NodeId>) -> Measures {
        let mut sums = vec![Measure::default(); page.len()];
        for id in texts {
            let chars = u32::try_from(page.own_chars(id)).unwrap_or(u32::MAX);
            if chars > 0 {
                let linked = if page.in_link(id) { chars } else { 0 };
                sums[id.index()] = Measure { chars, linked, links: 0 };
            }
        }
        for index in (1..sums.len()).rev() {
            // Descendants come later in the table, so the sum below this node is complete.
            if sums[index].chars == 0 {
                continue;
            }
            let id = NodeId::from_row(index);
            if sums[index].linked > 0 && page.tag(id) == Some(Tag::A) {
                sums[index].links += 1;
            }
            let sum = sums[index];
            sums[page.parent(id).index()].add(sum);
        }
        Measures(sums)
    }

    pub(crate) fn get(&self, id: NodeId) -> Measure {
        self.0[id.index()]
    }

    /// Takes a removed subtree out of the sums of everything around it.
    pub(crate) fn forget(&mut self, page: &Page, removed: NodeId) {
        let gone = std::mem::take(&mut self.0[removed.index()]);
        for ancestor in page.ancestors(removed) {
            self.0[ancestor.index()].subtract(gone);
        }
    }
}

/// The content of the first `<meta>` of one of these names (or properties), in the order of the names.
pub(crate) fn meta_content(page: &Page, names: &[&str]) -> Option<String> {
    use crate::html::tag::Tag;
    let property = local_name!("property");
    let metas: Vec<_> = page.about(Tag::Meta).collect();
    names.iter().find_map(|wanted| {
        metas.iter().find_map(|&id| {
            let is_wanted = [&property, &local_name!("name")]
                .into_iter()
                .any(|key| page.attribute(id, key).is_some_and(|name| name.eq_ignore_ascii_case(wanted)));
            let content = page.attribute(id, &local_name!("content"));
            let content = one_line(content.filter(|_| is_wanted)?);
            (!content.is_empty()).then_some(content)
        })
    })
}

/// The nodes in document order without those that stand inside another one.
pub(crate) fn outermost(page: &Page, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    nodes.sort_unstable();
    let mut end = NodeId::DOCUMENT;
    nodes.retain(|&id| {
        let is_outside = id >= end;
        if is_outside {
            end = page.end(id);
        }
        is_outside
    });
    nodes
}
