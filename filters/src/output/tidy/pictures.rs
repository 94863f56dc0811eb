//! Pictures that show nothing: those without an address, and those whose address is an empty picture that kept their place until
//! a script would have loaded them. What is left of them is a box with a frame around it.
//!
//! An empty picture is one of one pixel, or an SVG without a shape. In a link that has nothing else, the alternative text takes
//! the picture's place, or the link would go with it. An alternative text that is the name of a file says nothing
//! (WCAG 2.2, failure F30 of success criterion 1.1.1), and is left empty.
//!
//! WCXB dev, 2026-11-22: 125 of 1,497 pages kept such a picture, 1,616 in all.

use html5ever::local_name;

use crate::{
    html::{NodeId, Page, tag::Tag},
    metadata::is_same,
};

/// Bytes of an address up to which it can be an empty picture. Those of the common tools take up to 250.
const MAX_EMPTY_BYTES: usize = 400;

/// Drops them.
pub(super) fn drop_empty(page: &mut Page, pictures: &[NodeId]) {
    let mut empty = Vec::new();
    let mut unnamed = Vec::new();
    for &id in pictures {
        if shows_nothing(page, id) {
            empty.push(id);
        } else if is_named_by_file(page, id) {
            unnamed.push(id);
        }
    }
    for id in unnamed {
        page.set_attribute(id, local_name!("alt"), String::new());
    }
    for id in empty {
        if stands_for_link(page, id) && !is_said_behind(page, id) {
            page.replace_by_alt(id);
        } else {
            page.drop_silently(id);
        }
    }
}

fn shows_nothing(page: &Page, id: NodeId) -> bool {
    let is_empty = page.attribute(id, &local_name!("src")).is_none_or(|src| is_empty_picture(src.trim()));
    is_empty && !has_set(page, id) && !is_in_full_picture(page, id)
}

/// Whether an address is none, or that of a picture without anything on it.
fn is_empty_picture(src: &str) -> bool {
    /// The first bytes of a GIF and of a PNG that are one pixel wide and high.
    const PIXELS: [&str; 3] =
        ["gif;base64,R0lGODlhAQABA", "gif;base64,R0lGODdhAQABA", "png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"];
    if src.is_empty() || src == "about:blank" {
        return true;
    }
    let Some(data) = src.strip_prefix("data:image/") else {
        return false;
    };
    PIXELS.iter().any(|pixel| data.starts_with(pixel))
        || src.len() <= MAX_EMPTY_BYTES && data.starts_with("svg+xml") && !is_drawn(data)
}

/// Whether there is more in an SVG than its own element.
fn is_drawn(data: &str) -> bool {
    let Some((kind, content)) = data.split_once(',') else {
        return false;
    };
    let is_packed = kind.trim_end().ends_with("base64");
    let markup = if is_packed { unpacked(content.trim()) } else { content.replace("%3C", "<").replace("%3c", "<") };
    let mut elements = markup.split('<').skip(1);
    elements.any(|element| !element.starts_with(['?', '!', '/']) && !element.starts_with("svg"))
}

/// What a text in base64 (RFC 4648 § 4) says, as far as it is ASCII; other signs than those of the alphabet end it.
fn unpacked(packed: &str) -> String {
    let mut text = String::with_capacity(packed.len());
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in packed.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = bits << 6 & 0xffff | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            text.push(char::from((bits >> held & 0xff) as u8));
        }
    }
    text
}

fn has_set(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("srcset")).is_some_and(|set| {
        let set = set.trim();
        !set.is_empty() && !set.starts_with("data:")
    })
}

/// Whether a `<picture>` has another address for it.
fn is_in_full_picture(page: &Page, id: NodeId) -> bool {
    const MAX_SOURCES: usize = 10;
    let around = page.parent(id);
    page.tag(around) == Some(Tag::Picture)
        && page.live_children(around).take(MAX_SOURCES).any(|source| has_set(page, source))
}

/// Whether a picture with an alternative text is all that the link around it holds.
/// Whether the next text says what a picture stands for: the name of what the card shows.
fn is_said_behind(page: &Page, id: NodeId) -> bool {
    const MAX_NODES: usize = 20;
    let alt = page.attribute(id, &local_name!("alt")).unwrap_or_default();
    let behind = (id.index() + 1..page.end(page.body()).index()).map(NodeId::from_row);
    behind
        .take(MAX_NODES)
        .find(|&next| page.own_chars(next) > 0)
        .is_some_and(|next| page.text(next).is_some_and(|text| is_same(&text, alt)))
}

fn stands_for_link(page: &Page, id: NodeId) -> bool {
    let has_alt = page.attribute(id, &local_name!("alt")).is_some_and(|alt| !alt.trim().is_empty());
    let is_all = |link: NodeId| {
        page.live(link)
            .all(|inside| inside == id || page.own_chars(inside) == 0 && !page.tag(inside).is_some_and(Tag::is_media))
    };
    has_alt && page.in_link(id) && page.ancestors(id).find(|&up| page.tag(up) == Some(Tag::A)).is_some_and(is_all)
}

/// Whether the alternative text is the name of a file: `1.png`, `IMG_2041.JPG`.
fn is_named_by_file(page: &Page, id: NodeId) -> bool {
    const ENDINGS: [&str; 7] = ["jpg", "jpeg", "png", "gif", "webp", "svg", "avif"];
    page.attribute(id, &local_name!("alt")).is_some_and(|alt| {
        alt.trim().rsplit_once('.').is_some_and(|(name, ending)| {
            !name.is_empty()
                && ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
                // "The logo of Acme, as in acme.svg" is a sentence.
                && name.split_whitespace().count() <= 3
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn left(html: &str) -> String {
        let mut page = page(html);
        let pictures: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Img)).collect();
        drop_empty(&mut page, &pictures);
        let of = |id: &NodeId| match page.fate(*id) {
            crate::html::Fate::Keep if page.has_attribute(*id, &local_name!("src")) => "shown",
            crate::html::Fate::Keep => "kept",
            _ => "gone",
        };
        pictures.iter().map(of).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pictures_without_an_address_go() {
        for html in [
            "<img width=200 height=100 alt=Tree>",
            "<img src=''>",
            "<img src=about:blank>",
            "<a href=/x><img alt=Tree> The tree</a>",
            "<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'>",
            "<img src=\"data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%20700%20525'%3E%3C/svg%3E\">",
            "<img src=\"data:image/svg+xml;charset=utf-8,<svg viewBox='0 0 200 150'/>\">",
            "<img src='data:image/svg+xml;base64,PHN2ZyB2aWV3Qm94PSIwIDAgMiAyIj48L3N2Zz4='>",
            "<img src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4'>",
        ] {
            assert_eq!(left(html), "gone", "{html}");
        }
    }

    #[test]
    fn pictures_that_show_something_stay() {
        for html in [
            "<img src=tree.jpg>",
            "<img src='' srcset='tree.jpg 2x'>",
            "<picture><source srcset=tree.webp><img src=''></picture>",
            "<img src=\"data:image/svg+xml,%3Csvg%20viewBox='0%200%201%201'%3E%3Cpath%20d='M0'/%3E%3C/svg%3E\">",
            "<img src='data:image/svg+xml;base64,PHN2ZyB2aWV3Qm94PSIwIDAgMiAyIj48cGF0aC8+PC9zdmc+'>",
            "<img src='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABQAAAAPCAYAAADkmO9V'>",
        ] {
            assert_eq!(left(html), "shown", "{html}");
        }
    }

    #[test]
    fn the_name_of_a_file_is_no_alternative_text() {
        let alt = |alt: &str| {
            let mut page = page(&format!("<img src=a.png alt='{alt}'>"));
            let image = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::Img)).unwrap();
            drop_empty(&mut page, &[image]);
            page.attribute(image, &local_name!("alt")).map(str::to_owned)
        };
        assert_eq!(alt("IMG_2041.JPG").as_deref(), Some(""));
        assert_eq!(alt("A tree").as_deref(), Some("A tree"));
        let sentence = "The crest of the town, drawn as crest.svg";
        assert_eq!(alt(sentence).as_deref(), Some(sentence));
    }
}
