//! Lists as they are written, made into the one syntax that the engine reads: hosts files and plain hosts become rules for
//! hosts, and what a list says is for other blockers is left out.

use std::collections::HashSet;

/// What is true for the conditions of uBlock Origin's lists (`!#if`): the proxy's clients are browsers like Chromium.
const TRUE: [&str; 3] = ["ext_ublock", "env_chromium", "cap_user_stylesheet"];

/// A list in the engine's syntax.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) text: String,
    /// Whether there are rules for whole hosts (`||host^`) and nothing else.
    pub(super) hosts_only: bool,
    /// Exceptions for all that a page loads (`@@…$document`), written as rules that forbid the page.
    pub(super) pages: String,
    /// Selectors that no list may hide on any page (`#@#…` without a site).
    pub(super) unhidden: HashSet<String>,
}

pub(super) fn read(list: &str) -> Rules {
    let mut rules = Rules { text: String::with_capacity(list.len()), hosts_only: true, ..Rules::default() };
    // Whether the lines of each open condition count.
    let mut conditions: Vec<bool> = Vec::new();
    for line in list.lines() {
        let line = line.trim();
        if let Some(condition) = line.strip_prefix("!#if ") {
            conditions.push(holds(condition));
        } else if line.starts_with("!#else") {
            conditions.last_mut().into_iter().for_each(|holds| *holds = !*holds);
        } else if line.starts_with("!#endif") {
            conditions.pop();
        } else if !line.is_empty() && !is_comment(line) && conditions.iter().all(|holds| *holds) {
            rules.add(line);
        }
    }
    rules
}

/// The hosts of a list that has rules for hosts and nothing else.
pub(super) fn hosts_alone(rules: &Rules) -> impl Iterator<Item = &str> {
    rules.text.lines().filter_map(|line| line.strip_prefix("||")?.strip_suffix('^'))
}

/// How many rules a list has, before anything is known of their worth.
pub(super) fn count(list: &str) -> usize {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).count()
}

impl Rules {
    /// Takes out the rules that hide what one of these selectors means.
    pub(super) fn unhide(&mut self, unhidden: &HashSet<String>) {
        let is_unhidden = |line: &&str| line.split_once("##").is_some_and(|(_, selector)| unhidden.contains(selector));
        self.text = self.text.lines().filter(|line| !is_unhidden(line)).flat_map(|line| [line, "\n"]).collect();
    }

    fn add(&mut self, line: &str) {
        if let Some(selector) = line.strip_prefix("#@#") {
            self.unhidden.insert(selector.trim().to_owned());
            return;
        }
        if let Some(rule) = line.strip_prefix("@@").filter(|rule| is_for_pages(rule)) {
            self.pages.push_str(rule);
            self.pages.push('\n');
        }
        let Some(hosts) = hosts(line) else {
            self.hosts_only &= is_host_rule(line);
            self.text.push_str(line);
            self.text.push('\n');
            return;
        };
        for host in hosts {
            self.text.push_str("||");
            self.text.push_str(host);
            self.text.push_str("^\n");
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with(['!', '[']) || line.starts_with('#') && !is_for_elements(line)
}

/// Whether a line that begins with `#` is a rule for elements of all pages, such as `##.ad`, `###ad` and `#@#.ad`.
fn is_for_elements(line: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\\');
    match line.strip_prefix("##").map(|selector| selector.strip_prefix('#').unwrap_or(selector)) {
        Some(rest) => rest.starts_with(|c: char| is_name(c) || matches!(c, '.' | '[' | '*' | ':' | '^' | '+')),
        None => ["#@#", "#?#", "#$#", "#@?#"].iter().any(|sign| line.starts_with(sign)),
    }
}

/// Whether an exception is for all that a page loads, as in EasyList. uBlock Origin's own `$doc` is for the page alone.
fn is_for_pages(rule: &str) -> bool {
    rule.rsplit_once('$').is_some_and(|(_, options)| options.split(',').any(|option| option == "document"))
}

/// The hosts of a line of a hosts file, without names of the machine itself, or of a line that is a host and nothing else.
fn hosts(line: &str) -> Option<Vec<&str>> {
    let line = match line.split_once(" #").or_else(|| line.split_once("\t#")) {
        Some((before, _)) => before,
        None => line,
    };
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let has_address = words.len() > 1 && words[0].parse::<std::net::IpAddr>().is_ok();
    if has_address {
        words.remove(0);
    }
    let hosts: Vec<&str> = words.iter().map(|word| word.trim_end_matches('.')).filter(|word| is_host(word)).collect();
    (has_address || words.len() == 1 && hosts.len() == 1).then_some(hosts)
}

fn is_host(word: &str) -> bool {
    word.contains('.')
        && word.parse::<std::net::IpAddr>().is_err()
        && word.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

/// `||host^`
fn is_host_rule(line: &str) -> bool {
    line.strip_prefix("||").and_then(|rest| rest.strip_suffix('^')).is_some_and(is_host)
}

/// Whether a condition such as `env_chromium && !cap_html_filtering` holds.
fn holds(condition: &str) -> bool {
    let is_true = |word: &str| {
        let word = word.trim();
        match word.strip_prefix('!') {
            Some(word) => !TRUE.contains(&word.trim()),
            None => TRUE.contains(&word),
        }
    };
    condition.split("||").any(|all| all.split("&&").all(is_true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_syntax_becomes_rules() {
        let list = "! comment\n# comment\n#\n[Adblock Plus 2.0]\n127.0.0.1 localhost\n0.0.0.0 a.example b.example # two\n\
                    ::1 ip6-localhost\nplain.example\nplain.example. # with a note\n||rule.example^\n@@||not.example^$script\n\
                    /ads/*$image\n##.banner\n###top_ad\nsite.example##.ad\n#@#.ad-box\n### not a rule\n#### x\n&ad_box_\n\n";
        let wanted = "||a.example^\n||b.example^\n||plain.example^\n||plain.example^\n||rule.example^\n\
                      @@||not.example^$script\n/ads/*$image\n##.banner\n###top_ad\nsite.example##.ad\n\
                      &ad_box_\n";
        let rules = read(list);
        assert_eq!(rules.text, wanted);
        assert_eq!(rules.unhidden, HashSet::from([".ad-box".to_owned()]));
        assert!(!rules.hosts_only);
        assert!(read("a.example\n||b.example^\n0.0.0.0 c.example").hosts_only);
    }

    #[test]
    fn exceptions_for_pages_are_told_apart() {
        let rules = read(
            "@@||a.example^$document\n@@||b.example^$doc\n@@||c.example^$image,document\n@@||d.example/document\n",
        );
        assert_eq!(rules.pages, "||a.example^$document\n||c.example^$image,document\n");
        assert_eq!(rules.text.lines().count(), 4);
    }

    #[test]
    fn conditions_of_other_blockers_do_not_hold() {
        let list = "a.example\n!#if env_firefox\nb.example\n!#else\nc.example\n!#endif\n!#if !env_mobile && ext_ublock\n\
                    d.example\n!#if adguard || cap_html_filtering\ne.example\n!#endif\n!#endif\nf.example";
        assert_eq!(read(list).text, "||a.example^\n||c.example^\n||d.example^\n||f.example^\n");
    }
}
