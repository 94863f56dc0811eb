//! Replaces placeholders of embedded videos and posts by the frame that a script would have inserted; likewise the
//! elements of AMP pages for pictures and players, which are empty without their script.

use html5ever::{LocalName, local_name};

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::any_of::AnyOf,
};

/// The name or a class of the element, the attribute with the identifier, and the address of the frame around that.
const FACADES: [(&str, &str, [&str; 2]); 12] = [
    ("amp-youtube", "data-videoid", YOUTUBE),
    ("amp-vimeo", "data-videoid", VIMEO),
    ("amp-instagram", "data-shortcode", ["https://www.instagram.com/p/", "/embed/"]),
    ("lite-youtube", "videoid", YOUTUBE),
    ("youtube-player", "data-id", YOUTUBE),
    ("youtube", "data-embed", YOUTUBE),
    ("youtube", "data-id", YOUTUBE),
    ("youtube-video", "data-video-id", YOUTUBE),
    ("lite-vimeo", "videoid", VIMEO),
    ("vimeo-player", "data-id", VIMEO),
    ("instagram-media", "data-instgrm-permalink", ["", "embed/"]),
    ("tiktok-embed", "data-video-id", ["https://www.tiktok.com/embed/v2/", ""]),
];

/// Parts of the class names of facades, which hardly any other element has.
const CLASSES: AnyOf = AnyOf::new(&["youtube", "vimeo-player", "lite-vimeo", "instagram-media", "tiktok-embed"]);

const YOUTUBE: [&str; 2] = ["https://www.youtube.com/embed/", ""];
const VIMEO: [&str; 2] = ["https://player.vimeo.com/video/", ""];

/// Elements of AMP and the elements of HTML whose attributes they have (amp.dev, "AMP HTML specification").
const AMP: [(&str, Tag); 5] = [
    ("amp-img", Tag::Img),
    ("amp-anim", Tag::Img),
    ("amp-video", Tag::Video),
    ("amp-audio", Tag::Audio),
    ("amp-iframe", Tag::Iframe),
];

/// Makes an element of AMP the one that it stands for, and says whether it was one. Not where it holds that one, as a copy for
/// browsers without scripts.
pub(super) fn make_html(page: &mut Page, id: NodeId) -> bool {
    let found = AMP.iter().find(|(name, _)| page.has_local_name(id, name));
    let Some(&(_, tag)) = found.filter(|(_, tag)| page.live(id).all(|inside| page.tag(inside) != Some(*tag))) else {
        return false;
    };
    let source = page.attribute(id, &local_name!("src"));
    if tag == Tag::Iframe && !source.is_some_and(|source| super::leads_to_web(page, source)) {
        return false;
    }
    super::drop_scripts(page, id);
    drop_children(page, id);
    page.retag(id, tag);
    true
}

/// Drops the children of a frame, a picture or a film, which are text to browsers, or nothing.
fn drop_children(page: &mut Page, id: NodeId) {
    let children: Vec<NodeId> = page.live_children(id).filter(|&child| page.tag(child) != Some(Tag::Source)).collect();
    for child in children {
        page.drop_silently(child);
    }
}

/// Bytes of an identifier, at most.
const MAX_BYTES: usize = 200;

/// Makes a frame of such an element, and says whether it was one.
pub(super) fn make_frame(page: &mut Page, id: NodeId) -> bool {
    let Some(address) = address(page, id) else {
        return false;
    };
    super::drop_scripts(page, id);
    drop_children(page, id);
    page.retag(id, Tag::Iframe);
    page.set_attribute(id, local_name!("src"), address);
    true
}

fn address(page: &Page, id: NodeId) -> Option<String> {
    let classes = page.class(id);
    let may_be = page.tag(id) == Some(Tag::Other) || CLASSES.are_in_exactly(classes);
    if !may_be || page.has_attribute(id, &local_name!("src")) {
        return None;
    }
    FACADES.iter().find_map(|(name, attribute, [before, after])| {
        if !page.has_local_name(id, name) && !classes.split_ascii_whitespace().any(|class| class == *name) {
            return None;
        }
        let value = page.attribute(id, &LocalName::from(*attribute))?;
        // An address without its query, or an identifier.
        let value = value.split('?').next().unwrap_or_default().trim();
        let is_identifier =
            !before.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let is_address = before.is_empty() && value.starts_with("https://") && value.ends_with('/');
        let is_known = (is_identifier || is_address) && (1..=MAX_BYTES).contains(&value.len());
        is_known.then(|| format!("{before}{value}{after}"))
    })
}
