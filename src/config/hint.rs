//! Hints for error messages: the section that an unknown key belongs to, and words that YAML reads as booleans.

use std::collections::BTreeMap;

use serde_yaml::Value;

use super::{RawConfig, document::Path};

/// Keys that had another name before the first release.
const RENAMED: [(&str, &str); 8] = [
    ("ad_server_lists", "blocking.lists"),
    ("filters.ad_server_lists", "blocking.lists"),
    ("https.except_lists", "leave_alone.lists"),
    ("https.tunnel_refused", "https.tunnel_pinned_apps"),
    ("limits.page_wait_seconds", "limits.page_arrival_seconds"),
    ("limits.pages_at_once", "limits.max_pages_in_progress"),
    ("timeouts.connect_silence_seconds", "timeouts.tunnel_first_byte_seconds"),
    ("timeouts.idle_seconds", "timeouts.server_idle_seconds"),
];

/// Hint about the unknown key at the end of this path: another section has a key of that name, or the
/// empty section before it has, and only the indentation is missing.
pub(super) fn for_unknown_key(tree: &Value, path: &[String]) -> Option<String> {
    let (key, above) = path.split_last()?;
    let whole = path.join(".");
    if let Some((_, new)) = RENAMED.iter().find(|(old, _)| *old == whole) {
        return Some(format!("it is now `{new}`"));
    }
    // Profiles repeat the keys of `filters`.
    let known = RawConfig { profiles: BTreeMap::default(), ..RawConfig::default() };
    let known = serde_yaml::to_value(known).ok()?;
    let at = |tree: &Value| above.iter().try_fold(tree.clone(), |tree, part| tree.get(part).cloned());
    let (known, written) = (at(&known)?, at(tree)?);
    if let Some(section) = empty_section_before(&written, key)
        && known.get(section).is_some_and(|section| section.get(key).is_some())
    {
        return Some(format!("is it to be indented, as a key of `{section}`?"));
    }
    let mut found = Vec::new();
    collect(&known, key, &mut Path::new(), &mut found);
    match found.as_slice() {
        [] => None,
        [one] => Some(format!("it belongs under {one}, indented")),
        [one, other, ..] => Some(format!("it belongs under a section such as {one} or {other}, indented")),
    }
}

/// Hint about a boolean where a word is expected.
pub(super) fn for_boolean(tree: &Value) -> Option<String> {
    let value = tree.get("https")?.get("intercept")?.as_bool()?;
    let (word, meaning) = if value { ("on", "opens the connections of every device") } else { ("off", "opens none") };
    Some(format!(
        "https.intercept: {value} is read as `{word}`, which {meaning}; `auto`, the default, opens those of browsers that \
         trust the certificate"
    ))
}

/// The key before this one, if it has no value.
fn empty_section_before<'a>(written: &'a Value, key: &str) -> Option<&'a str> {
    let before = written.as_mapping()?.iter().take_while(|(name, _)| name.as_str() != Some(key));
    let (section, value) = before.last()?;
    value.is_null().then(|| section.as_str())?
}

/// The sections below this one that have a key of this name.
fn collect(tree: &Value, key: &str, path: &mut Path, found: &mut Vec<String>) {
    for (name, section) in tree.as_mapping().into_iter().flatten() {
        path.extend(name.as_str().map(str::to_owned));
        if section.get(key).is_some() {
            found.push(format!("`{}`", path.join(".")));
        }
        collect(section, key, path, found);
        path.pop();
    }
}
