//! Moves the addresses of lazily loaded images into `src`, because the scripts that would do so are removed.
//!
//! Pages put an empty picture in `src` and the true address in an attribute of their own (`data-src`,
//! `data-lazy-srcset`, …) for a script to move, and often repeat the image in `<noscript>` for browsers without scripts.
//! Once the scripts are gone, somebody else must do it: this filter moves the addresses, and keeps one of the two copies.
//! An image that has only a set of addresses gets one of them as its own (`source_set.rs`), and what stands for a film or a post
//! becomes its frame (`facades.rs`). It touches nothing else.

mod facades;
pub(crate) mod source_set;

use html5ever::{LocalName, local_name};
use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    filter::Filter,
    html::{NodeId, NodeKind, Page, address::Address, attribute_hints::scripts::may_run, tag::Tag},
    vocabulary::lists::{WordList, words},
};

/// Settings of `lazy_images`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LazyImages"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { enabled: true }
    }
}

pub(crate) struct LazyImages;

impl Filter for LazyImages {
    fn name(&self) -> &'static str {
        "lazy_images"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let media: Vec<NodeId> = page
            .live(page.body())
            .filter(|&id| {
                matches!(
                    page.tag(id),
                    Some(Tag::Img | Tag::Source | Tag::Iframe | Tag::Video | Tag::Div | Tag::Blockquote | Tag::Other)
                )
            })
            .collect();
        let mut made_real = 0;
        for id in media {
            let real = match page.tag(id) {
                Some(Tag::Div | Tag::Blockquote | Tag::Other) => {
                    facades::make_html(page, id) || facades::make_frame(page, id)
                }
                _ => make_real(page, id),
            };
            made_real += usize::from(real);
            match page.tag(id) {
                Some(Tag::Img) => {
                    give_source(page, id);
                    made_real += usize::from(sharpen(page, id));
                    self.keep_one_copy(page, id);
                }
                Some(Tag::Source) if shows_nothing(page, id) => page.remove(id, self.name()),
                _ => {}
            }
        }
        (made_real > 0).then(|| format!("{made_real} made real"))
    }
}

impl LazyImages {
    /// An image beside `<noscript>` with the same image: the copy in `<noscript>` goes if the first is real by now, else
    /// the first goes.
    fn keep_one_copy(&self, page: &mut Page, image: NodeId) {
        let in_noscript = page.ancestors(image).any(|up| page.tag(up) == Some(Tag::Noscript));
        let Some(noscript) = neighbouring_noscript(page, image).filter(|_| !in_noscript) else {
            return;
        };
        if page.chars(noscript) > 0 {
            return;
        }
        let copies: Vec<NodeId> = page.live(noscript).filter(|&id| page.tag(id) == Some(Tag::Img)).collect();
        let [copy] = copies[..] else { return };
        if super::ignore::is_pixel(page, copy) {
            return;
        }
        if has_real_source(page, image) {
            page.remove(noscript, self.name());
        } else {
            page.remove(image, self.name());
        }
    }
}

/// An image that is named in sets only gets an address of its own.
fn give_source(page: &mut Page, image: NodeId) {
    let has_source = page.attribute(image, &local_name!("src")).is_some_and(|src| !is_placeholder(src));
    if !has_source && let Some(address) = source_set::address(page, image) {
        page.set_attribute(image, local_name!("src"), address);
    }
}

/// Whether a source of a `<picture>` holds only stand-ins, so that the picture would be blank wherever it is taken.
fn shows_nothing(page: &Page, source: NodeId) -> bool {
    page.tag(page.parent(source)) == Some(Tag::Picture)
        && page.attribute(source, &local_name!("srcset")).is_some_and(|set| {
            let mut candidates = source_set::candidates(set).peekable();
            candidates.peek().is_some() && candidates.all(|(address, _)| is_placeholder(address))
        })
}

/// Asks for a picture in its own size and sharpness, where the address is that of a small blurred stand-in which a script would
/// replace: Wix names size and blur in it, `/v1/fill/w_147,h_98,blur_2,enc_auto/NAME`.
fn sharpen(page: &mut Page, image: NodeId) -> bool {
    let sharp = |name: LocalName| {
        let address = page.attribute(image, &name)?;
        let sharp = sharp_address(address, page.attribute(image, &local_name!("width")))?;
        Some((name, sharp))
    };
    let found: Vec<_> = [local_name!("src"), local_name!("srcset")].into_iter().filter_map(sharp).collect();
    let is_any = !found.is_empty();
    for (name, address) in found {
        page.set_attribute(image, name, address);
    }
    is_any
}

fn sharp_address(address: &str, shown_width: Option<&str>) -> Option<String> {
    /// Pixels of a picture whose own size is not stated: the column of text on a phone, at twice the resolution.
    const WIDTH: u32 = 740;
    if !address.contains(",blur_") || !address.contains("/v1/") {
        return None;
    }
    let width = shown_width.and_then(|width| width.trim().parse().ok()).unwrap_or(WIDTH).max(WIDTH);
    let of = |part: &str, name: &str| part.strip_prefix(name)?.parse::<u32>().ok();
    let steps: Vec<String> = address
        .split('/')
        .map(|step| {
            let small = step.split(',').find_map(|part| of(part, "w_")).filter(|small| (1..width).contains(small));
            let Some(small) = small else { return step.to_owned() };
            let larger = |part: &str| match (of(part, "w_"), of(part, "h_")) {
                (Some(_), _) => format!("w_{width}"),
                (_, Some(height)) => format!("h_{}", height.saturating_mul(width) / small),
                _ => part.to_owned(),
            };
            let parts: Vec<String> = step.split(',').filter(|part| !part.starts_with("blur_")).map(larger).collect();
            parts.join(",")
        })
        .collect();
    Some(steps.join("/"))
}

/// The `<noscript>` directly after the image, or the `<picture>` around it; else the one directly before.
fn neighbouring_noscript(page: &Page, image: NodeId) -> Option<NodeId> {
    let parent = page.parent(image);
    let of = if page.tag(parent) == Some(Tag::Picture) { parent } else { image };
    let is_noscript = |id: &NodeId| page.tag(*id) == Some(Tag::Noscript);
    page.live_siblings_after(of)
        .find(|&child| page.kind(child) != NodeKind::Text || page.own_chars(child) > 0)
        .filter(is_noscript)
        .or_else(|| page.element_before(of).filter(is_noscript))
}

fn has_real_source(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("src")).is_some_and(|src| !is_placeholder(src))
        || page.has_attribute(id, &local_name!("srcset"))
}

/// Empty, or the picture itself inlined: a grey pixel or a blur.
fn is_placeholder(src: &str) -> bool {
    let src = src.trim();
    src.is_empty() || src.starts_with("data:") || src.starts_with("about:") || is_blank(src)
}

/// Whether the name of a file says that nothing is on the picture: `blank.png`, `/common/none.gif`.
fn is_blank(src: &str) -> bool {
    static NAMES: WordList = words!("blank_pictures");
    let file = src.split(['?', '#']).next().unwrap_or(src);
    let file = file.rsplit('/').next().unwrap_or(file);
    let name = file.split('.').next().unwrap_or(file).to_lowercase();
    NAMES.contains(&name.as_str())
}

/// Moves the true addresses into place; true if any moved.
fn make_real(page: &mut Page, id: NodeId) -> bool {
    let mut found: Vec<(LocalName, String)> = Vec::new();
    {
        let has_source = page.attribute(id, &local_name!("src")).is_some_and(|src| !is_placeholder(src));
        let is_image = page.tag(id) == Some(Tag::Img);
        let in_picture = page.tag(id) == Some(Tag::Source) && page.tag(page.parent(id)) == Some(Tag::Picture);
        for attribute in page.attributes(id) {
            let (name, value) = (&*attribute.name.local, attribute.value.trim());
            // `nitro-lazy-src`, `ng-src`, `lazy-srcset`: whatever the tool calls itself.
            let is_private = name.starts_with("data-");
            let is_named_source = name.ends_with("-src") || name.ends_with("-srcset");
            let is_frame = page.tag(id) == Some(Tag::Iframe);
            let is_own = matches!(name, "src" | "srcset" | "alt" | "title" | "href" | "longdesc");
            let may_be = is_private || is_image && (is_named_source || !has_source && !is_own);
            if !may_be || value.is_empty() {
                continue;
            }
            let purpose = match purpose(name) {
                None if !is_private && name.ends_with("-srcset") => Some(ImageAttribute::SourceSet),
                // A frame that waits for consent.
                None if is_frame && !has_source && is_named_source => Some(ImageAttribute::Source),
                known => known,
            };
            let target = match purpose {
                // These names are used for pages and for settings too.
                Some(ImageAttribute::Source)
                    if has_source && matches!(name, "data-url" | "data-image") && !is_image_address(value) =>
                {
                    continue;
                }
                Some(target) => target,
                // Any other private attribute: only where there is nothing to lose, and only for what is surely an image.
                None if is_image && !has_source && is_image_address(value) => ImageAttribute::Source,
                None => continue,
            };
            let moved = match target {
                ImageAttribute::SourceSet if is_source_set(value) => (local_name!("srcset"), value),
                // `<source>` in `<picture>` has no `src`.
                ImageAttribute::SourceSet | ImageAttribute::Source if is_address(value) && in_picture => {
                    (local_name!("srcset"), value)
                }
                ImageAttribute::SourceSet | ImageAttribute::Source
                    if is_address(value) && leads_to_web(page, value) =>
                {
                    (local_name!("src"), value)
                }
                ImageAttribute::Sizes => (local_name!("sizes"), value),
                ImageAttribute::Poster => (local_name!("poster"), value),
                _ => continue,
            };
            if !found.iter().any(|(name, _)| *name == moved.0) {
                found.push((moved.0, moved.1.to_owned()));
            }
        }
    }
    // `sizes="auto"` and sizes without a set mean nothing.
    let has_set = found.iter().any(|(name, _)| *name == local_name!("srcset"));
    found.retain(|(name, value)| *name != local_name!("sizes") || (has_set && value != "auto"));
    let moved = found.iter().any(|(name, _)| *name != local_name!("sizes"));
    // Beside a set that a script would fill stands a stand-in.
    let stands_in = has_set
        && page.tag(id) == Some(Tag::Img)
        && page.attribute(id, &local_name!("srcset")).is_none()
        && !found.iter().any(|(name, _)| *name == local_name!("src"));
    for (name, value) in found {
        page.set_attribute(id, name, value);
    }
    if stands_in && let Some(address) = source_set::address(page, id) {
        page.set_attribute(id, local_name!("src"), address);
    }
    if moved {
        drop_scripts(page, id);
    }
    moved
}

/// An element that loads nothing runs none of its scripts; made real it would.
fn drop_scripts(page: &mut Page, id: NodeId) {
    page.drop_attributes(id, |name, value| may_run(name, value) || *name == local_name!("srcdoc"));
}

/// Whether an address leads to the web, or from a saved page to a file beside it, and runs nothing itself.
fn leads_to_web(page: &Page, address: &str) -> bool {
    // What is no address by itself, and of a page without one, is relative to wherever it is read.
    Address::parse(page.base(), address).is_none_or(|address| {
        let scheme = address.scheme();
        matches!(scheme, "http" | "https") || scheme == page.url().scheme()
    })
}

#[derive(Clone, Copy)]
enum ImageAttribute {
    Source,
    SourceSet,
    Sizes,
    Poster,
}

/// The names in common use: those of `lazysizes`, `jquery.lazyload`, `video.js`, and of the plug-ins for blogs and shops.
fn purpose(name: &str) -> Option<ImageAttribute> {
    Some(match name {
        "data-src" | "data-lazy-src" | "data-lazy" | "data-original" | "data-original-src" | "data-orig-src"
        | "data-image" | "data-img-src" | "data-full-src" | "data-cfsrc" | "data-defer-src" | "data-delayed-url"
        | "data-echo" | "data-hi-res-src" | "data-actualsrc" | "data-url" => ImageAttribute::Source,
        "data-srcset" | "data-lazy-srcset" | "data-original-set" | "data-bgset" => ImageAttribute::SourceSet,
        "data-sizes" | "data-lazy-sizes" => ImageAttribute::Sizes,
        "data-poster" => ImageAttribute::Poster,
        _ => return None,
    })
}

fn is_address(value: &str) -> bool {
    !value.starts_with("data:")
        && !value.starts_with('{')
        && !value.starts_with('[')
        // A template that no script has filled in.
        && !value.contains("{{")
        && (!value.contains(char::is_whitespace) || has_image_ending(value))
        && (value.contains('/') || value.contains('.'))
}

fn is_image_address(value: &str) -> bool {
    is_address(value) && has_image_ending(value)
}

fn has_image_ending(value: &str) -> bool {
    let path = value.split(['?', '#']).next().unwrap_or(value);
    !value.contains(", ")
        && path.rsplit_once('.').is_some_and(|(_, ending)| {
            ["jpg", "jpeg", "png", "webp", "gif", "avif", "svg"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        })
}

/// `url 300w, url 2x`, or one address with a descriptor.
fn is_source_set(value: &str) -> bool {
    value.split(',').any(|candidate| {
        candidate.split_whitespace().nth(1).is_some_and(|descriptor| {
            descriptor.strip_suffix(['w', 'x']).is_some_and(|number| number.parse::<f64>().is_ok())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_a_set_that_a_script_would_fill_stands_a_stand_in() {
        let src_of = |html: &str| {
            let mut page = crate::testing::page(html);
            let image = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::Img)).unwrap();
            make_real(&mut page, image);
            page.attribute(image, &local_name!("src")).unwrap_or_default().to_owned()
        };
        for (html, expected) in [
            ("<img src=/spin.svg data-srcset='/a.jpg 800w, /b.jpg 1600w'>", "/a.jpg"),
            ("<img src=/spin.gif data-lazy-srcset='/a.jpg 800w'>", "/a.jpg"),
            ("<img src=/a.jpg srcset='/b.jpg 800w'>", "/a.jpg"),
            ("<img src=/spin.svg data-src=/b.jpg data-srcset='/a.jpg 800w'>", "/b.jpg"),
        ] {
            assert_eq!(src_of(html), expected, "{html}");
        }
    }

    #[test]
    fn a_blurred_stand_in_is_asked_for_sharp_and_large() {
        let blurred = "https://static.example/media/a~mv2.jpg/v1/fill/w_147,h_98,al_c,q_80,blur_2,enc_auto/a~mv2.jpg";
        let sharp = "https://static.example/media/a~mv2.jpg/v1/fill/w_740,h_493,al_c,q_80,enc_auto/a~mv2.jpg";
        assert_eq!(sharp_address(blurred, Some("640")).as_deref(), Some(sharp));
        assert_eq!(sharp_address(blurred, None).as_deref(), Some(sharp));
        assert_eq!(sharp_address(sharp, None), None);
        assert_eq!(sharp_address("/a,blur_2.jpg", None), None);
    }
}
