//! Rules that cannot do anything here, with the reason: what this program cannot do, and what no blocker understands.

use adblock::lists::{ParseOptions, parse_filter};
use gleaner_filters::Selectors;

use super::params::ParamRule;

/// A line that no syntax of lists has, such as one of a web page or of prose.
pub(super) const NO_RULE: &str = "no rule";

/// Why a rule is refused before it is compiled.
pub(super) fn refusal(rule: &str) -> Option<&'static str> {
    if let Some(Err(reason)) = ParamRule::read(rule) {
        return Some(reason);
    }
    match selector(rule) {
        Some(selector) => of_element(selector),
        None => of_request(rule),
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

fn of_element(selector: &str) -> Option<&'static str> {
    let selector = selector.trim();
    if selector.starts_with("+js") {
        Some("a script to be run in the page")
    } else if selector.starts_with('^') {
        Some("a filter of the source of the page")
    } else {
        (!Selectors::understand(selector)).then_some("no CSS selector, or one that only a browser can answer")
    }
}

fn of_request(rule: &str) -> Option<&'static str> {
    let rule = rule.strip_prefix("@@").unwrap_or(rule);
    if let Some(regex) = regex(rule) {
        // As the compiler understands it.
        let parsed = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(regex);
        return parsed.is_err().then_some("no regular expression that can be compiled");
    }
    let (pattern, options) = match rule.split_once('$') {
        Some((pattern, options)) => (pattern, Some(options)),
        None => (rule, None),
    };
    let has = |name: &str| options.is_some_and(|options| options.split(',').any(|option| option.starts_with(name)));
    if pattern.starts_with(['<', '{', '}', '"']) || pattern.contains(char::is_whitespace) {
        Some(NO_RULE)
    } else if pattern.contains('\\') {
        Some("a regular expression stands between slashes")
    } else if pattern.trim_matches(['|', '^', '*']).is_empty() && (options.is_none() || pattern.contains(['|', '^'])) {
        Some("it would match every address")
    } else if has("csp") {
        Some("a policy for the page ($csp)")
    } else if has("to=") {
        Some("$to")
    } else if has("denyallow=") {
        Some("$denyallow")
    } else {
        None
    }
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
            "site.example##.ad:has-text(x)",
            "##.ad:upward(2)",
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
        ] {
            assert!(refusal(rule).is_some(), "{rule}");
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
            "||a.example^$removeparam=ad",
            "||a.example/x#y",
        ] {
            assert_eq!(refusal(rule), None, "{rule}");
        }
    }
}
