//! The built-in list: hosts whose elements leave pages, most of which are refused as requests too.
//!
//! Pages wait for what some of these hosts send, and no exception of the list says which page. So `spared-hosts.txt` names those
//! that are not refused. Their rules are for elements alone: they have a condition that only [`for_element`] fulfils.

use std::collections::HashSet;

use adblock::{request::Request, utils::fast_hash};

use super::syntax::{self, Rules};

/// Advertising hosts: a page's elements and links that lead there are removed.
pub(super) const BUILTIN_LIST: &str = include_str!("../../adservers.txt");

/// Hosts of the list that are not refused, one a line.
const SPARED_HOSTS: &str = include_str!("../../spared-hosts.txt");

/// The page to which rules for elements alone are limited; a name that no page has.
const ELEMENTS_PAGE: &str = "elements.gleaner.invalid";

/// The rules of the built-in list.
pub(super) fn builtin_rules() -> Rules {
    let spared: HashSet<&str> = SPARED_HOSTS.lines().map(str::trim).collect();
    let mut rules = syntax::read(BUILTIN_LIST);
    let is_spared = |rule: &str| spared.contains(rule.trim_start_matches("||").trim_end_matches('^'));
    let ends = |rule| if is_spared(rule) { ["$domain=", ELEMENTS_PAGE, "\n"] } else { ["", "", "\n"] };
    rules.text = rules.text.lines().flat_map(|rule| std::iter::once(rule).chain(ends(rule))).collect();
    rules
}

/// A rule as the built-in list has it, without the condition.
pub(super) fn without_condition(rule: &str) -> &str {
    rule.strip_suffix(ELEMENTS_PAGE).and_then(|rule| rule.strip_suffix("$domain=")).unwrap_or(rule)
}

/// Lets rules for elements alone match this request.
pub(super) fn for_element(request: &mut Request) {
    request.source_hostname_hashes.get_or_insert_default().push(fast_hash(ELEMENTS_PAGE));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spared_host_is_on_the_list() {
        let listed: HashSet<&str> = BUILTIN_LIST.lines().collect();
        let named = || SPARED_HOSTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        for host in named() {
            assert!(listed.contains(host.trim_start_matches('!')), "{host}");
        }
        assert!(named().count() > 200);
    }
}
