//! Section `blocking`: lists of advertisements and trackers.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Value;

use super::{
    BlockedServices, HostPatterns, Hours, ListSource, SafeSearch, ServiceEntry, error::Mistake, file, https,
    values::path_or_null,
};

/// Most lines of `blocking.rules`, and most bytes of one: a person writes and reads them.
const MOST_RULES: (usize, usize) = (10_000, 4096);

/// Section `blocking`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RawBlocking {
    /// Whether anything is blocked, in pages and among requests.
    pub enabled: bool,
    /// Whether requests for what the lists forbid are answered by the proxy; `false` only takes it out of pages.
    pub requests: bool,
    /// Names of lists, addresses of lists, or files; relative paths start at the configuration file. Each may be a
    /// hosts file, plain hosts, or rules as `AdGuard`, `Pi-hole`, `EasyList` and `uBlock Origin` write them.
    #[schemars(with = "Vec<String>")]
    pub lists: Vec<ListSource>,
    /// Further lists for the hosts of tunnels alone: of an encrypted connection that is not opened nothing else is seen, and lists made
    /// for name servers know more whole hosts.
    #[schemars(with = "Vec<String>")]
    pub tunnel_lists: Vec<ListSource>,
    /// Sites on which nothing is blocked, and hosts that are never blocked, with everything under them.
    pub except: HostPatterns,
    /// Sites and hosts that one list does not block, by the list's name as in `lists`.
    pub except_by_list: BTreeMap<String, HostPatterns>,
    /// Own rules, written as in a list: `||host^`, `@@||host^`, `host##selector`; `!` begins a comment.
    pub rules: Vec<String>,
    /// Services that are blocked as a whole, such as `youtube`; `youtube@bed` in these hours of `schedule` alone, `youtube@always`
    /// whatever the hours.
    #[schemars(with = "Vec<String>")]
    pub services: Vec<ServiceEntry>,
    /// Hours in which services are blocked, by a name: `bed: "21:00-07:00"`. Before them may stand days: `mon-thu 21:00-07:00`.
    /// `school_days` are those of Monday to Friday.
    #[schemars(with = "BTreeMap<String, String>")]
    pub schedule: BTreeMap<String, Hours>,
    /// The zone that the hours are of, such as `Europe/Berlin`; `null` means that of the machine.
    pub time_zone: Option<String>,
    /// Search engines and `YouTube` without what is not for children.
    pub safe_search: SafeSearch,
    /// Whether lists from the web are kept up to date.
    pub update: bool,
    /// Folder of downloaded lists. `null` means `lists` in `$STATE_DIRECTORY` under systemd, else in `gleaner` in the user's data folder.
    #[serde(deserialize_with = "path_or_null")]
    pub dir: Option<PathBuf>,
}

impl Default for RawBlocking {
    fn default() -> Self {
        Self {
            enabled: true,
            requests: true,
            lists: vec![ListSource::Builtin],
            tunnel_lists: Vec::new(),
            except: HostPatterns::default(),
            except_by_list: BTreeMap::new(),
            rules: Vec::new(),
            services: Vec::new(),
            schedule: BTreeMap::new(),
            time_zone: None,
            safe_search: SafeSearch::Off,
            update: true,
            dir: None,
        }
    }
}

/// The section `blocking` as used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocking {
    /// Whether anything is blocked.
    pub enabled: bool,
    /// Whether requests are.
    pub requests: bool,
    /// Each list once; files with their whole paths.
    pub lists: Vec<ListSource>,
    /// Lists for the hosts of tunnels alone, likewise.
    pub tunnel_lists: Vec<ListSource>,
    /// Sites on which nothing is blocked, and hosts that are not.
    pub except: HostPatterns,
    /// Sites and hosts that one list does not block.
    pub except_by_list: BTreeMap<String, HostPatterns>,
    /// Own rules, each a line.
    pub rules: Vec<String>,
    /// Services that are blocked, and when.
    pub services: BlockedServices,
    /// What search engines leave out.
    pub safe_search: SafeSearch,
    /// Whether lists are kept up to date.
    pub update: bool,
    /// Where they are kept; `None` where the user has no home.
    pub dir: Option<PathBuf>,
}

/// The section with whole paths.
pub(super) fn build(raw: RawBlocking, base: &Path) -> Result<Blocking, Mistake> {
    let (lists, tunnel_lists) = (once_each(raw.lists), once_each(raw.tunnel_lists));
    for name in raw.except_by_list.keys() {
        let all = || lists.iter().chain(&tunnel_lists);
        if !all().any(|list| list.to_string() == *name) {
            let names: Vec<_> = all().map(|list| format!("`{list}`")).collect();
            let problem = format!("{name:?} is none of the lists in use; expected one of {}", names.join(", "));
            return Err(Mistake::value("blocking.except_by_list", problem));
        }
    }
    let services = BlockedServices::build(&raw.services, &raw.schedule, raw.time_zone.as_deref())?;
    let (most, longest) = MOST_RULES;
    if raw.rules.len() > most || raw.rules.iter().any(|rule| rule.len() > longest || rule.contains(['\n', '\r'])) {
        let problem =
            format!("too many rules, or a long one; expected at most {most} of one line of at most {longest} bytes");
        return Err(Mistake::value("blocking.rules", problem));
    }
    let whole = |list| match list {
        ListSource::File(path) => ListSource::File(file::under(base, &path)),
        list => list,
    };
    let except_by_list = raw.except_by_list.into_iter().map(|(name, except)| {
        let list: Result<ListSource, _> = name.parse();
        (list.map_or(name, |list| whole(list).to_string()), except)
    });
    let dir = raw.dir.map(|dir| file::under(base, &dir));
    Ok(Blocking {
        enabled: raw.enabled,
        requests: raw.requests,
        except_by_list: except_by_list.collect(),
        lists: lists.into_iter().map(whole).collect(),
        tunnel_lists: tunnel_lists.into_iter().map(whole).collect(),
        except: raw.except,
        rules: raw.rules,
        services,
        safe_search: raw.safe_search,
        update: raw.update,
        dir: dir.or_else(|| https::default_authority_dir().map(|dir| dir.join("lists"))),
    })
}

fn once_each(lists: Vec<ListSource>) -> Vec<ListSource> {
    let mut kept = Vec::new();
    for list in lists {
        if !kept.contains(&list) {
            kept.push(list);
        }
    }
    kept
}

impl Blocking {
    /// All lists, for whatever they are used.
    pub(crate) fn all_lists(&self) -> impl Iterator<Item = &ListSource> {
        self.lists.iter().chain(&self.tunnel_lists)
    }
}

/// The mistakes of files of `blocking.lists` and `blocking.tunnel_lists` that cannot be used, each with the problem. A start goes on without them.
pub(super) fn unread_lists(problems: &[(PathBuf, String)], tree: &Value, base: &Path) -> Vec<Mistake> {
    let section = tree.get("blocking");
    let written = ["lists", "tunnel_lists"].into_iter().flat_map(|key| {
        let items = section.and_then(|section| section.get(key)).and_then(Value::as_sequence);
        items.into_iter().flatten().enumerate().map(move |(index, item)| (format!("blocking.{key}.{index}"), item))
    });
    let written: Vec<(String, &Value)> = written.collect();
    let mut mistakes = Vec::new();
    for (file, problem) in problems {
        let is_it = |item: &str| file::under(base, Path::new(item)) == *file;
        let found =
            written.iter().find_map(|(path, item)| Some((path.clone(), item.as_str().filter(|item| is_it(item))?)));
        let (path, hint) = match found {
            Some((path, item)) => (path, meant_by(item)),
            None => ("blocking.lists".to_owned(), None),
        };
        let problem = format!("{problem}; {}expected the file of a list", hint.unwrap_or_default());
        mistakes.push(Mistake::value(&path, problem));
    }
    mistakes
}

/// Hint about a file name that may have been meant as an address: it lacks a scheme.
fn meant_by(name: &str) -> Option<String> {
    let (host, _) = name.split_once('/')?;
    let is_host = host.split('.').count() > 1 && host.split('.').all(|label| !label.is_empty());
    is_host.then(|| format!("did you mean `https://{name}`? "))
}
