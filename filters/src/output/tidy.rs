//! Small repairs before a page is written: what only made sense with the page's scripts and style sheets.
//!
//! Some are for every look, most for the reader look, which has none of the page's styles: an icon that a style sheet kept
//! small is as large as its file, a text for screen readers only is seen by everybody, a table that laid out the page has
//! lines around its cells. What is marked with [`MARK`] is dealt with by `reader.css`.

pub(super) mod code;
pub(super) mod controls;
pub(super) mod icons;
mod links;
mod notes;
pub(super) mod panels;
mod pictures;
pub(super) mod records;
mod repeats;
mod screen_reader;

use html5ever::{LocalName, local_name};

use super::headline::headline_in;
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, NodeKind, NodeState, Page, style_sheets::Sheets, tag::Tag},
    measure::{
        pictures::{is_file_of_icon, is_small, stated},
        table,
    },
};

/// Our attribute on elements of the page: `data`, `layout`, `icon`, `line`, `sign`, `heard`, `beside`, `bare`, `post`,
/// `prose`, `low`, `card`, `name`, `named`, `panel`, `entry`, `thumb`.
pub(super) const MARK: &str = "data-gleaner";

/// Most line breaks in a row: the paper's Figure 2, "Limit number of line breaks".
const MAX_BREAKS: usize = 2;

/// Repairs for both looks.
pub(super) fn every_look(page: &mut Page) {
    icons::drop_glyphs(page);
    drop_breaks(page);
}

/// Repairs for the reader look.
pub(super) fn reader(page: &mut AnalysedPage) {
    let sheets = Sheets::from_page(page);
    let elements: Vec<(NodeId, Tag)> =
        page.live(page.body()).skip(1).filter_map(|id| Some((id, page.tag(id)?))).collect();
    let things = Things::from_elements(&elements);
    pictures::drop_empty(page, &things.pictures);
    let mut over = NodeId::DOCUMENT;
    for (id, tag) in elements {
        if id < over || page.state(id) != NodeState::Keep {
            continue;
        }
        if tag == Tag::A && links::is_no_link(page, id) {
            page.unwrap_element(id);
        } else if is_unwanted(page, id, tag) {
            page.drop_silently(id);
            over = page.end(id);
        } else if let Some(kind) = kind(page, id, tag, &sheets) {
            page.set_attribute(id, LocalName::from(MARK), kind.to_owned());
        }
    }
    icons::mark_small(page, &things.pictures);
    pictures::join_rows(page, &things.pictures);
    pictures::repair_players(page, &things.players);
    controls::repair_buttons(page, &things.buttons, &things.fields);
    records::mark_posts(page);
    records::mark_entries(page);
    let headline = headline_in(page);
    if let Some(headline) = headline {
        links::unwrap_headline(page, headline);
    }
    records::mark_cards(page, &things.links);
    drop_breaks_above_headings(page);
    panels::name(page);
    // What stands above an empty `<h1>` is the head of the page as well.
    let top = headline.or_else(|| first_h1(page));
    links::drop_page_chrome(page, top);
    controls::drop_unread(page);
    let is_for_sale = page.claims.is_for_sale();
    repeats::drop_repeats(page, headline, is_for_sale);
    links::unwrap_lost_fragments(page, &things.links);
}

fn first_h1(page: &Page) -> Option<NodeId> {
    page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::H1))
}

/// The elements of a page that some of the repairs are about.
#[derive(Default)]
struct Things {
    pictures: Vec<NodeId>,
    players: Vec<NodeId>,
    buttons: Vec<NodeId>,
    fields: Vec<NodeId>,
    links: Vec<NodeId>,
}

impl Things {
    fn from_elements(elements: &[(NodeId, Tag)]) -> Things {
        let mut things = Things::default();
        for &(id, tag) in elements {
            match tag {
                Tag::Img => things.pictures.push(id),
                Tag::Video | Tag::Audio => things.players.push(id),
                Tag::Button => things.buttons.push(id),
                Tag::Input => things.fields.push(id),
                Tag::A => things.links.push(id),
                _ => {}
            }
        }
        things
    }
}

fn is_unwanted(page: &Page, id: NodeId, tag: Tag) -> bool {
    screen_reader::is_copy_of_formula(page, id, tag) || links::is_sign(page, id, tag)
}

/// The name by which `reader.css` styles an element.
fn kind(page: &AnalysedPage, id: NodeId, tag: Tag, sheets: &Sheets) -> Option<&'static str> {
    match tag {
        Tag::A if links::touches_link(page, id) && !shows_picture(page, id) => Some("beside"),
        Tag::Li if begins_with_picture(page, id) => Some("bare"),
        Tag::Img if is_small(page, id) => Some("icon"),
        Tag::Pre if code::is_prose(page, id) => Some("prose"),
        Tag::Iframe if is_low(page, id) => Some("low"),
        Tag::Table if table::is_data(page, id) && !table::is_form(page, id) => Some("data"),
        Tag::Table => Some("layout"),
        Tag::Img | Tag::Input | Tag::Select | Tag::Textarea | Tag::Button => None,
        _ if screen_reader::is_screen_reader_only(page, id, sheets) => Some("heard"),
        _ => (matches!(tag, Tag::P | Tag::Div) && notes::is_note_title(page, id)).then_some("name"),
    }
}

/// A frame that is as wide as the page and a few lines high: a player of sounds.
fn is_low(page: &Page, id: NodeId) -> bool {
    /// Pixels. Players of sounds have 166 (`SoundCloud`) and 152 (Spotify); a film on a screen of 390 pixels has 219.
    const MOST: f32 = 180.0;
    stated(page, id, &local_name!("height")).is_some_and(|height| height <= MOST)
}

/// An item of a gallery or of a shelf: a bullet would stand at the foot of the picture.
fn begins_with_picture(page: &Page, item: NodeId) -> bool {
    const NODES: usize = 50;
    let first = page.live(item).take(NODES).find_map(|id| match page.tag(id) {
        // An icon before the words is a bullet itself.
        Some(Tag::Img) => Some(!is_small(page, id) || is_file_of_icon(page, id)),
        Some(Tag::Svg) => Some(false),
        None if page.own_chars(id) > 0 => Some(false),
        _ => None,
    });
    first == Some(true)
}

/// Whether a link shows a picture that is no icon: a tile, which stands where a line begins.
fn shows_picture(page: &Page, link: NodeId) -> bool {
    page.live(link).any(|id| page.tag(id) == Some(Tag::Img) && !is_small(page, id))
}

/// Line breaks directly above a heading, which has a space of its own there.
fn drop_breaks_above_headings(page: &mut Page) {
    if !page.has_any(&[Tag::Br]) {
        return;
    }
    let mut breaks = Vec::new();
    let mut surplus = Vec::new();
    for id in page.live(page.body()) {
        match page.tag(id) {
            Some(Tag::Br) => breaks.push(id),
            Some(tag) if tag.is_heading() => surplus.append(&mut breaks),
            Some(tag) if tag.is_media() => breaks.clear(),
            None if page.own_chars(id) > 0 => breaks.clear(),
            _ => {}
        }
    }
    for id in surplus {
        page.drop_silently(id);
    }
}

/// Line breaks in a row beyond [`MAX_BREAKS`].
fn drop_breaks(page: &mut Page) {
    if !page.has_any(&[Tag::Br]) {
        return;
    }
    let mut run = 0;
    let mut parent = NodeId::DOCUMENT;
    let mut surplus = Vec::new();
    for id in page.live(page.body()) {
        if page.tag(id) == Some(Tag::Br) {
            if page.parent(id) != parent {
                (run, parent) = (0, page.parent(id));
            }
            run += 1;
            if run > MAX_BREAKS {
                surplus.push(id);
            }
        } else if page.kind(id) != NodeKind::Text || page.own_chars(id) > 0 {
            run = 0;
        }
    }
    for id in surplus {
        page.drop_silently(id);
    }
}
