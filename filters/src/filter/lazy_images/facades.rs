//! What stands for a film or a post until a script puts it there: an element with an identifier, a frame whose address waits for
//! consent. It becomes the frame that the script would have made.

use html5ever::{LocalName, local_name};

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::parts::Parts,
};

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

/// What their classes hold, and hardly any other.
const CLASSES: Parts = Parts::new(&["youtube", "vimeo-player", "lite-vimeo", "instagram-media", "tiktok-embed"]);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        filter::{Filter, lazy_images::LazyImages},
        testing,
    };

    fn frame(html: &str) -> Option<String> {
        let mut page = testing::page(html);
        LazyImages.apply(&mut page);
        let frame = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::Iframe))?;
        page.attribute(frame, &local_name!("src")).map(str::to_owned)
    }

    #[test]
    fn a_facade_becomes_the_frame_that_its_script_would_make() {
        for (facade, address) in [
            ("<lite-youtube videoid=a1><a href=/w>Play</a></lite-youtube>", "https://www.youtube.com/embed/a1"),
            ("<div class='big youtube-player' data-id=a1></div>", "https://www.youtube.com/embed/a1"),
            ("<div class=youtube data-embed='a1?t=5'></div>", "https://www.youtube.com/embed/a1"),
            ("<lite-vimeo videoid=7></lite-vimeo>", "https://player.vimeo.com/video/7"),
            (
                "<blockquote class=instagram-media data-instgrm-permalink='https://www.instagram.com/p/a1/?u=2'>",
                "https://www.instagram.com/p/a1/embed/",
            ),
            ("<blockquote class=tiktok-embed data-video-id=7>", "https://www.tiktok.com/embed/v2/7"),
            ("<iframe data-cookieblock-src=https://films.example/a1></iframe>", "https://films.example/a1"),
        ] {
            assert_eq!(frame(facade).as_deref(), Some(address), "{facade}");
        }
    }

    #[test]
    fn what_is_no_identifier_makes_no_frame() {
        for none in [
            "<div class=youtube-player data-id='a b'></div>",
            "<div class=players data-id=a1></div>",
            "<blockquote class=instagram-media data-instgrm-permalink=javascript:x/></blockquote>",
        ] {
            assert_eq!(frame(none), None, "{none}");
        }
    }
}
