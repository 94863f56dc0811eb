//! Small repairs before a page is written: what only made sense with the page's scripts and style sheets.
//!
//! Some are for every look, most for the reader look, which has none of the page's styles: an icon that a style sheet kept
//! small is as large as its file, a text for screen readers only is seen by everybody, a table that laid out the page has
//! lines around its cells. What is marked with [`MARK`] is dealt with by `reader.css`.

mod buttons;
mod cards;
pub(super) mod code;
pub(super) mod code_lines;
mod controls;
pub(super) mod drawings;
mod entries;
mod headline_link;
mod heard;
mod leftovers;
mod logos;
mod names;
pub(super) mod panels;
mod permalinks;
mod pictures;
pub(super) mod placeholders;
mod places;
mod players;
pub(super) mod posts;
mod repeats;
mod vectors;

use html5ever::{LocalName, local_name};

use super::headline::headline_in;
use crate::{
    analysis::AnalysedPage,
    html::{Fate, Kind, NodeId, Page, style_sheets::Sheets, tag::Tag},
    measure::table,
    vocabulary::{parts::Parts, words::trim},
};

/// Our attribute on elements of the page: `data`, `layout`, `icon`, `line`, `sign`, `heard`, `beside`, `bare`, `post`,
/// `prose`, `low`, `card`, `name`, `named`, `panel`, `entry`, `thumb`.
pub(super) const MARK: &str = "data-gleaner";

/// Most line breaks in a row: the paper's Figure 2, "Limit number of line breaks".
const MAX_BREAKS: usize = 2;

/// Width and height in pixels up to which a drawing or a picture is an icon (the largest size of common icon fonts and
/// sets is 24 to 32).
const ICON_SIZE: f32 = 32.0;

/// Repairs for both looks.
pub(super) fn every_look(page: &mut Page) {
    drop_glyphs(page);
    drop_breaks(page);
}

/// Words that a font draws as signs, one word a sign (`chevron_right`): Material Icons and Symbols. Without the font they are words.
pub(super) fn drop_names_of_icons(page: &mut Page) {
    const FONTS: Parts = Parts::new(&["material-icons", "material-symbols"]);
    let is_of_font = |name: &LocalName, value: &str| *name == local_name!("class") && FONTS.are_in(value);
    if !page.any_attribute(is_of_font) {
        return;
    }
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let names: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| page.own_chars(id) > 0)
        .filter(|&text| {
            let frame = page.parent(text);
            let is_sign = page.attribute(frame, &local_name!("class")).is_some_and(|class| FONTS.are_in(class));
            is_sign && page.text(text).is_some_and(|name| trim(&name).chars().all(is_name))
        })
        .collect();
    for id in names {
        page.drop_silently(id);
    }
}

/// Signs of fonts that are drawn as icons: without the font they are boxes (Unicode, private use).
fn drop_glyphs(page: &mut Page) {
    let is_glyph = |c: char| matches!(c, '\u{e000}'..='\u{f8ff}');
    let glyphs: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| {
            page.text(id).is_some_and(|text| {
                let text = trim(&text);
                !text.is_empty() && text.chars().all(|c| is_glyph(c) || c.is_whitespace())
            })
        })
        .collect();
    for id in glyphs {
        page.drop_silently(id);
    }
}

/// Repairs for the reader look.
pub(super) fn reader(page: &mut AnalysedPage) {
    let sheets = Sheets::of(page);
    let elements: Vec<(NodeId, Tag)> =
        page.live(page.body()).skip(1).filter_map(|id| Some((id, page.tag(id)?))).collect();
    let things = Things::of(&elements);
    pictures::drop_empty(page, &things.pictures);
    let mut over = NodeId::DOCUMENT;
    for (id, tag) in elements {
        if id < over || page.fate(id) != Fate::Keep {
            continue;
        }
        if tag == Tag::A && is_no_link(page, id) {
            page.unwrap_element(id);
        } else if is_unwanted(page, id, tag) {
            page.drop_silently(id);
            over = page.end(id);
        } else if let Some(kind) = kind(page, id, tag, &sheets) {
            page.set_attribute(id, LocalName::from(MARK), kind.to_owned());
        }
    }
    vectors::mark(page, &things.pictures);
    logos::join_rows(page, &things.pictures);
    players::repair(page, &things.players);
    buttons::repair(page, &things.buttons, &things.fields);
    posts::mark(page);
    entries::mark(page);
    let headline = headline_in(page);
    if let Some(headline) = headline {
        headline_link::unwrap(page, headline);
    }
    mark_cards(page, &things.links);
    drop_breaks_above_headings(page);
    panels::name(page);
    // What stands above an empty `<h1>` is the head of the page as well.
    let top = headline.or_else(|| first_h1(page));
    leftovers::drop_all(page, top);
    controls::drop_unread(page);
    let is_for_sale = page.claims.is_for_sale();
    repeats::drop_repeats(page, headline, is_for_sale);
    places::unwrap_links(page, &things.links);
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
    fn of(elements: &[(NodeId, Tag)]) -> Things {
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

fn mark_cards(page: &mut Page, links: &[NodeId]) {
    let mark = LocalName::from(MARK);
    for &link in links {
        if let Some(name) = cards::name(page, link, &mark)
            && page.is_live(link)
        {
            let is_post = page.attribute(link, &mark).is_some_and(|known| known.ends_with("post"));
            let kind = if is_post { "card post" } else { "card" };
            page.set_attribute(link, mark.clone(), kind.to_owned());
            page.set_attribute(name, mark.clone(), "name".to_owned());
        }
    }
}

/// A link without an address that nothing leads to: a script made it one.
fn is_no_link(page: &Page, id: NodeId) -> bool {
    [local_name!("href"), local_name!("id"), local_name!("name")].iter().all(|name| !page.has_attribute(id, name))
}

fn is_unwanted(page: &Page, id: NodeId, tag: Tag) -> bool {
    names::is_copy_of_formula(page, id, tag) || permalinks::is_sign(page, id, tag)
}

/// The name by which `reader.css` styles an element.
fn kind(page: &AnalysedPage, id: NodeId, tag: Tag, sheets: &Sheets) -> Option<&'static str> {
    match tag {
        Tag::A if touches_link(page, id) && !shows_picture(page, id) => Some("beside"),
        Tag::Li if begins_with_picture(page, id) => Some("bare"),
        Tag::Img if is_small(page, id) => Some("icon"),
        Tag::Pre if code::is_prose(page, id) => Some("prose"),
        Tag::Iframe if is_low(page, id) => Some("low"),
        Tag::Table if table::is_data(page, id) && !table::is_form(page, id) => Some("data"),
        Tag::Table => Some("layout"),
        Tag::Img | Tag::Input | Tag::Select | Tag::Textarea | Tag::Button => None,
        _ if heard::is_only_heard(page, id, sheets) => Some("heard"),
        _ => (matches!(tag, Tag::P | Tag::Div) && names::is_note_title(page, id)).then_some("name"),
    }
}

/// A frame that is as wide as the page and a few lines high: a player of sounds.
fn is_low(page: &Page, id: NodeId) -> bool {
    /// Pixels. Players of sounds have 166 (`SoundCloud`) and 152 (Spotify); a film on a screen of 390 pixels has 219.
    const MOST: f32 = 180.0;
    page.attribute(id, &local_name!("height"))
        .and_then(|height| height.trim().trim_end_matches("px").parse::<f32>().ok())
        .is_some_and(|height| height <= MOST)
}

/// An item of a gallery or of a shelf: a bullet would stand at the foot of the picture.
fn begins_with_picture(page: &Page, item: NodeId) -> bool {
    const NODES: usize = 50;
    let first = page.live(item).take(NODES).find_map(|id| match page.tag(id) {
        // An icon before the words is a bullet itself.
        Some(Tag::Img) => Some(!is_small(page, id) || vectors::is_called_icon(page, id)),
        Some(Tag::Svg) => Some(false),
        None if page.own_chars(id) > 0 => Some(false),
        _ => None,
    });
    first == Some(true)
}

/// Whether an image is an icon, an avatar or an emoji: by the size it states, else by its class.
pub(super) fn is_small(page: &Page, id: NodeId) -> bool {
    states_small_size(page, id).unwrap_or_else(|| names::is_icon(page, id) || vectors::is_called_icon(page, id))
}

/// Whether the size that a picture or a drawing states is that of an icon; `None` where it states none.
pub(super) fn states_small_size(page: &Page, id: NodeId) -> Option<bool> {
    let is_small = |name: LocalName| {
        let value = page.attribute(id, &name)?;
        let size: f32 = value.trim().trim_end_matches("px").parse().ok()?;
        Some(size <= ICON_SIZE)
    };
    match (is_small(local_name!("width")), is_small(local_name!("height"))) {
        (None, None) => None,
        (width, height) => Some(width.unwrap_or(true) && height.unwrap_or(true)),
    }
}

/// Whether a link shows a picture that is no icon: a tile, which stands where a line begins.
fn shows_picture(page: &Page, link: NodeId) -> bool {
    page.live(link).any(|id| page.tag(id) == Some(Tag::Img) && !is_small(page, id))
}

/// A link directly behind another one: the page's style kept the two apart.
fn touches_link(page: &Page, id: NodeId) -> bool {
    let before = NodeId(id.0 - 1);
    let sibling = std::iter::once(before).chain(page.ancestors(before)).find(|&up| page.parent(up) == page.parent(id));
    sibling.is_some_and(|sibling| sibling < id && page.tag(sibling) == Some(Tag::A) && page.fate(sibling) == Fate::Keep)
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
        } else if page.kind(id) != Kind::Text || page.own_chars(id) > 0 {
            run = 0;
        }
    }
    for id in surplus {
        page.drop_silently(id);
    }
}
