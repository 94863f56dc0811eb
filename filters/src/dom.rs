//! Measures of nodes that more than one filter needs: text length, link text, number of links.
//!
//! Characters are *visible* characters everywhere: white space is not counted, so that re-indenting or minifying a
//! page changes no decision (López, Silva, Insa 2012, § 4: "computed ignoring special characters such as spaces or
//! line breaks").

use crate::page::{NodeId, Page, tag::Tag};

/// Characters that show: everything but white space and the marks that have no width.
pub(crate) fn visible_chars(text: &str) -> usize {
    if text.is_ascii() {
        return text
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace() && *byte != 0x0b)
            .count();
    }
    text.chars()
        .filter(|&c| !c.is_whitespace() && !matches!(c, '\u{200b}' | '\u{feff}' | '\u{ad}'))
        .count()
}

/// Sums over the live nodes of one subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    /// Visible characters of text.
    pub(crate) chars: u32,
    /// Those of them inside `<a href>`.
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
    pub(crate) fn of(page: &Page) -> Measures {
        let mut sums = vec![Measure::default(); page.len()];
        for id in page.live(NodeId::DOCUMENT) {
            let chars = u32::try_from(page.own_chars(id)).unwrap_or(u32::MAX);
            if chars > 0 {
                let linked = if page.in_link(id) { chars } else { 0 };
                sums[id.index()] = Measure {
                    chars,
                    linked,
                    links: 0,
                };
            }
        }
        for index in (1..sums.len()).rev() {
            let id = NodeId::from_row(index);
            // Descendants come later in the table, so the sum below this node is complete.
            if page.tag(id) == Some(Tag::A) && sums[index].linked > 0 {
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
