//! CSS selectors, compiled and sorted by what an element must have to match one, as browsers do: a page's elements are each
//! compared with a few of them.

use std::fmt::Write as _;

use cssparser::ToCss;
use selectors::{
    context::{MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches},
    matching::matches_selector,
    parser::{Component, RelativeSelector, Selector},
    visitor::SelectorVisitor,
};

use super::element::{Element, SelectorTypes, conditions::parse};
use crate::{
    hashing::Table,
    html::{NodeId, Page},
};

/// Compiled selectors.
#[derive(Debug, Default)]
pub struct Selectors {
    /// Each with the place of its text.
    compiled: Vec<(Selector<SelectorTypes>, usize)>,
    texts: Vec<String>,
    by_key: Table<Key, Vec<usize>>,
    /// Indexes in `compiled` of the selectors of which no part can be looked up in `by_key`.
    others: Vec<usize>,
    skipped: usize,
}

/// The name by which a selector is looked up: an element without it cannot match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Id(String),
    Class(String),
    Tag(String),
    Attribute(String),
}

impl Selectors {
    /// Compiles selectors. Those that are no CSS, or ask for what only a browser knows, are skipped and counted.
    pub fn compile(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Selectors {
        let mut all = Selectors::default();
        for text in texts {
            all.add(text.as_ref());
        }
        all
    }

    /// Whether this is a selector that can be compiled.
    #[must_use]
    pub fn understand(text: &str) -> bool {
        // Most are a class or an id, and lists have tens of thousands.
        let name = text.strip_prefix(['.', '#']).unwrap_or(text);
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if is_plain && name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return true;
        }
        parse(text).is_some()
    }

    fn add(&mut self, text: &str) {
        let Some(parsed) = parse(text) else {
            self.skipped += 1;
            return;
        };
        for selector in parsed.slice() {
            let index = self.compiled.len();
            match key(selector) {
                Some(key) => self.by_key.entry(key).or_default().push(index),
                None => self.others.push(index),
            }
            self.compiled.push((selector.clone(), self.texts.len()));
        }
        self.texts.push(text.to_owned());
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// How many were skipped.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Appends rules of a style sheet that hide what these selectors mean for which `holds` is true, and counts them. Each has one
    /// selector, because browsers drop a rule of which they do not know a part; conditions that are no CSS have none. As the parsed
    /// selectors are written, and in ASCII, no text of a list can end the rule or the sheet.
    pub(super) fn write_css(&self, css: &mut String, holds: impl Fn(&str) -> bool) -> usize {
        let mut count = 0;
        for (selector, text) in &self.compiled {
            if !holds(&self.texts[*text]) || !selector.visit(&mut PureCss) {
                continue;
            }
            for c in selector.to_css_string().chars() {
                // Only names have other letters, and there they may be escaped.
                let _ = if c.is_ascii() { css.write_char(c) } else { write!(css, "\\{:x} ", u32::from(c)) };
            }
            css.push_str("{display:none!important}\n");
            count += 1;
        }
        count
    }

    /// The texts, in the order in which they came.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }
}

/// Goes on as long as a selector has nothing but CSS.
struct PureCss;

impl SelectorVisitor for PureCss {
    type Impl = SelectorTypes;

    fn visit_simple_selector(&mut self, part: &Component<SelectorTypes>) -> bool {
        !matches!(part, Component::NonTSPseudoClass(condition) if !condition.is_css())
    }

    fn visit_relative_selector_list(&mut self, list: &[RelativeSelector<SelectorTypes>]) -> bool {
        list.iter().all(|relative| relative.selector.visit(self))
    }
}

/// The part of a selector that is looked up: of the compound on its right, the rarest.
fn key(selector: &Selector<SelectorTypes>) -> Option<Key> {
    let mut found = None;
    for part in selector.iter() {
        found = match (part, found) {
            (Component::ID(id), _) => return Some(Key::Id(id.0.to_string())),
            (Component::Class(class), _) => Some(Key::Class(class.0.to_string())),
            (_, Some(Key::Class(class))) => Some(Key::Class(class)),
            (Component::AttributeInNoNamespaceExists { local_name_lower: name, .. }, _)
            | (Component::AttributeInNoNamespace { local_name: name, .. }, None) => {
                Some(Key::Attribute(name.0.to_string()))
            }
            (Component::LocalName(name), _) => Some(Key::Tag(name.lower_name.0.to_string())),
            (_, found) => found,
        };
    }
    found
}

/// Compares elements of one page with selectors.
pub(crate) struct Matcher<'a> {
    page: &'a Page,
    caches: SelectorCaches,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(page: &'a Page) -> Matcher<'a> {
        Matcher { page, caches: SelectorCaches::default() }
    }

    /// Whether an element matches a selector for which `holds` is true.
    pub(crate) fn matches(&mut self, selectors: &Selectors, id: NodeId, mut holds: impl FnMut(&str) -> bool) -> bool {
        let element = Element { page: self.page, id };
        let mut candidates = selectors.others.clone();
        let mut look = |key: Key| candidates.extend(selectors.by_key.get(&key).into_iter().flatten());
        look(Key::Tag(element.name().to_string()));
        self.page.each_attribute(id, |name, value| match &**name {
            "class" => value.split_ascii_whitespace().for_each(|class| look(Key::Class(class.to_owned()))),
            "id" => look(Key::Id(value.to_owned())),
            _ => {}
        });
        self.page.each_attribute(id, |name, _| look(Key::Attribute(name.to_string())));
        self.page.charge(crate::vocabulary::words::count(candidates.len()));
        candidates.into_iter().any(|index| {
            let (selector, text) = &selectors.compiled[index];
            self.is_match(selector, &element) && holds(&selectors.texts[*text])
        })
    }

    fn is_match(&mut self, selector: &Selector<SelectorTypes>, element: &Element<'a>) -> bool {
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        matches_selector(selector, 0, None, element, &mut context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ids, page};

    fn matched(html: &str, selector: &str) -> String {
        let page = page(html);
        let selectors = Selectors::compile([selector]);
        assert_eq!(selectors.skipped(), 0, "{selector}");
        let mut matcher = Matcher::new(&page);
        let found: Vec<NodeId> = page
            .live(page.body())
            .filter(|&id| page.tag(id).is_some() && matcher.matches(&selectors, id, |_| true))
            .collect();
        ids(&page, &found).join(" ")
    }

    #[test]
    fn selectors_match_as_in_a_browser() {
        let html = "<div id=a class='ad Big'><p id=b data-ad='x-1'>one</p><p id=c>two</p></div>\
                    <ins id=d class=adsbygoogle></ins><a id=e href='https://ads.example/x'><img id=f SRC=1></a>\
                    <section id=g><i id=h class=label>Ad</i></section>";
        for (selector, wanted) in [
            (".ad", "a"),
            (".big", ""),
            ("#a > p", "b c"),
            ("div p + p", "c"),
            ("p ~ p, ins.adsbygoogle", "c d"),
            ("[data-ad]", "b"),
            ("[data-ad^=\"x-\"]", "b"),
            ("p[data-ad$=\"2\"]", ""),
            ("A[HREF*=\"ads.\" i] > img", "f"),
            ("p:not([data-ad])", "c"),
            ("p:nth-child(2)", "c"),
            ("p:first-child", "b"),
            ("section:has(> .label)", "g"),
            ("div:is(.ad, .x) > :last-of-type", "c"),
            ("ins:empty", "d"),
            ("*:has(> img)", "e"),
            ("a:link", "e"),
        ] {
            assert_eq!(matched(html, selector), wanted, "{selector}");
        }
    }

    #[test]
    fn conditions_of_lists_hold_without_a_browser() {
        let html = "<div id=a class=card><div id=b><p id=c data-k=v9>It is an Ad</p></div></div>\
                    <div id=d class=card><p id=e>No news, <b id=f>Sponsored</b></p></div>\
                    <div id=g class=card><div id=h class=card><i id=i>Ad</i></div></div>";
        for (selector, wanted) in [
            ("p:has-text(Ad)", "c"),
            ("p:has-text(ad)", ""),
            ("p:has-text(/\\bAD$/i)", "c"),
            (".card:has-text(\"Sponsored\")", "d"),
            (".card:not(:has-text(Ad))", "d"),
            ("b:-abp-contains(Spons)", "f"),
            ("p:has(> b:has-text(Sponsored))", "e"),
            ("p:matches-attr(data-k=\"/^v\\d$/\")", "c"),
            ("p:matches-attr(\"/^data-/\"=\"v9\")", "c"),
            ("p:matches-attr(data-x)", ""),
            ("p:has-text(Ad):upward(1)", "b"),
            ("p:has-text(Ad):upward(2)", "a"),
            ("i:upward(.card)", "h"),
            ("i:upward(div:not(#h))", "g"),
            ("i:upward(.card):upward(1)", "g"),
            ("b:upward(1) > b", "f"),
            ("b:upward(div):has(p)", "d"),
            (".card:-abp-has(> p)", "d"),
            (".card:if(> p)", "d"),
        ] {
            assert_eq!(matched(html, selector), wanted, "{selector}");
        }
    }

    #[test]
    fn a_style_sheet_has_the_selectors_that_a_browser_knows() {
        let texts = [
            ".ad > p, div:has(> .x)",
            "p:has-text(Ad)",
            "p:not(:has-text(Ad))",
            "p:has(b:upward(1))",
            "[title=\"</style>{}\\\"\"]",
            "[title=\"x",
            ".Bjørn",
            "a[href^=\"//x\" i]",
            ".never",
        ];
        let mut css = String::new();
        assert_eq!(Selectors::compile(texts).write_css(&mut css, |text| text != ".never"), 6);
        assert!(css.is_ascii() && !css.contains("</"), "{css}");
        let selectors: Vec<&str> =
            css.lines().map(|rule| rule.strip_suffix("{display:none!important}").unwrap()).collect();
        let parts = [".ad > p", "div:has(> .x)"];
        assert_eq!(selectors[..2], parts);
        // What is left of each means the same.
        for (written, meant) in selectors[2..].iter().zip([texts[4], "[title=\"x\"]", ".Bjørn", texts[7]]) {
            let parsed = |text| parse(text).map(|parts| parts.slice()[0].to_css_string());
            assert_eq!(parsed(written), parsed(meant), "{css}");
        }
    }

    #[test]
    fn what_would_exhaust_the_stack_is_refused_and_what_is_left_does_not() {
        let nested =
            |depth: usize| [":is(p", ":not(p", ":nth-child(1 of p"].map(|part| part.repeat(depth) + &")".repeat(depth));
        let chained = |length: usize| ["p>", "p+", "p ", "p:not(.x)~"].map(|part| part.repeat(length) + "p");
        for deep in nested(2000).into_iter().chain(chained(20_000)) {
            assert!(!Selectors::understand(&deep) && Selectors::compile([&deep]).skipped() == 1, "{}", &deep[..20]);
        }
        let html = format!("{}{}", "<div>".repeat(200), "<p>x".repeat(200));
        for most in nested(33).into_iter().chain(chained(32)) {
            assert!(Selectors::understand(&most), "{most}");
            matched(&html, &most);
        }
    }

    #[test]
    fn what_is_no_selector_is_skipped_and_counted() {
        let odd = [
            "p:has-text(/a(?=b)/)",
            "p:upward(0)",
            "p::before",
            "..x",
            "p:matches-path(/x)",
            "",
            ":upward(2)",
            "p:upward(",
        ];
        let selectors = Selectors::compile(odd);
        assert_eq!((selectors.len(), selectors.skipped()), (0, odd.len()));
        assert!(
            !odd.into_iter().any(Selectors::understand)
                && [".ad", "#a-b", "p", "p:has(> b)"].into_iter().all(Selectors::understand)
        );
    }
}
