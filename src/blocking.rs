//! Lists of advertisements and trackers. Pages (the filter `ad_servers`) and requests are checked by the same compiled lists.
//!
//! A [`Blocker`] belongs to one configuration and never changes; when a list or the pause changes, the configuration is
//! read again, and with it the lists.
//!
//! `store` has the files of lists and `fetches` the times at which they were fetched; `syntax` reads a list (`dns_formats` those of name servers), `refusal` finds the
//! rules that cannot work here, `spared` has the built-in list, `stubs` what comes in the place of a forbidden request, `compiled` keeps compiled lists in a file. `engine` answers for requests and elements, `params` for
//! parameters of addresses. `request` tells what a request is for; `pause` is the pause.

mod compiled;
mod dns_formats;
mod engine;
pub mod fetches;
mod params;
mod pause;
mod refusal;
mod request;
mod spared;
pub(crate) mod store;
mod stubs;
pub(crate) mod syntax;

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use gleaner_filters::{Hiding, Names, Resource};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tracing::{info, warn};
use url::Url;

pub(crate) use self::pause::{PausedDevices, minutes_until};
pub use self::{
    engine::{Counts, Rule, Verdict},
    pause::{Pause, parse_duration},
    request::{BlockingRequest, KINDS, kind},
};
use self::{
    engine::{Engine, RuleList},
    syntax::Rules,
};
use crate::config::{Blocking, ListSource};

/// Most bytes of a list: several times the largest public hosts files. Raising it lets a wrong file cost more memory before it is refused.
pub(crate) const MAX_LIST: u64 = 64 << 20;

/// A list as it was read.
#[derive(Clone, Debug)]
pub struct ListState {
    /// Where it comes from.
    pub source: ListSource,
    /// Its rules.
    pub counts: Counts,
    /// Why it could not be read.
    pub problem: Option<String>,
}

/// Engines for sites on which some lists do not count, by the indexes of those that do; `None` while they are compiled.
type EnginesByLists = HashMap<Vec<usize>, Option<Arc<Engine>>>;

/// The lists of one configuration.
#[derive(Debug)]
pub struct Blocker {
    settings: Blocking,
    engine: Arc<Engine>,
    states: Vec<ListState>,
    engines_by_lists: Arc<Mutex<EnginesByLists>>,
    /// Changes with the lists and the settings.
    pub(crate) fingerprint: u64,
    paused_until: Option<SystemTime>,
}

/// Why nothing is asked about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exempt {
    /// `blocking.enabled` or `blocking.requests` is off.
    Off,
    /// Blocking is paused.
    Paused,
    /// `blocking.except` names the page's site.
    Site,
    /// `blocking.except` names the host.
    Host,
}

impl Blocker {
    /// Reads the lists. One that cannot be read is left out, and its state says why.
    #[must_use]
    pub fn load(settings: Blocking) -> Self {
        let (mut lists, mut states, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
        let wanted = if settings.enabled { &settings.lists[..] } else { &[] };
        for source in wanted {
            let read = read_rules(source, settings.dir.as_deref());
            let problem = read.as_ref().err().map(ToString::to_string);
            states.push(ListState { source: source.clone(), counts: Counts::default(), problem });
            let (hash, rules) = read.unwrap_or_default();
            hashes.push((source.to_string(), hash));
            lists.push(RuleList { name: source.to_string(), rules });
        }
        let engine = Engine::new(lists, settings.dir.as_deref());
        for (state, counts) in states.iter_mut().zip(engine.counts()) {
            state.counts = counts;
        }
        let paused_until = settings.dir.as_deref().and_then(Pause::read).filter(|until| *until > SystemTime::now());
        let fingerprint = hash_of(&(hashes, format!("{settings:?}"), paused_until));
        Self { settings, engine: Arc::new(engine), states, engines_by_lists: Arc::default(), fingerprint, paused_until }
    }

    /// The lists, in the order of the configuration.
    #[must_use]
    pub fn lists(&self) -> &[ListState] {
        &self.states
    }

    /// The rules of a list that can do nothing here, with the reason.
    #[must_use]
    pub fn refused(&self, list: &ListSource) -> Vec<(String, String)> {
        syntax::refused(&read_list(list, self.settings.dir.as_deref()).unwrap_or_default())
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Blocking {
        &self.settings
    }

    /// Why lists from the web cannot be kept, where there are any.
    #[must_use]
    pub fn problem_with_dir(&self) -> Option<String> {
        let Blocking { enabled, lists, dir, .. } = &self.settings;
        let dir = dir.as_deref().filter(|_| *enabled && lists.iter().any(|list| list.address().is_some()))?;
        let error = store::check(dir).err()?;
        let dir = dir.display();
        Some(format!(
            "blocking.dir: cannot write to {dir}: {error}; lists are fetched at each start, and kept in memory"
        ))
    }

    /// When the pause ends, if there is one.
    #[must_use]
    pub fn paused_until(&self) -> Option<SystemTime> {
        self.paused_until.filter(|until| *until > SystemTime::now())
    }

    /// Logs what stands in the way of blocking: a pause, and lists that are not in use.
    pub(crate) fn report(&self) {
        if let Some(until) = self.paused_until() {
            info!(minutes = minutes_until(until), "blocking is paused on all devices");
        }
        for list in &self.states {
            if let Some(problem) = &list.problem {
                warn!(list = %list.source, problem, "a list of `blocking.lists` is not in use");
            }
        }
    }

    /// Files whose change changes what this has read.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let dir = self.settings.dir.as_deref();
        let lists = self.settings.lists.iter().filter_map(|list| list.file(dir));
        lists.chain(dir.map(Pause::file)).collect()
    }

    /// Why nothing is asked about what a page at `site` wants of `host`; `site` is empty where the page is not known.
    #[must_use]
    pub fn exempt(&self, site: &str, host: &str) -> Option<Exempt> {
        let except = &self.settings.except;
        if !self.settings.enabled {
            Some(Exempt::Off)
        } else if self.paused_until().is_some() {
            Some(Exempt::Paused)
        } else if !site.is_empty() && except.matches(site) {
            Some(Exempt::Site)
        } else {
            except.matches(host).then_some(Exempt::Host)
        }
    }

    /// Whether this host is a site on which nothing is blocked.
    pub(crate) fn excepts_site(&self, host: &str) -> bool {
        self.exempt(host, host) == Some(Exempt::Site)
    }

    /// Whether there may be pages on which nothing is blocked.
    pub(crate) fn excepts_pages(&self) -> bool {
        self.settings.enabled && (!self.settings.except.is_empty() || self.engine.has_page_exceptions())
    }

    /// Whether an exception of a list (`@@…$document`) holds for all that a page loads.
    pub(crate) fn excepts_page(&self, page: &BlockingRequest) -> bool {
        self.engine_for(page.site(), page.host()).is_some_and(|engine| engine.excepts_page(page.page()))
    }

    /// Whether the lists can say anything about a request to this host.
    pub(crate) fn may_block(&self, host: &str) -> bool {
        self.engine.may_block(host)
    }

    /// The lists' verdict on a request. Exceptions of the configuration are checked before, by [`Blocker::exempt`].
    #[must_use]
    pub fn judge(&self, wanted: &BlockingRequest) -> Verdict {
        let counting = self.engine_for(wanted.site(), wanted.host());
        let engine = counting.as_ref().unwrap_or(&self.engine);
        let is_excepted =
            |rule: &Rule| counting.is_none() && self.is_list_excepted(&rule.list, wanted.site(), wanted.host());
        match engine.judge(wanted.address(), wanted.page(), wanted.kind(), wanted.method()) {
            Verdict::Blocked { rule, .. } | Verdict::ParamsRemoved { rule, .. } if is_excepted(&rule) => {
                Verdict::Allowed
            }
            // It may be one of the sites that the rule spares.
            Verdict::Blocked { rule, .. } if !wanted.is_page_known() && rule.spares_sites() => Verdict::Allowed,
            verdict => verdict,
        }
    }

    /// The rule that forbids a host, whatever is wanted of it, if requests are blocked.
    #[must_use]
    pub fn blocked_host(&self, host: &str) -> Option<Rule> {
        if !self.settings.requests || self.exempt("", host).is_some() {
            return None;
        }
        match self.judge(&BlockingRequest::host_alone(host)?) {
            Verdict::Blocked { rule, .. } => Some(rule),
            _ => None,
        }
    }

    /// The rule that forbids a page, or its host.
    pub(crate) fn forbids_page(&self, page: &Url) -> Option<String> {
        match self.judge(&BlockingRequest::new(page.clone(), None, "document")) {
            Verdict::Blocked { rule, .. } => Some(rule.short()),
            _ => self.blocked_host(page.host_str()?).map(|rule| rule.short()),
        }
    }

    /// Whether a list does not count for a site and a host.
    fn is_list_excepted(&self, list: &str, site: &str, host: &str) -> bool {
        let except = self.settings.except_by_list.get(list);
        except.is_some_and(|except| except.matches(site) || except.matches(host))
    }

    /// The rules that count for a site and a host; `None` while they are compiled, for which no request waits.
    fn engine_for(&self, site: &str, host: &str) -> Option<Arc<Engine>> {
        if self.settings.except_by_list.is_empty() {
            return Some(Arc::clone(&self.engine));
        }
        let counts = |list: &&ListSource| !self.is_list_excepted(&list.to_string(), site, host);
        let lists = &self.settings.lists;
        let counting: Vec<usize> = (0..lists.len()).filter(|&index| counts(&&lists[index])).collect();
        if counting.len() == lists.len() {
            return Some(Arc::clone(&self.engine));
        }
        let mut engines_by_lists = self.engines_by_lists.lock();
        if let Some(engine) = engines_by_lists.get(&counting) {
            return engine.clone();
        }
        engines_by_lists.insert(counting.clone(), None);
        drop(engines_by_lists);
        let (engines_by_lists, settings) = (Arc::clone(&self.engines_by_lists), self.settings.clone());
        let compile = move || {
            let list = |&index: &usize| {
                let list = &settings.lists[index];
                let (_, rules) = read_rules(list, settings.dir.as_deref()).unwrap_or_default();
                RuleList { name: list.to_string(), rules }
            };
            // These are not kept in a file: the one that is there is of all lists.
            let engine = Arc::new(Engine::new(counting.iter().map(list).collect(), None));
            engines_by_lists.lock().insert(counting, Some(Arc::clone(&engine)));
            engine
        };
        // A command asks once, and nobody waits for it.
        let Ok(runtime) = Handle::try_current() else { return Some(compile()) };
        runtime.spawn_blocking(compile);
        None
    }
}

impl gleaner_filters::Blocker for Blocker {
    fn blocks(&self, page: &Url, address: &Url, resource: Resource) -> bool {
        let (site, host) = (page.host_str().unwrap_or_default(), address.host_str().unwrap_or_default());
        if !self.may_block(host) || self.exempt(site, host).is_some() {
            return false;
        }
        // Going to a page is no request of the page that links to it.
        let from = if resource == Resource::Document { address } else { page };
        match self.engine_for(site, host) {
            Some(engine) => engine.blocks(address.as_str(), from.as_str(), kind(resource), page.as_str()),
            None => self
                .engine
                .element_rule(address.as_str(), from.as_str(), kind(resource))
                .is_some_and(|rule| !self.is_list_excepted(&rule.list, site, host)),
        }
    }

    fn rule(&self, page: &Url, address: &Url, resource: Resource) -> Option<String> {
        let (site, host) = (page.host_str().unwrap_or_default(), address.host_str().unwrap_or_default());
        let from = if resource == Resource::Document { address } else { page };
        let engine = self.engine_for(site, host);
        let engine = engine.as_ref().unwrap_or(&self.engine);
        engine.element_rule(address.as_str(), from.as_str(), kind(resource)).map(|rule| rule.short())
    }

    fn hiding_rule(&self, page: &Url, selector: &str) -> Option<String> {
        let site = page.host_str().unwrap_or_default();
        let rule = self.states.iter().find_map(|list| {
            let text = read_list(&list.source, self.settings.dir.as_deref()).ok()?;
            let text = syntax::hiding_rule(&text, site, selector)?;
            Some(Rule { list: list.source.to_string(), text })
        });
        rule.map(|rule| rule.short())
    }

    fn by_host_alone(&self) -> bool {
        self.engine.is_by_host_alone()
    }

    fn hiding(&self, page: &Url, names: &dyn Fn() -> Names) -> Option<Hiding> {
        let site = page.host_str().unwrap_or_default();
        if self.exempt(site, site).is_some() {
            return None;
        }
        self.engine_for(site, site)?.hiding(page, names)
    }
}

/// The rules of a list, with a hash of its text.
fn read_rules(source: &ListSource, dir: Option<&Path>) -> io::Result<(u64, Rules)> {
    let text = read_list(source, dir)?;
    let rules = if *source == ListSource::Builtin { spared::builtin_rules() } else { syntax::read(&text) };
    match rules.no_list(&text) {
        Some(problem) => Err(io::Error::other(format!("it is no list: {problem}"))),
        None => Ok((hash_of(&text), rules)),
    }
}

fn read_list(source: &ListSource, dir: Option<&Path>) -> io::Result<String> {
    let Some(file) = source.file(dir) else {
        return match source {
            ListSource::Builtin => Ok(spared::BUILTIN_LIST.to_owned()),
            _ => Err(io::Error::other("there is no folder for lists; `blocking.dir` can name one")),
        };
    };
    let bytes = store::read(&file).map_err(|error| match source {
        ListSource::Named(..) | ListSource::Address(_) if error.kind() == io::ErrorKind::NotFound => {
            io::Error::other("it is not downloaded yet")
        }
        _ => io::Error::other(format!("cannot read {}: {error}", file.display())),
    })?;
    // A comment may be in another encoding; rules are not.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A number that is the same in every process of one build.
fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
