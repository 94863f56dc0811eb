use std::{collections::BTreeSet, fs};

use serde_yaml::Value;

use super::*;

const EXAMPLE: &str = include_str!("../../config.example.yaml");

fn config(yaml: &str) -> Config {
    Config::from_yaml(yaml, None).unwrap()
}

fn error_of(yaml: &str) -> String {
    let read = Config::from_yaml(yaml, Some("/etc/gleaner/config.yaml".as_ref()));
    let error = read.map(|_| yaml.to_owned()).unwrap_err();
    error.to_string()
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
fn the_example_names_every_key_with_its_default() {
    let read: RawConfig = serde_yaml::from_str(EXAMPLE).unwrap();
    assert_eq!(read, RawConfig::default());
    let (mut written, mut known) = (BTreeSet::new(), BTreeSet::new());
    keys(&serde_yaml::from_str(EXAMPLE).unwrap(), "", &mut written);
    let defaults = serde_yaml::to_value(RawConfig::default()).unwrap();
    keys(&defaults, "", &mut known);
    assert!(known.len() > 35, "the walk found only {} keys", known.len());
    assert_eq!(known, written);
}

#[test]
fn what_is_not_written_has_its_default() {
    for yaml in ["", "# nothing yet\n", "limits:\n  # page_nodes: 5\n"] {
        let config = config(yaml);
        assert_eq!(config.listen, ["127.0.0.1:8118".parse().unwrap()]);
        assert!(!config.https.intercept && !config.ad_servers.is_empty());
        assert_eq!(config.limits, Limits::default());
    }
    let genre = config("filters: { genre: { news: { select: false } } }").filters.genre;
    assert!(!genre.news.select && (genre.news.dial - 0.3).abs() < 1e-9);
}

/// File, line and column, the key, what is wrong with it, and what would be right.
#[test]
#[rustfmt::skip]
fn a_mistake_is_told_with_its_place_its_key_and_what_is_expected() {
    for (yaml, start, words) in [
        ("https:\n  intercepts: on\n", "2:3: https: unknown key `intercepts`", "expected `intercept` or `except`"),
        ("limits:\n  connections: many\n", "2:16: limits.connections: ", "expected a whole number, 1 to 1048576"),
        ("log:\n  level: info\nlisten: everywhere\n", "3:9: listen: \"everywhere\"", "expected an address"),
        ("listen: []\n", "1:9: listen: the list is empty", "expected an address"),
        ("timeouts:\n  connect_seconds: 0\n", "2:20: timeouts.connect_seconds: ", "1 to 86400"),
        ("limits:\n  page_cpu_ms: 99999999999999\n", "2:16: limits.page_cpu_ms: ", "1 to 3600000"),
        ("limits:\n  page_nodes: 0\n", "2:15: limits.page_nodes: ", "1 or more"),
        ("limits:\n  page_depth: -1\n", "2:15: limits.page_depth: ", "1 to 4096"),
        ("limits:\n  page_workers: 100000\n", "2:17: limits.page_workers: ", "1 to 1024"),
        ("limits:\n  page_wait_seconds: 18446744073709551615", "2:22: limits.page_wait_seconds: ", "1 to 86400"),
        ("rewrite: { max_html_bytes: 99999999999999 }", "1:28: rewrite.max_html_bytes: ", "1024 to 1073741824"),
        ("limits: 3\n", "1:9: limits: invalid value: number `3`", "a section with keys"),
        ("filters:\n  main_block:\n    algorithm:\n", "3:15: filters.main_block.algorithm: invalid value: nothing", ""),
        ("limits:\n  connections: 5\n  connections: 6\n", "3:3: limits.connections is written a second time", "line 2"),
        ("\u{feff}limits:\r\n\tconnections: 5\r\n", "2:1: a TAB", "expected spaces"),
        ("listen: [1\nlog: x\n", "1:9: what begins here is not closed", ""),
        ("https: { except: [5] }\n", "1:19: https.except: \"5\" is not a host", "expected a host name"),
        ("https:\n  except:\n    - a.example\n    - '*'\n", "4:7: https.except: \"*\"", ""),
        ("upstream:\n  insecure_hosts:\n    - '*.x.example'\n", "3:7: upstream.insecure_hosts: ", "single hosts"),
        ("access:\n  clients:\n    - 192.168.1.5/24\n", "3:7: access.clients: ", "192.168.1.0/24"),
        ("access: { clients: [] }", "1:20: access.clients: the list is empty", "`loopback`"),
        ("access: { connect_ports: [443, 0] }", "1:32: access.connect_ports: ", "a port, 1 to 65535"),
        ("access:\n  users:\n    anna: secret\n", "3:11: access.users.anna: this is not a usable", "hash-password"),
        ("authority: { dir: 5 }", "1:19: authority.dir: ", "a path"),
        ("ad_server_lists: [builtin, nowhere.txt]\n", "1:28: ad_server_lists: cannot read /etc/gleaner/nowhere.txt", ""),
        ("filters:\n  main_block: { min_share: 0.1 }\n  link_lists:\n    ratio: 0\n", "4:12: filters.link_lists.ratio", ""),
        ("filters: { order: [ignore,\n  ignore] }\n", "2:3: filters.order: `ignore`", ""),
        ("filters: { genre: { news: { dial: 7 } } }", "1:35: filters.genre.news.dial: 7", ""),
        ("filters: { genre: { news: { dail: 0 } } }", "1:29: filters.genre.news: ", "`dail`, did you mean `dial`"),
        ("listen: '0.0.0.0:8118'", "1:9: listen: 0.0.0.0 is open to other machines", "`access.clients`"),
        ("listen: [8118, '127.0.0.1:8118']", "1:9: listen: 127.0.0.1:8118 is listed twice", ""),
        ("access: { clients: [private] }\nlisten: ['127.0.0.1:1', '0.0.0.0:1']", "2:9: listen: ", "covers the other"),
        ("listen: '224.0.0.1:8118'", "1:9: listen: ", "many machines"),
    ] {
        let error = error_of(yaml);
        let wanted = format!("/etc/gleaner/config.yaml:{start}");
        assert!(error.starts_with(&wanted) && error.contains(words), "{yaml:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = "limit:\n  page_nodes: 1\nlimits:\n  page_nodes: many\n  # none\n  page_deep: 3\n\
                rewrite: {on: 1}\naccess:\n  clients:\n  - a\n  - b: 1\nlog:\n  format: yaml\n";
    let error = error_of(text);
    let lines = error.lines().map(|line| line.split(':').nth(1).unwrap());
    assert_eq!(lines.collect::<Vec<_>>(), ["1", "4", "6", "7", "10", "13"]);
}

#[test]
fn messages_hold_no_words_of_the_programs_language() {
    for yaml in [
        "filters: { link_lists: { ratio: many } }",
        "limits: { connections: 99999999999999999999 }",
        "log: { level: loud }",
        "log: { level: [] }",
        "filters: { order: [ignored] }",
        "filters: { ignore: { enabled: yes } }",
        "limits: { page_nodes: -1 }",
    ] {
        let error = error_of(yaml);
        for word in ["f64", "u128", "usize", "variant", "YAML value", "Value", "tag", "Ignore", "boolean"] {
            assert!(!error.contains(word), "{yaml}: {error}");
        }
    }
    let error = error_of("filters: { ignore: { enabled: yes } }");
    assert!(error.contains("`true` or `false`"), "{error}");
}

#[test]
fn addresses_to_listen_on_are_one_or_many_and_a_port_alone_means_this_machine() {
    for (yaml, count) in [
        ("18118", 1),
        ("'localhost:8118'", 1),
        ("['127.0.0.1:8118', '127.0.0.2:8118', '[::1]:8118', 8119]", 4),
        ("[0, 0]", 2),
    ] {
        let listen = config(&format!("listen: {yaml}")).listen;
        assert_eq!(listen.len(), count, "{yaml}");
        assert!(listen.iter().all(|addr| addr.ip().is_loopback()), "{yaml}");
    }
}

#[test]
fn the_fingerprint_follows_the_lists_but_not_the_address() {
    let of = |yaml: &str| config(yaml).fingerprint;
    assert_eq!(of("listen: '127.0.0.1:1'"), of("listen: '127.0.0.1:2'"));
    assert_ne!(of(""), of("ad_server_lists: []"));
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("list.txt"), "\u{feff}ads.example\n").unwrap();
    let file = dir.path().join("config.yaml");
    let text = "\u{feff}preset: crunch\nad_server_lists: [list.txt]\n";
    fs::write(&file, text).unwrap();
    let config = Lookup::new(Some(file)).load().unwrap().config;
    // The first key and the first host stand right behind the marks.
    assert_eq!(config.preset, Preset::Crunch);
    assert!(config.ad_servers.matches("ads.example"));
    assert_eq!(config.filters, ChainConfig::crunch());
}

/// A device or a video that is named by mistake must not fill the memory.
#[cfg(unix)]
#[test]
fn files_without_end_are_refused() {
    for yaml in ["ad_server_lists: [/dev/zero]", "upstream: { extra_ca_file: /dev/zero }"] {
        let error = error_of(yaml);
        assert!(error.contains("/dev/zero: it is longer than 128 MiB"), "{error}");
    }
    let error = Lookup::new(Some("/dev/zero".into())).load().unwrap_err();
    assert!(error.to_string().contains("it is longer than 4 MiB"), "{error}");
}

#[test]
fn a_bad_line_of_a_list_is_named_once_in_its_own_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("my.txt"), "ads.example.com\n0.0.0.0 ||bad^\n").unwrap();
    let file = dir.path().join("config.yaml");
    let error = Config::from_yaml("ad_server_lists: [my.txt]", Some(&file)).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("my.txt:2:9: \"||bad^\""), "{error}");
    assert_eq!(error.matches("my.txt").count(), 1, "{error}");
    assert_eq!(error.matches("expected").count(), 1, "{error}");
}

#[test]
fn a_wildcard_spares_hosts_from_the_lists_too() {
    let config = config("filters: { ad_servers: { except: ['*.a.example', .b.example] } }");
    assert_eq!(config.filters.ad_servers.except, ["a.example", "b.example"]);
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let told = |bytes: &[u8]| Config::from_bytes(bytes.to_vec(), None).unwrap_err().to_string();
    let error = told(b"listen: 8118\nlimits:\n  # caf\xe9\n");
    assert!(error.contains(":3:8: ") && error.contains("UTF-8"), "{error}");
    assert!(told(b"\xff\xfel\0").contains("UTF-16"));
}

#[test]
fn a_file_where_the_authority_should_be_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("authority"), "").unwrap();
    let file = dir.path().join("config.yaml");
    let error = Config::from_yaml("authority: { dir: authority }", Some(&file)).unwrap_err();
    assert!(error.to_string().contains("is no folder"), "{error}");
}
