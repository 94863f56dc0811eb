//! Rules that take parameters out of addresses (`$removeparam`), and their exceptions.
//!
//! The `adblock` crate refuses the exceptions and does not say which rule took a parameter out. So the rules of each parameter
//! are compiled by themselves, as rules that forbid the request, when an address first has this parameter.

use std::{collections::HashMap, sync::OnceLock};

use adblock::{request::Request, sourcemap::FilterRuleDebugInfo};
use url::Url;

use super::{
    compiled::compile,
    engine::{Rule, Verdict},
};

/// A rule with this option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParamRule {
    /// The parameter; an exception without one is for all.
    pub(super) name: Option<String>,
    /// The rule without the option.
    forbids: String,
    /// The rule as the list has it.
    text: String,
}

/// The kinds of request from which a rule takes a parameter that names none, as in uBlock Origin.
const KINDS: [(&str, &[&str]); 3] = [
    ("document", &["document", "doc"]),
    ("subdocument", &["subdocument", "frame"]),
    ("xmlhttprequest", &["xmlhttprequest", "xhr"]),
];

/// Words of kinds of request in rules.
pub(super) const ALL_KINDS: [&str; 19] = [
    "document",
    "doc",
    "subdocument",
    "frame",
    "xmlhttprequest",
    "xhr",
    "image",
    "media",
    "object",
    "other",
    "ping",
    "beacon",
    "script",
    "stylesheet",
    "css",
    "websocket",
    "font",
    "all",
    "object-subrequest",
];

impl ParamRule {
    /// Reads a rule with this option. `None` if it has none; an error says what cannot be done.
    pub(super) fn read(line: &str) -> Option<Result<ParamRule, &'static str>> {
        let (pattern, options) = line.rsplit_once('$')?;
        let mut options: Vec<&str> = options.split(',').collect();
        let at = options.iter().position(|option| *option == "removeparam" || option.starts_with("removeparam="))?;
        let name = options.remove(at).strip_prefix("removeparam=").map(str::to_owned);
        let is_exception = line.starts_with("@@");
        match &name {
            None if !is_exception => return Some(Err("$removeparam without the name of a parameter")),
            Some(name) if !is_name(name) => return Some(Err("$removeparam with a pattern")),
            _ => {}
        }
        if !is_exception && !options.iter().any(|option| ALL_KINDS.contains(option)) {
            let is_excluded = |words: &[&str]| {
                options.iter().any(|option| option.strip_prefix('~').is_some_and(|option| words.contains(&option)))
            };
            let kinds: Vec<_> = KINDS.iter().filter(|(_, words)| !is_excluded(words)).map(|(kind, _)| *kind).collect();
            options.retain(|option| !option.strip_prefix('~').is_some_and(|option| ALL_KINDS.contains(&option)));
            options.extend(kinds);
        }
        let dollar = if options.is_empty() { "" } else { "$" };
        let forbids = format!("{pattern}{dollar}{}", options.join(","));
        Some(Ok(ParamRule { name, forbids, text: line.to_owned() }))
    }
}

/// The name in a part of a query.
fn name(pair: &str) -> &str {
    pair.split_once('=').map_or(pair, |(name, _)| name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// The rules of all lists, by parameter.
#[derive(Default)]
pub(super) struct Params(HashMap<String, OneParam>);

/// The rules of one parameter, each with its list.
#[derive(Default)]
struct OneParam {
    rules: Vec<(ParamRule, usize)>,
    compiled: OnceLock<adblock::Engine>,
}

impl Params {
    /// Takes the rules of each list, in their order.
    pub(super) fn new(lists: &[Vec<ParamRule>]) -> Params {
        let rules = || lists.iter().enumerate().flat_map(|(list, rules)| rules.iter().map(move |rule| (rule, list)));
        let mut by_name: HashMap<String, OneParam> = HashMap::new();
        for (rule, list) in rules() {
            if let Some(name) = &rule.name {
                by_name.entry(name.clone()).or_default().rules.push((rule.clone(), list));
            }
        }
        for (rule, list) in rules().filter(|(rule, _)| rule.name.is_none()) {
            for one in by_name.values_mut() {
                one.rules.push((rule.clone(), list));
            }
        }
        Params(by_name)
    }

    /// The verdict of the rules: the address without the parameters that they remove, with the first rule that does, or the first exception.
    pub(super) fn judge(&self, request: &Request, lists: &[String]) -> Verdict {
        // Most addresses have no such parameter, and need not be parsed again.
        let query = request.url.split_once('?').map_or("", |(_, rest)| rest);
        if !query.split(['&', '#']).any(|pair| self.0.contains_key(name(pair))) {
            return Verdict::Allowed;
        }
        let Ok(mut to) = Url::parse(&request.url) else {
            return Verdict::Allowed;
        };
        let (mut kept, mut removed_by, mut excepted) = (Vec::new(), None, None);
        for pair in to.query().unwrap_or_default().split('&') {
            match self.0.get(name(pair)).map(|one| one.rules_for(request, lists)) {
                Some((Some(rule), None)) => removed_by = removed_by.or(Some(rule)),
                Some((Some(rule), Some(exception))) => {
                    excepted = Some(Verdict::Excepted { rule, exception });
                    kept.push(pair);
                }
                _ => kept.push(pair),
            }
        }
        let query = kept.join("&");
        to.set_query((!query.is_empty()).then_some(&*query));
        match removed_by {
            Some(rule) => Verdict::ParamsRemoved { to, rule },
            None => excepted.unwrap_or(Verdict::Allowed),
        }
    }
}

impl OneParam {
    /// The rule that takes it out of the address of a request, and the exception to it.
    fn rules_for(&self, request: &Request, lists: &[String]) -> (Option<Rule>, Option<Rule>) {
        let text = || self.rules.iter().flat_map(|(rule, _)| [&*rule.forbids, "\n"]).collect();
        let found = self.compiled.get_or_init(|| compile(std::iter::once(text()))).check_network_request(request);
        let rule = |found: Option<FilterRuleDebugInfo>| {
            let line = found?.source_location?.line_number;
            let (rule, list) = self.rules.get(usize::try_from(line).ok()?)?;
            Some(Rule { list: lists.get(*list).cloned().unwrap_or_default(), text: rule.text.clone() })
        };
        (rule(found.filter), rule(found.exception))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(rules: &str, url: &str, kind: &str) -> String {
        let rules = rules.lines().map(|line| ParamRule::read(line).unwrap().unwrap()).collect();
        let request = super::super::compiled::request(url, "https://page.example/", kind, "get").unwrap();
        match Params::new(&[rules]).judge(&request, &["list".to_owned()]) {
            Verdict::ParamsRemoved { to, .. } => to.to_string(),
            _ => url.to_owned(),
        }
    }

    #[test]
    fn a_rule_takes_its_parameter_out_of_what_it_names() {
        let rules = "$removeparam=utm\n||a.example^$xhr,removeparam=x\n||b.example^$~xhr,removeparam=x";
        for (url, kind, wanted) in [
            ("https://a.example/?utm=1&q=2&x=3", "document", "https://a.example/?q=2&x=3"),
            ("https://a.example/?utm=1&q=2&x=3", "xhr", "https://a.example/?q=2"),
            ("https://a.example/?utm=1", "script", "https://a.example/?utm=1"),
            ("https://a.example/?utm=", "subdocument", "https://a.example/"),
            ("https://b.example/?x=1&utm_s=2#x", "document", "https://b.example/?utm_s=2#x"),
            ("https://b.example/?x=1", "xhr", "https://b.example/?x=1"),
            ("https://b.example/?x=1", "image", "https://b.example/?x=1"),
        ] {
            assert_eq!(shortened(rules, url, kind), wanted, "{kind}");
        }
    }

    #[test]
    fn an_exception_is_for_one_parameter_or_for_all() {
        let rules = "$removeparam=utm\n$removeparam=x\n@@||a.example^$removeparam\n@@||b.example/*/book/$removeparam=x";
        for (url, wanted) in [
            ("https://a.example/?utm=1&x=3", "https://a.example/?utm=1&x=3"),
            ("https://b.example/1/book/?utm=1&x=3", "https://b.example/1/book/?x=3"),
            ("https://b.example/?utm=1&x=3", "https://b.example/"),
        ] {
            assert_eq!(shortened(rules, url, "document"), wanted);
        }
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        assert!(ParamRule::read("||a.example^$removeparam").unwrap().is_err());
        assert!(ParamRule::read("$removeparam=/^ad/").unwrap().is_err());
        assert_eq!(ParamRule::read("||a.example^$script"), None);
    }
}
