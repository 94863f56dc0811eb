//! When each list from the web was fetched last, kept beside its file, and when it is to be fetched again.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::store;
use crate::config::{Config, ListSource};

/// How long a list is good that does not say so (`! Expires:`).
const GOOD_FOR: Duration = Duration::from_hours(48);

/// Until the next try after one that failed, doubled with each, and the longest.
const AGAIN_AFTER: [Duration; 2] = [Duration::from_mins(1), Duration::from_hours(1)];

/// State of a list's last fetch, kept beside its file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fetched {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) etag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_modified: Option<String>,
    /// When it was asked for last, in seconds since 1970.
    pub asked: u64,
    /// When it changed last, likewise.
    pub changed: u64,
    /// How many tries have failed since.
    pub(crate) failures: u32,
    /// SHA-256 of the list's file, in Base64: a file with another one was damaged.
    pub(crate) sha256: String,
    /// Why the last try failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The SHA-256 of a list, in Base64.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(digest(&SHA256, bytes))
}

/// In how many seconds the list in this file is to be asked for.
pub(crate) fn due_in(file: &Path) -> u64 {
    let state = state(file);
    if state.asked > now() {
        // The clock was wrong, then or now.
        return 0;
    }
    let bytes = store::read(file).unwrap_or_default();
    let good_for = match state.failures {
        0 if sha256(&bytes) != state.sha256 => Duration::ZERO,
        0 => expires(&String::from_utf8_lossy(&bytes)).unwrap_or(GOOD_FOR),
        failures => again_after(failures),
    };
    state.asked.saturating_add(good_for.as_secs()).saturating_sub(now())
}

fn again_after(failures: u32) -> Duration {
    let [first, longest] = AGAIN_AFTER;
    first.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1))).min(longest)
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

/// State of the last fetch of a list from the web.
#[must_use]
pub fn last_fetch(config: &Config, list: &ListSource) -> Option<Fetched> {
    list.address()?;
    Some(state(&list.file(config.blocking.dir.as_deref())?))
}

/// In how many seconds a list is asked for again.
#[must_use]
pub fn next_fetch(config: &Config, list: &ListSource) -> Option<u64> {
    let file = list.file(config.blocking.dir.as_deref())?;
    Some(due_in(&file))
}

pub(crate) fn state_file(list: &Path) -> PathBuf {
    list.with_extension("json")
}

pub(crate) fn state(list: &Path) -> Fetched {
    let text = store::read(&state_file(list)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

pub(crate) fn now() -> u64 {
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
    fn a_failed_fetch_is_tried_again_soon_and_then_less_often() {
        let minutes = [1, 2, 3, 6, 7, 99].map(|failures| again_after(failures).as_secs() / 60);
        assert_eq!(minutes, [1, 2, 4, 32, 60, 60]);
    }
}
