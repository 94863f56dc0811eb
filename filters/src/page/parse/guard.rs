//! Stands between html5ever's tokenizer and its tree builder and looks at the limits after every token.
//!
//! Past a limit no token goes through any more, so that the rest of a piece costs nothing but its reading.

use std::cell::{Cell, OnceCell};

use html5ever::{
    tokenizer::{Token, TokenSink, TokenSinkResult},
    tree_builder::TreeBuilder,
};
use kuchikiki::NodeRef;

use super::{GuardedSink, MAX_ATTRIBUTE_BYTES, MAX_ATTRIBUTES, MAX_ATTRIBUTES_OF_ELEMENT};
use crate::error::PageError;

/// New nodes between two looks at the depth, which cost a walk to the root each. Raising it lets the tree grow deeper
/// than the limit by as much before that is seen.
const NODES_BETWEEN_DEPTHS: usize = 64;

pub(super) struct Guard {
    pub(super) builder: TreeBuilder<NodeRef, GuardedSink>,
    max_depth: usize,
    max_nodes: usize,
    passed: OnceCell<PageError>,
    /// Tokens so far, parse errors left out.
    pub(super) tokens: Cell<u64>,
    /// Node count of the last look at the depth.
    measured_at: Cell<usize>,
}

impl Guard {
    pub(super) fn new(
        builder: TreeBuilder<NodeRef, GuardedSink>,
        max_depth: usize,
        max_nodes: usize,
    ) -> Guard {
        Guard {
            builder,
            max_depth,
            max_nodes,
            passed: OnceCell::new(),
            tokens: Cell::new(0),
            measured_at: Cell::new(0),
        }
    }

    /// The first limit that was passed.
    pub(super) fn check(&self) -> Result<(), PageError> {
        self.look_at_depth();
        self.passed.get().cloned().map_or(Ok(()), Err)
    }

    fn pass(&self, error: PageError) {
        // The first limit is the one that is told.
        let _ = self.passed.set(error);
    }

    fn look(&self) {
        let sink = &self.builder.sink;
        let nodes = sink.nodes.get();
        if nodes > self.max_nodes {
            self.pass(PageError::TooManyNodes {
                limit: self.max_nodes,
            });
        }
        if sink.attributes.get() > MAX_ATTRIBUTES {
            self.pass(PageError::TooManyAttributes {
                limit: MAX_ATTRIBUTES,
            });
        }
        if sink.attribute_bytes.get() > MAX_ATTRIBUTE_BYTES {
            self.pass(PageError::AttributesTooLong {
                limit: MAX_ATTRIBUTE_BYTES,
            });
        }
        if nodes - self.measured_at.get() >= NODES_BETWEEN_DEPTHS {
            self.look_at_depth();
        }
    }

    fn look_at_depth(&self) {
        let sink = &self.builder.sink;
        self.measured_at.set(sink.nodes.get());
        if sink.depth_of_last() > self.max_depth {
            self.pass(PageError::TooDeep {
                limit: self.max_depth,
            });
        }
    }
}

impl TokenSink for Guard {
    type Handle = NodeRef;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<NodeRef> {
        if matches!(token, Token::ParseError(_)) {
            return TokenSinkResult::Continue;
        }
        self.tokens.set(self.tokens.get() + 1);
        if let Token::TagToken(tag) = &token
            && tag.attrs.len() > MAX_ATTRIBUTES_OF_ELEMENT
        {
            self.pass(PageError::TooManyAttributes {
                limit: MAX_ATTRIBUTES_OF_ELEMENT,
            });
        }
        if self.passed.get().is_some() {
            return TokenSinkResult::Continue;
        }
        let result = self.builder.process_token(token, line_number);
        self.look();
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}
