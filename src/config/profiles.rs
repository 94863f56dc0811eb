//! Sections `profiles`, `devices` and `sites`: named sets of settings, and which device or site gets which.

use std::{
    cell::LazyCell,
    collections::{BTreeMap, HashSet},
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    net::{IpAddr, SocketAddr},
    path::Path,
    sync::{Arc, LazyLock},
};

use aho_corasick::{AhoCorasick, MatchKind};
use gleaner_filters::ChainConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Value;

use super::{
    Blocking, ClientRange, Config, HostPatterns, Intercept, PictureScale, Pictures, RawBlocking, RawConfig, blocking,
    error::Mistake,
    hosts,
    load::{filters_mistake, is_any_in, merged},
};

/// The profile of a request that no rule matches.
const FALLBACK: &str = "desktop";

/// A named set of settings, laid over those of the file. What is left out stays as it is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawProfile {
    /// Whether pages are rewritten, instead of `rewrite.enabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<bool>,
    /// Whether encrypted connections are decrypted, instead of `https.intercept`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intercept: Option<Intercept>,
    /// `false`: nothing is blocked, neither requests nor parts of pages. Or settings laid over the section `blocking`.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Option<BlockingOfProfile>")]
    pub blocking: Value,
    /// `false` removes pictures; links that are pictures become their alternative text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Settings laid over the section `pictures`.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Pictures")]
    pub pictures: Value,
    /// How what is encrypted on the web comes to devices that ask in clear: `plain` writes `https://` as `http://`, for those that
    /// cannot speak today's TLS. Their network then sees all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secure: Option<SecurePages>,
    /// Settings laid over the section `filters`.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "ChainConfig")]
    pub filters: Value,
}

/// How what is encrypted on the web comes to devices that ask in clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SecurePages {
    /// At its own address, which asks for TLS.
    #[default]
    Tls,
    /// In clear: this program speaks TLS in their place.
    Plain,
}

/// What a profile blocks, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "its schema alone is used")]
enum BlockingOfProfile {
    Switch(bool),
    Settings(Box<RawBlocking>),
}

/// Keys of the section `blocking` that are of the whole program.
const NOT_BY_PROFILE: [&str; 2] = ["update", "dir"];

/// Most different sets of lists and rules, that of the section among them. Each takes memory, 14 MB with `EasyList` and `EasyPrivacy`.
const MOST_RULE_SETS: usize = 8;

/// Which devices get a profile. A rule matches if every condition that it has does, and a condition if one of its entries
/// does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceRule {
    /// Addresses and ranges, as in `access.clients`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    clients: Vec<ClientRange>,
    /// Names of `access.users`.
    #[serde(default)]
    users: Vec<String>,
    /// Parts of the browser's `User-Agent`, in any case.
    #[serde(default)]
    user_agents: Vec<String>,
    /// Ports of `listen`.
    #[serde(default)]
    ports: Vec<u16>,
    /// The profile.
    profile: String,
}

/// Which sites get a profile, on every device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteRule {
    /// Hosts, with everything under them.
    hosts: HostPatterns,
    /// The profile.
    profile: String,
}

/// The shipped profiles and rules.
#[derive(Deserialize)]
struct Shipped {
    profiles: Value,
    devices: Vec<DeviceRule>,
}

static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| {
    serde_yaml::from_str(include_str!("profiles.yaml")).expect("the shipped profiles are read in a test")
});

/// The shipped profiles as a tree.
pub(super) fn shipped_tree() -> Value {
    SHIPPED.profiles.clone()
}

/// The shipped profiles.
pub(super) fn shipped() -> BTreeMap<String, RawProfile> {
    serde_yaml::from_value(shipped_tree()).expect("the shipped profiles are read in a test")
}

/// A profile with the settings of the file below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Whether pages are rewritten.
    pub rewrite: bool,
    /// Whether encrypted connections are decrypted.
    pub intercept: Intercept,
    /// Whether anything is blocked.
    pub blocking: bool,
    /// Its own settings in the place of the section `blocking`.
    pub own_blocking: Option<Blocking>,
    /// Whether `blocking` is written, so that it decides what is blocked.
    decides_blocking: bool,
    /// Whether nothing else is written, so that it decides nothing else.
    only_blocks: bool,
    /// How pictures are made to fit.
    pub pictures: Pictures,
    /// How what is encrypted on the web comes to devices that ask in clear.
    pub secure: SecurePages,
    /// The whole filter chain.
    pub filters: ChainConfig,
    /// A hash of all that decides what its pages look like.
    pub fingerprint: u64,
}

/// All profiles, and the rules that choose among them.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    /// In the order of their names.
    pub all: Vec<Arc<Profile>>,
    sites: Vec<SiteRule>,
    devices: Vec<DeviceRule>,
    /// The indexes in `all` of the profiles of these rules.
    chosen_by_sites: Vec<Option<usize>>,
    chosen_by_devices: Vec<Option<usize>>,
    /// The number of rules in `devices` that the file has; shipped ones follow.
    written: usize,
    /// The parts of User-Agents of all rules: nearly all requests have none of them.
    agents: Option<AhoCorasick>,
    /// Whether a rule leads to a profile that has `blocking`.
    decide_blocking: bool,
}

/// Properties of a client by which its profile is chosen.
#[derive(Clone, Copy, Debug)]
pub struct ClientInfo<'a> {
    /// Its address, in canonical form.
    pub client: IpAddr,
    /// The name it gave, where users are configured.
    pub user: Option<&'a str>,
    /// Its `User-Agent`.
    pub user_agent: &'a str,
    /// The port that it connected to.
    pub port: u16,
}

/// A chosen profile.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The profile.
    pub profile: &'a Arc<Profile>,
    /// Its index in [`Profiles::all`].
    pub index: usize,
    /// The rule that chose it.
    pub rule: ProfileRule,
}

/// Why a profile was chosen: the rule's index in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileRule {
    /// An entry of `sites`.
    Site(usize),
    /// An entry of `devices`.
    Device(usize),
    /// A shipped rule for devices.
    Shipped(usize),
    /// None matched.
    None,
}

impl fmt::Display for ProfileRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Site(index) => write!(f, "`sites[{index}]`, for this host"),
            Self::Device(index) => write!(f, "`devices[{index}]`, for this device"),
            Self::Shipped(index) => {
                let agents = SHIPPED.devices.get(*index).map(|rule| rule.user_agents.join(", "));
                write!(f, "a shipped rule, for browsers that name one of: {}", agents.unwrap_or_default())
            }
            Self::None => f.write_str("no rule of `sites` or `devices` matches"),
        }
    }
}

impl Profile {
    /// A profile of the filter settings that its own are laid over already.
    fn build(
        name: &str,
        raw: &RawProfile,
        own_blocking: Option<Blocking>,
        pictures: Pictures,
        mut filters: ChainConfig,
        config: &Config,
    ) -> Self {
        if pictures.scale == PictureScale::On {
            filters.output.picture_width = pictures.max_width.or(filters.output.picture_width);
        }
        if raw.images == Some(false) {
            let ignore = &mut filters.ignore;
            (ignore.non_link_images, ignore.non_link_images_alt) = (true, true);
            (ignore.image_links, ignore.image_links_alt) = (true, true);
            filters.output.lead_image = false;
        }
        let decides_blocking = !raw.blocking.is_null();
        let blocking = own_blocking.as_ref().is_none_or(|blocking| blocking.enabled);
        if !blocking {
            filters.ad_servers.enabled = false;
        }
        for host in &mut filters.ad_servers.except {
            *host = hosts::without_wildcard(host).to_owned();
        }
        let mut hasher = DefaultHasher::new();
        let secure = raw.secure.unwrap_or_default();
        (config.fingerprint, secure, serde_yaml::to_value(&filters).unwrap_or_default()).hash(&mut hasher);
        Self {
            name: name.to_owned(),
            rewrite: raw.rewrite.unwrap_or(config.rewrite.enabled),
            intercept: raw.intercept.unwrap_or(config.https.intercept),
            blocking,
            own_blocking,
            decides_blocking,
            only_blocks: decides_blocking
                && RawProfile { blocking: Value::Null, ..raw.clone() } == RawProfile::default(),
            pictures,
            secure,
            filters,
            fingerprint: hasher.finish(),
        }
    }
}

impl Profiles {
    /// The profiles, each checked as the section `filters` is, and the rules.
    pub(super) fn build(config: &Config, raw: &RawConfig, base: &Path, mistakes: &mut Vec<Mistake>) -> Self {
        let mut all = Vec::new();
        for (name, profile) in &raw.profiles {
            let within = |mistake: Mistake| {
                let above = ["profiles".to_owned(), name.clone()];
                Mistake { path: above.into_iter().chain(mistake.path).collect(), ..mistake }
            };
            let filters = merged("filters", &config.filters, profile.filters.clone(), |raw| raw.filters);
            let filters = filters.unwrap_or_else(|wrong| {
                mistakes.extend(wrong.into_iter().map(within));
                config.filters.clone()
            });
            let pictures = merged("pictures", &config.pictures, profile.pictures.clone(), |raw| raw.pictures);
            let pictures = pictures.unwrap_or_else(|wrong| {
                mistakes.extend(wrong.into_iter().map(within));
                config.pictures.clone()
            });
            let blocking = blocking_of(profile, raw, config, base).unwrap_or_else(|wrong| {
                mistakes.extend(wrong.into_iter().map(within));
                None
            });
            if name == FALLBACK && profile.secure == Some(SecurePages::Plain) {
                let problem = "this would be for all devices that no rule names; expected it in a profile that a rule of `devices` names";
                mistakes.push(within(Mistake::value("secure", problem)));
            }
            let profile = Profile::build(name, profile, blocking, pictures, filters, config);
            if profile.filters != config.filters
                && !is_any_in(mistakes, &["filters"])
                && let Err(error) = config.check_chain(&profile.filters)
            {
                mistakes.push(within(filters_mistake(&Value::Null, &error)));
            }
            all.push(Arc::new(profile));
        }
        let own = all.iter().filter_map(|profile| profile.own_blocking.as_ref());
        let sets: HashSet<_> = own
            .chain([&config.blocking])
            .flat_map(|blocking| [(&blocking.lists, &blocking.rules), (&blocking.tunnel_lists, &blocking.rules)])
            .filter(|(lists, _)| !lists.is_empty())
            .collect();
        if sets.len() > MOST_RULE_SETS {
            let problem = format!(
                "there are {} different sets of `lists`, `tunnel_lists` and `rules`; expected at most {MOST_RULE_SETS}",
                sets.len()
            );
            mistakes.push(Mistake::value("profiles", problem));
        }
        let (sites, devices) = (raw.sites.clone(), raw.devices.clone());
        // What was left out as wrong must not be missed by a rule.
        if !is_any_in(mistakes, &["profiles"]) {
            mistakes.extend(unknown_profiles(&all, &sites, &devices));
        }
        if !is_any_in(mistakes, &["access"]) {
            mistakes.extend(unknown_users(raw, &devices));
        }
        let written = devices.len();
        let devices: Vec<_> =
            devices.into_iter().chain(SHIPPED.devices.iter().cloned()).map(DeviceRule::lower_case).collect();
        let parts = devices.iter().flat_map(|device| &device.user_agents);
        // Without it, which would need gigabytes of parts, each rule is asked.
        let agents = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(parts).ok();
        let index = |name: &String| all.iter().position(|profile| profile.name == *name);
        let chosen_by_sites: Vec<_> = sites.iter().map(|site| index(&site.profile)).collect();
        let chosen_by_devices: Vec<_> = devices.iter().map(|device| index(&device.profile)).collect();
        let mut named = chosen_by_sites.iter().chain(&chosen_by_devices).flatten();
        let decide_blocking = named.any(|index| all[*index].decides_blocking);
        Self { all, sites, devices, chosen_by_sites, chosen_by_devices, written, agents, decide_blocking }
    }

    /// Whether these rules for sites are those in force.
    pub(crate) fn are_sites(&self, written: Vec<Value>) -> bool {
        serde_yaml::from_value::<Vec<SiteRule>>(Value::Sequence(written)).is_ok_and(|sites| sites == self.sites)
    }

    /// The first port that a rule for devices names and the proxy does not listen on, with the rule's index.
    pub(super) fn unknown_port(&self, listen: &[SocketAddr]) -> Option<(usize, u16)> {
        let is_unknown = |port: &u16| listen.iter().all(|addr| addr.port() != *port && addr.port() != 0);
        let mut rules = self.devices[..self.written].iter().enumerate();
        rules.find_map(|(index, rule)| Some((index, *rule.ports.iter().find(|port| is_unknown(port))?)))
    }

    /// The rules that choose for another `User-Agent`: the parts of it that each names, and its profile.
    #[must_use]
    pub fn by_agent(&self, asker: &ClientInfo<'_>, host: &str) -> Vec<(&[String], &str)> {
        let before = match self.choose(asker, host).map(|choice| choice.rule) {
            Some(ProfileRule::Device(index)) => index,
            Some(ProfileRule::Shipped(index)) => self.written + index,
            Some(ProfileRule::None) => self.devices.len(),
            Some(ProfileRule::Site(_)) | None => 0,
        };
        let rules = self.devices[..before].iter().filter(|rule| !rule.user_agents.is_empty() && rule.fits(asker));
        rules.map(|rule| (&*rule.user_agents, &*rule.profile)).collect()
    }

    /// Whether a rule leads to a profile that decides what is blocked.
    pub(crate) fn decide_blocking(&self) -> bool {
        self.decide_blocking
    }

    /// Whether there is a site with a profile that blocks nothing.
    pub(crate) fn have_sites_without_blocking(&self) -> bool {
        let blocks_nothing = |name: &str| self.all.iter().any(|profile| profile.name == name && !profile.blocking);
        self.sites.iter().any(|site| blocks_nothing(&site.profile))
    }

    /// The first rule that matches: of `sites`, then of `devices`, then the shipped ones. The host is in its canonical
    /// spelling. Rules for a profile that has nothing but `blocking` are passed over.
    #[must_use]
    pub fn choose(&self, asker: &ClientInfo<'_>, host: &str) -> Option<Choice<'_>> {
        self.first(asker, Some(host), |profile| !profile.only_blocks).or_else(|| {
            let index = self.all.iter().position(|profile| profile.name == FALLBACK)?;
            Some(Choice { profile: &self.all[index], index, rule: ProfileRule::None })
        })
    }

    /// The first rule that matches and whose profile has `blocking`; without a host, of `devices` alone.
    #[must_use]
    pub fn choose_blocking(&self, asker: &ClientInfo<'_>, host: Option<&str>) -> Option<Choice<'_>> {
        self.first(asker, host, |profile| profile.decides_blocking)
    }

    fn first(
        &self,
        asker: &ClientInfo<'_>,
        host: Option<&str>,
        counts: impl Fn(&Profile) -> bool,
    ) -> Option<Choice<'_>> {
        // A request asks several times, and few rules count: whether one does is told first, and its parts of User-Agents last.
        let choice = |index: Option<usize>, rule| {
            let index = index.filter(|index| counts(&self.all[*index]))?;
            Some(Choice { profile: &self.all[index], index, rule })
        };
        let sites = self.sites.iter().zip(&self.chosen_by_sites).enumerate();
        let mut sites = sites.filter_map(|(at, (site, profile))| {
            choice(*profile, ProfileRule::Site(at)).filter(|_| host.is_some_and(|host| site.hosts.matches(host)))
        });
        if let Some(choice) = sites.next() {
            return Some(choice);
        }
        let user_agent = LazyCell::new(|| {
            let user_agent = asker.user_agent.to_ascii_lowercase();
            let names_part = self.agents.as_ref().is_none_or(|agents| agents.is_match(&user_agent));
            names_part.then_some(user_agent)
        });
        let devices = self.devices.iter().zip(&self.chosen_by_devices).enumerate();
        let mut devices = devices.filter_map(|(at, (device, profile))| {
            let rule = match at.checked_sub(self.written) {
                None => ProfileRule::Device(at),
                Some(shipped) => ProfileRule::Shipped(shipped),
            };
            choice(*profile, rule).filter(|_| device.matches(asker, || user_agent.as_deref()))
        });
        devices.next()
    }
}

/// The settings of a profile in the place of the section `blocking`.
fn blocking_of(
    profile: &RawProfile,
    raw: &RawConfig,
    config: &Config,
    base: &Path,
) -> Result<Option<Blocking>, Vec<Mistake>> {
    match &profile.blocking {
        Value::Null | Value::Bool(true) => Ok(None),
        Value::Bool(false) => Ok(Some(Blocking { enabled: false, ..config.blocking.clone() })),
        Value::Mapping(own) => {
            if let Some(key) = NOT_BY_PROFILE.into_iter().find(|key| own.contains_key(*key)) {
                let problem = "this is the same for all profiles; expected it in the section `blocking` itself";
                return Err(vec![Mistake { is_key: true, ..Mistake::value(&format!("blocking.{key}"), problem) }]);
            }
            let own = merged("blocking", &raw.blocking, profile.blocking.clone(), |raw| raw.blocking)?;
            blocking::build(own, base).map(Some).map_err(|mistake| vec![mistake])
        }
        _ => Err(vec![Mistake::value("blocking", "expected `true`, `false`, or settings of the section `blocking`")]),
    }
}

fn unknown_profiles(all: &[Arc<Profile>], sites: &[SiteRule], devices: &[DeviceRule]) -> Vec<Mistake> {
    let sites = sites.iter().enumerate().map(|(index, site)| (format!("sites.{index}.profile"), &site.profile));
    let devices = devices.iter().enumerate();
    let devices = devices.map(|(index, device)| (format!("devices.{index}.profile"), &device.profile));
    let unknown = sites.chain(devices).filter(|(_, name)| all.iter().all(|profile| profile.name != **name));
    let names: Vec<_> = all.iter().map(|profile| format!("`{}`", profile.name)).collect();
    let problem = |name| format!("there is no profile {name:?}; expected one of {}", names.join(", "));
    unknown.map(|(path, name)| Mistake::value(&path, problem(name))).collect()
}

fn unknown_users(raw: &RawConfig, devices: &[DeviceRule]) -> Vec<Mistake> {
    // An ICAP client has users of its own.
    let is_known = |user: &str| raw.icap.listen.is_some() || raw.access.users.has(user);
    let named =
        devices.iter().enumerate().flat_map(|(index, device)| device.users.iter().map(move |user| (index, user)));
    let unknown = named.filter(|(_, user)| !is_known(user));
    let problem = |user| format!("there is no user {user:?}; expected a name of `access.users`");
    unknown.map(|(index, user)| Mistake::value(&format!("devices.{index}.users"), problem(user))).collect()
}

impl DeviceRule {
    fn lower_case(mut self) -> Self {
        self.user_agents.iter_mut().for_each(|part| part.make_ascii_lowercase());
        self
    }

    /// `user_agent` and the rule's parts of it are in lower case; none has no part of any rule.
    fn matches<'a>(&self, asker: &ClientInfo<'_>, user_agent: impl FnOnce() -> Option<&'a str>) -> bool {
        let by_agent = || user_agent().is_some_and(|agent| self.user_agents.iter().any(|part| agent.contains(part)));
        self.fits(asker) && (self.user_agents.is_empty() || by_agent())
    }

    /// Whether it matches but for the `User-Agent`.
    fn fits(&self, asker: &ClientInfo<'_>) -> bool {
        let by_user = |user: &String| asker.user == Some(user);
        (self.clients.is_empty() || self.clients.iter().any(|range| range.contains(asker.client)))
            && (self.users.is_empty() || self.users.iter().any(by_user))
            && (self.ports.is_empty() || self.ports.contains(&asker.port))
    }
}

#[cfg(test)]
mod tests;
