//! Lists from the web: fetched when they have expired, kept as they were when that fails.
//!
//! A fetched list is only written into its file; the program watches the files of its lists and reads its configuration again
//! when one changes. So `gleaner lists update` in another process does the same as the program itself.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};
use tracing::{info, warn};
use url::Url;

use super::{Blocker, ListSource, MAX_LIST, Pause, syntax};
use crate::{config::Config, fetch, service::Proxy};

/// For one list, all of it.
const TIMEOUT: Duration = Duration::from_mins(2);

/// How long a list is good that does not say so (`! Expires:`).
const GOOD_FOR: Duration = Duration::from_hours(48);

/// Until the next try after one that failed.
const AGAIN_AFTER: Duration = Duration::from_hours(1);

/// How often it is looked whether a list has expired.
const EVERY: Duration = Duration::from_mins(15);

/// A list with less than one part in so many of the rules that it had is taken for a mistake of its server.
const SHRUNK: usize = 10;

/// What is known of a list's last fetch, kept beside its file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fetched {
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
    /// When it was asked for last, in seconds since 1970.
    pub asked: u64,
    /// When it changed last, likewise.
    pub changed: u64,
    /// Why the last try failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What came of an update.
#[derive(Debug)]
pub enum Outcome {
    /// There is a new list, with so many lines that are rules.
    New(usize),
    /// It is as it was.
    Same,
    /// The one that was there stays, if there was one.
    Failed(String),
}

/// Why a list was not fetched.
type Problem = String;

/// Keeps the lists of the configuration in force up to date, and ends their pause, until the program ends.
pub async fn maintain(proxy: Arc<Proxy>) {
    loop {
        let config = proxy.config();
        let settings = config.blocker.settings();
        if settings.enabled && settings.update {
            for list in settings.lists.iter().filter(|list| is_due(list, settings.dir.as_deref())) {
                report(list, &update(&config, list).await);
            }
        }
        let left = config.blocker.paused_until().and_then(|until| until.duration_since(SystemTime::now()).ok());
        tokio::select! {
            () = proxy.reloaded.notified() => {}
            () = sleep(EVERY) => {}
            () = sleep(left.unwrap_or_default()), if left.is_some() => end_pause(&config.blocker),
        }
    }
}

fn report(list: &ListSource, outcome: &Outcome) {
    match outcome {
        Outcome::New(rules) => info!(%list, rules, "a list was updated"),
        Outcome::Same => {}
        Outcome::Failed(problem) => warn!(%list, problem, "a list was not updated; the one before it stays in use"),
    }
}

fn end_pause(blocker: &Blocker) {
    if let Some(dir) = &blocker.settings().dir
        && let Err(error) = Pause::end(dir)
    {
        warn!(%error, "the file of the pause cannot be removed");
    }
}

/// Fetches a list if it has changed. What is not from the web is as it was.
pub async fn update(config: &Config, list: &ListSource) -> Outcome {
    let (Some(address), Some(file)) = (list.address(), list.file(config.blocker.settings().dir.as_deref())) else {
        return Outcome::Same;
    };
    let mut state = state(&file);
    let old = fs::read_to_string(&file).ok();
    if old.is_none() {
        (state.etag, state.last_modified) = (None, None);
    }
    let fetched = match timeout(TIMEOUT, fetch(config, &address, &state)).await {
        Ok(fetched) => fetched,
        Err(_) => Err(format!("it did not arrive within {} seconds", TIMEOUT.as_secs())),
    };
    let outcome = fetched.and_then(|response| match response {
        None => Ok(Outcome::Same),
        Some((headers, text)) => keep(&file, &text, old.as_deref(), &headers, &mut state),
    });
    state.asked = now();
    state.problem = outcome.as_ref().err().cloned();
    let outcome = outcome.unwrap_or_else(Outcome::Failed);
    let written = serde_json::to_vec_pretty(&state).map_err(std::io::Error::other);
    match written.and_then(|written| super::write(&state_file(&file), &written)) {
        Ok(()) => outcome,
        Err(error) => Outcome::Failed(format!("cannot write {}: {error}", state_file(&file).display())),
    }
}

/// Puts a fetched list in the place of the old one, unless it is none.
fn keep(
    file: &Path,
    text: &str,
    old: Option<&str>,
    headers: &HeaderMap,
    state: &mut Fetched,
) -> Result<Outcome, Problem> {
    let rules = syntax::count(text);
    let before = old.map_or(0, syntax::count);
    let begins = text.trim_start().get(..9).unwrap_or_default().to_ascii_lowercase();
    if rules == 0 || begins.starts_with("<!doctype") || begins.starts_with("<html") {
        return Err("what arrived is no list".to_owned());
    }
    if rules.saturating_mul(SHRUNK) < before {
        return Err(format!("it shrank from {before} rules to {rules}, which is taken for a mistake"));
    }
    let field = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::to_owned);
    (state.etag, state.last_modified) = (field(header::ETAG), field(header::LAST_MODIFIED));
    if old == Some(text) {
        return Ok(Outcome::Same);
    }
    super::write(file, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    state.changed = now();
    Ok(Outcome::New(rules))
}

/// The list's text with the fields of its response; `None` if it has not changed.
async fn fetch(config: &Config, address: &Url, state: &Fetched) -> Result<Option<(HeaderMap, String)>, Problem> {
    let known = [(header::IF_NONE_MATCH, &state.etag), (header::IF_MODIFIED_SINCE, &state.last_modified)];
    let known =
        known.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(value.as_ref()?).ok()?)));
    let most = usize::try_from(MAX_LIST).unwrap_or(usize::MAX);
    let Some(fetched) = fetch::get(config, address, &known.collect(), most).await? else {
        return Ok(None);
    };
    let text = String::from_utf8(fetched.bytes).map_err(|_| format!("{address}: it is not UTF-8 text"))?;
    Ok(Some((fetched.headers, text)))
}

/// Whether a list is to be asked for.
fn is_due(list: &ListSource, dir: Option<&Path>) -> bool {
    let (Some(_), Some(file)) = (list.address(), list.file(dir)) else {
        return false;
    };
    let state = state(&file);
    let good_for = match &state.problem {
        Some(_) => AGAIN_AFTER,
        None if !file.exists() => Duration::ZERO,
        None => good_for(&file),
    };
    now() >= state.asked.saturating_add(good_for.as_secs())
}

/// How long a list says that it is good.
fn good_for(file: &Path) -> Duration {
    let text = fs::read_to_string(file).unwrap_or_default();
    expires(&text).unwrap_or(GOOD_FOR)
}

/// `! Expires: 4 days (update frequency)`
fn expires(text: &str) -> Option<Duration> {
    let lines = text.lines().take(50).filter_map(|line| line.trim_start_matches(['!', '#', ' ']).split_once(':'));
    let mut found = lines.filter(|(name, _)| name.eq_ignore_ascii_case("expires"));
    let mut words = found.next()?.1.split_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    let hours = match words.next()? {
        unit if unit.starts_with("day") => number.checked_mul(24)?,
        unit if unit.starts_with("hour") => number,
        _ => return None,
    };
    // The bounds that Adblock Plus gives.
    Some(Duration::from_hours(hours.clamp(1, 14 * 24)))
}

/// What is known of the last fetch of a list from the web.
#[must_use]
pub fn last_fetch(config: &Config, list: &ListSource) -> Option<Fetched> {
    list.address()?;
    Some(state(&list.file(config.blocker.settings().dir.as_deref())?))
}

/// In how many seconds a list is asked for again.
#[must_use]
pub fn next_fetch(config: &Config, list: &ListSource) -> Option<u64> {
    let file = list.file(config.blocker.settings().dir.as_deref())?;
    Some((state(&file).asked + good_for(&file).as_secs()).saturating_sub(now()))
}

fn state_file(list: &Path) -> PathBuf {
    list.with_extension("json")
}

fn state(list: &Path) -> Fetched {
    let text = fs::read(state_file(list)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_how_long_it_is_good() {
        let hours = |text: &str| expires(text).map(|good| good.as_secs() / 3600);
        assert_eq!(hours("[Adblock Plus 2.0]\n! Title: x\n! Expires: 4 days (update frequency)\n||a^"), Some(96));
        assert_eq!(hours("! expires: 8 hours"), Some(8));
        assert_eq!(hours("# Expires: 0 hours"), Some(1));
        assert_eq!(hours("! Expires: 99 days"), Some(14 * 24));
        assert_eq!(hours("! Expires: soon"), None);
        assert_eq!(hours("||expires.example^"), None);
    }

    #[test]
    fn a_wrong_list_does_not_take_the_place_of_a_good_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("list.txt");
        let old = "a.example\n".repeat(100);
        let kept = |text: &str| keep(&file, text, Some(&old), &HeaderMap::new(), &mut Fetched::default());
        for text in ["", "! nothing\n", "<!DOCTYPE html><p>log in", "<html>", "a.example\nb.example\n"] {
            assert!(kept(text).is_err(), "{text}");
        }
        assert!(matches!(kept(&old), Ok(Outcome::Same)));
        assert!(!file.exists());
        let half = "a.example\n".repeat(50);
        assert!(matches!(kept(&half), Ok(Outcome::New(50))));
        assert_eq!(fs::read_to_string(&file).unwrap(), half);
    }
}
