//! Finds elements that the page hides, and removes or shows them by their size and their share of the text.

use std::{iter, rc::Rc};

use html5ever::local_name;

use super::is_control;
use crate::hashing::{Set, Table};
use crate::html::style_sheets::{Sheets, style_hides};
use crate::{
    html::{NodeId, NodeState, Page, attribute_hints::Hint, tag::Tag},
    measure::Measures,
    vocabulary::any_of::AnyOf,
};

/// Share of the page's visible characters, 0 to 1, above which a hidden element is kept: pages that are hidden until a
/// script shows them must not vanish, and tabs that hold most of the text are content. Raising it drops more. Our
/// measurement on WCXB dev, 2026-11-21 (`gleaner-lab evaluate`): F1 .794 without this bound, .801 for any from .005 to .2; fewest
/// pages harmed below .02, best precision from .1.
const HIDDEN_SHARE: f64 = 0.1;

/// Visible characters up to which a hidden piece inside kept text is no content: the machine's form of a date, a
/// tooltip, "Copied!". What unfolds ("read more") is longer. Our choice. Raising it drops more.
const PIECE_CHARS: usize = 60;

/// Visible characters up to which a hidden block of its own is no content. An answer that unfolds can be short.
const BLOCK_PIECE_CHARS: usize = 40;

/// Hidden texts with which small pieces are compared: a bound on the work.
const MAX_LOOKS: usize = 30;

/// Removes what the page hides, as the box `hidden` does.
pub(crate) fn remove_hidden(page: &mut Page, filter: &'static str) {
    let page_chars = page.chars(page.body());
    let hidden = Hidden::from_page(page, true, page_chars);
    let mut at = NodeId::DOCUMENT;
    while at < page.end(NodeId::DOCUMENT) {
        match hidden.size(page, at) {
            Some(Size::Trifle) if page.state(at) != NodeState::Removed => page.remove(at, filter),
            Some(Size::Large) => show(page, at),
            _ => {}
        }
        at = if page.state(at) == NodeState::Removed { page.end(at) } else { NodeId(at.0 + 1) };
    }
}

/// Shows what the page hides; with a filter, that one removes the pieces that are too small to be content.
pub(crate) fn show_hidden(page: &mut Page, pieces: Option<&'static str>) {
    let sheets = Sheets::from_page(page);
    let hides = |id: &NodeId| is_hidden(page, *id) || sheets.hides(page, *id);
    let hidden: Vec<NodeId> = if sheets.hide_nothing() {
        let inside = page.elements_with_hints(Hint::Hides.bit(), &[]);
        iter::once(page.body()).chain(inside).filter(hides).collect()
    } else {
        page.live(page.body()).filter(hides).collect()
    };
    // A short answer is hidden as the longer ones beside it are.
    let look = |page: &Page, id: NodeId| (page.tag(id), page.first_class(id).to_owned());
    let is_named = |page: &Page, id: NodeId| !page.first_class(id).is_empty();
    let texts: Vec<_> = if pieces.is_some() && hidden.len() > 1 {
        let is_text = |id: &&NodeId| is_named(page, **id) && page.chars(**id) > BLOCK_PIECE_CHARS;
        hidden.iter().filter(is_text).take(MAX_LOOKS).map(|&id| look(page, id)).collect()
    } else {
        Vec::new()
    };
    let answers = if pieces.is_some() { answers(page, &hidden) } else { Set::default() };
    let mut over = NodeId::DOCUMENT;
    for id in hidden {
        if id < over {
            continue;
        }
        let is_small = |page: &Page| is_piece(page, id) && !texts.contains(&look(page, id));
        let is_left_out = |page: &Page| !answers.contains(&id) && (is_small(page) || is_aside(page, id));
        if let Some(filter) = pieces.filter(|_| is_left_out(page)) {
            page.remove(id, filter);
            over = page.end(id);
        } else if is_hidden(page, id) {
            show(page, id);
        }
    }
}

/// The hidden elements that answer: each stands directly below a button, a term or a heading, several look alike, and one of these is
/// longer than a piece ("Copied!" below each button is not). The shortest answer is as much of the text as the question that stays.
fn answers(page: &Page, hidden: &[NodeId]) -> Set<NodeId> {
    /// Answers alike from which the page has questions, as in the promises of the algorithm `auto`.
    const LEAST: usize = 3;
    let asks = |id: NodeId| page.tag(id).is_some_and(|tag| tag.is_heading() || matches!(tag, Tag::Button | Tag::Dt));
    let is_hidden = |id: NodeId| hidden.binary_search(&id).is_ok();
    let parents: Set<NodeId> = hidden.iter().filter(|&&id| id != page.body()).map(|&id| page.parent(id)).collect();
    let mut alike: Table<_, Vec<NodeId>> = Table::default();
    for parent in parents {
        let mut above = None;
        for id in page.live_children(parent).filter(|&id| page.tag(id).is_some()) {
            if let Some(above) = above.replace(id).filter(|&above| asks(above) && is_hidden(id)) {
                alike.entry((page.tag(above), page.tag(id), page.first_class(id))).or_default().push(id);
            }
        }
    }
    let is_long = |&id: &NodeId| page.chars(id) > BLOCK_PIECE_CHARS;
    alike.into_values().filter(|those| those.len() >= LEAST && those.iter().any(is_long)).flatten().collect()
}

/// Whether a hidden element is a small piece of text and nothing else.
fn is_piece(page: &Page, id: NodeId) -> bool {
    const MAX_NODES: usize = 40;
    let is_block = page.tag(id).is_some_and(Tag::is_block);
    let most = if is_block { BLOCK_PIECE_CHARS } else { PIECE_CHARS };
    let mut chars = 0;
    for (number, inside) in page.live(id).enumerate() {
        chars += page.own_chars(inside);
        let is_content = page.tag(inside).is_some_and(|tag| {
            tag.is_media()
                || tag.is_heading()
                || is_control(tag)
                || matches!(tag, Tag::P | Tag::Li | Tag::Dd | Tag::Pre | Tag::Code | Tag::Td)
        });
        if is_content || chars > most || number > MAX_NODES {
            return false;
        }
    }
    chars > 0
}

/// Whether a hidden part is short and nothing on the page says that it unfolds: a summary for machines, a list for counting.
fn is_aside(page: &Page, id: NodeId) -> bool {
    const MAX_CHARS: usize = 250;
    const LEVELS: usize = 4;
    const UNFOLDS: AnyOf = AnyOf::new(&[
        "collaps",
        "accordion",
        "tab",
        "panel",
        "faq",
        "answer",
        "toggle",
        "expand",
        "more",
        "drop",
        "content",
        "body",
        "slide",
        "carousel",
        "spoiler",
        "variant",
        "option",
        "step",
    ]);
    let chars = page.chars(id);
    let names = [local_name!("class"), local_name!("id"), local_name!("role")];
    let mut around = page.self_and_ancestors(id).take(1 + LEVELS);
    let mut unfolds = || {
        around.any(|up| {
            let values = names.iter().filter_map(|name| page.attribute(up, name));
            page.tag(up) == Some(Tag::Details) || values.into_iter().any(|value| UNFOLDS.are_in(value))
        })
    };
    let holds_heading = || page.live(id).any(|id| page.tag(id).is_some_and(Tag::is_heading));
    (1..=MAX_CHARS).contains(&chars)
        && page.tag(id).is_some_and(Tag::is_block)
        && !page.has_attribute(id, &local_name!("id"))
        && !holds_heading()
        && !page.ancestors(id).take(LEVELS).any(|up| page.tag(up).is_some_and(Tag::is_heading))
        && !unfolds()
}

pub(super) fn show(page: &mut Page, id: NodeId) {
    page.drop_attributes(id, |name, _| *name == local_name!("style") || *name == local_name!("hidden"));
}

/// Which hidden elements may go.
pub(super) struct Hidden {
    /// The text below each node: hidden elements can be nested, so none is counted on its own. Empty where nothing is hidden.
    measures: Option<Measures>,
    /// More characters than this are no trifle.
    most: f64,
    /// The page's style sheets, which hide elements.
    sheets: Rc<Sheets>,
}

impl Hidden {
    pub(super) fn from_page(page: &Page, wanted: bool, page_chars: usize) -> Hidden {
        let sheets = if wanted { Sheets::from_page(page) } else { Rc::default() };
        let any = wanted
            && (!sheets.hide_nothing()
                || page.live(NodeId::DOCUMENT).any(|id| page.tag(id).is_some() && is_hidden(page, id)));
        Hidden { measures: any.then(|| Measures::from_page(page)), most: HIDDEN_SHARE * page_chars as f64, sheets }
    }

    /// How much a hidden element holds; `None` where the element is not hidden. What only a style sheet hides may be shown by a
    /// script, so that it is hidden for good only where it is a small piece or nothing says that it unfolds.
    pub(super) fn size(&self, page: &Page, id: NodeId) -> Option<Size> {
        let measures = self.measures.as_ref()?;
        if is_hidden(page, id) {
            let is_trifle = f64::from(measures.get(id).chars) <= self.most;
            return Some(if is_trifle { Size::Trifle } else { Size::Large });
        }
        let is_trifle = || is_piece(page, id) || is_aside(page, id);
        (self.sheets.hides(page, id) && is_trifle()).then_some(Size::Trifle)
    }
}

pub(super) enum Size {
    Trifle,
    Large,
}

/// The page's own word that nobody should see the element, written on the element itself. `hidden="until-found"` is
/// meant to be found (HTML Standard § 6.1).
pub(super) fn is_hidden(page: &Page, id: NodeId) -> bool {
    if !page.hints(id).has(Hint::Hides) {
        return false;
    }
    let mut is_hidden = false;
    page.each_attribute(id, |name, value| {
        is_hidden |= match *name {
            local_name!("hidden") => !value.eq_ignore_ascii_case("until-found"),
            local_name!("style") => style_hides(value),
            _ => false,
        };
    });
    is_hidden
}
