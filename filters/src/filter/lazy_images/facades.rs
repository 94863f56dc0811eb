//! What stands for a film or a post until a script puts it there: an element with an identifier, a frame whose address waits for
//! consent. It becomes the frame that the script would have made.

use html5ever::{LocalName, local_name};

use crate::html::{NodeId, Page, tag::Tag};

/// The name or a class of the element, the attribute with the identifier, and the address of the frame around that.
const FACADES: [(&str, &str, [&str; 2]); 9] = [
    ("lite-youtube", "videoid", YOUTUBE),
    ("youtube-player", "data-id", YOUTUBE),
    ("youtube", "data-embed", YOUTUBE),
    ("youtube", "data-id", YOUTUBE),
    ("youtube-video", "data-video-id", YOUTUBE),
    ("lite-vimeo", "videoid", ["https://player.vimeo.com/video/", ""]),
    ("vimeo-player", "data-id", ["https://player.vimeo.com/video/", ""]),
    ("instagram-media", "data-instgrm-permalink", ["", "embed/"]),
    ("tiktok-embed", "data-video-id", ["https://www.tiktok.com/embed/v2/", ""]),
];

const YOUTUBE: [&str; 2] = ["https://www.youtube.com/embed/", ""];

/// Bytes of an identifier, at most.
const MAX_BYTES: usize = 200;

/// Makes a frame of such an element, and says whether it was one.
pub(super) fn make_frame(page: &mut Page, id: NodeId) -> bool {
    let Some(address) = address(page, id) else {
        return false;
    };
    // What stands in a frame is text to browsers.
    let children: Vec<NodeId> = page.live_children(id).collect();
    for child in children {
        page.drop_silently(child);
    }
    page.retag(id, Tag::Iframe);
    page.set_attribute(id, local_name!("src"), address);
    true
}

fn address(page: &Page, id: NodeId) -> Option<String> {
    let classes = page.attribute(id, &local_name!("class")).unwrap_or_default();
    // Hardly any element has one of them.
    let is_named = |class: &str| FACADES.iter().any(|(name, ..)| *name == class);
    let may_be = page.tag(id) == Some(Tag::Other) || classes.split_ascii_whitespace().any(is_named);
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
