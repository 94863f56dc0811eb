use std::collections::BTreeSet;

use serde_yaml::Value;

use super::*;

const EXAMPLE: &str = include_str!("../../config.example.yaml");

fn error_of(yaml: &str) -> String {
    Config::from_yaml(yaml, Some("/etc/gleaner/config.yaml".as_ref()))
        .unwrap_err()
        .to_string()
}

fn keys(value: &Value, prefix: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Mapping(map) => {
            for (key, value) in map {
                let path = format!("{prefix}.{}", key.as_str().unwrap());
                keys(value, &path, into);
                into.insert(path);
            }
        }
        // Lists are compared too where their members have keys, as filters do.
        Value::Sequence(list) => {
            for (index, value) in list.iter().enumerate() {
                keys(value, &format!("{prefix}[{index}]"), into);
            }
        }
        _ => {}
    }
}

#[test]
fn the_example_equals_the_defaults() {
    assert_eq!(RawConfig::from_yaml(EXAMPLE).unwrap(), RawConfig::default());
}

#[test]
fn the_example_names_every_key() {
    let (mut written, mut known) = (BTreeSet::new(), BTreeSet::new());
    keys(&serde_yaml::from_str(EXAMPLE).unwrap(), "", &mut written);
    keys(
        &serde_yaml::to_value(RawConfig::default()).unwrap(),
        "",
        &mut known,
    );
    assert!(known.len() > 35, "the walk found only {} keys", known.len());
    assert_eq!(known, written);
}

#[test]
fn an_empty_file_means_the_defaults() {
    let config = Config::from_yaml("# nothing yet\n", None).unwrap();
    assert_eq!(config.listen, ["127.0.0.1:8118".parse().unwrap()]);
    assert!(!config.https.intercept);
    assert!(!config.ad_servers.is_empty());
}

#[test]
fn an_unknown_key_is_named_with_place_and_choices() {
    let error = error_of("https:\n  intercepts: on\n");
    assert!(
        error.starts_with("/etc/gleaner/config.yaml:2:3: https"),
        "{error}"
    );
    assert!(error.contains("unknown field `intercepts`"), "{error}");
    assert!(
        error.contains("expected `intercept` or `except`"),
        "{error}"
    );
}

#[test]
fn a_wrong_type_is_named_with_place_and_expectation() {
    let error = error_of("limits:\n  connections: many\n");
    assert!(error.starts_with("/etc/gleaner/config.yaml:2:"), "{error}");
    assert!(error.contains("limits.connections"), "{error}");
    assert!(error.contains("expected"), "{error}");
}

#[test]
fn a_bad_value_is_named_with_place_and_expectation() {
    let error = error_of("log:\n  level: info\nlisten: everywhere\n");
    assert!(
        error.starts_with("/etc/gleaner/config.yaml:3:1: listen:"),
        "{error}"
    );
    assert!(
        error.contains("\"everywhere\"") && error.contains("expected an address"),
        "{error}"
    );
    let error = error_of("timeouts:\n  connect_seconds: 0\n");
    assert!(
        error.starts_with("/etc/gleaner/config.yaml:2:3: timeouts.connect_seconds"),
        "{error}"
    );
}

#[test]
fn an_unreadable_list_is_named() {
    let error = error_of("ad_server_lists: [builtin, nowhere.txt]\n");
    assert!(error.contains("/etc/gleaner/nowhere.txt"), "{error}");
}

#[test]
fn broken_yaml_has_a_place() {
    let error = error_of("listen: [1\nlog: x\n");
    assert!(error.starts_with("/etc/gleaner/config.yaml:"), "{error}");
}

#[test]
fn listen_takes_one_or_many() {
    let config = Config::from_yaml("listen: ['127.0.0.1:1', '[::1]:2']", None).unwrap();
    assert_eq!(config.listen.len(), 2);
    assert!(error_of("listen: []\n").contains("empty"));
}

#[test]
fn the_fingerprint_follows_the_lists_but_not_the_address() {
    let of = |yaml: &str| Config::from_yaml(yaml, None).unwrap().fingerprint;
    assert_eq!(of("listen: '127.0.0.1:1'"), of("listen: '127.0.0.1:2'"));
    assert_ne!(of(""), of("ad_server_lists: []"));
}
