//! Finds rules that cannot take effect here, with the reason: options that this program does not support, or syntax
//! that no blocker accepts.

use adblock::lists::{ParseOptions, parse_filter};
use gleaner_filters::Selectors;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::{
    compiled::{compile, request},
    params::ParamRule,
};

/// A line that no syntax of lists has, such as one of a web page or of prose.
pub(super) const NO_RULE: &str = "no rule";

const EVERY_ADDRESS: &str = "it would match every address";

/// Most weight of a regular expression, and of all of a list: what it compiles to takes 100 to 200 bytes and 0.7 µs for each.
/// The public lists have 5,345, and 160,000. Raising them lets a list take more memory, and hold up the first request longer.
const MOST_WEIGHT: (usize, usize) = (10_000, 500_000);

/// Weight of an expression besides its parts.
const WEIGHT_PER_REGEX: usize = 50;

/// Addresses that have nothing in common but what all have.
const PROBE_URLS: [[&str; 2]; 2] = [["http://k.zj/", "http://7q.wx/v5"], ["https://k.zj/", "https://7q.wx/v5"]];

/// Least characters of what a regular expression cannot find in all of them: more than `https://` has.
const TELLING: usize = 12;

/// Why a rule is refused before it is compiled. `regexes` is the weight of the list's regular expressions so far.
pub(super) fn refusal(rule: &str, regexes: &mut usize) -> Option<&'static str> {
    if let Some(Err(reason)) = ParamRule::read(rule) {
        return Some(reason);
    }
    if rule.starts_with("[$") {
        return Some("a modifier ([$…])");
    }
    match selector(rule) {
        Some(selector) => element_refusal(selector),
        None => request_refusal(rule, regexes),
    }
}

/// Why the compiler refuses it.
pub(super) fn refusal_of_compiler(rule: &str) -> Option<String> {
    parse_filter(rule, false, ParseOptions::default()).err().map(|error| error.to_string())
}

/// The selector of a rule for elements.
fn selector(rule: &str) -> Option<&str> {
    if rule.starts_with(['|', '@']) {
        return None;
    }
    let (_, rest) = rule.split_once('#')?;
    ["#", "@#", "?#", "@?#"].iter().find_map(|sign| rest.strip_prefix(sign))
}

fn element_refusal(selector: &str) -> Option<&'static str> {
    let selector = selector.trim();
    if selector.starts_with("+js") {
        Some("a script to be run in the page")
    } else if selector.starts_with('^') {
        Some("a filter of the source of the page")
    } else {
        (!Selectors::understand(selector)).then_some("no CSS selector, or one that only a browser can answer")
    }
}

fn request_refusal(rule: &str, regexes: &mut usize) -> Option<&'static str> {
    let rule = rule.strip_prefix("@@").unwrap_or(rule);
    if let Some(regex) = regex(rule) {
        // As the compiler understands it.
        let parsed = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(regex);
        let Ok(parsed) = parsed else { return Some("no regular expression that can be compiled") };
        let is_short = rule.ends_with('/') && parsed.properties().minimum_len().unwrap_or_default() < TELLING;
        return too_heavy(weight(&parsed), regexes)
            .or_else(|| (is_short && matches_any(rule)).then_some(EVERY_ADDRESS));
    }
    let (pattern, options) = match rule.split_once('$') {
        Some((pattern, options)) => (pattern, Some(options)),
        None => (rule, None),
    };
    let has = |name: &str| options.is_some_and(|options| options.split(',').any(|option| option.starts_with(name)));
    if pattern.starts_with(['<', '{', '}', '"']) || pattern.contains(char::is_whitespace) || is_row(pattern) {
        Some(NO_RULE)
    } else if pattern.contains('\\') {
        Some("a regular expression stands between slashes")
    } else if pattern.trim_matches(['|', '^', '*']).is_empty() && (options.is_none() || pattern.contains(['|', '^'])) {
        Some(EVERY_ADDRESS)
    } else if options.is_none() && pattern.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        // As `error`, the whole answer of a server that has no list.
        Some(NO_RULE)
    } else if options.is_none() && pattern.bytes().all(|byte| b"htps:/.|*^".contains(&byte)) {
        too_heavy(pattern.len(), regexes).or_else(|| matches_any(rule).then_some(EVERY_ADDRESS))
    } else if has("csp") {
        Some("a policy for the page ($csp)")
    } else if has("to=") {
        Some("$to")
    } else if has("denyallow=") {
        Some("$denyallow")
    } else if pattern.trim_matches(['|', '^', '*']).contains(['*', '^']) {
        too_heavy(pattern.len(), regexes)
    } else {
        None
    }
}

/// Whether a line is a row of a table, with a host in one of its columns.
fn is_row(line: &str) -> bool {
    let mut columns = line.split([',', ';']);
    !line.contains(['/', '|', '=', '^', '?', '&'])
        && line.contains([',', ';'])
        && columns.all(|column| column.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_: ".contains(&byte)))
}

/// Refuses regular expressions that would take too much memory, one by one and all together.
fn too_heavy(weight: usize, all: &mut usize) -> Option<&'static str> {
    if weight > MOST_WEIGHT.0 {
        return Some("a regular expression that compiles to too much");
    }
    *all = all.saturating_add(weight + WEIGHT_PER_REGEX);
    (*all > MOST_WEIGHT.1).then_some("the list has too many regular expressions before it")
}

/// Approximate compiled size of an expression: its characters and ranges, each as often as it is repeated.
fn weight(part: &Hir) -> usize {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len(),
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min).max(1);
            weight(&repeated.sub).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => weight(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(weight).fold(0, usize::saturating_add),
    }
}

/// Whether a rule would forbid whatever is asked for.
fn matches_any(rule: &str) -> bool {
    let rules = compile(std::iter::once(rule.to_owned()));
    let blocks = |url: &&str| {
        let request = request(url, "https://page.example/", "script", "get");
        request.is_some_and(|request| rules.check_network_request(&request).should_block())
    };
    PROBE_URLS.iter().any(|urls| urls.iter().all(blocks))
}

/// The regular expression of a rule `/…/`, with options or without.
fn regex(rule: &str) -> Option<&str> {
    let rest = rule.strip_prefix('/')?;
    let end = if rest.ends_with('/') { rest.len() - 1 } else { rest.rfind("/$")? };
    // A path such as `/ads/` is one too, and means the same.
    rest.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_work_is_refused_and_the_rest_is_not() {
        for rule in [
            "site.example##+js(nowebrtc)",
            "site.example#@#+js()",
            "site.example##^script:has-text(x)",
            "site.example##.ad:matches-css(x)",
            "##.ad:upward(0)",
            "##div[",
            "site.example##.ad:style(color: red)",
            "||",
            "||^",
            "@@||^",
            "*",
            "||$image",
            "||a.example^$csp=script-src 'self'",
            "*$image,to=good.test",
            "*$script,3p,denyallow=good.test,domain=a.example",
            "/(/",
            "/a(?=b)/$script",
            "(^|\\.)good.*\\.test$",
            "<p>Log in",
            "This is prose.",
            "\"key\": 1,",
            "||a.example^$removeparam=/^ad/",
            "://",
            "https:",
            "|https://",
            "//",
            "*.*",
            "||.",
            "*://*",
            "/.*/",
            "/./",
            "/^http/",
            "/^https:\\/\\/.+/",
            "error",
        ] {
            assert!(refusal(rule, &mut 0).is_some(), "{rule}");
        }
        for rule in [
            "||a.example^",
            "||a.example^$script",
            "@@||a.example^$document",
            "*$script,domain=a.example",
            "$script,domain=a.example",
            "/ads/*$image",
            "/ads/",
            "/^https?:\\/\\/[a-z]+\\.example\\//$script",
            "-ad-banner.",
            "##.ad",
            "a.example##.ad > div:has(> .x):not(:first-child)",
            "a.example#@#.ad",
            "a.example##.ad:has-text(x)",
            "a.example##.реклама",
            "a.example##.größe:upward(2)",
            "a.example#?#.ad:has-text(/^Ad$/i):upward(2)",
            "||a.example^$removeparam=ad",
            "||a.example/x#y",
            "|https://$script,domain=a.example",
            "/^https?:\\/\\/.*\\.js$/$domain=a.example",
            "/x/",
            ".ads.",
        ] {
            assert_eq!(refusal(rule, &mut 0), None, "{rule}");
        }
    }
}
