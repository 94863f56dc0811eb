//! The compiled rules of the blocking lists, and the queries on them: whether a request is blocked, which elements are
//! hidden, and by which rule.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use adblock::{
    blocker::BlockerResult,
    request::{Request, RequestType},
    sourcemap::FilterRuleDebugInfo,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use gleaner_filters::{Hiding, Names, Selectors};
use tracing::warn;
use url::Url;

use super::{
    compiled::{WORTH_A_FILE, compile, compile_some, compiled_file, init_domain_resolver, keep, read, request},
    params::Params,
    spared::{for_element, without_condition},
    stubs::{LIBRARIES, resources},
    syntax::{self, Rules},
};
use crate::config::{HostPatterns, ListSource};

/// A list.
#[derive(Debug)]
pub(super) struct RuleList {
    /// Name of the list in messages.
    pub(super) name: String,
    pub(super) rules: Rules,
}

/// A rule of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The list.
    pub list: String,
    /// The rule, as it is written.
    pub text: String,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.list, self.text)
    }
}

impl Rule {
    /// Its list as everybody may read it: without a folder of this machine, or a key in an address.
    pub(crate) fn short_list(&self) -> String {
        self.list.parse().map(|list: ListSource| list.short_name()).unwrap_or_default()
    }

    /// Whether it does not hold on some sites (`$domain=~site`).
    pub(super) fn spares_sites(&self) -> bool {
        let options = self.text.rsplit_once('$').map_or("", |(_, options)| options);
        let sites =
            options.split(',').filter_map(|option| option.strip_prefix("domain=").or(option.strip_prefix("from=")));
        sites.flat_map(|sites| sites.split('|')).any(|site| site.starts_with('~'))
    }

    /// The list's short name and the rule.
    pub(super) fn short(&self) -> String {
        format!("{}: {}", self.short_list(), self.text)
    }
}

/// The verdict of the rules on a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No rule forbids it.
    Allowed,
    /// A rule forbids it, and another makes an exception.
    Excepted {
        /// The rule that forbids it.
        rule: Rule,
        /// The exception.
        exception: Rule,
    },
    /// The request is forbidden.
    Blocked {
        /// The rule that forbids it.
        rule: Rule,
        /// Substitute that the rules want: a media type and its content.
        instead: Option<(String, Vec<u8>)>,
    },
    /// The request is allowed without some of its parameters (`$removeparam`).
    ParamsRemoved {
        /// The address without them.
        to: Url,
        /// The first rule that takes one out.
        rule: Rule,
    },
}

/// How many rules of a list are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rules for requests.
    pub requests: usize,
    /// Rules for elements.
    pub elements: usize,
    /// Rules that this program cannot use.
    pub refused: usize,
}

pub(super) struct Engine {
    rules: adblock::Engine,
    /// Exceptions for all that a page loads, as rules that forbid the page; most lists have none.
    pages: Option<adblock::Engine>,
    /// Exceptions for pages to go to, likewise.
    documents: Option<adblock::Engine>,
    params: Params,
    /// Rule counts of each list that the adblock engine does not know of.
    counts_beside: Vec<Counts>,
    lists: Vec<String>,
    /// The hosts of all rules, where there are rules for whole hosts and nothing else.
    hosts: Option<HostPatterns>,
    /// The selectors that hold on every page, whatever its classes and ids.
    common: Option<Arc<Selectors>>,
    hides: bool,
    /// The file of the compiled rules.
    file: Option<PathBuf>,
}

impl Engine {
    /// Compiles lists, or reads them from `cache` where they were compiled before.
    pub(super) fn new(lists: Vec<RuleList>, cache: Option<&Path>) -> Engine {
        init_domain_resolver();
        let (mut names, mut texts): (Vec<_>, Vec<_>) = lists.into_iter().map(|list| (list.name, list.rules)).unzip();
        let never_hidden: HashSet<String> = texts.iter().flat_map(|rules| &rules.never_hidden).cloned().collect();
        for rules in texts.iter_mut().filter(|_| !never_hidden.is_empty()) {
            rules.unhide(&never_hidden);
        }
        // The last, so that no list's number changes.
        names.push(String::new());
        texts.push(Rules { text: LIBRARIES.to_owned(), hosts_only: true, ..Rules::default() });
        let length: usize = texts.iter().map(|rules| rules.text.len()).sum();
        let file = cache.filter(|_| length >= WORTH_A_FILE).map(|dir| compiled_file(dir, &names, &texts));
        let kept = file.as_deref().and_then(|file| read(file).ok());
        let is_kept = kept.is_some();
        let hosts_only = texts.iter().all(|rules| rules.hosts_only);
        let counts_beside =
            |rules: &Rules| Counts { requests: rules.params.len(), elements: 0, refused: rules.refused.len() };
        let counts_beside = texts.iter().map(counts_beside).collect();
        let params: Vec<_> = texts.iter_mut().map(|rules| std::mem::take(&mut rules.params)).collect();
        let mut engine = Engine {
            counts_beside,
            params: Params::new(&params),
            hosts: hosts_only
                .then(|| texts.iter().flat_map(syntax::hosts_alone).map(str::to_ascii_lowercase).collect()),
            pages: compile_some(&mut texts, |rules| &mut rules.pages),
            documents: compile_some(&mut texts, |rules| &mut rules.documents),
            rules: kept.unwrap_or_else(|| compile(texts.into_iter().map(|rules| rules.text))),
            lists: names,
            common: None,
            hides: false,
            file: None,
        };
        engine.hides = engine.counts().iter().any(|counts| counts.elements > 0);
        engine.rules.use_resources(resources());
        if engine.hides {
            let everywhere = engine.rules.url_cosmetic_resources("https://nowhere.invalid/");
            engine.common = Some(Arc::new(Selectors::compile(sorted(everywhere.hide_selectors))));
        }
        if let Some(file) = file.as_ref().filter(|_| !is_kept)
            && let Err(error) = keep(file, &engine.rules)
        {
            warn!(%error, file = %file.display(), "the compiled lists cannot be kept, so that the next start takes longer");
        }
        engine.file = file;
        engine
    }

    /// The file of the compiled rules, where they are long.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The rules in use of each list, in their order.
    pub(super) fn counts(&self) -> Vec<Counts> {
        let sources = self.rules.get_debug_info().source_info;
        let count = |(source, counts_beside): (adblock::engine::SourceInfo, &Counts)| Counts {
            requests: source.network_filter_count as usize + counts_beside.requests,
            elements: source.cosmetic_filter_count as usize,
            refused: source.parse_error as usize + counts_beside.refused,
        };
        sources.into_iter().zip(&self.counts_beside).map(count).collect()
    }

    /// Whether there are rules for whole hosts and nothing else.
    pub(super) fn is_by_host_alone(&self) -> bool {
        self.hosts.is_some()
    }

    /// Whether a rule may forbid a request to this host. Where there are rules for hosts alone, this takes a hundredth of the time of
    /// asking them.
    pub(super) fn may_block(&self, host: &str) -> bool {
        self.hosts.as_ref().is_none_or(|hosts| hosts.matches(host.trim_end_matches('.')))
    }

    /// The verdict of the rules on a request for `url` that a page at `page` makes; empty where the page is not known. `kind` is a word of
    /// the crate's.
    pub(super) fn judge(&self, url: &str, page: &str, kind: &str, method: &str) -> Verdict {
        let Some(request) = request(url, page, kind, method) else {
            return Verdict::Allowed;
        };
        let found = self.check(&request);
        if found.should_block() {
            let rule = self.rule(found.filter);
            if let Some(exception) = self.page_exception(page).filter(|_| !found.important) {
                return Verdict::Excepted { rule, exception };
            }
            return Verdict::Blocked { rule, instead: found.redirect.as_deref().and_then(content) };
        }
        match (self.params.judge(&request, &self.lists), found.filter, found.exception) {
            (Verdict::ParamsRemoved { to, rule }, ..) => match self.page_exception(page) {
                Some(exception) => Verdict::Excepted { rule, exception },
                None => Verdict::ParamsRemoved { to, rule },
            },
            (_, Some(rule), Some(exception)) => {
                Verdict::Excepted { rule: self.rule(Some(rule)), exception: self.rule(Some(exception)) }
            }
            (verdict, ..) => verdict,
        }
    }

    /// Whether the rules forbid this address to an element of the page `shown_on`.
    pub(super) fn blocks(&self, url: &str, page: &str, kind: &str, shown_on: &str) -> bool {
        self.element_result(url, page, kind)
            .is_some_and(|found| found.important || self.page_exception(shown_on).is_none())
    }

    /// The rule that forbids an address to an element.
    pub(super) fn element_rule(&self, url: &str, page: &str, kind: &str) -> Option<Rule> {
        self.element_result(url, page, kind).map(|found| self.rule(found.filter))
    }

    fn element_result(&self, url: &str, page: &str, kind: &str) -> Option<BlockerResult> {
        let mut request = request(url, page, kind, "get")?;
        for_element(&mut request);
        Some(self.check(&request)).filter(BlockerResult::should_block)
    }

    fn check(&self, request: &Request) -> BlockerResult {
        let mut found = self.rules.check_network_request(request);
        if request.request_type == RequestType::Document && found.exception.is_some() {
            let holds = |documents: &adblock::Engine| documents.check_network_request(request).filter.is_some();
            found.exception = found.exception.filter(|_| self.documents.as_ref().is_some_and(holds));
        }
        found
    }

    pub(super) fn has_page_exceptions(&self) -> bool {
        self.pages.is_some()
    }

    pub(super) fn excepts_page(&self, page: &str) -> bool {
        self.page_exception(page).is_some()
    }

    /// The exception for all that a page loads.
    fn page_exception(&self, page: &str) -> Option<Rule> {
        let request = request(page, page, "document", "get")?;
        let found = self.pages.as_ref()?.check_network_request(&request).filter?;
        let Rule { list, text } = self.rule(Some(found));
        Some(Rule { list, text: format!("@@{text}") })
    }

    fn rule(&self, found: Option<FilterRuleDebugInfo>) -> Rule {
        let found = found.unwrap_or_default();
        let list = found.source_location.and_then(|at| self.lists.get(at.source_index as usize));
        Rule {
            list: list.cloned().unwrap_or_default(),
            text: without_condition(&found.raw_line.unwrap_or_default()).to_owned(),
        }
    }

    /// The selectors of what the rules hide on a page.
    pub(super) fn hiding(&self, page: &Url, names: &dyn Fn() -> Names) -> Option<Hiding> {
        if !self.hides || self.page_exception(page.as_str()).is_some() {
            return None;
        }
        let found = self.rules.url_cosmetic_resources(page.as_str());
        let common = self.common.clone().filter(|_| !found.generichide);
        let mut own = found.hide_selectors;
        for text in common.iter().flat_map(|common| common.texts()) {
            own.remove(text);
        }
        let mut own = sorted(own);
        if common.is_some() {
            let Names { classes, ids } = names();
            own.extend(self.rules.hidden_class_id_selectors(classes, ids, &found.exceptions));
        }
        Some(Hiding { common, except: found.exceptions, own })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("lists", &self.lists).finish_non_exhaustive()
    }
}

/// In an order that is the same every time.
fn sorted(selectors: HashSet<String>) -> Vec<String> {
    let mut selectors: Vec<String> = selectors.into_iter().collect();
    selectors.sort_unstable();
    selectors
}

/// The media type and the content of `data:type;base64,…`.
fn content(data: &str) -> Option<(String, Vec<u8>)> {
    let (kind, content) = data.strip_prefix("data:")?.split_once(";base64,")?;
    Some((kind.to_owned(), BASE64_STANDARD.decode(content).ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn engine(text: &str) -> Engine {
        Engine::new(vec![list("list", text)], None)
    }

    fn list(name: &str, text: &str) -> RuleList {
        RuleList { name: name.to_owned(), rules: syntax::read(text) }
    }

    #[test]
    fn rules_for_hosts_alone_are_asked_by_the_name_and_decide_the_same() {
        let engine = engine("Ads.example\n0.0.0.0 t.track.example\n||shop-ads.example^\n");
        for host in [
            "ads.example",
            "a.ads.example",
            "badads.example",
            "ads.example.org",
            "t.track.example",
            "track.example",
            "x.shop-ads.example",
            "ads.example.",
            "example",
            "127.0.0.1",
        ] {
            let url = format!("https://{host}/x.js");
            let blocks = engine.blocks(&url, "https://news.example/", "script", "https://news.example/");
            assert_eq!(engine.may_block(host), blocks, "{host}");
        }
        assert!(engine.is_by_host_alone());
    }

    #[test]
    fn an_exception_for_a_page_holds_for_all_that_it_loads_and_shows() {
        let engine = engine(
            "||ads.example^\n||worse.example^$important\n||bank.example/*&id=$removeparam=id\n##.ad\n@@||bank.example^$document\n",
        );
        let at = |page: &str, url: &str| engine.judge(url, page, "script", "get");
        let exception = Rule { list: "list".to_owned(), text: "@@||bank.example^$document".to_owned() };
        let ads = "https://ads.example/x.js";
        assert!(
            matches!(at("https://bank.example/", ads), Verdict::Excepted { exception: found, .. } if found == exception)
        );
        assert!(matches!(at("https://news.example/", ads), Verdict::Blocked { .. }));
        assert!(matches!(at("https://bank.example/", "https://worse.example/"), Verdict::Blocked { .. }));
        let hides = |page: &str| engine.hiding(&page.parse().unwrap(), &Names::default).is_some();
        assert!(hides("https://news.example/") && !hides("https://bank.example/accounts"));
    }

    #[test]
    fn what_no_list_may_hide_is_hidden_nowhere() {
        let lists = ["##.ad\n##div.ad > p\nsite.example##.ad\n###own\n", "#@#.ad\n"].map(|text| list(text, text));
        let engine = Engine::new(lists.into(), None);
        let names = || Names { classes: ["ad".to_owned()].into(), ids: ["own".to_owned()].into() };
        let own = engine.hiding(&"https://site.example/".parse().unwrap(), &names).unwrap().own;
        assert_eq!(own, ["#own"]);
        assert_eq!(engine.counts()[0].elements, 2);
    }

    #[test]
    fn pages_at_addresses_and_names_without_a_dot_lose_what_is_hidden_everywhere() {
        let engine = engine("##.ad\n##div[data-ad]\nnas##.own\n192.168.1.7##.own\n");
        for page in [
            "http://nas/",
            "http://192.168.1.7/x",
            "http://[fd00::7]:8080/",
            "http://localhost:81/",
            "http://a.home.arpa/",
        ] {
            let names = || Names { classes: ["ad".to_owned()].into(), ids: HashSet::new() };
            let hiding = engine.hiding(&page.parse().unwrap(), &names).unwrap();
            assert!(hiding.common.is_some() && hiding.own.contains(&".ad".to_owned()), "{page}: {hiding:?}");
            assert_eq!(hiding.own.contains(&".own".to_owned()), page.contains("nas") || page.contains("192"), "{page}");
        }
    }

    #[test]
    fn an_exception_for_pictures_opens_no_page() {
        for (exception, opens) in
            [("$image", false), ("$script,3p", false), ("", true), ("$document", true), ("$doc", true)]
        {
            let engine = engine(&format!("||good.test^\n@@||good.test^{exception}\n"));
            let url = "https://good.test/";
            let page = engine.judge(url, url, "document", "get");
            assert_eq!(matches!(page, Verdict::Excepted { .. }), opens, "{exception}: {page:?}");
        }
        let engine = engine("||good.test^\n@@||good.test^$image\n");
        let picture = engine.judge("https://good.test/x", "https://news.example/", "image", "get");
        assert!(matches!(picture, Verdict::Excepted { .. }));
    }

    #[test]
    fn a_page_may_be_named_with_every_public_suffix() {
        let engine = engine(
            "/zz.$script,domain=google.*\n/yy.$domain=~google.*\n||ads.test^\n@@||ads.test^$domain=shop.*|b.example\n",
        );
        for (url, page, blocks) in [
            ("https://x.test/zz.js", "https://www.google.com/", true),
            ("https://x.test/zz.js", "https://google.co.uk/", true),
            ("https://x.test/zz.js", "https://a@www.google.com:8443/x?y#z", true),
            ("https://x.test/zz.js", "https://google.evil.com/", false),
            ("https://x.test/zz.js", "https://notgoogle.com/", false),
            ("https://x.test/yy.js", "https://www.google.de/", false),
            ("https://x.test/yy.js", "https://news.example/", true),
            ("https://ads.test/x", "https://a.shop.de/", false),
            ("https://ads.test/x", "https://shop.evil.de/", true),
        ] {
            assert_eq!(engine.blocks(url, page, "script", page), blocks, "{url} {page}");
        }
    }

    #[test]
    fn a_rule_for_a_host_may_have_a_port() {
        let engine =
            engine("||ads.example:8443^\n||a.example:81/x$image\n||192.0.2.5:8080^\n@@||ads.example:8443/good\n");
        for (url, blocks) in [
            ("https://ads.example:8443/x.png", true),
            ("https://t.ads.example:8443/x.png", true),
            ("https://ads.example/x.png", false),
            ("https://ads.example:84430/x.png", false),
            ("https://ads.example:8443/good", false),
            ("http://a.example:81/x.png", true),
            ("http://a.example:81/y.png", false),
            ("http://192.0.2.5:8080/", true),
            ("http://192.0.2.5:80/", false),
        ] {
            assert_eq!(engine.blocks(url, "https://news.example/", "image", "https://news.example/"), blocks, "{url}");
        }
    }

    #[test]
    fn damaged_compiled_rules_are_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let text = (0..20_000).map(|number| format!("||host{number}.example^")).collect::<Vec<_>>().join("\n");
        let _ = Engine::new(vec![list("list", &text)], Some(dir.path()));
        let file = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        let engine = Engine::new(vec![list("list", &text)], Some(dir.path()));
        assert!(
            engine.blocks("https://host7.example/", "", "script", "") && fs::read(&file).unwrap().len() == whole.len()
        );
    }

    #[test]
    fn rules_of_other_kinds_may_block_any_host() {
        let engine = engine("ads.example\n/banner/*$image\n");
        assert!(engine.may_block("news.example") && !engine.is_by_host_alone());
    }
}
