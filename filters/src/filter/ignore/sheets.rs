//! What the page's own style sheets hide, as far as `<style>` elements say it: the classes and ids of rules such as
//! `.hide{display:none}`. A reader who sees the page without its styles must not see what they hid.
//!
//! Only rules of one class or one id count, outside of every condition (`@media`), and only where no other rule shows the
//! same class again: what folds and unfolds is content.

use std::collections::HashSet;

use html5ever::local_name;

use super::hidden::style_hides;
use crate::page::{NodeId, Page, tag::Tag};

/// Bytes of style sheets that are read. Raising it costs time on pages with large ones: about 2 ms per megabyte.
const MAX_BYTES: usize = 1 << 20;

/// Names of classes (`.hide`) and ids (`#hint`) with what the page's rules do to them.
#[derive(Debug, Default)]
pub(crate) struct Sheets {
    hidden: HashSet<String>,
    /// Out of sight, for screen readers: clipped to nothing, or moved far off the screen.
    clipped: HashSet<String>,
}

impl Sheets {
    pub(crate) fn of(page: &Page) -> Sheets {
        let mut sheets = Sheets::default();
        let mut shown = HashSet::new();
        each_rule(page, |rule| sheets.rule(rule, &mut shown));
        sheets.hidden.retain(|name| !shown.contains(name));
        sheets.clipped.retain(|name| !shown.contains(name));
        sheets
    }

    pub(crate) fn hides(&self, page: &Page, id: NodeId) -> bool {
        is_named(page, id, &self.hidden)
    }

    pub(crate) fn clips(&self, page: &Page, id: NodeId) -> bool {
        is_named(page, id, &self.clipped)
    }

    pub(super) fn hide_nothing(&self) -> bool {
        self.hidden.is_empty()
    }

    fn rule(&mut self, rule: &Rule<'_>, shown: &mut HashSet<String>) {
        let Rule {
            selectors,
            body,
            holds,
        } = *rule;
        // Most rules say nothing of what is seen.
        let is_of_interest = ["display", "visibility", "position", "clip"]
            .iter()
            .any(|name| body.contains(name));
        if !is_of_interest {
            return;
        }
        if shows(body) {
            shown.extend(names(selectors).map(str::to_owned));
        }
        let set = match (style_hides(body), holds) {
            (true, true) => &mut self.hidden,
            (false, true) if clips(body) => &mut self.clipped,
            _ => return,
        };
        set.extend(only_names(selectors).map(str::to_owned));
    }
}

/// A rule of the page's `<style>` elements.
pub(crate) struct Rule<'a> {
    pub(crate) selectors: &'a str,
    pub(crate) body: &'a str,
    /// Whether it holds whatever the screen is: it stands in no block with a condition.
    pub(crate) holds: bool,
}

/// Tells the rules of the page's `<style>` elements that are for screens.
pub(crate) fn each_rule(page: &Page, mut tell: impl FnMut(&Rule<'_>)) {
    let mut left = MAX_BYTES;
    for row in 0..page.len() {
        let id = NodeId::from_row(row);
        if page.tag(id) == Some(Tag::Style) && is_for_screens(page, id) {
            let css = page.raw_text(id, left);
            left -= css.len().min(left);
            read(&without_comments(&css), &mut tell);
        }
    }
}

fn read(css: &str, tell: &mut impl FnMut(&Rule<'_>)) {
    let mut conditions = 0usize;
    let mut rest = css;
    while let Some(at) = rest.find(['{', '}', ';']) {
        let (sign, prelude, after) = (rest.as_bytes()[at], rest[..at].trim(), &rest[at + 1..]);
        rest = after;
        match sign {
            b'}' => conditions = conditions.saturating_sub(1),
            b'{' if is_condition(prelude) => conditions += 1,
            b'{' => {
                let end = end_of_block(after);
                let body = after.get(..end).unwrap_or(after);
                rest = after.get(end + 1..).unwrap_or_default();
                if !prelude.starts_with('@') && !body.contains('{') {
                    tell(&Rule {
                        selectors: prelude,
                        body,
                        holds: conditions == 0,
                    });
                }
            }
            _ => {}
        }
    }
}

fn is_for_screens(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("media"))
        .is_none_or(|media| matches!(media.trim(), "" | "all" | "screen"))
}

fn without_comments(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        rest = rest[start + 2..]
            .split_once("*/")
            .map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// A block of rules that hold at times.
fn is_condition(prelude: &str) -> bool {
    ["@media", "@supports", "@layer", "@container", "@scope"]
        .iter()
        .any(|name| {
            prelude
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        })
}

/// Where the block that has just begun ends, blocks inside it skipped.
fn end_of_block(css: &str) -> usize {
    let mut depth = 0usize;
    for (at, byte) in css.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    css.len()
}

/// The selectors that are one class or one id.
pub(crate) fn only_names(selectors: &str) -> impl Iterator<Item = &str> {
    let selectors = selectors.split(',');
    selectors.filter_map(|selector| only_name(selector.trim()))
}

/// Every class and id in selectors.
pub(crate) fn names(selectors: &str) -> impl Iterator<Item = &str> {
    selectors
        .match_indices(['.', '#'])
        .map(|(at, _)| &selectors[at..at + 1 + name_length(&selectors[at + 1..])])
}

/// The class or the id of a selector that is nothing else, a tag's name aside.
fn only_name(selector: &str) -> Option<&str> {
    let at = selector.find(['.', '#'])?;
    let (tag, name) = selector.split_at(at);
    let is_name = name.len() > 1 && name_length(&name[1..]) == name.len() - 1;
    (is_name && tag.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(name)
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'))
        .unwrap_or(text.len())
}

/// The names and values of a rule, or of a `style` attribute, in lower case.
pub(crate) fn declarations(body: &str) -> impl Iterator<Item = (String, String)> {
    body.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.split('!').next().unwrap_or_default();
        Some((
            name.trim().to_ascii_lowercase(),
            value.trim().to_ascii_lowercase(),
        ))
    })
}

fn shows(body: &str) -> bool {
    declarations(body).any(|(name, value)| match name.as_str() {
        "display" => value != "none",
        "visibility" => value == "visible",
        "clip" => value == "auto",
        "position" => value == "static",
        _ => false,
    })
}

/// `position: absolute` with a clip to nothing, or a place far off the screen.
fn clips(body: &str) -> bool {
    let (mut is_placed, mut is_gone) = (false, false);
    for (name, value) in declarations(body) {
        match name.as_str() {
            "position" => is_placed = matches!(value.as_str(), "absolute" | "fixed"),
            "clip" => is_gone |= value.starts_with("rect("),
            "clip-path" => is_gone |= matches!(value.as_str(), "inset(50%)" | "inset(100%)"),
            "left" | "top" | "inset-inline-start" => {
                let pixels = value.trim_end_matches("px").parse::<f32>();
                is_gone |= pixels.is_ok_and(|pixels| pixels <= -999.0);
            }
            _ => {}
        }
    }
    is_placed && is_gone
}

/// Whether one of the element's classes, or its id, is among the names.
pub(crate) fn is_named(page: &Page, id: NodeId, names: &HashSet<String>) -> bool {
    if names.is_empty() || page.tag(id).is_none() {
        return false;
    }
    let has = |sign: char, name: &str| names.contains(format!("{sign}{name}").as_str());
    page.attribute(id, &local_name!("class"))
        .is_some_and(|classes| classes.split_ascii_whitespace().any(|name| has('.', name)))
        || page
            .attribute(id, &local_name!("id"))
            .is_some_and(|name| has('#', name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn sheets(css: &str) -> Sheets {
        Sheets::of(&page(&format!("<style>{css}</style><p>x")))
    }

    fn sorted(names: &HashSet<String>) -> Vec<&str> {
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn rules_of_one_class_or_id_hide() {
        let css = "@import url(x.css); /* .a{display:none} */ .hide, time.old{color:red;display:none!important}\
                   #hint{visibility:hidden} .b .c{display:none} .d:hover{display:none} p{display:none}";
        assert_eq!(sorted(&sheets(css).hidden), ["#hint", ".hide", ".old"]);
    }

    #[test]
    fn what_another_rule_shows_is_not_hidden() {
        let css = ".panel{display:none} .open .panel{display:block} .phone{display:none}\
                   @media (max-width:600px){.phone{display:inline} .desk{display:none}} .gone{display:none}";
        assert_eq!(sorted(&sheets(css).hidden), [".gone"]);
    }

    #[test]
    fn blocks_that_are_no_rules_are_passed_over() {
        let css =
            "@keyframes k{from{opacity:0}to{opacity:1}} @font-face{font-family:x} .a{display:none}";
        assert_eq!(sorted(&sheets(css).hidden), [".a"]);
        assert!(sheets("@media print{.a{display:none}}").hidden.is_empty());
        assert!(sheets("}}} .a{display:none").hidden.contains(".a"));
        assert!(sheets(".a{").hidden.is_empty());
    }

    #[test]
    fn what_is_clipped_is_for_screen_readers() {
        let css = ".heard{position:absolute;clip:rect(1px,1px,1px,1px)} .off{position:absolute;left:-9999px}\
                   .menu{position:absolute;left:-20px}";
        assert_eq!(sorted(&sheets(css).clipped), [".heard", ".off"]);
    }

    #[test]
    fn a_sheet_for_print_hides_nothing() {
        let page = page("<style media=print>.a{display:none}</style><p id=p class=a>x");
        assert!(!Sheets::of(&page).hides(&page, by_id(&page, "p")));
    }
}
