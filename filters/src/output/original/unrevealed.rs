//! What a script was to reveal. Pages that fade their parts in as they are scrolled into view send them transparent, and
//! where the scripts are taken out they would stay so: a white page with all of its text in it.
//!
//! Known are the `style` attribute that says so (as `framer-motion`, Webflow and `React` transitions write it), the rules
//! of `<style>` elements of one class or id, and the names that common libraries give to what they animate, whose
//! rules stand in sheets that are not here. What is taken out of the flow is a layer over something else, what shows under
//! the pointer is a hint, and what has `display: none` is hidden for good: those stay as they are.
//!
//! Of WCXB dev's 1,497 pages 125 have a `style` attribute with `opacity: 0`, 40 such a name (2026-11-22).

use html5ever::{LocalName, local_name};

use crate::html::{
    NodeId, NodeState, Page,
    style_sheets::{SelectorNames, declarations, each_rule, names, only_names},
    tag::Tag,
};

/// Opacity up to which nothing is seen; libraries that must not lose an element's place write .001.
const MOST_OPACITY: f32 = 0.02;

/// Classes by which a library finds what it reveals: WOW, Elementor, Divi, `WPBakery`, Avada.
const CLASSES: [&str; 6] =
    ["wow", "elementor-invisible", "et_animated", "et-waypoint", "wpb_animate_when_almost_visible", "fusion-animated"];

/// Attributes by which a library finds what it reveals: AOS, Sal.
const ATTRIBUTES: [&str; 2] = ["data-aos", "data-sal"];

/// The class by which pages tell their styles that scripts run (Modernizr, and many by hand).
const SCRIPTS_RUN: [&str; 2] = ["js", "has-js"];

/// Marks all of it for the style sheet of the look, where the scripts were taken out.
pub(super) fn show(page: &mut Page) {
    if page.noscript_is_text() {
        return;
    }
    say_that_no_script_runs(page);
    let sheets = Transparent::from_page(page);
    let found: Vec<NodeId> = page
        .live(page.body())
        .skip(1)
        .filter(|&id| page.state(id) == NodeState::Keep && page.tag(id).is_some())
        .filter(|&id| waits(page, id, &sheets) && shows_something(page, id))
        .collect();
    for id in found {
        page.set_attribute(id, LocalName::from("data-gleaner"), "shown".to_owned());
    }
}

fn say_that_no_script_runs(page: &mut Page) {
    for id in [page.html(), Some(page.body())].into_iter().flatten() {
        let Some(classes) = page.attribute(id, &local_name!("class")) else {
            continue;
        };
        let left: Vec<&str> = classes.split_ascii_whitespace().filter(|class| !SCRIPTS_RUN.contains(class)).collect();
        if left.len() < classes.split_ascii_whitespace().count() {
            let left = left.join(" ");
            page.set_attribute(id, local_name!("class"), left);
        }
    }
}

/// Whether an element waits for a script to be seen.
fn waits(page: &Page, id: NodeId, sheets: &Transparent) -> bool {
    let style = page.attribute(id, &local_name!("style"));
    let own = style.map(StyleEffect::from_style).unwrap_or_default();
    if own.is_apart || sheets.apart.are_on(page, id) {
        return false;
    }
    own.is_unseen || sheets.unseen.are_on(page, id) || is_animated(page, id)
}

fn is_animated(page: &Page, id: NodeId) -> bool {
    let class = page.attribute(id, &local_name!("class"));
    class.is_some_and(|class| class.split_ascii_whitespace().any(|class| CLASSES.contains(&class)))
        || ATTRIBUTES.iter().any(|name| page.has_attribute(id, &LocalName::from(*name)))
}

/// Whether there is a text or a picture to be seen, and it is no dialog and no field.
fn shows_something(page: &Page, id: NodeId) -> bool {
    let says = |name: LocalName, wanted: &[&str]| {
        page.attribute(id, &name).is_some_and(|value| wanted.iter().any(|w| value.trim().eq_ignore_ascii_case(w)))
    };
    if says(local_name!("role"), &["dialog", "alertdialog", "tooltip"])
        || says(LocalName::from("aria-hidden"), &["true"])
        || says(LocalName::from("aria-modal"), &["true"])
    {
        return false;
    }
    let is_field = matches!(page.tag(id), Some(Tag::Input | Tag::Select | Tag::Textarea | Tag::Button | Tag::Dialog));
    !is_field && page.live(id).any(|inside| page.own_chars(inside) > 0 || page.tag(inside).is_some_and(Tag::is_media))
}

/// The effect of a rule or a `style` attribute on an element.
#[derive(Default)]
struct StyleEffect {
    is_unseen: bool,
    /// The element lies over something else, or is gone.
    is_apart: bool,
}

impl StyleEffect {
    fn from_style(style: &str) -> StyleEffect {
        let mut effect = StyleEffect::default();
        for (name, value) in declarations(style) {
            match name.as_str() {
                "opacity" => effect.is_unseen |= is_transparent(&value),
                "visibility" => effect.is_unseen |= value == "hidden",
                "position" => effect.is_apart |= matches!(value.as_str(), "absolute" | "fixed"),
                "display" => effect.is_apart |= value == "none",
                "height" | "width" | "max-height" => {
                    effect.is_apart |= matches!(value.as_str(), "0" | "0px" | "1px");
                }
                _ => {}
            }
        }
        effect
    }
}

fn is_transparent(value: &str) -> bool {
    let number: Option<f32> = value.trim_end_matches('%').parse().ok();
    number.is_some_and(|opacity| opacity <= MOST_OPACITY)
}

/// Names of classes and ids with what the page's own rules do to them.
#[derive(Default)]
struct Transparent {
    unseen: SelectorNames,
    apart: SelectorNames,
}

impl Transparent {
    fn from_page(page: &Page) -> Transparent {
        let mut found = Transparent::default();
        let mut pointed: Vec<String> = Vec::new();
        each_rule(page, |rule| {
            let is_of_interest =
                ["opacity", "visibility", "position", "display"].iter().any(|name| rule.body.contains(name));
            if !is_of_interest {
                return;
            }
            let is_pointed = [":hover", ":focus", ":checked", ":target", ":active"]
                .iter()
                .any(|state| rule.selectors.contains(state));
            if is_pointed {
                pointed.extend(names(rule.selectors).map(str::to_owned));
                return;
            }
            let effect = StyleEffect::from_style(rule.body);
            for name in only_names(rule.selectors) {
                // Wherever it is so at times.
                if effect.is_apart {
                    found.apart.add(name);
                }
                if effect.is_unseen && rule.holds {
                    found.unseen.add(name);
                }
            }
        });
        for name in &pointed {
            found.unseen.remove(name);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn is_shown(html: &str) -> bool {
        let mut page = page(html);
        show(&mut page);
        page.has_attribute(by_id(&page, "x"), &LocalName::from("data-gleaner"))
    }

    #[test]
    fn what_waits_for_a_script_is_shown() {
        for html in [
            "<div id=x style='transform:translateY(40px);opacity:0'>text</div>",
            "<div id=x style='opacity: 0.001 !important'><img src=a.jpg></div>",
            "<div id=x data-aos=fade-up>text</div>",
            "<div id=x class='wow fadeIn'>text</div>",
            "<style>.reveal{opacity:0} .reveal.in{opacity:1}</style><div id=x class=reveal>text</div>",
            "<style>#x{visibility:hidden}</style><div id=x>text</div>",
        ] {
            assert!(is_shown(html), "{html}");
        }
    }

    #[test]
    fn what_is_hidden_on_purpose_stays_hidden() {
        for html in [
            "<div id=x style='opacity:1'>text</div>",
            "<div id=x style='opacity:.5'>text</div>",
            "<div id=x style='opacity:0;position:absolute'>text</div>",
            "<div id=x style='opacity:0;display:none'>text</div>",
            "<div id=x style='opacity:0'></div>",
            "<div id=x role=dialog style='opacity:0'>text</div>",
            "<label><input id=x type=file style='opacity:0'></label>",
            "<style>.tip{opacity:0} a:hover .tip{opacity:1}</style><a href=/><b id=x class=tip>text</b></a>",
            "<style>.layer{position:fixed} .out{opacity:0}</style><div id=x class='layer out'>text</div>",
            "<style>@media print{.x{opacity:0}}</style><div id=x class=x>text</div>",
        ] {
            assert!(!is_shown(html), "{html}");
        }
    }

    #[test]
    fn the_page_is_told_that_no_script_runs() {
        let mut page = page("<html class='js wide'><body><p>x");
        show(&mut page);
        let class = page.attribute(page.html().unwrap(), &local_name!("class"));
        assert_eq!(class, Some("wide"));
    }
}
