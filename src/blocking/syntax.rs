//! Lists as they are written, made into the one syntax that the engine reads: hosts files and plain hosts become rules for
//! hosts, and what a list says is for other blockers is left out.

use std::{borrow::Cow, collections::HashSet};

use gleaner_filters::registrable_domain;

use super::{
    dns_formats::{self, DnsLine, is_host},
    params::{ALL_KINDS, ParamRule},
    refusal::{self, NO_RULE, refusal},
};

/// Conditions of uBlock Origin's lists (`!#if`) that are true: the proxy's clients are browsers like Chromium.
const TRUE: [&str; 3] = ["ext_ublock", "env_chromium", "cap_user_stylesheet"];

/// A list in the engine's syntax.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) text: String,
    /// Whether there are rules for whole hosts (`||host^`) and nothing else.
    pub(super) hosts_only: bool,
    /// Exceptions for all that a page loads (`@@…$document`), written as rules that forbid the page.
    pub(super) pages: String,
    /// Exceptions that hold for a page to go to, likewise. To the compiler every exception does, such as `@@…$image`.
    pub(super) documents: String,
    /// Rules that can do nothing here, with the reason.
    pub(super) refused: Vec<(String, &'static str)>,
    /// The weight of all regular expressions so far.
    pub(super) regexes: usize,
    /// Rules that take parameters out of addresses.
    pub(super) params: Vec<ParamRule>,
    /// Selectors that no list may hide on any page (`#@#…` without a site).
    pub(super) never_hidden: HashSet<String>,
}

pub(super) fn read(list: &str) -> Rules {
    let mut rules = Rules { text: String::with_capacity(list.len()), hosts_only: true, ..Rules::default() };
    // Whether the lines of each open condition count.
    let mut conditions: Vec<bool> = Vec::new();
    for line in list.trim_start_matches(MARK).lines() {
        let line = line.trim();
        if let Some(condition) = line.strip_prefix("!#if").filter(|rest| rest.starts_with([' ', '\t', '('])) {
            conditions.push(holds(condition));
        } else if line.starts_with("!#else") {
            conditions.last_mut().into_iter().for_each(|holds| *holds = !*holds);
        } else if line.starts_with("!#endif") {
            conditions.pop();
        } else if line.starts_with("!#include") {
            rules.refused.push((line.to_owned(), "another list, which is not fetched"));
        } else if !line.is_empty() && !is_comment(line) && conditions.iter().all(|holds| *holds) {
            rules.add(line);
        }
    }
    rules
}

/// The hosts of a list that has rules for hosts and nothing else.
pub(super) fn hosts_alone(rules: &Rules) -> impl Iterator<Item = &str> {
    rules.text.lines().filter_map(|line| Some(line.strip_prefix("||")?.split_once('^')?.0))
}

/// The byte order mark that some editors put in front of UTF-8.
const MARK: char = '\u{feff}';

/// Whether a text is a list with rules, and not a web page, prose or data of another kind.
pub(crate) fn is_list(text: &str) -> bool {
    count(text) > 0 && read(text).no_list(text).is_none()
}

/// Characters that are not seen and change what else is, in a terminal too: those of control, and of the direction of writing.
fn is_unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The rules that can do nothing here, as they can be shown, with the reason.
pub(super) fn refused(list: &str) -> Vec<(String, String)> {
    let rules = read(list);
    let shown = |c: char| if is_unseen(c) { c.escape_unicode().to_string() } else { c.into() };
    let ours = rules.refused.iter().map(|(rule, reason)| (rule.chars().map(shown).collect(), (*reason).to_owned()));
    let of_compiler = |rule: &str| Some((rule.to_owned(), refusal::refusal_of_compiler(rule)?));
    ours.chain(rules.text.lines().filter_map(of_compiler)).collect()
}

/// The rule of a list that hides on a site what a selector means.
pub(super) fn hiding_rule(list: &str, site: &str, selector: &str) -> Option<String> {
    let is_on = |hosts: &str| {
        let is_under = |host: &str| match host.strip_suffix(".*") {
            // Whatever public suffix follows.
            Some(name) => registrable_domain(site).split_once('.').is_some_and(|(first, _)| first == name),
            None => site.strip_suffix(host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        };
        let mut named = hosts.split(',').filter(|host| !host.starts_with('~')).peekable();
        named.peek().is_none() || named.any(|host| host.is_empty() || is_under(host))
    };
    let hides = |line: &&str| {
        let parts = line.split_once("##").or_else(|| line.split_once("#?#"));
        parts.is_some_and(|(hosts, text)| without_remove(text.trim()) == selector && is_on(hosts))
    };
    list.lines().map(str::trim).filter(|line| !line.contains(is_unseen)).find(hides).map(str::to_owned)
}

/// How many rules a list has, before anything is known of their worth.
pub(crate) fn count(list: &str) -> usize {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).count()
}

impl Rules {
    /// Takes out the rules that hide what one of these selectors means.
    pub(super) fn unhide(&mut self, never_hidden: &HashSet<String>) {
        let is_unhidden =
            |line: &&str| line.split_once("##").is_some_and(|(_, selector)| never_hidden.contains(selector));
        self.text = self.text.lines().filter(|line| !is_unhidden(line)).flat_map(|line| [line, "\n"]).collect();
    }

    /// Why a text is no list, but data of another kind.
    pub(super) fn no_list(&self, text: &str) -> Option<String> {
        let others = self.refused.iter().filter(|(_, reason)| *reason == NO_RULE).count();
        let all = count(text);
        (others > 0 && others * 2 >= all).then(|| format!("{others} of its {all} lines are no rules"))
    }

    fn add(&mut self, line: &str) {
        let line = without_remove(line.strip_prefix('*').filter(|rule| rule.starts_with("##")).unwrap_or(line));
        if line.contains(|c: char| is_unseen(c) && c != '\t') {
            self.refused.push((line.to_owned(), NO_RULE));
        } else if is_host_rule(line) {
            self.text.extend([line, "\n"]);
        } else if let Some(meaning) = dns_formats::read(line) {
            self.add_dns_line(line, &meaning);
        } else if let Some(host) = host_of_regex(line) {
            self.text.extend(["||", &host, "^\n"]);
        } else if let Some(reason) = refusal(line, &mut self.regexes) {
            self.refused.push((line.to_owned(), reason));
        } else {
            self.add_other(line);
        }
    }

    fn add_dns_line(&mut self, line: &str, meaning: &DnsLine<'_>) {
        match meaning {
            DnsLine::Forbidden(hosts) => self.text.extend(hosts.iter().flat_map(|host| ["||", host, "^\n"])),
            DnsLine::Allowed(host) => self.add_other(&format!("@@||{host}^")),
            DnsLine::OwnAddress => self.refused.push((line.to_owned(), "a name with an address of its own")),
        }
    }

    /// Adds a line that is no rule for a host.
    fn add_other(&mut self, line: &str) {
        self.hosts_only = false;
        let line = with_port(line).map_or(Cow::Borrowed(line), Cow::Owned);
        let line = &*without_popup(&line).map_or(line, Cow::Owned);
        if let Some(selector) = line.strip_prefix("#@#") {
            self.never_hidden.insert(selector.trim().to_owned());
            return;
        }
        if let Some(Ok(rule)) = ParamRule::read(line) {
            self.params.push(rule);
            return;
        }
        if let Some(rule) = line.strip_prefix("@@") {
            self.add_exception(rule);
        }
        match line.strip_suffix("$/").filter(|_| line.starts_with('/')) {
            // The compiler would take the end of this regular expression for options.
            Some(regex) => self.text.extend([regex, "\\z/\n"]),
            None => self.text.extend([line, "\n"]),
        }
    }

    fn add_exception(&mut self, rule: &str) {
        let (pattern, options) = options_of(rule);
        let has = |words: &[&str]| options.iter().any(|option| words.contains(option));
        if has(&["document"]) {
            self.pages.extend([rule, "\n"]);
        }
        let is_for_kinds = options.iter().any(|option| ALL_KINDS.contains(&option.trim_start_matches('~')));
        let is_modifier =
            options.iter().any(|option| MODIFIERS.contains(&option.split('=').next().unwrap_or_default()));
        if has(&["document", "doc", "all"]) || !is_for_kinds && !is_modifier {
            let options = options.iter().filter(|option| !["document", "doc", "all"].contains(option));
            let options: String = options.flat_map(|option| [",", option]).collect();
            self.documents.extend([pattern, "$document", &options, "\n"]);
        }
    }
}

/// `||host:8080/x` as `||host^8080/x`: the compiler compares hosts with what stands before the first `^` or `/`.
fn with_port(rule: &str) -> Option<String> {
    let (begin, port) = rule.split_once(':')?;
    let host = begin.strip_prefix("@@").unwrap_or(begin).strip_prefix("||")?;
    let is_one = !host.contains(['/', '^', '*', '$']) && port.starts_with(|c: char| c.is_ascii_digit());
    is_one.then(|| format!("{begin}^{port}"))
}

/// A rule for pop-ups and other kinds of request without the pop-ups, of which a proxy knows nothing.
fn without_popup(rule: &str) -> Option<String> {
    let (pattern, options) = options_of(rule);
    let is_kind = |option: &&str| ALL_KINDS.contains(option);
    let has_both = options.contains(&"popup") && options.iter().any(is_kind) && !rule.contains("##");
    let kept = options.iter().filter(|option| **option != "popup").copied().collect::<Vec<_>>().join(",");
    has_both.then(|| format!("{pattern}${kept}"))
}

/// A rule that takes elements out, as one that hides them: they leave a page either way.
fn without_remove(rule: &str) -> &str {
    let endings = [":remove()", "{remove:true;}", "{ remove: true; }"];
    endings.iter().find_map(|ending| rule.strip_suffix(ending)).map_or(rule, str::trim_end)
}

/// Options of exceptions that are none from a rule that forbids a request.
const MODIFIERS: [&str; 10] = [
    "generichide",
    "ghide",
    "elemhide",
    "ehide",
    "specifichide",
    "shide",
    "csp",
    "redirect",
    "redirect-rule",
    "removeparam",
];

/// A rule's pattern and its options.
fn options_of(rule: &str) -> (&str, Vec<&str>) {
    match rule.rsplit_once('$') {
        // The end of a regular expression.
        None | Some((_, "/")) => (rule, Vec::new()),
        Some((pattern, options)) => (pattern, options.split(',').collect()),
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with('!')
        || line.starts_with('[') && !line.starts_with("[$")
        || line.starts_with('#') && !is_for_elements(line)
}

/// Whether a line that begins with `#` is a rule for elements of all pages, such as `##.ad`, `###ad` and `#@#.ad`.
fn is_for_elements(line: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\\');
    match line.strip_prefix("##").map(|selector| selector.strip_prefix('#').unwrap_or(selector)) {
        Some(rest) => rest.starts_with(|c: char| is_name(c) || matches!(c, '.' | '[' | '*' | ':' | '^' | '+')),
        None => ["#@#", "#?#", "#$#", "#@?#"].iter().any(|sign| line.starts_with(sign)),
    }
}

/// The host of Pi-hole's `(^|\.)host\.example$`.
fn host_of_regex(line: &str) -> Option<String> {
    let host = line.strip_prefix("(^|\\.)")?.strip_suffix('$')?.replace("\\.", ".");
    is_host(&host).then_some(host)
}

/// `||host^`
fn is_host_rule(line: &str) -> bool {
    line.strip_prefix("||").and_then(|rest| rest.strip_suffix('^')).is_some_and(is_host)
}

/// Whether a condition such as `env_chromium && !(cap_html_filtering || adguard)` holds.
fn holds(condition: &str) -> bool {
    let mut condition: String = condition.split_whitespace().collect();
    // What stands in brackets first.
    while let Some((begin, end)) = innermost_brackets(&condition) {
        let word = if is_true(&condition[begin + 1..end]) { "true" } else { "false" };
        condition.replace_range(begin..=end, word);
    }
    is_true(&condition)
}

fn innermost_brackets(condition: &str) -> Option<(usize, usize)> {
    let end = condition.find(')')?;
    Some((condition[..end].rfind('(')?, end))
}

/// Whether a condition without brackets and spaces holds.
fn is_true(condition: &str) -> bool {
    let is_one = |word: &str| {
        let name = word.trim_start_matches('!');
        (word.len() - name.len()) % 2 == usize::from(name != "true" && !TRUE.contains(&name))
    };
    condition.split("||").any(|all| all.split("&&").all(is_one))
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
        assert_eq!(rules.never_hidden, HashSet::from([".ad-box".to_owned()]));
        assert!(!rules.hosts_only);
        assert!(read("a.example\n||b.example^\n0.0.0.0 c.example").hosts_only);
    }

    #[test]
    fn hosts_with_all_under_them_are_hosts() {
        let rules = read("*.a.example\n(^|\\.)b\\.example$\n0.0.0.0 c.example\n");
        assert_eq!(rules.text, "||a.example^\n||b.example^\n||c.example^\n");
        assert!(rules.hosts_only);
        assert_eq!(read("/ads\\.js$/").text, "/ads\\.js\\z/\n");
    }

    #[test]
    fn what_other_blockers_write_otherwise_is_used_or_counted() {
        let rules = read("*##.ad\nb\u{fc}cher.example\n[$domain=a.example]##.x\n!#include more.txt\n");
        assert_eq!(rules.text, "##.ad\n||xn--bcher-kva.example^\n");
        assert_eq!(rules.refused.len(), 2, "{:?}", rules.refused);
    }

    #[test]
    fn a_rule_for_pop_ups_and_pages_is_one_for_pages() {
        let rules = read(
            "||a.example^$document,popup\n||b.example^$popup,doc,3p\n||c.example^$popup\n@@||d.example^$popup,frame",
        );
        assert!(rules.text.starts_with("||a.example^$document\n||b.example^$doc,3p\n"), "{}", rules.text);
        assert!(rules.text.ends_with("@@||d.example^$frame\n"), "{}", rules.text);
    }

    #[test]
    fn a_web_page_or_prose_is_no_list() {
        let page = |begin: &str, line: &str| format!("{begin}\n{}", format!("{line}\n").repeat(60));
        for text in [
            page("<!-- portal -->\n<html>", "<p>Log in to this hotel</p>"),
            page("\u{feff}\n\n<html>", "<p>x"),
            page("<script>", "  var x = 1;"),
            page("<?xml version='1.0'?>", "<a/>"),
            page("{", "  \"key\": \"value\","),
            page("", "The town clock has a single hand."),
            "a.example\0\n".to_owned(),
            page("\u{7f}ELF", "\u{1b}[2J http https"),
            "error".to_owned(),
            "OK\r\n".to_owned(),
            page("domain,category,first_seen", "ads.example,malware,2026-11-01"),
            page("id;host", "1;ads.example"),
            page("", "ads.example\tmalware"),
            "null\n".to_owned(),
        ] {
            assert!(!is_list(&text), "{text}");
        }
        for text in ["a.example\n", "||a^\n##.ad\n<p>\n", "a.example##+js(x)\n", "\u{feff}! Title: x\n||a.example^"] {
            assert!(is_list(text), "{text}");
        }
    }

    #[test]
    fn what_steers_a_terminal_is_no_rule_and_is_shown_escaped() {
        let list =
            "||x.example^$\u{1b}]52;c;aGk=\u{7}\n##[title=\"\u{202e}\"]\n~a\u{1b}.example##.ad\n0.0.0.0\ta.example\n";
        assert_eq!(read(list).text, "||a.example^\n");
        assert!(refused(list).iter().all(|(rule, _)| !rule.contains(is_unseen)), "{:?}", refused(list));
        assert!(refused(list)[0].0.starts_with("||x.example^$\\u{1b}]52"));
        assert_eq!(hiding_rule(list, "b.example", ".ad"), None);
    }

    #[test]
    fn regular_expressions_are_bounded_one_by_one_and_all_together() {
        let rules = |line: &dyn Fn(usize) -> String| read(&(0..20_000).map(|at| line(at) + "\n").collect::<String>());
        let large = rules(&|at| format!("/(x{{1,200}}[a-z]{{1,200}}){{1,30}}{at}/"));
        assert_eq!(large.text, "");
        for many in [rules(&|at| format!("/[a-z]{{400}}{at}/")), rules(&|at| format!("*a^*{at}*^b"))] {
            let used = many.text.lines().count();
            assert!((500..10_000).contains(&used) && used + many.refused.len() == 20_000, "{used}");
        }
    }

    #[test]
    fn the_rule_that_hides_is_found_by_its_selector() {
        let list = "! x\na.example##.ad\n~c.example##.ad\nshop.*##.box\nb.example##p:has-text(Ad):remove()\nb.example##.out {remove:true;}\n";
        assert!(read(list).refused.is_empty() && read(list).text.ends_with("##p:has-text(Ad)\nb.example##.out\n"));
        let removes = Some("b.example##p:has-text(Ad):remove()");
        assert_eq!(hiding_rule(list, "b.example", "p:has-text(Ad)").as_deref(), removes);
        assert_eq!(hiding_rule(list, "www.a.example", ".ad").as_deref(), Some("a.example##.ad"));
        assert_eq!(hiding_rule(list, "b.example", ".ad").as_deref(), Some("~c.example##.ad"));
        assert_eq!(hiding_rule(list, "shop.co.uk", ".box").as_deref(), Some("shop.*##.box"));
        assert_eq!(hiding_rule(list, "b.example", ".box"), None);
    }

    #[test]
    fn exceptions_for_pages_are_told_apart() {
        let rules = read(
            "@@||a.example^$document\n@@||b.example^$doc\n@@||c.example^$image,document\n@@||d.example/document\n",
        );
        assert_eq!(rules.pages, "||a.example^$document\n||c.example^$image,document\n");
        assert_eq!(rules.text.lines().count(), 4);
        let rules = read(
            "@@||a.example^\n@@||b.example^$image\n@@||c.example^$~script\n@@||d.example^$ghide\n@@||e.example^$doc,3p\n",
        );
        assert_eq!(rules.documents, "||a.example^$document\n||e.example^$document,3p\n");
    }

    #[test]
    fn conditions_of_other_blockers_do_not_hold() {
        let list = "a.example\n!#if env_firefox\nb.example\n!#else\nc.example\n!#endif\n!#if !env_mobile && ext_ublock\n\
                    d.example\n!#if adguard || cap_html_filtering\ne.example\n!#endif\n!#endif\nf.example";
        assert_eq!(read(list).text, "||a.example^\n||c.example^\n||d.example^\n||f.example^\n");
        for (condition, is_true) in [
            ("(env_chromium)", true),
            ("(adguard && !adguard_ext_safari) || (ext_ublock && !env_firefox)", true),
            ("!(env_chromium && ext_ublock)", false),
            ("!!env_chromium", true),
            ("env_chromium && (adguard || (cap_html_filtering || true))", true),
            ("false", false),
            ("!false", true),
            ("(", false),
        ] {
            assert_eq!(holds(condition), is_true, "{condition}");
        }
    }
}
