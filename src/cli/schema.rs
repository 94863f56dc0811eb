//! `gleaner schema`: the configuration's JSON Schema, for completion and checking in editors.

use gleaner::RawConfig;
use serde_json::{Value, json};

use super::say;

pub(super) fn run() -> anyhow::Result<()> {
    let mut schema = serde_json::to_value(schemars::schema_for!(RawConfig))?;
    for (section, key, bound, value) in BOUNDS {
        if let Some(Value::Object(setting)) = schema.pointer_mut(&format!("/$defs/{section}/properties/{key}")) {
            setting.insert(bound.to_owned(), json!(value));
        }
    }
    say(&(serde_json::to_string_pretty(&schema)? + "\n"))
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
