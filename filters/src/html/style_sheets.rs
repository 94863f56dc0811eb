//! What the page's own style sheets hide, as far as `<style>` elements say it: the classes and ids of rules such as
//! `.hide{display:none}`. A reader who sees the page without its styles must not see what they hid.
//!
//! Only rules of one class or one id count, outside of every condition (`@media`), and only where no other rule shows the
//! same class again: what folds and unfolds is content.

use std::rc::Rc;

use html5ever::local_name;
use memchr::{memchr, memchr2_iter, memchr3, memmem};

use crate::{
    hashing::Set,
    html::{NodeId, Page, tag::Tag},
    vocabulary::any_of::AnyOf,
};

/// Bytes of style sheets that are read. Raising it costs time on pages with large ones: about 2 ms per megabyte.
const MAX_BYTES: usize = 1 << 20;

/// Names of classes and ids with what the page's rules do to them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sheets {
    hidden: SelectorNames,
    /// Out of sight, for screen readers: clipped to nothing, or moved far off the screen.
    clipped: SelectorNames,
}

impl Sheets {
    /// The style sheets of a page, read once: after their elements are removed they still apply.
    pub(crate) fn from_page(page: &Page) -> Rc<Sheets> {
        Rc::clone(page.sheets.get_or_init(|| Rc::new(Sheets::read_all(page))))
    }

    fn read_all(page: &Page) -> Sheets {
        let texts = texts(page);
        let mut sheets = Sheets::default();
        let mut shown = Vec::new();
        for css in &texts {
            read(css, &mut |rule| sheets.rule(rule, &mut shown));
        }
        sheets.show(shown.into_iter().flat_map(names));
        sheets
    }

    fn show<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        for name in names {
            self.hidden.remove(name);
            self.clipped.remove(name);
        }
    }

    pub(crate) fn hides(&self, page: &Page, id: NodeId) -> bool {
        self.hidden.are_on(page, id)
    }

    pub(crate) fn clips(&self, page: &Page, id: NodeId) -> bool {
        self.clipped.are_on(page, id)
            || page.attribute(id, &local_name!("style")).is_some_and(|style| Effect::from_declarations(style).clips)
    }

    pub(crate) fn hide_nothing(&self) -> bool {
        self.hidden.are_none()
    }

    /// `shown` gets the selectors of rules that show something.
    fn rule<'a>(&mut self, rule: &StyleRule<'a>, shown: &mut Vec<&'a str>) {
        /// Most rules say nothing of what is seen.
        const OF_INTEREST: AnyOf = AnyOf::new(&["display", "visibility", "position", "clip"]);
        if !OF_INTEREST.are_in_exactly(rule.body) {
            return;
        }
        let effect = Effect::from_declarations(rule.body);
        if effect.shows {
            shown.push(rule.selectors);
        }
        let names = match (effect.hides, rule.holds) {
            (true, true) => &mut self.hidden,
            (false, true) if effect.clips => &mut self.clipped,
            _ => return,
        };
        for name in only_names(rule.selectors) {
            names.add(name);
        }
    }
}

/// A rule of the page's `<style>` elements.
pub(crate) struct StyleRule<'a> {
    pub(crate) selectors: &'a str,
    pub(crate) body: &'a str,
    /// Whether it holds whatever the screen is: it stands in no block with a condition.
    pub(crate) holds: bool,
}

/// Tells the rules of the page's `<style>` elements that are for screens.
pub(crate) fn each_rule(page: &Page, mut tell: impl FnMut(&StyleRule<'_>)) {
    for css in texts(page) {
        read(&css, &mut tell);
    }
}

/// The sheets for screens without their comments.
fn texts(page: &Page) -> Vec<String> {
    sources(page, |media| matches!(media.trim(), "" | "all" | "screen")).map(without_comments).collect()
}

/// The page's sheets as they are written, as far as their `media` is wanted.
pub(crate) fn sources(page: &Page, is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = String> {
    let mut left = MAX_BYTES;
    let styles = page.about(Tag::Style);
    styles.filter(move |&id| page.attribute(id, &local_name!("media")).is_none_or(&is_wanted)).map(move |id| {
        let css = page.raw_text(id, left);
        left -= css.len().min(left);
        css
    })
}

fn read<'a>(css: &'a str, tell: &mut impl FnMut(&StyleRule<'a>)) {
    let mut conditions = 0usize;
    let mut rest = css;
    while let Some(at) = memchr3(b'{', b'}', b';', rest.as_bytes()) {
        let (sign, prelude, after) = (rest.as_bytes()[at], rest[..at].trim(), &rest[at + 1..]);
        rest = after;
        match sign {
            b'}' => conditions = conditions.saturating_sub(1),
            b'{' if is_condition(prelude) => conditions += 1,
            b'{' => {
                let (end, is_flat) = end_of_block(after);
                let body = after.get(..end).unwrap_or(after);
                rest = after.get(end + 1..).unwrap_or_default();
                if !prelude.starts_with('@') && is_flat {
                    tell(&StyleRule { selectors: prelude, body, holds: conditions == 0 });
                }
            }
            _ => {}
        }
    }
}

/// Names in selectors, by the sign before them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SelectorNames {
    /// `.hide`
    classes: Set<String>,
    /// `#hint`
    ids: Set<String>,
}

impl SelectorNames {
    pub(crate) fn add(&mut self, name: &str) {
        match name.split_at(1) {
            (".", class) => self.classes.insert(class.to_owned()),
            (_, id) => self.ids.insert(id.to_owned()),
        };
    }

    pub(crate) fn remove(&mut self, name: &str) {
        match name.split_at(1) {
            (".", class) => self.classes.remove(class),
            (_, id) => self.ids.remove(id),
        };
    }

    pub(crate) fn are_none(&self) -> bool {
        self.classes.is_empty() && self.ids.is_empty()
    }

    pub(crate) fn are_on(&self, page: &Page, id: NodeId) -> bool {
        if self.are_none() || page.tag(id).is_none() {
            return false;
        }
        let is_class = |name: &str| self.classes.contains(name);
        page.attribute(id, &local_name!("class")).is_some_and(|classes| classes.split_ascii_whitespace().any(is_class))
            || page.attribute(id, &local_name!("id")).is_some_and(|name| self.ids.contains(name))
    }
}

fn without_comments(css: String) -> String {
    if memmem::find(css.as_bytes(), b"/*").is_none() {
        return css;
    }
    let mut out = String::with_capacity(css.len());
    let mut rest = css.as_str();
    while let Some(start) = memmem::find(rest.as_bytes(), b"/*") {
        out.push_str(&rest[..start]);
        let comment = &rest[start + 2..];
        let end = memmem::find(comment.as_bytes(), b"*/");
        rest = end.map_or("", |end| &comment[end + 2..]);
    }
    out.push_str(rest);
    out
}

/// A block of rules that hold at times.
fn is_condition(prelude: &str) -> bool {
    prelude.starts_with('@')
        && ["@media", "@supports", "@layer", "@container", "@scope"]
            .iter()
            .any(|name| prelude.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)))
}

/// Where the block that has just begun ends, blocks inside it skipped; and whether there are none.
fn end_of_block(css: &str) -> (usize, bool) {
    let mut depth = 0usize;
    let mut is_flat = true;
    for at in memchr2_iter(b'{', b'}', css.as_bytes()) {
        match css.as_bytes()[at] {
            b'{' => (depth, is_flat) = (depth + 1, false),
            _ if depth == 0 => return (at, is_flat),
            _ => depth -= 1,
        }
    }
    (css.len(), is_flat)
}

/// The selectors that are one class or one id.
pub(crate) fn only_names(selectors: &str) -> impl Iterator<Item = &str> {
    let selectors = selectors.split(',');
    selectors.filter_map(|selector| only_name(selector.trim()))
}

/// Every class and id in selectors.
pub(crate) fn names(selectors: &str) -> impl Iterator<Item = &str> {
    selectors.match_indices(['.', '#']).map(|(at, _)| &selectors[at..at + 1 + name_length(&selectors[at + 1..])])
}

/// The class or the id of a selector that is nothing else, a tag's name aside.
fn only_name(selector: &str) -> Option<&str> {
    let at = selector.find(['.', '#'])?;
    let (tag, name) = selector.split_at(at);
    let is_name = name.len() > 1 && name_length(&name[1..]) == name.len() - 1;
    (is_name && tag.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(name)
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(text.len())
}

/// The names and values of a rule, or of a `style` attribute, in lower case.
pub(crate) fn declarations(body: &str) -> impl Iterator<Item = (String, String)> {
    body.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.split('!').next().unwrap_or_default();
        Some((name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase()))
    })
}

/// The effect of a rule's declarations.
#[derive(Default)]
struct Effect {
    hides: bool,
    shows: bool,
    /// `position: absolute` with a clip to nothing, or a place far off the screen.
    clips: bool,
}

impl Effect {
    fn from_declarations(body: &str) -> Effect {
        let mut effect = Effect::default();
        let (mut is_placed, mut is_gone) = (false, false);
        let mut rest = body;
        while !rest.is_empty() {
            let end = memchr(b';', rest.as_bytes()).unwrap_or(rest.len());
            let declaration = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or_default();
            let Some(colon) = memchr(b':', declaration.as_bytes()) else {
                continue;
            };
            let name = declaration[..colon].trim();
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            let value = || value(&declaration[colon + 1..]);
            if is("display") {
                effect.hides |= style_hides(declaration);
                effect.shows |= !value().eq_ignore_ascii_case("none");
            } else if is("visibility") {
                effect.hides |= style_hides(declaration);
                effect.shows |= value().eq_ignore_ascii_case("visible");
            } else if is("clip") {
                effect.shows |= value().eq_ignore_ascii_case("auto");
                let start = value().get(.."rect(".len());
                is_gone |= start.is_some_and(|start| start.eq_ignore_ascii_case("rect("));
            } else if is("position") {
                let value = value();
                let says = |wanted: &str| value.eq_ignore_ascii_case(wanted);
                effect.shows |= says("static");
                is_placed = says("absolute") || says("fixed");
            } else if is("clip-path") {
                let value = value();
                let says = |wanted: &str| value.eq_ignore_ascii_case(wanted);
                is_gone |= says("inset(50%)") || says("inset(100%)");
            } else if is("left") || is("top") || is("inset-inline-start") {
                let value = value().to_ascii_lowercase();
                let pixels = value.trim_end_matches("px").parse::<f32>();
                is_gone |= pixels.is_ok_and(|pixels| pixels <= -999.0);
            }
        }
        effect.clips = is_placed && is_gone;
        effect
    }
}

/// A value without `!important`.
fn value(written: &str) -> &str {
    let end = memchr(b'!', written.as_bytes()).unwrap_or(written.len());
    written[..end].trim()
}

/// Whether a `style` attribute says `display: none` or `visibility: hidden`.
pub(crate) fn style_hides(style: &str) -> bool {
    HIDING.are_in(style) && says_hidden(style)
}

/// Nearly no style has them.
pub(crate) const HIDING: AnyOf = AnyOf::new(&["none", "hidden"]);

fn says_hidden(style: &str) -> bool {
    style.split(';').any(|declaration| {
        declaration.split_once(':').is_some_and(|(property, value)| {
            let value = value.trim();
            let value = value.split(['!', ' ']).next().unwrap_or(value);
            match property.trim() {
                p if p.eq_ignore_ascii_case("display") => value.eq_ignore_ascii_case("none"),
                p if p.eq_ignore_ascii_case("visibility") => value.eq_ignore_ascii_case("hidden"),
                _ => false,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn sheets(css: &str) -> Rc<Sheets> {
        Sheets::from_page(&page(&format!("<style>{css}</style><p>x")))
    }

    fn sorted(names: &SelectorNames) -> Vec<String> {
        let classes = names.classes.iter().map(|name| format!(".{name}"));
        let ids = names.ids.iter().map(|name| format!("#{name}"));
        let mut names: Vec<String> = classes.chain(ids).collect();
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
        let css = "@keyframes k{from{opacity:0}to{opacity:1}} @font-face{font-family:x} .a{display:none}";
        assert_eq!(sorted(&sheets(css).hidden), [".a"]);
        assert!(sheets("@media print{.a{display:none}}").hide_nothing());
        assert_eq!(sorted(&sheets("}}} .a{display:none").hidden), [".a"]);
        assert!(sheets(".a{").hide_nothing());
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
        assert!(!Sheets::from_page(&page).hides(&page, by_id(&page, "p")));
    }
}
