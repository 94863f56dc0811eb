//! Compares the tree of a page, with every attribute and text, with the one that html5ever builds alone: for tests and the fuzz
//! target `tree`.

use std::fmt::Write as _;

use kuchikiki::{NodeData, NodeRef, traits::TendrilSink as _};

use super::{Parsed, Parser};
use crate::{
    error::PageError,
    html::attributes::{Attributes, Stretch},
};

/// How `<noscript>` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoscriptMode {
    /// The element holds text, as where scripts run.
    Text,
    /// The element is one as any other.
    Element,
    /// The contents of the element are kept apart from the page. html5ever knows no such rule: the tree is compared with that of
    /// the same text in one piece.
    Confined,
}

/// The tree of a text that arrives in pieces of these sizes, and the one that it should be, as lines, where they differ.
pub(crate) fn difference(text: &str, noscript: NoscriptMode, size: impl FnMut() -> usize) -> Option<[String; 2]> {
    let got = match in_pieces(text, noscript, size) {
        Ok(got) => lines_of(&got),
        // It is over a limit, or browsers read it otherwise than html5ever.
        Err(_) => return None,
    };
    let wanted = match noscript {
        NoscriptMode::Confined => lines_of(&in_pieces(text, noscript, || usize::MAX).ok()?),
        NoscriptMode::Text | NoscriptMode::Element => lines(&by_html5ever(text, noscript == NoscriptMode::Text), None),
    };
    (got != wanted).then_some([got, wanted])
}

/// The tree as html5ever and kuchikiki build it from the whole text. Only the first character can be a byte order mark;
/// the tokenizer by itself takes one behind a script for one too.
pub(super) fn by_html5ever(text: &str, scripting: bool) -> NodeRef {
    let mut options = kuchikiki::ParseOpts::default();
    options.tree_builder.scripting_enabled = scripting;
    options.tokenizer.discard_bom = false;
    kuchikiki::parse_html_with_options(options).one(text.strip_prefix('\u{feff}').unwrap_or(text)).document_node
}

pub(super) fn in_pieces(
    text: &str,
    noscript: NoscriptMode,
    mut size: impl FnMut() -> usize,
) -> Result<Parsed, PageError> {
    let mut parser = Parser::new(noscript == NoscriptMode::Text, usize::MAX, usize::MAX);
    if noscript == NoscriptMode::Element {
        parser = parser.without_noscript_rules();
    }
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(size().min(rest.len())));
        rest = after;
        parser.feed(piece)?;
    }
    parser.finish()
}

pub(super) fn lines_of(parsed: &Parsed) -> String {
    lines(&parsed.document, Some(&parsed.attributes))
}

/// The tree as lines, each with its depth; its attributes are where kuchikiki keeps them, or with ours.
pub(super) fn lines(document: &NodeRef, ours: Option<&Attributes>) -> String {
    let mut out = String::new();
    write_lines(document, ours, 0, &mut out);
    out
}

fn write_lines(node: &NodeRef, ours: Option<&Attributes>, depth: usize, out: &mut String) {
    let _ = match node.data() {
        NodeData::Element(element) => {
            let name = &element.name;
            let _ = write!(out, "{depth} {} {}", &*name.ns, &*name.local);
            for (name, attribute) in &element.attributes.borrow().map {
                let kuchikiki::Attribute { prefix, value } = attribute;
                let _ = write!(out, " {prefix:?} {:?} {:?}={value:?}", name.ns, name.local);
            }
            for attribute in ours.map_or(&[][..], |ours| ours.in_stretch(Stretch::from_node(node))) {
                let (name, value) = (&attribute.name, &*attribute.value);
                let prefix = &name.prefix;
                let _ = write!(out, " {prefix:?} {:?} {:?}={value:?}", name.ns, name.local);
            }
            writeln!(out)
        }
        other => writeln!(out, "{depth} {other:?}"),
    };
    if let Some(contents) = node.as_element().and_then(|element| element.template_contents.as_ref()) {
        write_lines(contents, ours, depth + 1, out);
    }
    for child in node.children() {
        write_lines(&child, ours, depth + 1, out);
    }
}
