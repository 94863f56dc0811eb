//! Where a key belongs that stands where there is none of its name.

use serde_yaml::Value;

use super::{RawConfig, place::Place};

/// Sections that are named, at most.
const MOST_NAMED: usize = 2;

/// What may have been meant by a key that is unknown where it stands, from the problem in plain words: a section has a
/// key of that name, or the section in the line above has.
pub(super) fn of_unknown_key(text: &str, problem: &str, place: Place) -> Option<String> {
    let (above, rest) = problem.split_once("unknown key `")?;
    let (key, _) = rest.split_once('`')?;
    let tree = serde_yaml::to_value(RawConfig::default()).ok()?;
    let above = above.trim_end_matches(": ");
    let here = above
        .split('.')
        .filter(|part| !part.is_empty())
        .try_fold(&tree, |tree, part| tree.get(part))?;
    if let Some(section) = section_before(text, place)
        && here
            .get(section)
            .is_some_and(|section| section.get(key).is_some())
    {
        return Some(format!("is it to be indented, as a key of `{section}`?"));
    }
    let mut found = Vec::new();
    let mut path = Vec::new();
    collect(here, key, &mut path, &mut found);
    let named: Vec<String> = found
        .iter()
        .take(MOST_NAMED)
        .map(|path| format!("`{}`", path.join(".")))
        .collect();
    Some(match named.as_slice() {
        [] => return None,
        [one] => format!("it belongs under {one}, indented"),
        several => format!(
            "it belongs under a section such as {}, indented",
            several.join(" or ")
        ),
    })
}

/// The sections below this one that have a key of this name.
fn collect<'a>(tree: &'a Value, key: &str, path: &mut Vec<&'a str>, found: &mut Vec<Vec<&'a str>>) {
    for (name, section) in tree.as_mapping().into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        path.push(name);
        if section.get(key).is_some() {
            found.push(path.clone());
        }
        collect(section, key, path, found);
        path.pop();
    }
}

/// The key in the line above where nothing follows it and it is indented as this place is.
fn section_before(text: &str, place: Place) -> Option<&str> {
    let lines: Vec<&str> = text.lines().take(place.line.checked_sub(1)?).collect();
    let is_content = |line: &&&str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let line = lines.iter().rfind(is_content)?;
    let section = line.trim_end().strip_suffix(':')?;
    let indent = section.len() - section.trim_start().len();
    (indent + 1 == place.column).then(|| section.trim_start())
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn error_of(text: &str) -> String {
        Config::from_yaml(text, None).unwrap_err().to_string()
    }

    #[test]
    fn a_key_that_stands_outside_its_section_is_told_where_it_belongs() {
        for (text, words) in [
            (
                "ignore:\n  enabled: false\n",
                "it belongs under `filters`, indented",
            ),
            (
                "max_html_bytes: 5\n",
                "it belongs under `rewrite`, indented",
            ),
            (
                "filters: {max_links: 1}",
                "it belongs under `removed_links`, indented",
            ),
            ("enabled: false\n", "it belongs under a section such as `"),
            (
                "rewrite:\n# off\nenabled: false\n",
                "is it to be indented, as a key of `rewrite`?",
            ),
            (
                "filters:\n  main_block:\n  enabled: false\n",
                "is it to be indented, as a key of `main_block`?",
            ),
        ] {
            let error = error_of(text);
            assert!(
                error.contains("unknown key") && error.contains(words),
                "{error}"
            );
        }
    }

    #[test]
    fn a_key_that_is_nowhere_is_not_sent_anywhere() {
        let error = error_of("nonsense: 1\n");
        assert!(!error.contains("belongs"), "{error}");
    }
}
