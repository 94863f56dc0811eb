//! Removes text that a page makes invisible, whatever its length, for programs that read for a language model: hidden
//! instructions are planted that way.
//!
//! The filter `ignore` keeps what unfolds, because people unfold it. A program gets what can be seen at once, as far as the page's
//! own style sheets and attributes say: `display: none`, `visibility`, no size, no opacity, off the screen, clipped to nothing, and
//! letters without a colour or in that of their ground. Style sheets in files of their own are not read, nor variables, animations and
//! sums.

mod css;

use std::collections::HashMap;

use cssparser::color::{parse_hash_color, parse_named_color};
use html5ever::local_name;

use self::css::{CssStyle, is_for_screens, pixels, rules};
use crate::{
    blocking::{Selectors, selectors::Matcher},
    html::{NodeId, Page, style_sheets::sources, tag::Tag},
};

/// Share of the page's characters above which an element is not taken for hidden: its own script shows such a page.
const WHOLE_PAGE: f64 = 0.8;

/// Pixels beyond the edge of the screen from which on nothing is seen.
const FAR: f32 = 500.0;

/// Difference of a colour to that of its ground, in each of red, green and blue, up to which letters are not seen.
const FAINT: u8 = 12;

/// Share of a colour up to which it is not seen.
const CLEAR: f32 = 0.1;

type Colour = [u8; 3];

const WHITE: Colour = [255; 3];

/// What is known of letters.
#[derive(Clone, Copy)]
enum Letters {
    Clear,
    /// A variable, or a colour of the system.
    Unknown,
    Known(Colour),
}

impl Letters {
    fn are_unseen_on(self, ground: Option<Colour>) -> bool {
        match self {
            Self::Clear => true,
            Self::Unknown => false,
            Self::Known(letters) => {
                ground.is_some_and(|ground| (0..3).all(|at| ground[at].abs_diff(letters[at]) <= FAINT))
            }
        }
    }
}

/// What an element hands down to its children, which may set their own.
#[derive(Clone, Copy)]
struct Around {
    end: NodeId,
    ground: Option<Colour>,
    letters: Letters,
    /// Its letters have the colour of their ground, or none.
    is_faint: bool,
    /// Its letters have no size.
    is_sizeless: bool,
    /// Its `visibility` is `hidden`.
    is_invisible: bool,
}

impl Around {
    const PAGE: Self = Self {
        end: NodeId::DOCUMENT,
        ground: Some(WHITE),
        letters: Letters::Known([0; 3]),
        is_faint: false,
        is_sizeless: false,
        is_invisible: false,
    };

    fn hides_text(&self) -> bool {
        self.is_faint || self.is_sizeless || self.is_invisible
    }
}

enum LetterSize {
    Nothing,
    OfParent,
    Own,
}

/// The properties that decide.
const PROPERTIES: [&str; 42] = [
    "display",
    "visibility",
    "content-visibility",
    "opacity",
    "filter",
    "font",
    "font-size",
    "zoom",
    "position",
    "left",
    "right",
    "top",
    "bottom",
    "inset",
    "inset-inline",
    "inset-inline-start",
    "inset-block",
    "inset-block-start",
    "margin-left",
    "margin-top",
    "padding",
    "padding-left",
    "padding-top",
    "padding-bottom",
    "text-indent",
    "clip",
    "clip-path",
    "width",
    "height",
    "max-width",
    "max-height",
    "overflow",
    "overflow-x",
    "overflow-y",
    "transform",
    "translate",
    "scale",
    "color",
    "-webkit-text-fill-color",
    "background",
    "background-color",
    "background-clip",
];

/// Removes it, without a word in the report.
pub(crate) fn drop_unseen(page: &mut Page) {
    let hidden = find(page);
    for id in hidden {
        page.drop_silently(id);
    }
}

fn find(page: &Page) -> Vec<NodeId> {
    let rules = rules(sources(page, is_for_screens), &PROPERTIES);
    let selectors = Selectors::compile(rules.iter().map(|rule| &rule.selector));
    let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, rule) in rules.iter().enumerate() {
        by_text.entry(&rule.selector).or_default().push(at);
    }
    let most = WHOLE_PAGE * page.chars(page.body()) as f64;
    let mut matcher = Matcher::new(page);
    let mut around: Vec<Around> = Vec::new();
    let mut hidden = Vec::new();
    let mut over = NodeId::DOCUMENT;
    let root = page.html().unwrap_or(page.body());
    for id in page.live(root) {
        if id < over {
            continue;
        }
        while around.last().is_some_and(|element| id >= element.end) {
            around.pop();
        }
        let outer = around.last().copied().unwrap_or(Around::PAGE);
        if page.tag(id).is_none() {
            if outer.hides_text() {
                hidden.push(id);
            }
            continue;
        }
        let mut found: Vec<usize> = Vec::new();
        matcher.matches(&selectors, id, |text| {
            found.extend(by_text.get(text).into_iter().flatten());
            false
        });
        found.sort_unstable();
        let mut style = CssStyle::default();
        for at in found {
            style.extend(&rules[at].style);
        }
        if let Some(own) = page.attribute(id, &local_name!("style")) {
            style.extend(&CssStyle::parse(own, &PROPERTIES));
        }
        let coloured = page.attribute(id, &local_name!("bgcolor")).map(str::to_ascii_lowercase);
        let own_ground = style.get("background-color").or(style.get("background")).or(coloured.as_deref());
        let ground = match own_ground {
            None | Some("none" | "inherit") => outer.ground,
            Some(value) if is_clear(value) => outer.ground,
            // A picture, or a variable: nothing is known.
            Some(value) => colour(value),
        };
        let is_marked =
            page.attribute(id, &local_name!("hidden")).is_some_and(|it| !it.eq_ignore_ascii_case("until-found"));
        let is_part = id != page.body() && Some(id) != page.html() && page.chars(id) as f64 <= most;
        let is_invisible = match style.get("visibility") {
            Some("hidden" | "collapse") => is_part || outer.is_invisible,
            Some("visible" | "initial") => false,
            _ => outer.is_invisible,
        };
        let is_lone = || page.live_children(id).next().is_none();
        if (is_marked || is_out_of_sight(&style)) && is_part || is_invisible && is_lone() {
            hidden.push(id);
            over = page.end(id);
            continue;
        }
        let (own, ground) = letters(page, id, &style, own_ground.is_some(), (ground, outer.ground));
        let letters = own.unwrap_or(outer.letters);
        let is_faint = if own.is_some() || own_ground.is_some() {
            letters.are_unseen_on(ground) && (is_part || outer.is_faint)
        } else {
            outer.is_faint
        };
        let is_sizeless = match letter_size(&style) {
            LetterSize::Nothing => is_part || outer.is_sizeless,
            LetterSize::OfParent => outer.is_sizeless && !has_font_size(page, id),
            LetterSize::Own => false,
        };
        around.push(Around { end: page.end(id), ground, letters, is_faint, is_sizeless, is_invisible });
    }
    hidden
}

/// The letters that an element sets, if it does, and the ground on which they stand: its own, or that of its parent.
fn letters(
    page: &Page,
    id: NodeId,
    style: &CssStyle,
    has_ground: bool,
    (ground, outer): (Option<Colour>, Option<Colour>),
) -> (Option<Letters>, Option<Colour>) {
    let known = |colour: Option<Colour>| colour.map_or(Letters::Unknown, Letters::Known);
    match style.get("-webkit-text-fill-color").or(style.get("color")) {
        // The ground is seen through the letters.
        Some(clear) if is_clear(clear) && has_ground && style.get("background-clip") == Some("text") => {
            (Some(if ground == outer { Letters::Clear } else { known(ground) }), outer)
        }
        Some(clear) if is_clear(clear) => (Some(Letters::Clear), ground),
        Some("inherit" | "unset" | "currentcolor") => (None, ground),
        Some(written) => (Some(known(colour(written))), ground),
        None => (page.attribute(id, &local_name!("color")).and_then(colour).map(Letters::Known), ground),
    }
}

fn is_out_of_sight(style: &CssStyle) -> bool {
    let value = |name: &str| style.get(name).unwrap_or_default();
    let is_placed = matches!(value("position"), "absolute" | "fixed");
    let is_moved = is_placed || value("position") == "relative";
    let says_far = |name: &str| value(name).split(' ').any(is_far);
    let is_padded = |names: &[&str]| names.iter().any(|name| value(name).split(' ').any(|it| pixels(it) > Some(20.0)));
    let insets = "left right top bottom inset inset-inline inset-inline-start inset-block inset-block-start";
    value("display") == "none"
        || value("content-visibility") == "hidden"
        || share(value("opacity")).is_some_and(|opacity| opacity < CLEAR)
        || share(value("zoom")).is_some_and(|zoom| zoom < CLEAR)
        || calls(value("filter")).any(|(name, share_of)| name == "opacity" && share(share_of) < Some(CLEAR))
        || says_far("text-indent")
        // A ground that is wider than its box has its text where it was.
        || says_far("margin-left") && !is_padded(&["padding", "padding-left"])
        || says_far("margin-top") && !is_padded(&["padding", "padding-top"])
        || is_moved && insets.split(' ').any(says_far)
        || says_far("translate")
        || share(value("scale").split(' ').next().unwrap_or_default()).is_some_and(|scale| scale < CLEAR)
        || calls(value("transform")).any(|(name, by)| match name {
            "translate" | "translatex" | "translatey" | "translate3d" => by.split(',').take(2).any(is_far),
            "scale" | "scalex" | "scaley" | "scale3d" => {
                by.split(',').take(2).filter_map(share).any(|scale| scale.abs() < CLEAR)
            }
            _ => false,
        })
        || is_placed && value("clip").starts_with("rect(")
        || calls(value("clip-path")).any(|(name, shape)| is_no_shape(name, shape))
        || ["overflow", "overflow-x", "overflow-y"].iter().any(|name| value(name).starts_with(['h', 'c']))
            && (["width", "max-width"].iter().any(|name| is_nothing(value(name)))
                || ["height", "max-height"].iter().any(|name| is_nothing(value(name)))
                    // A box for a film has its height so.
                    && !is_padded(&["padding", "padding-top", "padding-bottom"]))
}

fn is_far(length: &str) -> bool {
    pixels(length).is_some_and(|place| place <= -FAR)
}

fn is_nothing(length: &str) -> bool {
    pixels(length).is_some_and(|size| size.abs() < 2.0)
}

/// Whether it is a `<font size>`, whose sizes are not counted in that of the parent (HTML § 15.3.4).
fn has_font_size(page: &Page, id: NodeId) -> bool {
    let size = page.attribute(id, &local_name!("size")).filter(|_| page.tag(id) == Some(Tag::Font));
    size.is_some_and(|size| size.contains(|c: char| c.is_ascii_digit()))
}

fn letter_size(style: &CssStyle) -> LetterSize {
    let size = style.get("font-size").or_else(|| {
        // `italic 700 12px/1 serif`: of the numbers, the size has a unit, or is nothing.
        let sizes = style.get("font")?.split(' ').map(|part| part.split('/').next().unwrap_or(part));
        sizes
            .clone()
            .find(|part| pixels(part).is_some_and(|size| size == 0.0 || !part.ends_with(|c: char| c.is_ascii_digit())))
    });
    match size {
        None | Some("inherit" | "unset" | "revert" | "revert-layer" | "larger" | "smaller") => LetterSize::OfParent,
        Some(size) if size.ends_with('%') && share(size) < Some(CLEAR) || is_nothing(size) => LetterSize::Nothing,
        Some(size) if is_of_parent(size) => LetterSize::OfParent,
        // A variable too, of which nothing is known.
        Some(_) => LetterSize::Own,
    }
}

/// Whether a size is counted in that of the parent.
fn is_of_parent(size: &str) -> bool {
    let is_of = |unit: &&str| size.strip_suffix(unit).is_some_and(|number| !number.ends_with('r'));
    ["%", "em", "ex", "ch", "cap", "ic", "lh"].iter().any(is_of)
}

/// A shape of `clip-path` in which nothing is seen.
fn is_no_shape(name: &str, shape: &str) -> bool {
    let shape = shape.split(" at ").next().unwrap_or(shape);
    match name {
        "circle" | "ellipse" => shape.split(' ').any(is_nothing),
        "polygon" => {
            let mut points = shape.split(',').map(str::trim).filter(|point| point.contains(' '));
            let first = points.next();
            points.all(|point| Some(point) == first)
        }
        "inset" => {
            let sides: Vec<f32> =
                shape.split(' ').map_while(|side| share(side).filter(|_| side.ends_with('%') || side == "0")).collect();
            let side = |at: usize, opposite: usize| sides.get(at).or(sides.get(opposite)).or(sides.first());
            let is_closed =
                |one: Option<&f32>, other: Option<&f32>| one.zip(other).is_some_and(|(one, other)| one + other >= 1.0);
            is_closed(side(0, 0), side(2, 0)) || is_closed(side(1, 0), side(3, 1))
        }
        _ => false,
    }
}

/// Names and arguments of functions in a value.
fn calls(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value.split(')').filter_map(|call| call.trim().split_once('('))
}

/// A number or a percentage.
fn share(written: &str) -> Option<f32> {
    match written.strip_suffix('%') {
        Some(hundredths) => Some(hundredths.parse::<f32>().ok()? / 100.0),
        None => written.parse().ok(),
    }
}

/// What a function for a colour has in its brackets.
fn colour_function(written: &str) -> Option<(&str, Vec<&str>)> {
    let (name, inside) = written.strip_suffix(')')?.split_once('(')?;
    Some((name, inside.split([',', ' ', '/']).filter(|part| !part.is_empty()).collect()))
}

fn is_clear(colour: &str) -> bool {
    let opacity = if let Some(digits) = colour.strip_prefix('#') {
        parse_hash_color(digits.as_bytes()).ok().map(|(.., opacity)| opacity)
    } else {
        // The last of four, or behind the space of `color(…)`, of five.
        colour_function(colour).and_then(|(name, parts)| {
            let is_given = parts.len() == 4 + usize::from(name == "color");
            share(parts.last().filter(|_| is_given)?)
        })
    };
    colour == "transparent" || opacity.is_some_and(|opacity| opacity < CLEAR)
}

/// A colour, as far as it is written plainly.
fn colour(written: &str) -> Option<Colour> {
    let word = written.trim().to_ascii_lowercase();
    if let Some(digits) = word.strip_prefix('#') {
        return parse_hash_color(digits.as_bytes()).ok().map(|(red, green, blue, _)| [red, green, blue]);
    }
    let Some((name, parts)) = colour_function(&word) else {
        return parse_named_color(&word).ok().map(|(red, green, blue)| [red, green, blue]);
    };
    let part = |at: usize| {
        let part = parts.get(at)?;
        let number = share(part)?;
        let of_byte = if part.ends_with('%') { number * 255.0 } else { number };
        format!("{:.0}", of_byte.clamp(0.0, 255.0)).parse::<u8>().ok()
    };
    match name {
        "rgb" | "rgba" => Some([part(0)?, part(1)?, part(2)?]),
        // No light, or all of it.
        "hsl" | "hsla" => match part(2)? {
            0..=FAINT => Some([0; 3]),
            light if light >= 255 - FAINT => Some(WHITE),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
