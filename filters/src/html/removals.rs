//! Records of removed subtrees: by which filter, how much text, which links.

use super::{NodeId, address::Address};

/// A text link that some filter removed, for the filter that keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemovedLink {
    /// Where it stood.
    pub(crate) node: NodeId,
    /// The filter that removed it, by its YAML name.
    pub(crate) filter: &'static str,
    pub(crate) address: Address,
    /// The link's address as the list of removed links shows it, where that is not `address`.
    pub(crate) shown: Option<String>,
    pub(crate) text: String,
}

/// What filters took out, and the links among it.
#[derive(Default)]
pub(crate) struct Removals {
    /// Subtrees that were taken out since the count was reset: not nodes.
    pub(crate) nodes: usize,
    /// Visible characters in them.
    pub(crate) chars: usize,
    /// Subtrees, and the filter that removed each.
    pub(super) roots: Vec<(NodeId, &'static str)>,
    /// Whether text links are kept.
    pub(crate) collects_links: bool,
    pub(crate) links: Vec<RemovedLink>,
    /// Bytes in `links`.
    pub(super) link_bytes: usize,
}
