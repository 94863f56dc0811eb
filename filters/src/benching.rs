//! Entry points for the benchmarks, one for each stage: parse, lay out, write. Not a stable interface.

use std::hint::black_box;

use url::Url;

use crate::{
    PageLimits,
    html::{
        NodeId, Page,
        parse::{PIECE, Parser},
        serialize::{self, Rules},
    },
};

/// Parses a page as the chain does, and drops it.
pub fn parse(html: &str) {
    if let Some(parser) = fed(html, false) {
        drop(black_box(parser.finish()));
    }
}

/// A page that is parsed and laid out, the text of scripts included.
pub struct Laid(Page);

impl Laid {
    /// None where the page is over a limit.
    #[must_use]
    pub fn from_html(html: &str) -> Option<Laid> {
        let url = Url::parse("https://example.org/").ok()?;
        let document = fed(html, true)?.finish().ok()?;
        Page::new(document, &url, false, PageLimits::default().depth).ok().map(Laid)
    }

    /// The whole page, written.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = String::new();
        serialize::write(&self.0, NodeId::DOCUMENT, Rules::VERBATIM, &mut out);
        out
    }
}

fn fed(html: &str, script_text: bool) -> Option<Parser> {
    let limits = PageLimits::default();
    let mut parser = Parser::new(false, limits.depth, limits.nodes);
    if !script_text {
        parser = parser.without_script_text();
    }
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE.min(rest.len())));
        rest = after;
        parser.feed(piece).ok()?;
    }
    Some(parser)
}
