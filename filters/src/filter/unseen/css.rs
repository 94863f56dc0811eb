//! The rules of style sheets that hold on a large screen, read with the tokens of CSS, so that neither comments nor escapes hide one.

use std::{collections::HashMap, mem, rc::Rc};

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserInput, ParserState, QualifiedRuleParser,
    RuleBodyItemParser, RuleBodyParser, ToCss, Token, color::parse_named_color,
};

/// Blocks within blocks that are entered, and brackets within brackets. Raising it costs stack.
const MOST_DEPTH: usize = 8;

/// Bytes of a value that are looked at: what is longer has pictures.
const MOST_VALUE: usize = 200;

/// Bytes of selectors that are held, those made of nested ones among them. Raising it costs memory on pages made to take it.
const MOST_SELECTORS: usize = 1 << 22;

/// A screen in pixels, for the conditions of sheets.
const SCREEN: (f32, f32) = (1280.0, 720.0);

/// Rank of a rule outside of every layer: it counts more than all within.
const UNLAYERED: u32 = 1 << 30;

/// What an element says of the properties that decide, in lower case and without needless spaces, and whether it is important.
#[derive(Default)]
pub(super) struct CssStyle(HashMap<String, (String, bool)>);

/// One selector of a rule.
pub(super) struct CssRule {
    pub(super) selector: String,
    /// The greater counts, and the later of equals.
    pub(super) rank: u32,
    pub(super) style: Rc<CssStyle>,
}

impl CssStyle {
    /// Reads declarations, of these properties alone.
    pub(super) fn parse(css: &str, properties: &[&str]) -> CssStyle {
        let mut reader = SheetReader::new(properties);
        reader.parents = Some(Rc::new([]));
        reader.read(css);
        reader.style
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|(value, _)| value.as_str())
    }

    /// Puts what counts more over what is known.
    pub(super) fn extend(&mut self, above: &CssStyle) {
        for (name, (value, is_important)) in &above.0 {
            self.set(name, value.clone(), *is_important);
        }
    }

    /// A declaration that is not valid is ignored (CSS Cascade § 4.2).
    fn set(&mut self, name: &str, value: String, is_important: bool) {
        if !is_valid(name, &value) {
            return;
        }
        if is_important || !self.0.get(name).is_some_and(|(_, known)| *known) {
            self.0.insert(name.to_owned(), (value, is_important));
        }
    }
}

/// The rules of sheets, the one that counts most last.
pub(super) fn rules(sheets: impl Iterator<Item = String>, properties: &[&str]) -> Vec<CssRule> {
    let mut reader = SheetReader::new(properties);
    sheets.for_each(|css| reader.read(&css));
    reader.rules.sort_by_key(|rule| rule.rank);
    reader.rules
}

/// A length in pixels. What is relative to the screen or to a box counts so that a whole screen, or two boxes, are 500.
/// Whether a browser takes this value, of the properties that are written twice to mislead.
fn is_valid(name: &str, value: &str) -> bool {
    let is_wide = matches!(value, "inherit" | "initial" | "unset" | "revert" | "revert-layer");
    is_wide
        || value.contains('(')
        || match name {
            "font-size" => {
                let value = value.strip_prefix('-').filter(|rest| pixels(rest) == Some(0.0)).unwrap_or(value);
                let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+'));
                let is_word =
                    ["small", "large", "medium", "smaller", "larger", "math"].iter().any(|word| value.ends_with(word));
                let is_length = unit.len() < value.len() && (1..5).contains(&unit.len());
                is_word || is_length || value.parse() == Ok(0.0_f32)
            }
            "opacity" => value.trim_end_matches('%').parse::<f32>().is_ok(),
            "color" | "-webkit-text-fill-color" => {
                let is_of_system = value.starts_with("canvas") || value.ends_with("text");
                value.starts_with('#')
                    || is_of_system
                    || value == "currentcolor"
                    || parse_named_color(value).is_ok()
                    || value == "transparent"
            }
            _ => true,
        }
}

pub(super) fn pixels(value: &str) -> Option<f32> {
    let value = value.strip_prefix("calc(").and_then(|inside| inside.strip_suffix(')')).unwrap_or(value);
    let is_exponent = |at: usize| value[at..].starts_with(['e', 'E']) && value[at + 1..].starts_with(['+', '-', '1']);
    let is_unit = |(at, c): &(usize, char)| (c.is_ascii_alphabetic() || *c == '%') && !is_exponent(*at);
    let unit_at = value.char_indices().find(is_unit).map_or(value.len(), |(at, _)| at);
    let number = value[..unit_at].parse::<f32>().ok()?;
    Some(match &value[unit_at..] {
        "%" => number * 2.5,
        unit if unit.ends_with("em") => number * 16.0,
        unit if unit.starts_with('v') || unit.len() == 3 && unit[1..].starts_with('v') => number * 5.0,
        "cm" | "in" => number * 40.0,
        "ch" | "ex" => number * 8.0,
        _ => number,
    })
}

/// Whether a list of media queries means a large screen. What is not known of a screen holds, as its page would test it first.
pub(super) fn is_for_screens(queries: &str) -> bool {
    let queries = written(&mut Parser::new(&mut ParserInput::new(queries)), 0).unwrap_or_default();
    queries.is_empty() || queries.split(',').flat_map(|query| query.split(" or ")).any(is_true)
}

fn is_true(query: &str) -> bool {
    query.split(" and ").map(|part| part.trim().trim_start_matches("only ")).all(|part| {
        let Some(feature) = part.strip_prefix('(') else {
            return matches!(part, "all" | "screen" | "not print" | "not speech");
        };
        let feature = feature.trim_end_matches(')');
        let size = |text: &str| match text.trim_start_matches('=') {
            "width" | "device-width" => Some(SCREEN.0),
            "height" | "device-height" => Some(SCREEN.1),
            // In this unit a screen has its own size.
            text => pixels(text),
        };
        let mut at = feature;
        // `400px<=width<800px`
        while let Some(sign) = at.find(['<', '>']) {
            let rest = &at[sign + 1..];
            let next = &rest[..rest.find(['<', '>']).unwrap_or(rest.len())];
            if let (Some(left), Some(right)) = (size(&at[..sign]), size(next))
                && if at[sign..].starts_with('<') { left > right } else { left < right }
            {
                return false;
            }
            at = rest;
        }
        let (name, value) = feature.split_once(':').unwrap_or((feature, ""));
        match (name.get(..4), name.get(4..).and_then(size), pixels(value)) {
            (Some("min-"), Some(own), Some(asked)) => own >= asked,
            (Some("max-"), Some(own), Some(asked)) => own <= asked,
            _ => !["dark", "portrait", "none", "coarse", "reduce", "more", "active"].contains(&value),
        }
    })
}

/// Tokens in lower case, with spaces only where they part values. None where there is a block among them, or too many brackets.
fn written(input: &mut Parser<'_, '_>, depth: usize) -> Option<String> {
    let mut out = String::new();
    while let Ok(token) = input.next().cloned() {
        if token == Token::CurlyBracketBlock || depth >= MOST_DEPTH {
            return None;
        }
        if out.len() > MOST_VALUE {
            continue;
        }
        let is_sign = matches!(token, Token::Comma | Token::Colon | Token::Delim(_));
        if !is_sign && !out.is_empty() && !out.ends_with([',', ':', '/', '<', '>', '=']) {
            out.push(' ');
        }
        match &token {
            Token::Function(_) | Token::ParenthesisBlock => {
                let inside = input.parse_nested_block(|input| {
                    written(input, depth + 1).ok_or_else(|| input.new_custom_error::<(), ()>(()))
                });
                let name = if let Token::Function(name) = &token { &**name } else { "" };
                out.extend([name, "(", &inside.ok()?, ")"]);
            }
            Token::Ident(name) => out.push_str(name),
            token => out.push_str(&token.to_css_string()),
        }
    }
    Some(out.to_ascii_lowercase())
}

struct SheetReader<'a> {
    properties: &'a [&'a str],
    rules: Vec<CssRule>,
    /// Selectors of the rule around; none outside of every rule.
    parents: Option<Rc<[String]>>,
    /// What the rule around has said up to here.
    style: CssStyle,
    depth: usize,
    is_layered: bool,
    /// Bytes of selectors that may be made yet.
    left: usize,
}

/// What goes before a block that is entered.
enum BlockPrelude {
    /// The selectors, those around it put in.
    Selectors(Vec<String>),
    Layer,
    /// A condition that holds.
    Condition,
}

impl<'a> SheetReader<'a> {
    fn new(properties: &'a [&'a str]) -> SheetReader<'a> {
        SheetReader {
            properties,
            rules: Vec::new(),
            parents: None,
            style: CssStyle::default(),
            depth: 0,
            is_layered: false,
            left: MOST_SELECTORS,
        }
    }

    fn read(&mut self, css: &str) {
        // Signs from the time when browsers knew no styles.
        let css = css.replace("<!--", " ").replace("-->", " ");
        let mut input = ParserInput::new(&css);
        RuleBodyParser::<Self, (), ()>::new(&mut Parser::new(&mut input), self).for_each(drop);
    }

    /// Ends the rule that was read up to here: what follows counts more.
    fn flush(&mut self) {
        let Some(parents) = self.parents.as_ref().filter(|parents| !parents.is_empty()) else { return };
        let style = Rc::new(mem::take(&mut self.style));
        if style.0.is_empty() {
            return;
        }
        let layer = if self.is_layered { 0 } else { UNLAYERED };
        for selector in parents.iter() {
            let Some(left) = self.left.checked_sub(selector.len() + size_of::<CssRule>()) else { return };
            self.left = left;
            if selector.contains("::") {
                continue;
            }
            let rank = layer + specificity(selector);
            self.rules.push(CssRule { selector: selector.clone(), rank, style: Rc::clone(&style) });
        }
    }

    fn block(&mut self, prelude: BlockPrelude, input: &mut Parser<'_, '_>) {
        if self.depth >= MOST_DEPTH {
            return;
        }
        self.flush();
        let before = (self.parents.clone(), self.is_layered, mem::take(&mut self.style));
        match prelude {
            BlockPrelude::Selectors(selectors) => self.parents = Some(selectors.into()),
            BlockPrelude::Layer => self.is_layered = true,
            BlockPrelude::Condition => {}
        }
        self.depth += 1;
        RuleBodyParser::<Self, (), ()>::new(input, self).for_each(drop);
        self.depth -= 1;
        self.flush();
        (self.parents, self.is_layered, self.style) = before;
    }

    /// Selectors with those around them.
    fn selectors<'i>(&mut self, input: &mut Parser<'i, '_>) -> Result<Vec<String>, ParseError<'i, ()>> {
        let mut own = input.parse_comma_separated(|input| {
            input.skip_whitespace();
            let begin = input.position();
            while input.next().is_ok() {}
            Ok::<_, ParseError<'i, ()>>(input.slice_from(begin).trim())
        })?;
        own.retain(|selector| !selector.is_empty());
        if own.is_empty() {
            return Err(input.new_custom_error(()));
        }
        let Some(parents) = &self.parents else {
            return Ok(own.into_iter().map(str::to_owned).collect());
        };
        let mut all = Vec::new();
        for parent in parents.iter() {
            for own in &own {
                let places = own.matches('&').count();
                let Some(left) = self.left.checked_sub(own.len() + (parent.len() + ":is()".len()) * places.max(1))
                else {
                    return Ok(all);
                };
                self.left = left;
                let is_plain = parent.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".#-_".contains(&byte));
                let parent = if is_plain { parent.clone() } else { format!(":is({parent})") };
                all.push(if places == 0 { format!("{parent} {own}") } else { own.replace('&', &parent) });
            }
        }
        Ok(all)
    }
}

/// Roughly: ids, then classes and attributes, then names.
fn specificity(selector: &str) -> u32 {
    let selector = selector.replace(":is(", "(");
    let count = |signs: &[char]| u32::try_from(selector.matches(signs).count()).unwrap_or(u32::MAX).min(99);
    10_000 * count(&['#']) + 100 * count(&['.', '[', ':']) + count(&[' ', '>'])
}

impl<'i> DeclarationParser<'i> for SheetReader<'_> {
    type Declaration = ();
    type Error = ();

    fn parse_value<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
        _: &ParserState,
    ) -> Result<(), ParseError<'i, ()>> {
        let value = written(input, 0).ok_or_else(|| input.new_custom_error::<(), ()>(()))?;
        let name = name.to_ascii_lowercase();
        if self.properties.contains(&name.as_str()) {
            let (value, is_important) = value
                .split_once('!')
                .map_or((value.as_str(), false), |(value, end)| (value, end.trim() == "important"));
            self.style.set(&name, value.trim().to_owned(), is_important);
        }
        Ok(())
    }
}

impl<'i> QualifiedRuleParser<'i> for SheetReader<'_> {
    type Prelude = BlockPrelude;
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude<'t>(&mut self, input: &mut Parser<'i, 't>) -> Result<BlockPrelude, ParseError<'i, ()>> {
        self.selectors(input).map(BlockPrelude::Selectors)
    }

    fn parse_block<'t>(
        &mut self,
        prelude: BlockPrelude,
        _: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> Result<(), ParseError<'i, ()>> {
        self.block(prelude, input);
        Ok(())
    }
}

impl<'i> AtRuleParser<'i> for SheetReader<'_> {
    type Prelude = BlockPrelude;
    type AtRule = ();
    type Error = ();

    fn parse_prelude<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
    ) -> Result<BlockPrelude, ParseError<'i, ()>> {
        let begin = input.position();
        while input.next().is_ok() {}
        let condition = input.slice_from(begin).trim();
        match &*name.to_ascii_lowercase() {
            "media" if is_for_screens(condition) => Ok(BlockPrelude::Condition),
            "supports" if !condition.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("not")) => {
                Ok(BlockPrelude::Condition)
            }
            "container" if condition.find('(').is_none_or(|at| is_for_screens(&condition[at..])) => {
                Ok(BlockPrelude::Condition)
            }
            "layer" => Ok(BlockPrelude::Layer),
            _ => Err(input.new_custom_error(())),
        }
    }

    fn parse_block<'t>(
        &mut self,
        prelude: BlockPrelude,
        _: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> Result<(), ParseError<'i, ()>> {
        self.block(prelude, input);
        Ok(())
    }
}

impl RuleBodyItemParser<'_, (), ()> for SheetReader<'_> {
    fn parse_declarations(&self) -> bool {
        self.parents.is_some()
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}
