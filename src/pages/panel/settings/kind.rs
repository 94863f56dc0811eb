//! What a setting is and what the schema says of it: its type, help and default.

use serde_json::Value as Json;
use serde_yaml::Value;

/// The type of a setting.
pub(super) enum FieldKind {
    Flag,
    /// Words, each with its meaning; `true` in front: it may be left out.
    Choice(bool, Vec<(String, String)>),
    Number,
    Text,
    /// One entry a line.
    List,
    /// Lists of advertisements, with a box for each that has a name.
    Catalogue,
    /// Rules with the same keys; each with its help.
    Rules(Vec<(String, String)>, Vec<String>),
    /// Whatever has no better field.
    Yaml,
}

/// The schema of a path.
pub(super) struct Setting {
    pub(super) own: Json,
    pub(super) help: String,
    pub(super) default: Option<Value>,
}

impl Setting {
    pub(super) fn at(schema: &Json, path: &[String]) -> Option<Self> {
        let (mut own, mut help, mut default) = (schema.clone(), String::new(), None::<Value>);
        for key in path {
            let inner = own.get("properties").and_then(|properties| properties.get(key));
            let inner = inner.or(own.get("additionalProperties").filter(|inner| inner.is_object()))?.clone();
            help = inner.get("description").and_then(Json::as_str).unwrap_or_default().replace('\n', " ");
            // A section can have other defaults than its parts have elsewhere.
            let within = default.as_ref().and_then(|section| section.get(key)).cloned();
            default = within.or_else(|| serde_yaml::to_value(inner.get("default")?).ok());
            own = resolved(schema, &inner);
        }
        if help.is_empty() {
            help = own.get("description").and_then(Json::as_str).unwrap_or_default().replace('\n', " ");
        }
        Some(Self { own, help, default })
    }
}

/// The schema that a reference leads to.
fn resolved(schema: &Json, own: &Json) -> Json {
    let target = own.get("$ref").and_then(Json::as_str).and_then(|to| schema.pointer(to.trim_start_matches('#')));
    target.map_or_else(|| own.clone(), |target| resolved(schema, target))
}

impl FieldKind {
    pub(super) fn from_schema(schema: &Json, own: &Json, tree: &Value) -> Self {
        if let Some([inner, _]) = own.get("anyOf").and_then(Json::as_array).map(Vec::as_slice) {
            return match Self::from_schema(schema, &resolved(schema, inner), tree) {
                Self::Choice(_, words) => Self::Choice(true, words),
                other => other,
            };
        }
        let text = |value: &Json, key: &str| value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        if let Some(words) = own.get("oneOf").and_then(Json::as_array) {
            return Self::Choice(
                false,
                words.iter().map(|word| (text(word, "const"), text(word, "description"))).collect(),
            );
        }
        if let Some(words) = own.get("enum").and_then(Json::as_array) {
            let words = words.iter().filter_map(Json::as_str);
            return Self::Choice(false, words.map(|word| (word.to_owned(), String::new())).collect());
        }
        let kinds: Vec<&str> = match own.get("type") {
            Some(Json::String(kind)) => vec![kind],
            Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        };
        let may_be_left_out = kinds.contains(&"null");
        let items = own.get("items").map(|items| resolved(schema, items));
        match kinds.first() {
            Some(&"boolean") if may_be_left_out => {
                Self::Choice(true, ["true", "false"].map(|word| (word.to_owned(), String::new())).into())
            }
            Some(&"boolean") => Self::Flag,
            Some(&("integer" | "number")) => Self::Number,
            Some(&"string") => Self::Text,
            Some(&"array") => {
                match items.as_ref().and_then(|items| items.get("properties")).and_then(Json::as_object) {
                    Some(keys) => {
                        let mut keys: Vec<_> =
                            keys.iter().map(|(key, about)| (key.clone(), text(about, "description"))).collect();
                        keys.sort_by_key(|(key, _)| key != "profile");
                        let profiles = tree.get("profiles").and_then(Value::as_mapping).into_iter().flatten();
                        Self::Rules(keys, profiles.filter_map(|(name, _)| name.as_str().map(str::to_owned)).collect())
                    }
                    None => Self::List,
                }
            }
            _ => Self::Yaml,
        }
    }
}
