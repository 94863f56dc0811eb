//! One size of each picture, of those that a site offers: the smallest that is wide enough for the screen.
//!
//! The candidate keeps its descriptor, so that the picture takes the place that it would have taken (HTML § 4.8.4.3: the density of a
//! candidate gives its size on the page).

use html5ever::local_name;

use crate::{
    filter::lazy_images::source_set::{best, candidates},
    html::{NodeId, Page, tag::Tag},
};

/// Kinds that few programs can decode to make them smaller; a site that offers them offers another beside.
const RARE: [&str; 2] = ["image/avif", "image/jxl"];

/// Chooses for a screen of so many pixels.
pub(super) fn choose(page: &mut Page, width: usize) {
    let pictures: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Img)).collect();
    // More than 2^24 pixels are refused by the configuration.
    let width = width as f64;
    for (index, picture) in pictures.into_iter().enumerate() {
        let around = page.parent(picture);
        if page.tag(around) == Some(Tag::Picture) {
            choose_source(page, around, width);
        }
        choose_candidate(page, picture, width);
        // What a reader sees first comes first.
        if index > 0 {
            page.set_attribute(picture, local_name!("loading"), "lazy".to_owned());
        }
        page.set_attribute(picture, "decoding".into(), "async".to_owned());
    }
}

/// Sources are asked in their order, and the first that fits is shown.
fn choose_source(page: &mut Page, around: NodeId, width: f64) {
    let sources: Vec<NodeId> = page.live_children(around).filter(|&id| page.tag(id) == Some(Tag::Source)).collect();
    for source in sources {
        let is_rare = page
            .attribute(source, &local_name!("type"))
            .is_some_and(|kind| RARE.iter().any(|rare| kind.trim().eq_ignore_ascii_case(rare)));
        if is_rare {
            page.drop_silently(source);
        } else {
            choose_candidate(page, source, width);
        }
    }
}

fn choose_candidate(page: &mut Page, id: NodeId, width: f64) {
    let Some(set) = page.attribute(id, &local_name!("srcset")) else { return };
    let chosen = best(set, width).and_then(|address| candidates(set).find(|(candidate, _)| *candidate == address));
    let Some((address, descriptor)) = chosen.map(|(address, descriptor)| (address.to_owned(), descriptor.to_owned()))
    else {
        return;
    };
    // The proxy makes a wider file as wide as the screen, and its density is counted from there.
    let stated: Option<f64> = descriptor.strip_suffix('w').and_then(|width| width.trim().parse().ok());
    let descriptor = if stated.is_some_and(|stated| stated > width) { format!("{width}w") } else { descriptor };
    page.set_attribute(id, local_name!("srcset"), format!("{address} {descriptor}").trim_end().to_owned());
    if page.tag(id) == Some(Tag::Img) {
        page.set_attribute(id, local_name!("src"), address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(html: &str, width: usize) -> String {
        let mut page = crate::testing::page(html);
        choose(&mut page, width);
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
            ("<img src=/x srcset='/a, /b 2x, /c 3x'>", 1000, "/b 2x|/b"),
            ("<img src=/x>", 800, "|/x"),
            (
                "<picture><source type=image/avif srcset='/v 900w'><source type=image/webp srcset='/w 400w, /v 2000w'><img src=/x></picture>",
                800,
                "/v 800w| |/x",
            ),
        ] {
            assert_eq!(chosen(html, width), expected, "{html}");
        }
    }
}
