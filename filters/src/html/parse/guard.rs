//! Stands between html5ever's tokenizer and its tree builder and checks the limits after every token.
//!
//! Past a limit no token goes through any more, so that the rest of a piece costs nothing but its reading.

use std::cell::{Cell, OnceCell, RefCell};

use html5ever::{
    LocalName, local_name,
    tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, states::RawKind},
    tree_builder::TreeBuilder,
};
use kuchikiki::NodeRef;

use super::{
    MAX_ATTRIBUTE_BYTES, MAX_ATTRIBUTES, MAX_ATTRIBUTES_OF_ELEMENT,
    noscript::{Noscript, Passes},
    sink::GuardedSink,
};
use crate::error::PageError;

/// New nodes between two checks of the depth, which cost a walk to the root each. Raising it lets the tree grow deeper
/// than the limit by as much before that is seen.
const NODES_BETWEEN_DEPTHS: usize = 64;

pub(super) struct Guard {
    pub(super) builder: TreeBuilder<NodeRef, GuardedSink>,
    max_depth: usize,
    max_nodes: usize,
    passed: OnceCell<PageError>,
    /// Tokens so far, parse errors left out.
    pub(super) tokens: Cell<u64>,
    /// The type of the last token, for the one after it.
    pub(super) last: Cell<TokenKind>,
    /// Whether the last script that began holds data.
    pub(super) script_is_data: Cell<bool>,
    /// The next tag that the tokenizer emits is known already: it reads on by these rules.
    pub(super) is_known: Cell<Option<RawKind>>,
    /// Where `<noscript>` is read as elements.
    pub(super) noscript: RefCell<Noscript>,
    /// Node count of the last check of the depth.
    measured_at: Cell<usize>,
    /// Whether the page's scripts are kept.
    scripting: bool,
    /// Whether `<select>` is open.
    in_select: Cell<bool>,
    /// Formulas and drawings that are open, or were not ended as they should.
    foreign: Cell<u32>,
}

/// The type of a token, as the guard needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Text, which may go on.
    Text,
    /// A tag, a comment, a document type: it has ended, and what follows is content.
    Markup,
    /// A start tag after which what follows is read by rules of its own.
    Raw(RawKind),
    /// Nothing but text follows.
    Plaintext,
}

impl Guard {
    pub(super) fn new(
        builder: TreeBuilder<NodeRef, GuardedSink>,
        scripting: bool,
        max_depth: usize,
        max_nodes: usize,
    ) -> Guard {
        Guard {
            builder,
            max_depth,
            max_nodes,
            passed: OnceCell::new(),
            tokens: Cell::new(0),
            last: Cell::new(TokenKind::Text),
            script_is_data: Cell::new(false),
            is_known: Cell::new(None),
            noscript: RefCell::new(Noscript::new(!scripting)),
            measured_at: Cell::new(0),
            scripting,
            in_select: Cell::new(false),
            foreign: Cell::new(0),
        }
    }

    /// The first limit that was passed.
    pub(super) fn check(&self) -> Result<(), PageError> {
        self.check_depth();
        self.passed.get().cloned().map_or(Ok(()), Err)
    }

    fn pass(&self, error: PageError) {
        // The first limit is the one that is reported.
        let _ = self.passed.set(error);
    }

    fn check_limits(&self) {
        let sink = &self.builder.sink;
        let nodes = sink.nodes.get();
        if nodes > self.max_nodes {
            self.pass(PageError::TooManyNodes { limit: self.max_nodes });
        }
        if sink.attribute_count.get() > MAX_ATTRIBUTES {
            self.pass(PageError::TooManyAttributes { limit: MAX_ATTRIBUTES });
        }
        if sink.attribute_bytes.get() > MAX_ATTRIBUTE_BYTES {
            self.pass(PageError::AttributesTooLong { limit: MAX_ATTRIBUTE_BYTES });
        }
        if nodes - self.measured_at.get() >= NODES_BETWEEN_DEPTHS {
            self.check_depth();
        }
    }

    fn check_tag(&self, tag: &Tag) {
        if tag.attrs.len() > MAX_ATTRIBUTES_OF_ELEMENT {
            self.pass(PageError::TooManyAttributes { limit: MAX_ATTRIBUTES_OF_ELEMENT });
        }
        if tag.kind == TagKind::StartTag && tag.name == local_name!("script") {
            self.script_is_data.set(is_data(tag));
        }
    }

    /// Browsers have come to keep any element in `<select>` (HTML Standard, 2025), and html5ever drops all but choices, so that what is
    /// text to a browser, such as markup in a style sheet, can be an element here. A form within a form, which only `</form>` in the
    /// wrong place can make, is lost when the page is read again, and what it held in a formula is read as a part of that. Both are
    /// given up where scripts may run.
    fn check_ambiguity(&self, tag: &Tag) {
        let is_choice = || {
            [local_name!("option"), local_name!("optgroup"), local_name!("hr"), local_name!("script")]
                .contains(&tag.name)
        };
        if matches!(tag.name, local_name!("math") | local_name!("svg")) && !tag.self_closing {
            let open = self.foreign.get();
            self.foreign.set(if tag.kind == TagKind::StartTag { open + 1 } else { open.saturating_sub(1) });
        } else if self.scripting && self.foreign.get() > 0 && tag.name == local_name!("form") {
            self.pass(PageError::Ambiguous);
        }
        if tag.name == local_name!("select") {
            self.in_select.set(tag.kind == TagKind::StartTag && !self.in_select.get());
        } else if self.scripting && self.in_select.get() && !is_choice() {
            self.pass(PageError::Ambiguous);
        }
    }

    /// Ends what is still open in `<noscript>`.
    fn end_all(&self, names: Vec<LocalName>, line_number: u64) {
        for name in names {
            let tag = Tag { kind: TagKind::EndTag, name, self_closing: false, attrs: Vec::new() };
            let token = Token::TagToken(tag);
            let _ = self.builder.process_token(token, line_number);
        }
    }

    fn check_depth(&self) {
        let sink = &self.builder.sink;
        self.measured_at.set(sink.nodes.get());
        if sink.depth_of_last() > self.max_depth {
            self.pass(PageError::TooDeep { limit: self.max_depth });
        }
    }
}

/// Scripts whose text is read although no script runs: what the page says about itself, and formulas.
const DATA: [&str; 2] = ["application/ld+json", "math/tex"];

/// Whether a script's start tag says that it holds such text. Where the type only contains it, the text is kept without need.
pub(super) fn is_data(script: &Tag) -> bool {
    let mut types = script.attrs.iter().filter(|attribute| attribute.name.local == local_name!("type"));
    types.any(|attribute| {
        let kind = attribute.value.to_ascii_lowercase();
        DATA.iter().any(|data| kind.contains(data))
    })
}

impl TokenSink for Guard {
    type Handle = NodeRef;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<NodeRef> {
        if matches!(token, Token::ParseError(_)) {
            return TokenSinkResult::Continue;
        }
        self.tokens.set(self.tokens.get() + 1);
        let told = match &token {
            Token::TagToken(_) | Token::CommentToken(_) | Token::DoctypeToken(_) => TokenKind::Markup,
            _ => TokenKind::Text,
        };
        self.last.set(told);
        if let Token::TagToken(tag) = &token {
            if let Some(kind) = self.is_known.take() {
                return TokenSinkResult::RawData(kind);
            }
            self.check_tag(tag);
            self.check_ambiguity(tag);
            let passes = self.noscript.borrow_mut().tag(tag);
            match passes {
                Passes::Yes => {}
                Passes::No => return TokenSinkResult::Continue,
                Passes::After(ends) => self.end_all(ends, line_number),
            }
        }
        if self.passed.get().is_some() {
            return TokenSinkResult::Continue;
        }
        let result = self.builder.process_token(token, line_number);
        self.check_limits();
        match &result {
            TokenSinkResult::RawData(kind) => self.last.set(TokenKind::Raw(*kind)),
            TokenSinkResult::Plaintext => self.last.set(TokenKind::Plaintext),
            TokenSinkResult::Continue | TokenSinkResult::Script(_) => {}
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
