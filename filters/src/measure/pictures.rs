//! What a picture is by the size that it states and by what it is called: an icon, a portrait, a logo.
//!
//! Two sizes tell. Up to [`ICON_SIZE`] a picture is a sign beside the text, whatever it shows; below [`PORTRAIT_WIDTH`] it shows
//! who wrote a text or whose page it is, and is no picture of the text.

use html5ever::{LocalName, local_name};

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::{
        any_of::AnyOf,
        lists::{WordList, words},
        words::words_of_identifier,
    },
};

/// Width and height in pixels up to which a drawing or a picture is an icon (the largest size of common icon fonts and
/// sets is 24 to 32).
pub(crate) const ICON_SIZE: f32 = 32.0;

/// Width in pixels below which a picture is no larger than a portrait or a logo. Two of this width stand beside each other on
/// the smallest screen.
pub(crate) const PORTRAIT_WIDTH: f32 = 160.0;

/// Parts of class names of pictures that a style sheet keeps small.
const ICONS: [&str; 6] = ["icon", "avatar", "emoji", "smiley", "gravatar", "userpic"];

/// Pieces of class names of pictures of persons.
const PERSONS: AnyOf = AnyOf::new(&["avatar", "userphoto", "user-photo", "userpic"]);

/// Frames around a picture whose names are looked at.
const FRAMES: usize = 2;

/// Nodes of a frame, at most: it holds one picture, and a row of many would be read for each.
const FRAME_NODES: usize = 8;

/// Parts of the class names of pictures that do not belong to a text: portraits, logos, icons.
pub(crate) const NOT_OF_TEXT: AnyOf =
    AnyOf::new(&["avatar", "author", "profile", "icon", "logo", "badge", "emoji", "promo"]);

/// Names of files that stand for a site and not for an article.
const SITE_PICTURES: [&str; 9] =
    ["logo", "default", "placeholder", "favicon", "avatar", "icon", "sprite", "fallback", "og-image"];

/// Words in the names of files of icons. Numbers behind them do not count.
static ICON_FILES: WordList = words!("icon_files");

/// A size of a picture in pixels as its attribute states it.
pub(crate) fn stated(page: &Page, id: NodeId, name: &LocalName) -> Option<f32> {
    page.attribute(id, name)?.trim().trim_end_matches("px").parse().ok()
}

/// Whether an image is an icon, an avatar or an emoji: by the size it states, else by its class.
pub(crate) fn is_small(page: &Page, id: NodeId) -> bool {
    states_small_size(page, id).unwrap_or_else(|| is_called_icon(page, id) || is_file_of_icon(page, id))
}

/// Whether the size that a picture or a drawing states is that of an icon; `None` where it states none.
pub(crate) fn states_small_size(page: &Page, id: NodeId) -> Option<bool> {
    let is_small = |name: LocalName| stated(page, id, &name).map(|size| size <= ICON_SIZE);
    match (is_small(local_name!("width")), is_small(local_name!("height"))) {
        (None, None) => None,
        (width, height) => Some(width.unwrap_or(true) && height.unwrap_or(true)),
    }
}

/// Whether a picture is as small as a portrait, or is called a portrait, a logo or an icon.
pub(crate) fn is_small_or_named(page: &Page, id: NodeId) -> bool {
    stated(page, id, &local_name!("width")).is_some_and(|width| width < PORTRAIT_WIDTH)
        || NOT_OF_TEXT.are_in(page.class(id))
}

/// Whether the name of a file, in lower case, is that of a picture that stands for a site and not for an article.
pub(crate) fn is_file_of_site(name: &str) -> bool {
    SITE_PICTURES.iter().any(|word| name.contains(word))
}

/// A picture that is called an icon, or one of a person by its class or by that of the link or frame around it.
fn is_called_icon(page: &Page, id: NodeId) -> bool {
    let is_called_icon = page.has_class(id, |class| {
        class.split(['-', '_']).any(|part| ICONS.iter().any(|icon| part.eq_ignore_ascii_case(icon)))
    });
    let is_frame = |up: NodeId| page.end(up).index() - up.index() <= FRAME_NODES && page.chars(up) == 0;
    let mut frames = page.ancestors(id).take(FRAMES).take_while(|&up| is_frame(up));
    is_called_icon || shows_person(page, id) || frames.any(|up| shows_person(page, up))
}

/// `ipsAvatarStack`, `c-user-photo`, `AvatarWrapper`.
fn shows_person(page: &Page, id: NodeId) -> bool {
    page.has_class(id, |class| PERSONS.are_in(class))
}

/// A picture that stands for the site: by a class, an id or a file called `logo`.
pub(crate) fn is_logo(page: &Page, id: NodeId) -> bool {
    const LOGO: AnyOf = AnyOf::new(&["logo"]);
    [local_name!("class"), local_name!("id"), local_name!("src"), local_name!("alt")].iter().any(|name| {
        page.attribute(id, name).filter(|value| LOGO.are_in(value)).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            !value.starts_with("data:")
                && value.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "logo" || word == "logotype")
        })
    })
}

/// Its address as it is written.
pub(crate) fn source(page: &Page, id: NodeId) -> &str {
    page.attribute(id, &local_name!("src")).unwrap_or_default()
}

/// Whether a picture is an SVG file without a stated size.
pub(crate) fn is_sizeless(page: &Page, id: NodeId) -> bool {
    let path = |src: &str| src.split(['?', '#']).next().unwrap_or_default().len();
    let source = source(page, id);
    let is_vector = source
        .get(..path(source))
        .and_then(|path| path.get(path.len().checked_sub(4)?..))
        .is_some_and(|ending| ending.eq_ignore_ascii_case(".svg"))
        || source.starts_with("data:image/svg");
    is_vector && !page.has_attribute(id, &local_name!("width")) && !page.has_attribute(id, &local_name!("height"))
}

pub(crate) fn is_in_figure(page: &Page, id: NodeId) -> bool {
    page.ancestors(id).any(|up| page.tag(up) == Some(Tag::Figure))
}

/// Whether the file of a picture without a size is called an icon, and nothing speaks against it: words that tell what is on it, a
/// figure or a paragraph of its own.
pub(crate) fn is_file_of_icon(page: &Page, id: NodeId) -> bool {
    let source = source(page, id);
    if source.starts_with("data:") || !is_sizeless(page, id) {
        return false;
    }
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_called = folder.split('/').any(|part| part == "icons")
        || words_of_identifier(name).any(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            ICON_FILES.contains(&word)
        });
    is_called && !is_described(page, id) && !is_paragraph(page, id) && !is_in_figure(page, id)
}

fn is_described(page: &Page, id: NodeId) -> bool {
    /// Words of an alternative text from which it tells of a diagram.
    const WORDS: usize = 4;
    page.attribute(id, &local_name!("alt")).is_some_and(|alt| alt.split_whitespace().nth(WORDS - 1).is_some())
}

/// Whether a picture is all of a paragraph.
fn is_paragraph(page: &Page, id: NodeId) -> bool {
    let around = page.parent(id);
    page.tag(around) == Some(Tag::P) && page.live(around).all(|inside| page.own_chars(inside) == 0)
}
