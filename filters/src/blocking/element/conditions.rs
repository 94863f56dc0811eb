//! Conditions of selectors beyond CSS that lists use and that a page answers without a browser: `:has-text(…)`,
//! `:matches-attr(…)` and `:upward(…)`, as uBlock Origin documents them, and `:link`.

use std::{fmt, sync::Arc};

use cssparser::{Parser as CssParser, ParserInput, ToCss};
use regex::{Regex, RegexBuilder};
use selectors::{
    context::MatchingContext,
    matching::matches_selector,
    parser::{NonTSPseudoClass, ParseRelative, SelectorList},
};

use super::{Css, Element, SelectorTypes};

/// Most brackets and combinators of a selector: each may be one call within another, where it is parsed and where it is compared, and
/// one line of a list could exhaust the stack. The public lists have 36 (2026-11-25). Raising it costs stack.
const MOST_PARTS: usize = 100;

/// Most text of an element that is looked at. Raising it finds words further down in large elements, and takes longer.
const MOST_TEXT: usize = 1 << 14;

/// Most memory of a compiled expression.
const MOST_REGEX: usize = 1 << 18;

/// Most steps up from an element; the public lists have 9.
const MOST_STEPS: usize = 30;

/// A condition as it is written, and what it asks.
#[derive(Clone)]
pub(crate) struct Condition {
    text: Arc<str>,
    test: Arc<ConditionTest>,
}

enum ConditionTest {
    Link,
    /// The element's text has this.
    Text(TextPattern),
    /// An attribute has this name, and this value.
    Attribute(TextPattern, Option<TextPattern>),
    /// So many steps above what these selectors mean.
    Above(usize, SelectorParts),
    /// The nearest one above it that the first selectors mean.
    NearestAbove(SelectorParts, SelectorParts),
}

enum TextPattern {
    Literal(String),
    Expression(Regex),
}

impl Condition {
    pub(super) fn link() -> Condition {
        Condition { text: ":link".into(), test: Arc::new(ConditionTest::Link) }
    }

    /// Whether a style sheet can have it.
    pub(in crate::blocking) fn is_css(&self) -> bool {
        matches!(*self.test, ConditionTest::Link)
    }

    /// Reads one of these names and what stands in its brackets.
    pub(super) fn parse(name: &str, argument: &str) -> Option<Condition> {
        let test = match name {
            "has-text" | "-abp-contains" | "contains" => ConditionTest::Text(TextPattern::parse(argument)?),
            "matches-attr" => match argument.split_once('=') {
                Some((name, value)) => {
                    ConditionTest::Attribute(TextPattern::parse(name)?, Some(TextPattern::parse(value)?))
                }
                None => ConditionTest::Attribute(TextPattern::parse(argument)?, None),
            },
            ABOVE => {
                let (length, rest) = argument.split_once(':')?;
                let (to, from) = rest.split_at_checked(length.parse().ok()?)?;
                match to.parse() {
                    Ok(steps) if (1..=MOST_STEPS).contains(&steps) => ConditionTest::Above(steps, parse(from)?),
                    Ok(_) => return None,
                    Err(_) => ConditionTest::NearestAbove(parse(to)?, parse(from)?),
                }
            }
            _ => return None,
        };
        Some(Condition { text: format!(":{name}({argument})").into(), test: Arc::new(test) })
    }

    pub(super) fn holds(&self, element: &Element<'_>, context: &mut MatchingContext<SelectorTypes>) -> bool {
        match &*self.test {
            ConditionTest::Link => selectors::Element::is_link(element),
            ConditionTest::Text(wanted) => wanted.is_in(&element.page.raw_text(element.id, MOST_TEXT)),
            ConditionTest::Attribute(name, value) => {
                let mut found = false;
                element.page.each_attribute(element.id, |known, given| {
                    found |= name.is_all(known) && value.as_ref().is_none_or(|value| value.is_all(given));
                });
                found
            }
            ConditionTest::Above(steps, from) => is_above(element, *steps, from, context),
            ConditionTest::NearestAbove(to, from) => element.descendants().any(|below| {
                matches_any(from, &below, context) && {
                    let mut at = below.clone();
                    while let Some(above) =
                        selectors::Element::parent_element(&at).filter(|above| above.id > element.id)
                    {
                        if matches_any(to, &above, context) {
                            return false;
                        }
                        at = above;
                    }
                    true
                }
            }),
        }
    }
}

/// A list of selectors.
pub(in crate::blocking) type SelectorParts = SelectorList<SelectorTypes>;

pub(in crate::blocking) fn parse(text: &str) -> Option<SelectorParts> {
    if text.bytes().filter(|byte| b"(>+~ \t\n\r\x0c".contains(byte)).count() > MOST_PARTS {
        return None;
    }
    let mut text = text.replace(":-abp-has(", ":has(").replace(":if(", ":has(");
    while let Some(changed) = without_upward(&text) {
        text = changed;
    }
    let mut input = ParserInput::new(&text);
    SelectorList::parse(&Css, &mut CssParser::new(&mut input), ParseRelative::No).ok()
}

/// The name of the condition that stands for `:upward`.
const ABOVE: &str = "-gleaner-above";

/// A selector with `:upward(…)` as one that means the element above: `a:upward(2)` is `*` with the condition to be above `a`.
fn without_upward(selector: &str) -> Option<String> {
    const NAME: &str = ":upward(";
    let mut depth = 0_usize;
    let begin = selector.bytes().enumerate().find_map(|(at, byte)| {
        depth = match byte {
            b'(' | b'[' => depth + 1,
            b')' | b']' => depth.saturating_sub(1),
            _ => depth,
        };
        (depth == 0 && selector.as_bytes()[at..].starts_with(NAME.as_bytes())).then_some(at)
    })?;
    let rest = &selector[begin + NAME.len()..];
    let mut depth = 1_usize;
    let end = rest.bytes().position(|byte| {
        depth = match byte {
            b'(' => depth + 1,
            b')' => depth - 1,
            _ => depth,
        };
        depth == 0
    })?;
    let (from, to, after) = (&selector[..begin], rest[..end].trim(), &rest[end + 1..]);
    let means = match to.parse::<usize>() {
        Ok(_) => "*".to_owned(),
        Err(_) => format!(":is({to})"),
    };
    Some(format!("{means}:{ABOVE}({}:{to}{from}){after}", to.len()))
}

fn is_above(
    element: &Element<'_>,
    steps: usize,
    from: &SelectorParts,
    context: &mut MatchingContext<SelectorTypes>,
) -> bool {
    let mut child = selectors::Element::first_element_child(element);
    while let Some(element) = child {
        let is_it = if steps == 1 {
            matches_any(from, &element, context)
        } else {
            is_above(&element, steps - 1, from, context)
        };
        if is_it {
            return true;
        }
        child = selectors::Element::next_sibling_element(&element);
    }
    false
}

fn matches_any(parts: &SelectorParts, element: &Element<'_>, context: &mut MatchingContext<SelectorTypes>) -> bool {
    parts.slice().iter().any(|selector| matches_selector(selector, 0, None, element, context))
}

impl TextPattern {
    /// Reads `text`, `"text"`, `/expression/` or `/expression/i`.
    fn parse(argument: &str) -> Option<TextPattern> {
        let argument = argument.trim();
        let quoted = ['"', '\''].iter().find_map(|&quote| argument.strip_prefix(quote)?.strip_suffix(quote));
        let text = quoted.unwrap_or(argument);
        let expression = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
        let Some((expression, flags)) =
            expression.filter(|(_, flags)| flags.bytes().all(|flag| b"imsu".contains(&flag)))
        else {
            return (!text.is_empty()).then(|| TextPattern::Literal(text.to_owned()));
        };
        let mut builder = RegexBuilder::new(expression);
        builder
            .case_insensitive(flags.contains('i'))
            .multi_line(flags.contains('m'))
            .dot_matches_new_line(flags.contains('s'));
        builder.size_limit(MOST_REGEX).build().ok().map(TextPattern::Expression)
    }

    fn is_in(&self, text: &str) -> bool {
        match self {
            TextPattern::Literal(wanted) => text.contains(&**wanted),
            TextPattern::Expression(wanted) => wanted.is_match(text),
        }
    }

    /// Whether it is the whole text, or an expression that finds something in it.
    fn is_all(&self, text: &str) -> bool {
        match self {
            TextPattern::Literal(wanted) => wanted == text,
            TextPattern::Expression(wanted) => wanted.is_match(text),
        }
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Condition {}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ToCss for Condition {
    fn to_css<W: fmt::Write>(&self, out: &mut W) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl NonTSPseudoClass for Condition {
    type Impl = SelectorTypes;

    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}
