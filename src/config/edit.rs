//! Changes of single values in the text of a configuration file. Comments and order stay.
//!
//! `yaml-edit` makes the change; what comes out is read again and compared with what was meant, so that a mistake of its own changes
//! nothing.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use parking_lot::Mutex;
use serde_yaml::{Mapping, Value};
use yaml_edit::{Document, YamlFile, YamlNode, path::YamlPath};

use super::{
    BUILTIN, ConfigError, ListSource, ParsedConfig, RawConfig, document, file,
    load::{merge_into, with_preset},
};

/// Keys that name files and folders, at the end of their paths. They are changed by hand only: whoever may use the panel would read any
/// file of the program's by them.
const NAME_FILES: [[&str; 2]; 7] = [
    ["blocking", "lists"],
    ["blocking", "dir"],
    ["leave_alone", "lists"],
    ["authority", "dir"],
    ["shelf", "dir"],
    ["upstream", "extra_ca_file"],
    // With a file of a password, which another address would be told.
    ["upstream", "via"],
];

/// All settings of a text, the defaults among them, as a tree.
pub(crate) fn effective(text: &str) -> Result<Value, ConfigError> {
    let tree = document::read(file::without_mark(text)).map_err(|error| ConfigError::content(None, error))?;
    let mut all = serde_yaml::to_value(RawConfig::default()).unwrap_or_default();
    merge_into(&mut all, with_preset(&tree));
    Ok(all)
}

/// Another value for a key. The path is that of the keys, without indexes of items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) path: Vec<String>,
    /// `Null` removes the key.
    pub(crate) value: Value,
}

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    /// The configuration that would be written is unusable.
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot write {}: {error}", file.display())]
    Io { file: PathBuf, error: io::Error },
    #[error("the file was changed by somebody else in the meantime")]
    Stale,
    #[error("this change cannot be made by itself; edit the file by hand: {0}")]
    Layout(String),
    #[error("{key}: {name:?} is a file; files are named by hand, in the configuration itself")]
    NamesFile { key: String, name: String },
}

/// The short configuration with comments that `gleaner init` writes.
#[must_use]
pub fn starter(lan: bool) -> String {
    include_str!("init.yaml").replace("LAN", if lan { "true" } else { "false" })
}

/// The text with these changes, checked as the file is checked, but for its lists. `name` is the file, for relative paths.
pub(crate) fn edited(text: &str, changes: &[Change], name: &Path) -> Result<(String, ParsedConfig), EditError> {
    let after = apply(text, changes).map_err(EditError::Layout)?;
    if let Some((key, name)) = new_file(text, &after) {
        return Err(EditError::NamesFile { key, name });
    }
    let parsed = ParsedConfig::from_yaml(&after, Some(name))?;
    Ok((after, parsed))
}

/// Writes `after` into the file, if its text is still `before`. What was there is kept beside it, as `….bak`.
pub(crate) fn write(before: &str, after: &str, name: &Path) -> Result<(), EditError> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let failed = |error| EditError::Io { file: name.to_owned(), error };
    // A link stays a link.
    let real = fs::canonicalize(name).map_err(failed)?;
    if file::read_text(&real, file::MAX_CONFIG).map_err(failed)? != before {
        return Err(EditError::Stale);
    }
    let beside = |ending: &str| PathBuf::from(format!("{}{ending}", real.display()));
    let permissions = fs::metadata(&real).map_err(failed)?.permissions();
    if permissions.readonly() {
        // Its folder would allow it to be replaced.
        return Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only")));
    }
    let new = beside(".new");
    let put = || -> io::Result<()> {
        let mut open = fs::File::create(&new)?;
        open.set_permissions(permissions)?;
        open.write_all(after.as_bytes())?;
        open.sync_all()?;
        fs::copy(&real, beside(".bak"))?;
        fs::rename(&new, &real)
    };
    put().map_err(|error| {
        // It may not be there.
        let _ = fs::remove_file(&new);
        failed(error)
    })
}

/// The first file that a text names and the one before it does not, with its key.
fn new_file(before: &str, after: &str) -> Option<(String, String)> {
    let [before, after] = [before, after].map(|text| document::read(file::without_mark(text)).unwrap_or_default());
    let profiles = after.get("profiles").and_then(Value::as_mapping).into_iter().flatten();
    let of_profiles = profiles.filter_map(|(name, _)| Some(vec!["profiles", name.as_str()?, "blocking", "lists"]));
    let paths = NAME_FILES.iter().map(|path| path.to_vec()).chain(of_profiles);
    paths.into_iter().find_map(|path| {
        let named = |tree: &Value| -> Vec<(Value, String)> {
            let value = path.iter().try_fold(tree, |tree, key| tree.get(key));
            let items = value.map(|value| value.as_sequence().cloned().unwrap_or_else(|| vec![value.clone()]));
            let name = |item: Value| {
                let file = item.get("password_file").unwrap_or(&item).as_str()?.to_owned();
                Some((item, file))
            };
            items.into_iter().flatten().filter_map(name).collect()
        };
        let is_file = |name: &str| match path[..] {
            [.., "blocking", "lists"] => matches!(name.parse(), Ok(ListSource::File(_))),
            _ => name != BUILTIN,
        };
        let old = named(&before);
        let new = named(&after).into_iter().find(|item| is_file(&item.1) && !old.contains(item))?;
        Some((path.join("."), new.1))
    })
}

/// The text with these changes: within items of lists where that works, else with whole items.
fn apply(text: &str, changes: &[Change]) -> Result<String, String> {
    apply_to(text, changes, true).or_else(|_| apply_to(text, changes, false))
}

fn apply_to(text: &str, changes: &[Change], within_items: bool) -> Result<String, String> {
    let plain = file::without_mark(text);
    let mark = &text[..text.len() - plain.len()];
    let parsed = YamlFile::from_str(plain).map_err(|error| error.to_string())?;
    let edit = Edit { document: parsed.ensure_document(), within_items };
    let mut meant = document::read(plain).map_err(|(_, problem)| problem)?;
    for Change { path, value } in changes {
        let name = path.iter().map(|key| escaped(key)).collect::<Vec<_>>().join(".");
        edit.change(&name, at(&meant, path), value)?;
        set(&mut meant, path, value);
    }
    let after = parsed.to_string();
    match document::read(&after) {
        Ok(tree) if tree == meant => Ok(format!("{mark}{after}")),
        Ok(_) => {
            Err("other settings would change with it, as where they share a value by an anchor (`&`, `*`)".to_owned())
        }
        Err((_, problem)) => Err(problem),
    }
}

/// A document that is being changed.
struct Edit {
    document: Document,
    within_items: bool,
}

impl Edit {
    /// Puts a value in the place of another.
    fn change(&self, name: &str, old: Option<&Value>, new: &Value) -> Result<(), String> {
        let shown = |error: yaml_edit::path::PathError| format!("{name}: {error}");
        match (self.document.try_get_path(name), old, new) {
            // What is not written has its default already.
            (_, None, Value::Null) => {}
            (_, Some(_), Value::Null) => drop(self.document.try_remove_path(name).map_err(shown)?),
            (Ok(YamlNode::Sequence(list)), old, Value::Sequence(new)) => {
                let old = old.and_then(Value::as_sequence).map(Vec::as_slice).unwrap_or_default();
                self.change_list(name, &list, old, new)?;
            }
            _ => self.document.try_set_path(name, node(new)?).map_err(shown)?,
        }
        Ok(())
    }

    /// Changes the items between the first and the last that differ, so that comments of the others stay.
    fn change_list(&self, name: &str, list: &yaml_edit::Sequence, old: &[Value], new: &[Value]) -> Result<(), String> {
        let shorter = old.len().min(new.len());
        let first = (0..shorter).find(|&index| old[index] != new[index]).unwrap_or(shorter);
        let after =
            (0..shorter - first).take_while(|&back| old[old.len() - 1 - back] == new[new.len() - 1 - back]).count();
        let (gone, come) = (old.len() - after, new.len() - after);
        for index in (come.max(first)..gone).rev() {
            list.remove(index);
        }
        for (index, value) in new.iter().enumerate().take(come).skip(first) {
            match (old.get(index).filter(|_| index < gone), value) {
                (Some(Value::Mapping(old)), Value::Mapping(new)) if self.within_items => {
                    self.change_item(&format!("{name}[{index}]"), old, new)?;
                }
                (Some(_), _) => {
                    list.set(index, node(value)?);
                }
                (None, _) => list.insert(index, node(value)?),
            }
        }
        Ok(())
    }

    /// Changes the keys of an item that differ.
    fn change_item(&self, name: &str, old: &Mapping, new: &Mapping) -> Result<(), String> {
        let keys = new.keys().chain(old.keys().filter(|key| !new.contains_key(key)));
        for key in keys.filter(|key| old.get(key) != new.get(key)) {
            let path = format!("{name}.{}", escaped(key.as_str().unwrap_or_default()));
            self.change(&path, old.get(key), new.get(key).unwrap_or(&Value::Null))?;
        }
        Ok(())
    }
}

/// A key in the paths of `yaml-edit`, where digits are an index.
fn escaped(key: &str) -> String {
    let key = key.replace('\\', "\\\\").replace('.', "\\.").replace('[', "\\[");
    if key.bytes().all(|byte| byte.is_ascii_digit()) { format!("\\{key}") } else { key }
}

fn at<'a>(tree: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(tree, |tree, key| tree.get(key))
}

/// Sets or removes a value in a tree, with the sections above it.
pub(crate) fn set(tree: &mut Value, path: &[String], value: &Value) {
    let Some((key, rest)) = path.split_first() else {
        value.clone_into(tree);
        return;
    };
    if !tree.is_mapping() {
        if value.is_null() {
            return;
        }
        *tree = Value::Mapping(Mapping::new());
    }
    let Some(section) = tree.as_mapping_mut() else { return };
    if rest.is_empty() && value.is_null() {
        section.shift_remove(key);
    } else if !value.is_null() || section.contains_key(key) {
        set(section.entry(key.as_str().into()).or_insert(Value::Null), rest, value);
    }
}

/// A value as a node of its own, on one line.
fn node(value: &Value) -> Result<YamlNode, String> {
    let document = Document::from_str(&on_one_line(value)).map_err(|error| error.to_string())?;
    let found = document.as_mapping().map(YamlNode::Mapping);
    let found = found.or_else(|| document.as_sequence().map(YamlNode::Sequence));
    found
        .or_else(|| document.as_scalar().map(YamlNode::Scalar))
        .ok_or_else(|| "a value that cannot be written".to_owned())
}

/// A value in YAML's flow style.
pub(crate) fn on_one_line(value: &Value) -> String {
    match value {
        Value::Sequence(items) => format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", ")),
        Value::Mapping(section) if section.is_empty() => "{}".to_owned(),
        Value::Mapping(section) => {
            let pairs = section.iter().map(|(key, value)| format!("{}: {}", on_one_line(key), on_one_line(value)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => {
            let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
                && serde_yaml::from_str::<Value>(text).is_ok_and(|read| read == *value);
            // A JSON string is a double-quoted one of YAML.
            if is_plain { text.clone() } else { serde_json::to_string(text).unwrap_or_default() }
        }
        other => serde_yaml::to_string(other).unwrap_or_default().trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, changes: &[(&str, &str)]) -> Result<String, String> {
        let changes: Vec<_> = changes
            .iter()
            .map(|(path, value)| Change {
                path: path.split('.').map(str::to_owned).collect(),
                value: serde_yaml::from_str(value).unwrap(),
            })
            .collect();
        apply(text, &changes)
    }

    #[test]
    fn values_change_and_the_rest_stays_as_it_is_written() {
        for (text, path, value, wanted) in [
            ("", "log.level", "warn", "log:\n  level: warn\n"),
            ("# only this\n", "log.level", "warn", "# only this\nlog:\n  level: warn\n"),
            ("a: 1 # one\n\n# two\nb: 2\n", "a", "true", "a: true # one\n\n# two\nb: 2\n"),
            ("a:\n    b: {x: 1} # c\n# d\n", "a.b.y", "2", "a:\n    b: {x: 1, y: 2} # c\n# d\n"),
            ("a: [x, y]  # c\n", "a", "[x, z]", "a: [x, z]  # c\n"),
            ("a:\n- x # one\n- y # two\n- z # three\n", "a", "[x, z]", "a:\n- x # one\n- z # three\n"),
            ("a:\n- x # one\n", "a", "[w, x]", "a:\n- w\n- x # one\n"),
            ("a: [] # c\n", "a", "[{h: [b.example], p: off}]", "a: [{ h: [b.example], p: off }] # c\n"),
            (
                "a:\n- h: # one\n  - x # two\n  p: off # three\n",
                "a",
                "[{h: [x, y], p: text}]",
                "a:\n- h: # one\n  - x # two\n  - y\n  p: text # three\n",
            ),
            ("a: 1 # one\n", "b.c", "null", "a: 1 # one\n"),
            ("a: x\nb: 1\n", "a", "'it: \"is\"'", "a: \"it: \\\"is\\\"\"\nb: 1\n"),
            ("a: 1 # one\nb: 2 # two\n", "a", "null", "b: 2 # two\n"),
            ("\u{feff}a: 1\n", "a", "2", "\u{feff}a: 2\n"),
        ] {
            assert_eq!(changed(text, &[(path, value)]).as_deref(), Ok(wanted), "{text:?}");
        }
    }

    #[test]
    fn every_value_of_the_example_can_be_changed_alone() {
        let text = include_str!("../../config.example.yaml");
        let tree: Value = serde_yaml::from_str(text).unwrap();
        let mut count = 0;
        for (path, value) in leaves(&tree, &mut Vec::new()) {
            let other = Value::from(if value == 77 { 78 } else { 77 });
            let after = apply(text, &[Change { path: path.clone(), value: other }])
                .unwrap_or_else(|error| panic!("{path:?}: {error}"));
            let differ = text.lines().zip(after.lines()).filter(|(before, after)| before != after).count();
            assert!(differ <= 1 && after.lines().count() == text.lines().count(), "{path:?}");
            count += 1;
        }
        assert!(count > 100, "{count}");
    }

    fn leaves(tree: &Value, path: &mut Vec<String>) -> Vec<(Vec<String>, Value)> {
        let Some(section) = tree.as_mapping().filter(|section| !section.is_empty()) else {
            return vec![(path.clone(), tree.clone())];
        };
        let mut found = Vec::new();
        for (key, value) in section {
            path.push(key.as_str().unwrap().to_owned());
            found.extend(leaves(value, path));
            path.pop();
        }
        found
    }

    fn save(before: &str, changes: &[Change], name: &Path) -> Result<(), EditError> {
        let (after, _) = edited(before, changes, name)?;
        write(before, &after, name)
    }

    #[test]
    fn a_file_is_replaced_whole_and_the_one_before_it_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (real, name) = (dir.path().join("real.yaml"), dir.path().join("config.yaml"));
        fs::write(&real, "log: { level: warn } # mine\n").unwrap();
        std::os::unix::fs::symlink(&real, &name).unwrap();
        let change = |value: &str| [Change { path: vec!["log".into(), "level".into()], value: value.into() }];
        save("log: { level: warn } # mine\n", &change("error"), &name).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "log: { level: error } # mine\n");
        assert_eq!(fs::read_to_string(dir.path().join("real.yaml.bak")).unwrap(), "log: { level: warn } # mine\n");
        assert!(name.is_symlink());
        let stale = save("log: { level: warn } # mine\n", &change("info"), &name);
        assert!(matches!(stale, Err(EditError::Stale)));
        let wrong = save("log: { level: error } # mine\n", &change("loud"), &name).unwrap_err().to_string();
        assert!(wrong.contains("config.yaml:1:15: log.level: unknown word `loud`"), "{wrong}");
        let mut permissions = fs::metadata(&real).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&real, permissions).unwrap();
        let locked = save("log: { level: error } # mine\n", &change("info"), &name).unwrap_err().to_string();
        assert!(locked.ends_with("config.yaml: it is read-only"), "{locked}");
        assert_eq!(fs::read_to_string(&real).unwrap(), "log: { level: error } # mine\n");
    }

    #[test]
    fn what_would_change_other_settings_too_is_not_changed() {
        let shared = "a: &it\n  x: 1\nb: *it\n";
        assert!(changed(shared, &[("a.y", "2")]).unwrap_err().contains("anchor"));
        assert!(changed(shared, &[("b.y", "2")]).is_err());
        assert_eq!(changed(shared, &[("c", "2")]).as_deref(), Ok("a: &it\n  x: 1\nb: *it\nc: 2\n"));
    }
}
