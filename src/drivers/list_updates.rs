//! Lists from the web: fetched when they have expired, kept as they were when that fails.
//!
//! A fetched list is only written into its file; the program watches the files of its lists and reads its configuration again
//! when one changes. So `gleaner lists update` in another process does the same as the program itself.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures_util::{StreamExt, stream};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use tokio::{
    task::spawn_blocking,
    time::{sleep, timeout},
};
use tracing::{info, warn};
use url::Url;

use crate::{
    blocking::{
        MAX_LIST, Pause,
        fetches::{Fetched, due_in, now, sha256, state, state_file},
        store, syntax,
    },
    client::fetch,
    config::{Blocking, Config, ListSource},
    net::access_control::Initiator,
    state::proxy::Proxy,
};

/// For one list, all of it.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Lists that are fetched side by side, so that one slow server does not keep the others out. Raising it takes more memory at once.
pub const AT_ONCE: usize = 4;

/// How often it is looked whether a list has expired.
const CHECK_INTERVAL: Duration = Duration::from_mins(15);

/// A list with less than one part in so many of the rules that it had is taken for a mistake of its server.
const SHRINK_LIMIT: usize = 10;

/// The result of an update.
#[derive(Debug)]
pub struct Update {
    /// Outcome for the list.
    pub outcome: UpdateOutcome,
    /// Why it is kept in memory only, until the program ends.
    pub unwritten: Option<String>,
}

/// The outcome for a list.
#[derive(Debug)]
pub enum UpdateOutcome {
    /// There is a new list, with so many lines that are rules.
    New(usize),
    /// The list is unchanged.
    Same,
    /// The update failed; the list that was there stays in use, if there was one.
    Failed(String),
}

/// Why a list was not fetched.
type Problem = String;

/// Keeps the lists of the configuration in force up to date, and ends their pause, until the program ends.
pub async fn maintain(proxy: Arc<Proxy>) {
    let mut is_start = true;
    loop {
        let config = proxy.config();
        let (settings, blocker) = (&config.blocking, proxy.blocker());
        let mut pause = CHECK_INTERVAL;
        if settings.enabled && settings.update {
            let lists: Vec<_> = config.all_lists().into_iter().filter(|list| list.address().is_some()).collect();
            let files: Vec<_> = lists.iter().filter_map(|list| list.file(settings.dir.as_deref())).collect();
            let mut fetches = Vec::new();
            for (list, (due_in, had_one)) in lists.iter().zip(copies(files.clone()).await) {
                // Without a copy nothing is gained by waiting: the program before may have started without a network.
                if due_in == 0 || is_start && !had_one {
                    fetches.push(update_and_report(&proxy, &config, list, had_one));
                }
            }
            stream::iter(fetches).buffer_unordered(AT_ONCE).collect::<()>().await;
            let due = copies(files).await.into_iter().map(|(due_in, _)| Duration::from_secs(due_in.max(1)));
            pause = due.fold(pause, Duration::min);
        }
        is_start = false;
        let left = blocker.paused_until().and_then(|until| until.duration_since(SystemTime::now()).ok());
        tokio::select! {
            () = proxy.reloaded.notified() => {}
            () = sleep(pause) => {}
            () = sleep(left.unwrap_or_default()), if left.is_some() => end_pause(settings),
        }
    }
}

/// In how many seconds the list in each file is to be asked for, and whether there is a copy. Lists of many megabytes are read and
/// hashed away from the threads that serve requests.
async fn copies(files: Vec<PathBuf>) -> Vec<(u64, bool)> {
    let copies = move || files.iter().map(|file| (due_in(file), store::read(file).is_ok())).collect();
    spawn_blocking(copies).await.unwrap_or_default()
}

async fn update_and_report(proxy: &Proxy, config: &Config, list: &ListSource, had_one: bool) {
    let update = update(config, list).await;
    match &update.outcome {
        UpdateOutcome::New(rules) => info!(%list, rules, "a list was updated"),
        UpdateOutcome::Same => {}
        UpdateOutcome::Failed(problem) if had_one => {
            warn!(%list, problem, "a list was not updated; the one before it stays in use");
        }
        UpdateOutcome::Failed(problem) => warn!(%list, problem, "a list was not fetched; nothing is blocked by it yet"),
    }
    if let (UpdateOutcome::New(_), Some(problem)) = (&update.outcome, &update.unwritten) {
        warn!(%list, problem, "what was fetched is kept in memory until this program ends");
        // No file has changed that could be noticed.
        proxy.lists_changed.notify_one();
    }
}

fn end_pause(settings: &Blocking) {
    if let Some(dir) = &settings.dir
        && let Err(error) = Pause::end(dir)
    {
        warn!(%error, "the file of the pause cannot be removed");
    }
}

/// Fetches a list if it has changed. What is not from the web is as it was.
pub async fn update(config: &Config, list: &ListSource) -> Update {
    let (Some(address), Some(file)) = (list.address(), list.file(config.blocking.dir.as_deref())) else {
        return Update { outcome: UpdateOutcome::Same, unwritten: None };
    };
    let failed = |problem: String| Update { outcome: UpdateOutcome::Failed(problem), unwritten: None };
    // What is done with a list of many megabytes is done away from the threads that serve requests.
    let place = file.clone();
    let (state, old) = match spawn_blocking(move || copy(&place)).await {
        Ok(copy) => copy,
        Err(error) => return failed(error.to_string()),
    };
    let fetched = match timeout(TIMEOUT, fetch(config, &address, &state)).await {
        Ok(fetched) => fetched,
        Err(_) => Err(format!("it did not arrive within {} seconds", TIMEOUT.as_secs())),
    };
    let taken = spawn_blocking(move || take(&file, fetched, old.as_deref(), state)).await;
    taken.unwrap_or_else(|error| failed(error.to_string()))
}

/// The copy of a list, unless it was damaged, and what is known of its fetch.
fn copy(file: &Path) -> (Fetched, Option<String>) {
    let mut state = state(file);
    let old = store::read(file).ok().filter(|old| sha256(old) == state.sha256);
    let old = old.map(|old| String::from_utf8_lossy(&old).into_owned());
    if old.is_none() {
        (state.etag, state.last_modified) = (None, None);
    }
    (state, old)
}

/// Writes what was fetched, if it is a list and has changed, and what came of the fetch.
fn take(
    file: &Path,
    fetched: Result<Option<(HeaderMap, String)>, Problem>,
    old: Option<&str>,
    mut state: Fetched,
) -> Update {
    let mut unwritten = None;
    let outcome = fetched.and_then(|response| match response {
        None if old.is_none() => {
            Err("the server says that it has not changed (304), which nobody has asked".to_owned())
        }
        None => Ok(UpdateOutcome::Same),
        Some((headers, text)) => {
            let judged = judge(file, &text, old, &headers, &mut state);
            if matches!(judged, Ok(UpdateOutcome::New(_))) {
                unwritten = write(file, text.as_bytes());
            }
            judged
        }
    });
    state.asked = now();
    state.problem = outcome.as_ref().err().cloned();
    state.failures = if outcome.is_ok() { 0 } else { state.failures.saturating_add(1) };
    let unwritten_state = write(&state_file(file), &serde_json::to_vec_pretty(&state).unwrap_or_default());
    Update { outcome: outcome.unwrap_or_else(UpdateOutcome::Failed), unwritten: unwritten.or(unwritten_state) }
}

/// Writes a file; where that fails it is kept in memory, and this is why.
fn write(file: &Path, bytes: &[u8]) -> Option<String> {
    let written = store::write_or_keep(file, bytes);
    written.err().map(|error| format!("cannot write {}: {error}", file.display()))
}

/// Whether a fetched list is one, and another than the old one.
fn judge(
    file: &Path,
    text: &str,
    old: Option<&str>,
    headers: &HeaderMap,
    state: &mut Fetched,
) -> Result<UpdateOutcome, Problem> {
    let rules = syntax::count(text);
    let before = old.map_or(0, syntax::count);
    let field = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::to_owned);
    let is_page = field(header::CONTENT_TYPE).is_some_and(|kind| kind.to_ascii_lowercase().contains("html"));
    if is_page || !syntax::is_list(text) {
        let what = if is_page { "a web page" } else { "something else" };
        return Err(format!("what arrived is no list but {what}"));
    }
    if rules.saturating_mul(SHRINK_LIMIT) < before {
        return Err(format!(
            "it shrank from {before} rules to {rules}, which is taken for a mistake; to accept it, delete {} and update again",
            file.display()
        ));
    }
    (state.etag, state.last_modified) = (field(header::ETAG), field(header::LAST_MODIFIED));
    state.sha256 = sha256(text.as_bytes());
    if old == Some(text) {
        return Ok(UpdateOutcome::Same);
    }
    state.changed = now();
    Ok(UpdateOutcome::New(rules))
}

/// The list's text with the fields of its response; `None` if it has not changed.
async fn fetch(config: &Config, address: &Url, state: &Fetched) -> Result<Option<(HeaderMap, String)>, Problem> {
    let known = [(header::IF_NONE_MATCH, &state.etag), (header::IF_MODIFIED_SINCE, &state.last_modified)];
    let known =
        known.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(value.as_ref()?).ok()?)));
    let most = usize::try_from(MAX_LIST).unwrap_or(usize::MAX);
    let Some(fetched) = fetch::get(config, address, &known.collect(), most, Initiator::Public).await? else {
        return Ok(None);
    };
    if address.scheme() == "https" && fetched.address.scheme() == "http" {
        return Err(format!("it redirects to {}, which anybody on the way could change", fetched.address));
    }
    // A comment may be in another encoding; rules are not.
    Ok(Some((fetched.headers, String::from_utf8_lossy(&fetched.bytes).into_owned())))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_damaged_copy_is_due_at_once_and_one_from_the_future_is_too() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("list.txt");
        let mut state = Fetched { asked: now(), ..Fetched::default() };
        let list = "a.example\nb.example\n";
        judge(&file, list, None, &HeaderMap::new(), &mut state).unwrap();
        fs::write(&file, list).unwrap();
        fs::write(state_file(&file), serde_json::to_vec(&state).unwrap()).unwrap();
        assert!(due_in(&file) > 0);
        for damaged in ["a.example\n", "a.example\nX.example\n"] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(due_in(&file), 0, "{damaged}");
        }
        // As if the clock had been ten years ahead.
        fs::write(&file, list).unwrap();
        state.asked = now() + 3650 * 86_400;
        fs::write(state_file(&file), serde_json::to_vec(&state).unwrap()).unwrap();
        assert_eq!(due_in(&file), 0);
    }

    #[test]
    fn a_wrong_list_does_not_take_the_place_of_a_good_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("list.txt");
        let old = "a.example\n".repeat(100);
        let kept = |text: &str| judge(&file, text, Some(&old), &HeaderMap::new(), &mut Fetched::default());
        let portal = format!("<!-- portal -->\n<html>\n{}", "<p>Log in\n".repeat(60));
        for text in ["", "! nothing\n", "<!DOCTYPE html><p>log in", "<html>", &portal, "a.example\nb.example\n"] {
            assert!(kept(text).is_err(), "{text}");
        }
        let html = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))]);
        assert!(judge(&file, &old, Some(&old), &html, &mut Fetched::default()).is_err());
        assert!(matches!(kept(&old), Ok(UpdateOutcome::Same)));
        let half = "a.example\n".repeat(50);
        assert!(matches!(kept(&half), Ok(UpdateOutcome::New(50))));
    }
}
