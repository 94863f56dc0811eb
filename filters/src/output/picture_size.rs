//! One size of each picture, of those that a site offers: the smallest that is wide enough for the screen.
//!
//! The candidate keeps its descriptor, so that the picture takes the place that it would have taken (HTML § 4.8.4.3: the density of a
//! candidate gives its size on the page).

use html5ever::local_name;

use crate::{
    filter::lazy_images::source_set::{Screen, best, candidates},
    html::{NodeId, Page, tag::Tag},
};

/// Kinds that few programs can decode to make them smaller; a site that offers them offers another beside.
const RARE: [&str; 2] = ["image/avif", "image/jxl"];

/// Width of a phone in its browser's pixels: most have 360 to 430, and two or three of their own in each (1,080 to 1,290).
const PHONE: f64 = 360.0;

/// Chooses for a screen of so many pixels: a phone's, or one whose browser counts pixels as they are (electronic paper, old computers).
pub(super) fn choose(page: &mut Page, width: usize, is_of_phone: bool) {
    let pictures: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Img)).collect();
    // More than 2^24 pixels are refused by the configuration.
    let width = width as f64;
    let density = if is_of_phone { (width / PHONE).round().max(1.0) } else { 1.0 };
    let screen = Screen { width, density };
    for (index, picture) in pictures.into_iter().enumerate() {
        let around = page.parent(picture);
        if page.tag(around) == Some(Tag::Picture) {
            choose_source(page, around, screen);
        }
        choose_candidate(page, picture, screen);
        // What a reader sees first comes first.
        if index > 0 {
            page.set_attribute(picture, local_name!("loading"), "lazy".to_owned());
        }
        page.set_attribute(picture, "decoding".into(), "async".to_owned());
    }
}

/// Sources are asked in their order, and the first that fits is shown.
fn choose_source(page: &mut Page, around: NodeId, screen: Screen) {
    let sources: Vec<NodeId> = page.live_children(around).filter(|&id| page.tag(id) == Some(Tag::Source)).collect();
    for source in sources {
        let is_rare = page
            .attribute(source, &local_name!("type"))
            .is_some_and(|kind| RARE.iter().any(|rare| kind.trim().eq_ignore_ascii_case(rare)));
        if is_rare {
            page.drop_silently(source);
        } else {
            choose_candidate(page, source, screen);
        }
    }
}

fn choose_candidate(page: &mut Page, id: NodeId, screen: Screen) {
    let Some(set) = page.attribute(id, &local_name!("srcset")) else { return };
    if screen.density <= 1.0 && page.attribute(id, &local_name!("src")).is_some_and(is_real) && lacks_plain(set) {
        // The address itself is that of density 1 (HTML § 4.8.4.3, "updating the source set").
        page.drop_attributes(id, |name, _| *name == local_name!("srcset"));
        return;
    }
    let chosen = best(set, screen).and_then(|address| candidates(set).find(|(candidate, _)| *candidate == address));
    let Some((address, descriptor)) = chosen.map(|(address, descriptor)| (address.to_owned(), descriptor.to_owned()))
    else {
        return;
    };
    // The proxy makes a wider file as wide as the screen, and its density is counted from there.
    let stated: Option<f64> = descriptor.strip_suffix('w').and_then(|width| width.trim().parse().ok());
    let descriptor =
        if stated.is_some_and(|stated| stated > screen.width) { format!("{}w", screen.width) } else { descriptor };
    page.set_attribute(id, local_name!("srcset"), format!("{address} {descriptor}").trim_end().to_owned());
    if page.tag(id) == Some(Tag::Img) {
        page.set_attribute(id, local_name!("src"), address);
    }
}

/// Whether an address is that of a file.
fn is_real(address: &str) -> bool {
    !address.is_empty() && !address.starts_with("data:")
}

/// Whether all candidates of a set are for screens of a higher density than 1.
fn lacks_plain(set: &str) -> bool {
    let density = |descriptor: &str| descriptor.strip_suffix('x')?.trim().parse::<f64>().ok();
    candidates(set).all(|(_, descriptor)| density(descriptor).is_some_and(|density| density > 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(html: &str, width: usize, is_of_phone: bool) -> String {
        let mut page = crate::testing::page(html);
        choose(&mut page, width, is_of_phone);
        page.live(page.body())
            .filter(|&id| matches!(page.tag(id), Some(Tag::Img | Tag::Source)))
            .map(|id| {
                let value = |name| page.attribute(id, &name).unwrap_or_default().to_owned();
                format!("{}|{}", value(local_name!("srcset")), value(local_name!("src")))
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_smallest_size_that_is_wide_enough_is_left() {
        for (html, width, expected) in [
            ("<img src=/x srcset='/a 300w, /b 900w, /c 1600w'>", 800, "/b 800w|/b"),
            ("<img src=/x srcset='/a 300w, /b 900w'>", 1080, "/b 900w|/b"),
            ("<img src=/x srcset='/a 1x, /b 2x, /c 3x'>", 1080, "/c 3x|/c"),
            ("<img src=/x>", 800, "|/x"),
            (
                "<picture><source type=image/avif srcset='/v 900w'><source type=image/webp srcset='/w 400w, /v 2000w'><img src=/x></picture>",
                800,
                "/v 800w| |/x",
            ),
        ] {
            assert_eq!(chosen(html, width, true), expected, "{html}");
        }
    }

    #[test]
    fn a_size_by_density_is_that_of_the_screen() {
        let set = "<img src=/x srcset='/a, /b 2x, /c 3x'>";
        assert_eq!(chosen(set, 1080, true), "/c 3x|/c");
        assert_eq!(chosen(set, 750, true), "/b 2x|/b");
        assert_eq!(chosen(set, 800, false), "/a|/a");
        let beside = "<img src=/x srcset='/b 2x, /c 3x'>";
        assert_eq!(chosen(beside, 1080, true), "/c 3x|/c");
        assert_eq!(chosen(beside, 800, false), "|/x");
        assert_eq!(chosen("<img srcset='/b 2x, /c 3x'>", 800, false), "/b 2x|/b");
    }
}
