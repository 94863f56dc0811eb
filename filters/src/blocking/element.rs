//! Implements the traits of the crate `selectors` for a page's elements.

pub(super) mod conditions;

use std::fmt;

use cssparser::{CowRcStr, ParseError, Parser as CssParser, SourceLocation, ToCss};
use html5ever::{LocalName, Namespace, local_name, ns};
use kuchikiki::NodeData;
use precomputed_hash::PrecomputedHash;
use selectors::{
    OpaqueElement, SelectorImpl,
    attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint},
    bloom::BloomFilter,
    context::MatchingContext,
    matching::ElementSelectorFlags,
    parser::{Parser, SelectorParseErrorKind},
};

use self::conditions::Condition;
use crate::html::{NodeId, NodeKind, Page, tag::Tag};

/// The types of a selector's parts.
#[derive(Clone, Debug)]
pub(crate) struct SelectorTypes;

/// A name or a value in a selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) LocalName);

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name(text.into())
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, out)
    }
}

impl PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

/// There are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PseudoElement {}

impl ToCss for PseudoElement {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for PseudoElement {
    type Impl = SelectorTypes;
}

impl SelectorImpl for SelectorTypes {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Name;
    type Identifier = Name;
    type LocalName = Name;
    type NamespaceUrl = Namespace;
    type NamespacePrefix = Name;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = Condition;
    type PseudoElement = PseudoElement;
}

/// The grammar: all that can be decided without a browser.
pub(crate) struct Css;

impl<'i> Parser<'i> for Css {
    type Impl = SelectorTypes;
    type Error = SelectorParseErrorKind<'i>;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    /// A list with a mistake is skipped as a whole.
    fn allow_forgiving_selectors(&self) -> bool {
        false
    }

    fn parse_non_ts_pseudo_class(
        &self,
        at: SourceLocation,
        name: CowRcStr<'i>,
    ) -> Result<Condition, ParseError<'i, Self::Error>> {
        if name.eq_ignore_ascii_case("link") || name.eq_ignore_ascii_case("any-link") {
            return Ok(Condition::link());
        }
        Err(at.new_custom_error(SelectorParseErrorKind::UnsupportedPseudoClassOrElement(name)))
    }

    fn parse_non_ts_functional_pseudo_class<'t>(
        &self,
        name: CowRcStr<'i>,
        parser: &mut CssParser<'i, 't>,
        _: bool,
    ) -> Result<Condition, ParseError<'i, Self::Error>> {
        let begin = parser.position();
        while parser.next_including_whitespace_and_comments().is_ok() {}
        let condition = Condition::parse(&name, parser.slice_from(begin));
        let unknown = SelectorParseErrorKind::UnsupportedPseudoClassOrElement(name);
        condition.ok_or_else(|| parser.new_custom_error(unknown))
    }
}

/// An element. Its neighbours are those of the page as it came: what filters removed still counts.
#[derive(Clone)]
pub(crate) struct Element<'a> {
    pub(crate) page: &'a Page,
    pub(crate) id: NodeId,
}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name(), self.id)
    }
}

impl<'a> Element<'a> {
    pub(crate) fn name(&self) -> &LocalName {
        match self.page.data(self.id) {
            NodeData::Element(element) => &element.name.local,
            _ => unreachable!("only elements are compared"),
        }
    }

    fn namespace(&self) -> &Namespace {
        match self.page.data(self.id) {
            NodeData::Element(element) => &element.name.ns,
            _ => unreachable!("only elements are compared"),
        }
    }

    fn at(&self, id: NodeId) -> Option<Element<'a>> {
        self.page.tag(id).map(|_| Element { page: self.page, id })
    }

    /// The elements below it.
    pub(super) fn descendants(&self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let page = self.page;
        let rows = (self.id.0 + 1..page.end(self.id).0).map(NodeId);
        rows.filter_map(move |id| {
            page.charge(1);
            page.tag(id).map(|_| Element { page, id })
        })
    }

    /// The first element from a row on, at the depth of `self`'s children or siblings.
    fn first_from(&self, mut at: NodeId, end: NodeId) -> Option<Element<'a>> {
        while at < end {
            self.page.charge(1);
            if let Some(element) = self.at(at) {
                return Some(element);
            }
            at = self.page.end(at);
        }
        None
    }
}

impl selectors::Element for Element<'_> {
    type Impl = SelectorTypes;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.page.data(self.id))
    }

    fn parent_element(&self) -> Option<Self> {
        self.page.charge(1);
        self.at(self.page.parent(self.id))
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        let parent = self.page.parent(self.id);
        let mut at = self.id;
        while at.0 > parent.0 + 1 {
            // The row before is the sibling before, or the end of something inside it.
            at = NodeId(at.0 - 1);
            self.page.charge(1);
            while self.page.parent(at) != parent {
                self.page.charge(1);
                at = self.page.parent(at);
            }
            if let Some(element) = self.at(at) {
                return Some(element);
            }
        }
        None
    }

    fn next_sibling_element(&self) -> Option<Self> {
        let parent = self.page.parent(self.id);
        self.first_from(self.page.end(self.id), self.page.end(parent))
    }

    fn first_element_child(&self) -> Option<Self> {
        self.first_from(NodeId(self.id.0 + 1), self.page.end(self.id))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        *self.namespace() == ns!(html)
    }

    fn has_local_name(&self, name: &Name) -> bool {
        *self.name() == name.0
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.namespace() == namespace
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.name() == other.name() && self.namespace() == other.namespace()
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Namespace>,
        name: &Name,
        operation: &AttrSelectorOperation<&Name>,
    ) -> bool {
        self.page.attribute(self.id, &name.0).is_some_and(|value| operation.eval_str(value))
    }

    fn match_non_ts_pseudo_class(&self, condition: &Condition, context: &mut MatchingContext<SelectorTypes>) -> bool {
        condition.holds(self, context)
    }

    fn match_pseudo_element(&self, pseudo: &PseudoElement, _: &mut MatchingContext<SelectorTypes>) -> bool {
        match *pseudo {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        matches!(self.page.tag(self.id), Some(Tag::A | Tag::Area))
            && self.page.has_attribute(self.id, &local_name!("href"))
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Name, case: CaseSensitivity) -> bool {
        let own = self.page.attribute(self.id, &local_name!("id"));
        own.is_some_and(|own| case.eq(own.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, class: &Name, case: CaseSensitivity) -> bool {
        let own = self.page.class(self.id);
        own.split_ascii_whitespace().any(|own| case.eq(own.as_bytes(), class.0.as_bytes()))
    }

    fn has_custom_state(&self, _: &Name) -> bool {
        false
    }

    fn imported_part(&self, _: &Name) -> Option<Name> {
        None
    }

    fn is_part(&self, _: &Name) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        let mut inside = (self.id.0 + 1..self.page.end(self.id).0).map(NodeId);
        inside.all(|id| {
            self.page.charge(1);
            match self.page.kind(id) {
                NodeKind::Element(_) => false,
                NodeKind::Text => self.page.text(id).is_none_or(|text| text.is_empty()),
                _ => true,
            }
        })
    }

    fn is_root(&self) -> bool {
        self.page.parent(self.id) == NodeId::DOCUMENT
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
