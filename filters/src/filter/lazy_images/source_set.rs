//! The address of an image that has only sets of addresses: readers, Markdown and old devices look at `src` alone.

use html5ever::local_name;

use crate::html::{NodeId, Page, tag::Tag};

/// A screen for which one picture of several is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// Pixels that are wide enough; the smallest file from there on is taken.
    pub(crate) width: f64,
    /// Pixels of the screen in one of its browser's.
    pub(crate) density: f64,
}

/// The column of text on a screen of twice the resolution.
const USUAL: Screen = Screen { width: 800.0, density: 2.0 };

/// Children of a `<picture>` that are looked at for each image. Higher: more time on hostile pages.
const MAX_SOURCES: usize = 10;

/// An address for `src`, from the image's own set or from the sources of the `<picture>` around it.
pub(super) fn address(page: &Page, image: NodeId) -> Option<String> {
    let set = |id| page.attribute(id, &local_name!("srcset")).and_then(|set| best(set, USUAL).map(str::to_owned));
    let picture = page.parent(image);
    set(image).or_else(|| {
        (page.tag(picture) == Some(Tag::Picture))
            .then(|| page.live_children(picture).take(MAX_SOURCES).take_while(|&id| id < image).find_map(set))
            .flatten()
    })
}

/// The candidate of a set that fits a screen of so many pixels best: the smallest that is wide enough, or the widest. Widths and
/// densities are not mixed in a set; without either it is the density 1. Candidates with another descriptor are left out, as browsers do.
pub(crate) fn best(set: &str, screen: Screen) -> Option<&str> {
    let enough = screen.width;
    let mut best: Option<(f64, &str)> = None;
    for (address, descriptor) in candidates(set) {
        let Some(width) = width(descriptor, screen) else { continue };
        let is_better =
            best.is_none_or(|(shown, _)| if shown < enough { width > shown } else { width >= enough && width < shown });
        if is_of_web(address) && is_better {
            best = Some((width, address));
        }
    }
    best.map(|(_, address)| address)
}

/// The addresses of a set with their descriptors (HTML § 4.8.4.2.2).
pub(crate) fn candidates(set: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let start = rest.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
        let end = start.find(|c: char| c.is_ascii_whitespace()).unwrap_or(start.len());
        let (address, after) = start.split_at(end);
        let bare = address.trim_end_matches(',');
        // An address that ends with a comma has no descriptor.
        let (descriptor, after) =
            if bare.len() < address.len() { ("", after) } else { after.split_once(',').unwrap_or((after, "")) };
        rest = after;
        (!bare.is_empty()).then(|| (bare, descriptor.trim()))
    })
}

/// Whether an address can be one of the web: of `http`, `https`, or without a scheme.
fn is_of_web(address: &str) -> bool {
    let before_path = address.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = before_path.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_none_or(|scheme| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)))
}

/// A picture of the screen's density is taken to be wide enough.
fn width(descriptor: &str, screen: Screen) -> Option<f64> {
    if descriptor.is_empty() {
        return Some(screen.width / screen.density);
    }
    let number =
        |unit| descriptor.split_ascii_whitespace().find_map(|word| word.strip_suffix(unit)?.parse::<f64>().ok());
    let width = number('w').filter(|width| width.fract() == 0.0);
    width
        .or_else(|| Some(number('x')? * screen.width / screen.density))
        .filter(|width| *width > 0.0 && width.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_picture_that_is_large_enough_is_taken() {
        for (set, expected) in [
            ("/a.jpg", "/a.jpg"),
            ("/a.jpg, /b.jpg 2x, /c.jpg 3x", "/b.jpg"),
            ("/a 300w, /b 900w, /c 1600w", "/b"),
            ("/c 1600w,\n /b 900w,\n /a 300w", "/b"),
            ("/a 300w, /b 640w", "/b"),
            ("/a,b.jpg 1x, /x.jpg .5x", "/a,b.jpg"),
            ("/a 300w, /b 900w 600h, /c 1000q", "/b"),
            ("/a.jpg, /b.jpg large", "/a.jpg"),
            ("/a.jpg, /b.jpg infinityx", "/a.jpg"),
            ("/a 300w, /b 950.5w, /c -900w", "/a"),
            ("javascript:alert(1) 900w, /a 600w", "/a"),
            ("//a.example/x:y.jpg 300w", "//a.example/x:y.jpg"),
            ("data:image/gif;base64,AA 1x, /b 640w", "/b"),
        ] {
            assert_eq!(best(set, USUAL), Some(expected), "{set}");
        }
        assert_eq!(best(" , ", USUAL), None);
        assert_eq!(best("data:x", USUAL), None);
    }
}
