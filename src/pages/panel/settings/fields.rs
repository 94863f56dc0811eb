//! The fields of a form: one for each key that the schema has, shown and read by its type.

use maud::{Markup, html};
use serde_json::Value as Json;
use serde_yaml::{Mapping, Value};

use super::{
    catalogue,
    kind::{FieldKind, Setting},
};
use crate::{
    config::edit::Change,
    pages::{form_fields::FormFields, template},
};

/// A part of a form.
pub(super) enum Item {
    Section { title: String, help: String, depth: usize, name: String },
    Field(Field),
}

impl Item {
    /// Whether it is a title of the first or second rank.
    pub(super) fn begins_part(&self) -> bool {
        matches!(self, Self::Section { depth: 0 | 1, .. })
    }

    pub(super) fn field(&self) -> Option<&Field> {
        match self {
            Self::Field(field) => Some(field),
            Self::Section { .. } => None,
        }
    }
}

/// One setting.
pub(super) struct Field {
    pub(super) path: Vec<String>,
    kind: FieldKind,
    help: String,
    default: Option<Value>,
    /// Value in the file, or the default.
    pub(super) value: Value,
}

/// Adds the fields for a path, and for all that is below it.
pub(super) fn collect(schema: &Json, tree: &Value, path: &[String], without: &[&str], items: &mut Vec<Item>) {
    if without.contains(&path.join(".").as_str()) {
        return;
    }
    let Some(Setting { own, help, default }) = Setting::at(schema, path) else { return };
    let value = path.iter().try_fold(tree, |tree, key| tree.get(key)).cloned().unwrap_or_default();
    let is_whole = path.len() == 3 && path[0] == "profiles" && ["filters", "blocking"].contains(&&*path[2]);
    let names = match (own.get("properties"), own.get("additionalProperties").and_then(|inner| inner.get("$ref"))) {
        (Some(Json::Object(properties)), _) if !is_whole => {
            // In the order of the file's own structures; the schema is sorted by name.
            let written = value.as_mapping().into_iter().flatten().filter_map(|(key, _)| key.as_str());
            let mut names: Vec<String> =
                written.filter(|key| properties.contains_key(*key)).map(str::to_owned).collect();
            names.extend(properties.keys().filter(|key| !names.contains(key)).cloned().collect::<Vec<_>>());
            names
        }
        (None, Some(Json::String(inner))) if inner.ends_with("RawProfile") => {
            value.as_mapping().into_iter().flatten().filter_map(|(key, _)| key.as_str().map(str::to_owned)).collect()
        }
        _ => {
            let kind = match path {
                _ if is_whole => FieldKind::Yaml,
                [section, key] if section == "blocking" && ["lists", "tunnel_lists"].contains(&&**key) => {
                    FieldKind::Catalogue
                }
                _ => FieldKind::from_schema(schema, &own, tree),
            };
            return items.push(Item::Field(Field { path: path.to_vec(), kind, help, default, value }));
        }
    };
    let title = path.last().map(|key| words(key)).unwrap_or_default();
    items.push(Item::Section { title, help, depth: path.len() - 1, name: path.join("/") });
    for name in names {
        collect(schema, tree, &[path, &[name]].concat(), without, items);
    }
}

impl Field {
    /// The name of the form's field.
    pub(super) fn name(&self) -> String {
        self.path.join("/")
    }

    pub(super) fn label(&self) -> String {
        self.path.last().map(|key| words(key)).unwrap_or_default()
    }

    /// Whether it has another value than by default.
    pub(super) fn is_set(&self) -> bool {
        self.default.as_ref().is_some_and(|default| *default != self.value)
    }

    /// Whether a message of the configuration is about this setting.
    pub(super) fn is_meant_by(&self, problem: &str) -> bool {
        let rest = problem.strip_prefix(&self.path.join("."));
        rest.is_some_and(|rest| rest.starts_with(": ") || rest.starts_with('.'))
    }

    /// The value in a form; none where the form does not have the field.
    pub(super) fn read(&self, form: &FormFields) -> Option<Value> {
        let name = self.name();
        if let FieldKind::Rules(keys, _) = &self.kind {
            return form
                .0
                .iter()
                .any(|(found, _)| found.starts_with(&format!("{name}/")))
                .then(|| rules(form, &name, keys, self.value.as_sequence().map_or(0, Vec::len)));
        }
        if matches!(self.kind, FieldKind::Catalogue) {
            return catalogue::read(form, &name, &self.value);
        }
        // A box that is not ticked is not sent; a hidden `false` before it is.
        let text = form.0.iter().rev().find(|(found, _)| *found == name).map(|(_, value)| value.replace('\r', ""))?;
        let text = text.trim();
        Some(match &self.kind {
            FieldKind::Flag => Value::Bool(text == "true"),
            _ if text.is_empty() && !matches!(self.kind, FieldKind::List) => Value::Null,
            FieldKind::Choice(_, words) if words.iter().any(|(word, _)| word == "true") => scalar(text),
            // As it is written, where a boolean stands for the word.
            FieldKind::Choice(..) if self.shown() == text => self.value.clone(),
            FieldKind::Choice(..) | FieldKind::Text => Value::String(text.to_owned()),
            FieldKind::Number => scalar(text),
            FieldKind::List | FieldKind::Catalogue => Value::Sequence(entries(text)),
            FieldKind::Rules(..) | FieldKind::Yaml => {
                serde_yaml::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
            }
        })
    }

    /// Whether a new rule says for whom it is, but not which profile it gives.
    pub(super) fn lacks_profile(&self, value: &Value) -> bool {
        matches!(self.kind, FieldKind::Rules(..))
            && value.as_sequence().into_iter().flatten().any(|rule| rule.get("profile").is_none())
    }

    /// Adds what has to be changed for this value.
    pub(super) fn changes(self, value: Value, changes: &mut Vec<Change>) {
        differences(self.path, &self.value, value, changes);
    }

    /// The value as its field shows it.
    fn shown(&self) -> String {
        match (&self.kind, &self.value) {
            (FieldKind::Choice(_, words), Value::Bool(on)) if words.iter().any(|(word, _)| word == "on") => {
                if *on { "on" } else { "off" }.to_owned()
            }
            _ => as_text(&self.value),
        }
    }

    /// Label, field, help and what is wrong.
    pub(super) fn show(&self, problems: &[&str]) -> Markup {
        let (name, label) = (self.name(), self.label());
        let help = format!("{name}-help");
        let invalid = (!problems.is_empty()).then_some("true");
        html! {
            div.field {
                @match &self.kind {
                    FieldKind::Flag => {
                        input type="hidden" name=(name) value="false";
                        input id=(name) type="checkbox" name=(name) value="true" checked[self.value == Value::Bool(true)] aria-describedby=(help);
                        " " label for=(name) { (label) }
                    }
                    FieldKind::Rules(keys, profiles) => { (self.show_rules(&name, keys, profiles)) }
                    FieldKind::Catalogue => { (catalogue::show(&name, &label, &self.value)) }
                    kind => {
                        label for=(name) { (label) } " "
                        @let value = self.shown();
                        @match kind {
                            FieldKind::Choice(may_be_left_out, words) => select id=(name) name=(name) aria-describedby=(help) aria-invalid=[invalid] {
                                @if *may_be_left_out { option value="" { "as everywhere" } }
                                @for (word, meaning) in words {
                                    option value=(word) selected[*word == value] { (word) @if !meaning.is_empty() { ": " (meaning) } }
                                }
                            },
                            FieldKind::List | FieldKind::Yaml => textarea id=(name) name=(name) rows=(value.lines().count().clamp(2, 12)) spellcheck="false"
                                aria-describedby=(help) aria-invalid=[invalid] { (value) },
                            FieldKind::Number => input id=(name) name=(name) value=(value) inputmode="decimal" size="10" aria-describedby=(help) aria-invalid=[invalid];,
                            _ => input id=(name) name=(name) value=(value) size="40" spellcheck="false" aria-describedby=(help) aria-invalid=[invalid];,
                        }
                    }
                }
                @for problem in problems { p.bad { (template::prose(problem)) } }
                p.quiet id=(help) {
                    (template::prose(&self.help))
                    @if matches!(self.kind, FieldKind::List) { " One on each line." }
                    @if let Some(default) = self.default.as_ref().filter(|default| **default != self.value && !matches!(self.kind, FieldKind::Rules(..))) {
                        " Default: " @if matches!(default, Value::Null) { "none" } @else { (crate::config::edit::on_one_line(default)) } "."
                    }
                }
            }
        }
    }

    /// A group for each rule, and one more to add.
    fn show_rules(&self, name: &str, keys: &[(String, String)], profiles: &[String]) -> Markup {
        let rules = self.value.as_sequence().cloned().unwrap_or_default();
        html! {
            @for (index, rule) in rules.iter().map(Some).chain([None]).enumerate() {
                fieldset.rule {
                    legend { @if rule.is_some() { "Rule " (index + 1) } @else { "A new rule" } }
                    @for (key, about) in keys {
                        @let id = format!("{name}/{index}/{key}");
                        @let value = rule.and_then(|rule| rule.get(key));
                        div.field {
                            label for=(id) { (words(key)) } " "
                            @if key == "profile" {
                                select id=(id) name=(id) {
                                    option value="" { @if rule.is_some() { "no rule" } @else { "choose one" } }
                                    @for profile in profiles { option value=(profile) selected[value.and_then(Value::as_str) == Some(profile)] { (profile) } }
                                }
                            } @else {
                                textarea id=(id) name=(id) rows="2" spellcheck="false" aria-describedby={ (id) "-help" } {
                                    (value.map(as_text).unwrap_or_default())
                                }
                                p.quiet id={ (id) "-help" } { (template::prose(about)) " One on each line." }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The rules of a form. One of the file's without a profile goes; a new one is there as soon as something is entered.
fn rules(form: &FormFields, name: &str, keys: &[(String, String)], in_file: usize) -> Value {
    let of = |index: usize, key: &str| form.get(&format!("{name}/{index}/{key}")).trim();
    let count = form
        .0
        .iter()
        .filter(|(found, _)| found.starts_with(&format!("{name}/")) && found.ends_with("/profile"))
        .count();
    let rule = |index: usize| {
        let listed = keys.iter().filter(|(key, _)| key != "profile").filter_map(|(key, _)| {
            let entries = entries(of(index, key));
            (!entries.is_empty()).then(|| (Value::from(key.as_str()), Value::Sequence(entries)))
        });
        let profile = Some(of(index, "profile")).filter(|profile| !profile.is_empty());
        let rule: Mapping = listed.chain(profile.map(|profile| ("profile".into(), profile.into()))).collect();
        (profile.is_some() || index >= in_file && !rule.is_empty()).then_some(Value::Mapping(rule))
    };
    Value::Sequence((0..count).filter_map(rule).collect())
}

/// Adds what makes one value of another: of sections the keys that differ, so that comments of the others stay.
fn differences(path: Vec<String>, old: &Value, new: Value, changes: &mut Vec<Change>) {
    match (old, new) {
        (Value::Mapping(old), Value::Mapping(new))
            if !new.is_empty() && old.keys().chain(new.keys()).all(Value::is_string) =>
        {
            let gone = old.keys().filter(|key| !new.contains_key(*key)).map(|key| (key.clone(), Value::Null));
            for (key, value) in gone.collect::<Vec<_>>().into_iter().chain(new) {
                let path = path.iter().cloned().chain(key.as_str().map(str::to_owned)).collect();
                differences(path, old.get(&key).unwrap_or(&Value::Null), value, changes);
            }
        }
        (old, value) if *old != value => changes.push(Change { path, value }),
        _ => {}
    }
}

/// Entries of a list, one on each line: numbers where they are, else text.
pub(super) fn entries(text: &str) -> Vec<Value> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| line.parse::<u64>().map_or_else(|_| line.into(), Value::from)).collect()
}

/// A number or a boolean where the text is one; the reader of the file judges it.
fn scalar(text: &str) -> Value {
    match serde_yaml::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => text.into(),
    }
}

/// A value as a field shows it.
fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Sequence(items) => items.iter().map(as_text).collect::<Vec<_>>().join("\n"),
        other => serde_yaml::to_string(other).unwrap_or_default().trim_end().to_owned(),
    }
}

/// A key in words.
fn words(key: &str) -> String {
    let mut text = match key {
        "dir" => "folder".to_owned(),
        "alt" => "alternative texts".to_owned(),
        "non_link_images_alt" => "alternative texts of non link images".to_owned(),
        "floor" => "least that is kept".to_owned(),
        key => key.replace('_', " "),
    };
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
