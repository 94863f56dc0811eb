//! The pictures and films of AMP pages. There `<amp-img>` stands for `<img>`, and a script of the format draws it; without the script a
//! browser shows nothing. The attributes are those of HTML, so each becomes the element that it stands for
//! (<https://amp.dev/documentation/components>):
//!
//! | AMP | here |
//! |---|---|
//! | `amp-img`, `amp-anim` | `img` |
//! | `amp-video`, `amp-audio` | `video`, `audio` with controls, and their sources |
//! | `amp-iframe` | `iframe` |
//! | `amp-youtube`, `amp-vimeo`, `amp-dailymotion` | `iframe`, at the address at which the film is embedded |
//!
//! What stands inside is shown only until the script has drawn or where it cannot (`placeholder`, `fallback`, `<noscript>`), and
//! goes with the element's name, unless the element has no address. Other elements of AMP are boxes, and show what they hold.

use html5ever::{LocalName, QualName, local_name, ns};
use kuchikiki::NodeRef;

use super::attribute;
use crate::page::attributes::{Attributes, Stretch};

/// Gives each its plain name.
pub(super) fn make_plain(attributes: &mut Attributes, elements: &[NodeRef]) {
    for element in elements {
        // What stands in one that was made plain is gone.
        if element.parent().is_none() {
            continue;
        }
        let Some(plain) = element.as_element().and_then(|element| plain(&element.name.local)) else {
            continue;
        };
        let source = match plain.embedded_at {
            Some(before) => attribute(attributes, element, &LocalName::from("data-videoid"))
                .filter(|id| is_number_of_film(id))
                .map(|id| format!("{before}{id}")),
            None => None,
        };
        let has_source = source.is_some()
            || attribute(attributes, element, &local_name!("src")).is_some()
            || attribute(attributes, element, &local_name!("srcset")).is_some();
        let is_film = plain.name == local_name!("video") || plain.name == local_name!("audio");
        if has_source || is_film {
            replace(attributes, element, plain.name, source, is_film);
        }
    }
}

/// What an element of AMP stands for.
struct Plain {
    name: LocalName,
    /// What stands before the number of a film in its address.
    embedded_at: Option<&'static str>,
}

fn plain(name: &LocalName) -> Option<Plain> {
    let (name, embedded_at) = match &**name {
        "amp-img" | "amp-anim" => (local_name!("img"), None),
        "amp-video" => (local_name!("video"), None),
        "amp-audio" => (local_name!("audio"), None),
        "amp-iframe" => (local_name!("iframe"), None),
        "amp-youtube" => (local_name!("iframe"), Some("https://www.youtube.com/embed/")),
        "amp-vimeo" => (local_name!("iframe"), Some("https://player.vimeo.com/video/")),
        "amp-dailymotion" => (local_name!("iframe"), Some("https://www.dailymotion.com/embed/video/")),
        _ => return None,
    };
    Some(Plain { name, embedded_at })
}

/// Letters, digits, and the two signs that these numbers have: nothing that changes the address.
fn is_number_of_film(id: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && id.len() <= 40 && id.bytes().all(is_sign)
}

fn replace(attributes: &mut Attributes, element: &NodeRef, name: LocalName, source: Option<String>, is_film: bool) {
    let node = NodeRef::new_element(QualName::new(None, ns!(html), name), []);
    let mut stretch = Stretch::of(element);
    if let Some(source) = source {
        stretch = attributes.set(stretch, local_name!("src"), source);
    }
    if is_film {
        stretch = attributes.set(stretch, local_name!("controls"), String::new());
        for child in element.children() {
            let name = child.as_element().map(|child| child.name.local.clone());
            if matches!(name, Some(local_name!("source") | local_name!("track"))) {
                node.append(child);
            }
        }
    }
    stretch.note(&node);
    element.insert_before(node);
    element.detach();
}

#[cfg(test)]
mod tests {
    use crate::testing::shown;

    #[test]
    fn pictures_become_pictures_without_what_stands_for_them() {
        let html = "<figure><amp-img src=a.jpg alt=Mill width=9 height=6><noscript><img src=a.jpg></noscript>\
                    <amp-img src=small.jpg placeholder></amp-img></amp-img><figcaption>The mill</figcaption></figure>";
        assert_eq!(
            shown(html),
            "<figure><img src=\"a.jpg\" alt=\"Mill\" width=\"9\" height=\"6\"><figcaption>The mill</figcaption></figure>"
        );
    }

    #[test]
    fn a_picture_without_an_address_shows_what_it_holds() {
        let html = "<amp-img><noscript><img src=\"a.jpg\"></noscript></amp-img>";
        assert_eq!(shown(html), html);
    }

    #[test]
    fn films_and_frames_are_such() {
        let html = "<amp-video poster=p.jpg><div fallback>No film</div><source src=f.mp4></amp-video>\
                    <amp-iframe src=https://maps.example/><b placeholder>map</b></amp-iframe>\
                    <amp-youtube data-videoid=aB-1_></amp-youtube>";
        assert_eq!(
            shown(html),
            "<video poster=\"p.jpg\" controls=\"\"><source src=\"f.mp4\"></video><iframe src=\"https://maps.example/\"></iframe>\
             <iframe data-videoid=\"aB-1_\" src=\"https://www.youtube.com/embed/aB-1_\"></iframe>"
        );
        let odd = "<amp-youtube data-videoid=\"../x\"></amp-youtube>";
        assert_eq!(shown(odd), odd);
    }

    #[test]
    fn boxes_show_what_they_hold() {
        let html = "<amp-carousel><amp-img src=a.jpg></amp-img><p>text</p></amp-carousel>";
        assert_eq!(shown(html), "<amp-carousel><img src=\"a.jpg\"><p>text</p></amp-carousel>");
    }
}
