//! Where the configuration comes from: a named file, the usual places, or the built-in defaults.

use std::{
    env,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use etcetera::{BaseStrategy, choose_base_strategy};
use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};
use serde::Serialize;
use serde_path_to_error::Segment;
use serde_yaml::Value;

use super::{
    Config, ConfigError, Intercept, ListSource, Profiles, RawConfig, blocking,
    document::{self, Path as TreePath},
    error::{Mistake, with_hint},
    file::{self, without_mark},
    hint, profiles,
};

/// Where to look for the file.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// Candidates in order.
    pub places: Vec<PathBuf>,
    /// Whether the one place was named by the user and must be there.
    pub named: bool,
}

/// A configuration that was read and checked, with what was noticed in it.
#[derive(Clone, Debug)]
pub struct ParsedConfig {
    /// The settings.
    pub config: Config,
    /// The file as written.
    pub raw: RawConfig,
    /// Its file; `None` when the built-in defaults are used.
    pub file: Option<PathBuf>,
    /// Hints about settings that are read otherwise than they may have been meant.
    pub hints: Vec<String>,
    /// Files whose change means a reload.
    pub watched: Vec<PathBuf>,
    text: String,
    /// The folder that relative paths start at.
    base: PathBuf,
}

impl Lookup {
    /// The named file, or else the user's and then the machine's.
    #[must_use]
    pub fn new(named: Option<PathBuf>) -> Self {
        if let Some(file) = named {
            return Self { places: vec![file], named: true };
        }
        let user = choose_base_strategy().ok().map(|base| base.config_dir());
        let machine = Some(PathBuf::from("/etc"));
        let places = [user, machine].into_iter().flatten();
        Self { places: places.map(|dir| dir.join("gleaner/config.yaml")).collect(), named: false }
    }

    /// Reads the first file that is there.
    pub fn read(&self) -> Result<ParsedConfig, ConfigError> {
        for place in &self.places {
            match file::read(place, file::MAX_CONFIG) {
                Ok(bytes) => return ParsedConfig::from_bytes(bytes, Some(place)),
                Err(error) if is_absent(&error) && !self.named => {}
                Err(error) => return Err(ConfigError::io(place, &error)),
            }
        }
        ParsedConfig::from_yaml("", None)
    }
}

/// Whether there is no such file, also where a part of its path is a file: a program named `gleaner` in the user's folder.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The [`Config::text_hash`] of a file.
fn text_hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl ParsedConfig {
    /// Reads and checks a configuration that may not be text.
    pub fn from_bytes(bytes: Vec<u8>, file: Option<&Path>) -> Result<Self, ConfigError> {
        let text = String::from_utf8(bytes).map_err(|error| ConfigError::not_text(file, &error))?;
        Self::from_yaml(&text, file)
    }

    /// Reads and checks the text of a configuration file. `file` is used for messages and for
    /// relative paths.
    pub fn from_yaml(text: &str, file: Option<&Path>) -> Result<Self, ConfigError> {
        let text = without_mark(text);
        let tree = document::read(text).map_err(|error| ConfigError::content(file, error))?;
        let base = match file.and_then(Path::parent) {
            Some(dir) if !dir.as_os_str().is_empty() => dir.to_path_buf(),
            _ => env::current_dir().unwrap_or_default(),
        };
        let mut mistakes = Vec::new();
        let parsed = RawConfig::from_tree(&tree, &mut mistakes).map(|(mut raw, removed)| {
            let known = mistakes.len();
            let (mut config, noticed) = raw.build(&base, &mut mistakes);
            if !is_any_in(&mistakes, &["filters"])
                && let Err(error) = config.check_chain(&config.filters)
            {
                mistakes.push(filters_mistake(&tree, &error));
            }
            config.profiles = Profiles::build(&config, &raw, &base, &mut mistakes);
            mistakes[known..].iter_mut().for_each(|mistake| as_written(&mut mistake.path, &removed));
            config.text_hash = text_hash(text);
            let hints = noticed.hints.into_iter().chain(hint::for_boolean(&tree)).collect();
            let (file, text) = (file.map(Path::to_owned), text.to_owned());
            Self { config, raw, file, hints, watched: noticed.watched, text, base }
        });
        parsed.filter(|_| mistakes.is_empty()).ok_or_else(|| ConfigError::mistakes(file, text, &mistakes))
    }

    /// The error about these files of lists, each with its problem, if there are any.
    pub(crate) fn unread_lists(&self, problems: &[(PathBuf, String)]) -> Option<ConfigError> {
        let tree = document::read(&self.text).unwrap_or_default();
        let unread = blocking::unread_lists(problems, &tree, &self.base);
        (!unread.is_empty()).then(|| ConfigError::mistakes(self.file.as_deref(), &self.text, &unread))
    }
}

impl Config {
    /// Reads and checks the text of a configuration file, as [`ParsedConfig::from_yaml`] does.
    pub fn from_yaml(text: &str, file: Option<&Path>) -> Result<Self, ConfigError> {
        ParsedConfig::from_yaml(text, file).map(|parsed| parsed.config)
    }

    /// Checks settings of the chain. Which lists it asks makes no difference to that.
    pub(super) fn check_chain(&self, filters: &ChainConfig) -> Result<(), gleaner_filters::ConfigError> {
        Chain::new(filters, self.page_limits(), HostList::default()).map(drop)
    }

    /// Whether the authority is needed from the start: the connections of some clients are always decrypted.
    pub(crate) fn always_intercepts(&self) -> bool {
        self.profiles.all.iter().any(|profile| profile.intercept == Intercept::On)
    }

    /// The lists of the section and of all profiles, each once.
    pub(crate) fn all_lists(&self) -> Vec<&ListSource> {
        let own = self.profiles.all.iter().filter_map(|profile| profile.own_blocking.as_ref());
        let mut lists: Vec<&ListSource> = Vec::new();
        for list in std::iter::once(&self.blocking).chain(own).flat_map(super::Blocking::all_lists) {
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        lists
    }

    /// The bounds on one page.
    pub(crate) fn page_limits(&self) -> PageLimits {
        PageLimits {
            depth: self.limits.page_depth,
            nodes: self.limits.page_nodes,
            cpu: Duration::from_millis(self.limits.page_cpu_ms),
        }
    }
}

/// Mistakes that are reported at once.
const MOST_MISTAKES: usize = 20;

impl RawConfig {
    /// Reads the settings, and finds all mistakes in them: serde stops at the first, so what is wrong is removed, and the
    /// rest is read again. With what was removed; `None` where that does not lead to an end.
    fn from_tree(tree: &Value, mistakes: &mut Vec<Mistake>) -> Option<(Self, Vec<TreePath>)> {
        if tree.is_null() {
            return Some(Default::default());
        }
        let mut tree = with_preset(tree);
        let mut removed = Vec::new();
        loop {
            let error = match serde_path_to_error::deserialize::<_, Self>(&tree) {
                Ok(raw) => return Some((raw, removed)),
                Err(error) => error,
            };
            let mut mistake = reader_mistake(&tree, &error);
            let mut path = mistake.path.clone();
            // What was wrong there was reported.
            let is_removed = |gone: &TreePath| gone.len() == path.len() + 1 && gone.starts_with(&path);
            let is_known = mistake.problem.starts_with("missing field") && removed.iter().any(is_removed);
            let depth = remove(&mut tree, &path);
            as_written(&mut mistake.path, &removed);
            if !is_known {
                mistakes.push(mistake);
            }
            path.truncate(depth?);
            removed.push(path);
            if mistakes.len() == MOST_MISTAKES {
                return None;
            }
        }
    }
}

/// Whether any mistake is in one of these sections.
pub(super) fn is_any_in(mistakes: &[Mistake], sections: &[&str]) -> bool {
    mistakes.iter().filter_map(|mistake| mistake.path.first()).any(|key| sections.contains(&key.as_str()))
}

/// A mistake that serde found.
fn reader_mistake(tree: &Value, error: &serde_path_to_error::Error<serde_yaml::Error>) -> Mistake {
    let segments = error.path().iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(key.clone()),
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    let path: Vec<String> = segments.collect();
    let raw = error.inner().to_string();
    let is_key = raw.starts_with("unknown field");
    let hint = is_key.then(|| hint::for_unknown_key(tree, &path)).flatten();
    Mistake { path, problem: with_hint(&raw, hint), is_key, other_file: None }
}

/// A mistake that the filters found. A problem with an item of a list begins with the item.
pub(super) fn filters_mistake(tree: &Value, error: &gleaner_filters::ConfigError) -> Mistake {
    let mut mistake = Mistake::value(&format!("filters.{}", error.key), error.problem.clone());
    let list = mistake.path.iter().try_fold(tree, |tree, key| tree.get(key));
    let item = error.problem.split(['"', '`']).nth(1);
    let index =
        list.and_then(Value::as_sequence).and_then(|list| list.iter().rposition(|found| found.as_str() == item));
    mistake.path.extend(index.map(|index| index.to_string()));
    mistake
}

/// The settings of a section with a tree laid over them, or the mistakes in it.
pub(super) fn merged<T: Serialize>(
    section: &str,
    base: &T,
    over: Value,
    read: fn(RawConfig) -> T,
) -> Result<T, Vec<Mistake>> {
    let mut tree = serde_yaml::to_value(base).unwrap_or_default();
    merge_into(&mut tree, over);
    let root = serde_yaml::Mapping::from_iter([(section.into(), tree)]);
    let mut mistakes = Vec::new();
    let raw = RawConfig::from_tree(&Value::Mapping(root), &mut mistakes);
    raw.filter(|_| mistakes.is_empty()).map(|(raw, _)| read(raw)).ok_or(mistakes)
}

/// Removes the key or the list item that this path leads to; a list that would be empty goes with its key. How many parts of
/// the path lead to what was removed.
fn remove(tree: &mut Value, path: &[String]) -> Option<usize> {
    let (key, rest) = path.split_first()?;
    match tree {
        Value::Sequence(list) => {
            let index: usize = key.parse().ok()?;
            let within = remove(list.get_mut(index)?, rest).map(|depth| depth + 1);
            within.or_else(|| (list.len() > 1).then(|| list.remove(index)).map(|_| 1))
        }
        Value::Mapping(section) => {
            let within = section.get_mut(key).and_then(|inner| remove(inner, rest)).map(|depth| depth + 1);
            within.or_else(|| section.shift_remove(key).map(|_| 1))
        }
        _ => None,
    }
}

/// Counts the items again that were removed from the lists on this path.
fn as_written(path: &mut TreePath, removed: &[TreePath]) {
    for (index, list) in removed.iter().rev().filter_map(|item| item.split_last()) {
        if path.starts_with(list)
            && let Some(part) = path.get_mut(list.len())
            && let (Ok(now), Ok(gone)) = (part.parse::<usize>(), index.parse::<usize>())
            && now >= gone
        {
            *part = (now + 1).to_string();
        }
    }
}

/// The tree with its preset, and the shipped profiles, under what is written.
pub(super) fn with_preset(tree: &Value) -> Value {
    let mut tree = tree.clone();
    if tree.get("preset").and_then(Value::as_str) == Some("crunch")
        && let Ok(mut filters) = serde_yaml::to_value(ChainConfig::crunch())
    {
        if let Some(written) = tree.get("filters") {
            merge_into(&mut filters, written.clone());
        }
        tree["filters"] = filters;
    }
    if let Some(written) = tree.get_mut("profiles") {
        let written = std::mem::replace(written, profiles::shipped_tree());
        merge_into(&mut tree["profiles"], written);
    }
    tree
}

/// These filter settings with others, written as YAML, laid over them; or the first mistake in those.
pub fn filters_with(filters: &ChainConfig, yaml: &str) -> Result<ChainConfig, String> {
    let over = document::read(yaml).map_err(|(_, problem)| problem)?;
    merged("filters", filters, over, |raw| raw.filters).map_err(|mistakes| {
        let first = mistakes.first().map(Mistake::message).unwrap_or_default();
        first.trim_start_matches("filters.").trim_start_matches("filters: ").to_owned()
    })
}

/// Lays one tree over another: maps key by key, everything else as a whole. Nothing written changes nothing.
pub(super) fn merge_into(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Mapping(base), Value::Mapping(over)) => {
            for (key, value) in over {
                merge_into(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (base, over) => *base = over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_named_gleaner_in_the_folder_of_configurations_is_no_configuration() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("gleaner"), "#!/bin/sh").unwrap();
        let lookup = |named| Lookup { places: vec![folder.path().join("gleaner/config.yaml")], named };
        assert!(lookup(false).read().is_ok());
        assert!(lookup(true).read().is_err());
    }
}
