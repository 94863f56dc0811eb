//! Feeding html5ever piece by piece, with the bounds checked as the tree grows.
//!
//! html5ever's tree builder takes time in proportion to the depth of nesting for many tokens and has no bound of its
//! own (servo/html5ever#788), so a short page can cost seconds; and it copies formatting elements with all their
//! attributes into every paragraph that follows (HTML Standard § 13.2.4.3), so a short page can cost gigabytes. A
//! [`Guard`] looks at depth, nodes and attributes after every token, [`tokens`] at a tag that does not end. Time is
//! the caller's business ([`crate::chain`]).

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod comparison;
mod guard;
mod newlines;
mod noscript;
mod sink;
mod tokens;

use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use kuchikiki::NodeRef;

use self::{guard::Guard, newlines::Newlines, sink::GuardedSink, tokens::Tokens};
use super::attributes::Attributes;
use crate::error::PageError;

/// Bytes parsed between two looks at the clock. Larger: fewer looks, a costlier worst case.
pub(crate) const PIECE: usize = 4096;

/// Most attributes of one element. The parser compares each with all others, so the cost grows with the square: a
/// thousand cost a millisecond. Of the elements of 1,497 saved pages none has more than 185 (WCXB dev, 2026-11-21). Raising it lets one tag
/// cost more.
const MAX_ATTRIBUTES_OF_ELEMENT: usize = 1000;

/// Most attributes of a page, those of copied elements included; about 100 bytes of memory each. A page of the
/// largest size that is accepted, all of it ordinary markup, has about a quarter of that. Raising it costs memory.
const MAX_ATTRIBUTES: usize = 1_000_000;

/// Most bytes of attribute values of a page, those of copied elements included: four times the largest page that is
/// accepted by default. Raising it costs memory.
const MAX_ATTRIBUTE_BYTES: usize = 32 * 1024 * 1024;

/// Memory of a node of the tree and of its row in the page's table, without its text. Measured as the growth of the process
/// while 20 pages of 1 MB were parsed (`lab/memory.py`, 2026-11-21).
const NODE_BYTES: usize = 256;

/// Memory of an attribute without its value, and of the room that its list keeps to grow.
const ATTRIBUTE_BYTES: usize = 100;

/// A document that has arrived.
pub(crate) struct Parsed {
    pub(super) document: NodeRef,
    pub(super) attributes: Attributes,
    /// About how many nodes there are, rather more than less.
    pub(super) nodes: usize,
    /// In document order.
    pub(super) templates: Vec<NodeRef>,
}

/// A document that is arriving.
pub(crate) struct Parser {
    tokens: Tokens,
    newlines: Newlines,
}

impl Parser {
    /// `scripting` false parses the contents of `<noscript>` as elements, which is right whenever the page's scripts
    /// will not run; what is not ended in it ends with it ([`noscript`]).
    pub(crate) fn new(scripting: bool, max_depth: usize, max_nodes: usize) -> Parser {
        let options = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
        let builder = TreeBuilder::new(GuardedSink::new(), options);
        let guard = Guard::new(builder, scripting, max_depth, max_nodes);
        Parser { tokens: Tokens::new(guard), newlines: Newlines::default() }
    }

    /// Forgets the text of scripts, a third of an ordinary page, where that saves time: for those who take the scripts out
    /// at once. What is no program but data that is read ([`is_data`](guard::is_data)) stays.
    pub(crate) fn without_script_text(self) -> Parser {
        Parser { tokens: self.tokens.without_script_text(), ..self }
    }

    /// Reads `<noscript>` as any other element, as html5ever does.
    #[cfg(any(test, feature = "fuzzing"))]
    fn without_noscript_rules(self) -> Parser {
        *self.tokens.guard().noscript.borrow_mut() = noscript::Noscript::new(false);
        self
    }

    /// Parses one piece, at most [`PIECE`] bytes of it being sensible.
    pub(crate) fn feed(&mut self, piece: &str) -> Result<(), PageError> {
        let piece = self.newlines.normalized(piece);
        self.tokens.feed(&piece)?;
        self.tokens.guard().check()
    }

    /// Bytes of memory that the tree takes so far, a little more rather than less.
    pub(crate) fn memory(&self) -> usize {
        let sink = &self.tokens.guard().builder.sink;
        sink.nodes.get() * NODE_BYTES + sink.attribute_count.get() * ATTRIBUTE_BYTES + sink.attribute_bytes.get()
    }

    /// The whole tree, after the last piece.
    pub(crate) fn finish(self) -> Result<Parsed, PageError> {
        let guard = self.tokens.finish()?;
        guard.check()?;
        let sink = guard.builder.sink;
        Ok(Parsed {
            nodes: sink.nodes.get() + 8,
            document: sink.tree.document_node,
            attributes: sink.attributes.into_inner(),
            templates: sink.templates_in_order.into_inner(),
        })
    }
}
