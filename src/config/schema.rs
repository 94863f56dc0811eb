//! The configuration's JSON Schema: for editors, and for the forms of the panel.

use serde_json::{Value, json};

use super::RawConfig;

/// The schema of the whole file.
#[must_use]
pub fn schema() -> Value {
    let mut schema = serde_json::to_value(schemars::schema_for!(RawConfig)).unwrap_or_default();
    for (section, key, bound, value) in BOUNDS {
        if let Some(Value::Object(setting)) = schema.pointer_mut(&format!("/$defs/{section}/properties/{key}")) {
            setting.insert(bound.to_owned(), json!(value));
        }
    }
    schema
}

/// Bounds that the filters crate checks; those of the other sections are attributes of their fields.
const BOUNDS: [(&str, &str, &str, u32); 13] = [
    ("Cnr", "top", "minimum", 1),
    ("Cnr", "share", "minimum", 0),
    ("Cnr", "share", "maximum", 1),
    ("Cnr", "percentile", "minimum", 0),
    ("Cnr", "percentile", "maximum", 100),
    ("EmptyTables", "min_characters", "minimum", 1),
    ("LinkLists", "ratio", "exclusiveMinimum", 0),
    ("LinkLists", "characters_per_word", "exclusiveMinimum", 0),
    ("MainBlock", "min_share", "minimum", 0),
    ("MainBlock", "min_share", "maximum", 1),
    ("Output", "max_line_breaks", "minimum", 1),
    ("Floor", "kept_share", "minimum", 0),
    ("Floor", "kept_share", "maximum", 1),
];
