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

pub use self::{
    engine::{Counts, Rule, Verdict},
    pause::{Pause, parse_duration},
    request::{BlockingRequest, KINDS, kind},
};
use self::{
    engine::{Engine, RuleList},
    syntax::Rules,
};
pub(crate) use self::{
    pause::{PausedDevices, minutes_until},
    request::asking_site,
};
use crate::config::{Blocking, Config, ListSource, SafeSearch, ServiceBlock};

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

/// The lists of one configuration, or of one profile of it.
#[derive(Debug)]
pub struct Blocker {
    settings: Blocking,
    rules: RuleSet,
    /// The lists for hosts of tunnels alone, where there are any.
    tunnel_rules: Option<RuleSet>,
    /// The lists of all profiles.
    all_states: Vec<ListState>,
    /// What each profile blocks, by its index, if that is otherwise.
    by_profile: Vec<Option<Arc<Blocker>>>,
    /// Changes with the lists and the settings.
    pub(crate) fingerprint: u64,
    paused_until: Option<SystemTime>,
}

/// Compiled lists, which several profiles may share.
#[derive(Clone, Debug)]
struct RuleSet {
    engine: Arc<Engine>,
    states: Vec<ListState>,
    hashes: Vec<(String, u64)>,
    engines_by_lists: Arc<Mutex<EnginesByLists>>,
}

/// The lists and rules that a set was compiled from.
type RuleSources = (Vec<ListSource>, Vec<String>);

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
    /// Reads the lists of the section and of all profiles. One that cannot be read is left out, and its state says why.
    /// Profiles with the same lists and rules share what is compiled.
    #[must_use]
    pub fn load_all(config: &Config) -> Self {
        let mut compiled = HashMap::new();
        let mut all = Self::from_settings(config.blocking.clone(), &mut compiled);
        for profile in &config.profiles.all {
            let own = profile.own_blocking.clone().filter(|own| *own != config.blocking);
            let own = own.map(|own| Arc::new(Self::from_settings(own, &mut compiled)));
            for state in own.iter().flat_map(|own| &own.all_states) {
                // Its own rules, where it does not share those of all.
                let is_own = state.source == ListSource::Own
                    && own.as_ref().is_some_and(|own| own.settings.rules != config.blocking.rules);
                if is_own || all.all_states.iter().all(|known| known.source != state.source) {
                    all.all_states.push(state.clone());
                }
            }
            all.by_profile.push(own);
        }
        let own: Vec<_> = all.by_profile.iter().flatten().map(|own| own.fingerprint).collect();
        if !own.is_empty() {
            all.fingerprint = hash_of(&(all.fingerprint, own));
        }
        all.sweep();
        all
    }

    fn from_settings(settings: Blocking, compiled: &mut HashMap<RuleSources, RuleSet>) -> Self {
        let wanted =
            if settings.enabled { (settings.lists.clone(), settings.rules.clone()) } else { RuleSources::default() };
        let for_tunnels = (settings.tunnel_lists.clone(), settings.rules.clone());
        let mut rule_set = |wanted| {
            let rules = compiled.entry(wanted);
            rules.or_insert_with_key(|wanted| RuleSet::compile(wanted, settings.dir.as_deref())).clone()
        };
        let rules = rule_set(wanted);
        let tunnel_rules = (settings.enabled && !settings.tunnel_lists.is_empty()).then(|| rule_set(for_tunnels));
        let mut all_states = rules.states.clone();
        for state in tunnel_rules.iter().flat_map(|rules| &rules.states) {
            if all_states.iter().all(|known| known.source != state.source) {
                all_states.push(state.clone());
            }
        }
        let paused_until = settings.dir.as_deref().and_then(Pause::read).filter(|until| *until > SystemTime::now());
        let fingerprint = hash_of(&(&rules.hashes, format!("{settings:?}"), paused_until));
        Self { settings, all_states, rules, tunnel_rules, by_profile: Vec::new(), fingerprint, paused_until }
    }

    /// Removes compiled lists that are not in use.
    fn sweep(&self) {
        let rule_sets = self.all().flat_map(|blocker| blocker.tunnel_rules.iter().chain([&blocker.rules]));
        let used: Vec<_> = rule_sets.filter_map(|rules| rules.engine.file()).collect();
        if let Some(dir) = self.settings.dir.as_deref().filter(|_| !used.is_empty())
            && let Err(error) = compiled::sweep(dir, &used)
        {
            warn!(%error, dir = %dir.display(), "compiled lists that are not in use cannot be removed");
        }
    }

    /// What is blocked with a profile, by its index.
    #[must_use]
    pub fn for_profile(self: &Arc<Self>, index: usize) -> &Arc<Self> {
        self.by_profile.get(index).and_then(Option::as_ref).unwrap_or(self)
    }

    /// Whether any profile, or the section, has services that are blocked.
    pub(crate) fn has_services(&self) -> bool {
        self.all().any(|blocker| !blocker.settings.services.is_empty())
    }

    /// Whether any profile, or the section, has safe search.
    pub(crate) fn has_safe_search(&self) -> bool {
        self.all().any(|blocker| blocker.settings.safe_search != SafeSearch::Off)
    }

    fn all(&self) -> impl Iterator<Item = &Self> {
        self.by_profile.iter().flatten().map(|own| &**own).chain([self])
    }

    /// The service that is blocked now and has this host. A pause of blocking, which everybody may begin, changes nothing of it.
    #[must_use]
    pub fn blocked_service(&self, site: &str, host: &str) -> Option<ServiceBlock> {
        let except = &self.settings.except;
        let is_excepted = || except.matches(host) || !site.is_empty() && except.matches(site);
        let is_off = self.settings.services.is_empty() || !self.settings.enabled || is_excepted();
        if is_off { None } else { self.settings.services.block(host) }
    }

    /// The lists, in the order of the configuration, and then those of profiles alone.
    #[must_use]
    pub fn lists(&self) -> &[ListState] {
        &self.all_states
    }

    /// The rules of a list that can do nothing here, with the reason.
    #[must_use]
    pub fn refused(&self, list: &ListSource) -> Vec<(String, String)> {
        syntax::refused(&read_list(list, &self.settings.rules, self.settings.dir.as_deref()).unwrap_or_default())
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
        for list in &self.all_states {
            if let Some(problem) = &list.problem {
                warn!(list = %list.source, problem, "a list for blocking is not in use");
            }
        }
    }

    /// Files whose change changes what this has read.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let dir = self.settings.dir.as_deref();
        let lists = self.all().flat_map(|blocker| blocker.settings.all_lists()).filter_map(|list| list.file(dir));
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
        self.settings.enabled && (!self.settings.except.is_empty() || self.rules.engine.has_page_exceptions())
    }

    /// Whether an exception of a list (`@@…$document`) holds for all that a page loads.
    pub(crate) fn excepts_page(&self, page: &BlockingRequest) -> bool {
        self.engine_for(page.site(), page.host()).is_some_and(|engine| engine.excepts_page(page.page()))
    }

    /// Whether the lists can say anything about a request to this host.
    pub(crate) fn may_block(&self, host: &str) -> bool {
        self.rules.engine.may_block(host)
    }

    /// The lists' verdict on a request. Exceptions of the configuration are checked before, by [`Blocker::exempt`].
    #[must_use]
    pub fn judge(&self, wanted: &BlockingRequest) -> Verdict {
        let counting = self.engine_for(wanted.site(), wanted.host());
        let engine = counting.as_ref().unwrap_or(&self.rules.engine);
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

    /// The rule that forbids a tunnel to a host: that of the lists, or else one of those for tunnels alone, unless an exception of the
    /// lists opens it.
    #[must_use]
    pub fn blocked_tunnel(&self, host: &str) -> Option<Rule> {
        let by_lists = self.blocked_host(host);
        let rules = self.tunnel_rules.as_ref().filter(|_| by_lists.is_none() && self.settings.requests);
        let Some(rules) = rules.filter(|_| self.exempt("", host).is_none()) else { return by_lists };
        let wanted = BlockingRequest::host_alone(host)?;
        let is_excepted = matches!(self.judge(&wanted), Verdict::Excepted { .. });
        match rules.engine.judge(wanted.address(), wanted.page(), wanted.kind(), wanted.method()) {
            Verdict::Blocked { rule, .. } => {
                Some(rule).filter(|rule| !is_excepted && !self.is_list_excepted(&rule.list, "", host))
            }
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
            return Some(Arc::clone(&self.rules.engine));
        }
        let counts = |list: &&ListSource| !self.is_list_excepted(&list.to_string(), site, host);
        let lists = &self.settings.lists;
        let counting: Vec<usize> = (0..lists.len()).filter(|&index| counts(&&lists[index])).collect();
        if counting.len() == lists.len() {
            return Some(Arc::clone(&self.rules.engine));
        }
        let mut engines_by_lists = self.rules.engines_by_lists.lock();
        if let Some(engine) = engines_by_lists.get(&counting) {
            return engine.clone();
        }
        engines_by_lists.insert(counting.clone(), None);
        drop(engines_by_lists);
        let (engines_by_lists, settings) = (Arc::clone(&self.rules.engines_by_lists), self.settings.clone());
        let compile = move || {
            let own = (!settings.rules.is_empty()).then_some(&ListSource::Own);
            let list = |list: &ListSource| {
                let (_, rules) = read_rules(list, &settings.rules, settings.dir.as_deref()).unwrap_or_default();
                RuleList { name: list.to_string(), rules }
            };
            let counted = counting.iter().map(|&index| &settings.lists[index]).chain(own);
            // These are not kept in a file: the one that is there is of all lists.
            let engine = Arc::new(Engine::new(counted.map(list).collect(), None));
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
                .rules
                .engine
                .element_rule(address.as_str(), from.as_str(), kind(resource))
                .is_some_and(|rule| !self.is_list_excepted(&rule.list, site, host)),
        }
    }

    fn refuses(&self, page: &Url, address: &Url, resource: Resource) -> bool {
        let wanted = BlockingRequest::new(address.clone(), Some(page.clone()), kind(resource));
        self.settings.requests
            && self.exempt(wanted.site(), wanted.host()).is_none()
            && matches!(self.judge(&wanted), Verdict::Blocked { instead: None, .. })
    }

    fn rule(&self, page: &Url, address: &Url, resource: Resource) -> Option<String> {
        let (site, host) = (page.host_str().unwrap_or_default(), address.host_str().unwrap_or_default());
        let from = if resource == Resource::Document { address } else { page };
        let engine = self.engine_for(site, host);
        let engine = engine.as_ref().unwrap_or(&self.rules.engine);
        engine.element_rule(address.as_str(), from.as_str(), kind(resource)).map(|rule| rule.short())
    }

    fn hiding_rule(&self, page: &Url, selector: &str) -> Option<String> {
        let site = page.host_str().unwrap_or_default();
        let rule = self.rules.states.iter().find_map(|list| {
            let text = read_list(&list.source, &self.settings.rules, self.settings.dir.as_deref()).ok()?;
            let text = syntax::hiding_rule(&text, site, selector)?;
            Some(Rule { list: list.source.to_string(), text })
        });
        rule.map(|rule| rule.short())
    }

    fn by_host_alone(&self) -> bool {
        self.rules.engine.is_by_host_alone()
    }

    fn hiding(&self, page: &Url, names: &dyn Fn() -> Names) -> Option<Hiding> {
        let site = page.host_str().unwrap_or_default();
        if self.exempt(site, site).is_some() {
            return None;
        }
        self.engine_for(site, site)?.hiding(page, names)
    }
}

impl RuleSet {
    fn compile((lists, rules): &RuleSources, dir: Option<&Path>) -> Self {
        let (mut read, mut states, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
        let own = (!rules.is_empty()).then_some(&ListSource::Own);
        for source in lists.iter().chain(own) {
            let found = read_rules(source, rules, dir);
            let problem = found.as_ref().err().map(ToString::to_string);
            states.push(ListState { source: source.clone(), counts: Counts::default(), problem });
            let (hash, rules) = found.unwrap_or_default();
            hashes.push((source.to_string(), hash));
            read.push(RuleList { name: source.to_string(), rules });
        }
        let engine = Engine::new(read, dir);
        for (state, counts) in states.iter_mut().zip(engine.counts()) {
            state.counts = counts;
        }
        Self { engine: Arc::new(engine), states, hashes, engines_by_lists: Arc::default() }
    }
}

/// The rules of a list, with a hash of its text. `own` are those of the configuration itself.
fn read_rules(source: &ListSource, own: &[String], dir: Option<&Path>) -> io::Result<(u64, Rules)> {
    let text = read_list(source, own, dir)?;
    let rules = if *source == ListSource::Builtin { spared::builtin_rules() } else { syntax::read(&text) };
    match rules.no_list(&text).filter(|_| *source != ListSource::Own) {
        Some(problem) => Err(io::Error::other(format!("it is no list: {problem}"))),
        None => Ok((hash_of(&text), rules)),
    }
}

fn read_list(source: &ListSource, own: &[String], dir: Option<&Path>) -> io::Result<String> {
    let Some(file) = source.file(dir) else {
        return match source {
            ListSource::Builtin => Ok(spared::BUILTIN_LIST.to_owned()),
            ListSource::Own => Ok(own.join("\n")),
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

#[cfg(test)]
mod tests;
