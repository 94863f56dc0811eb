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
    assert_eq!(
        serde_yaml::from_str::<RawConfig>(EXAMPLE).unwrap(),
        RawConfig::default()
    );
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
fn an_empty_section_means_its_defaults() {
    let config = Config::from_yaml("limits:\n  # page_nodes: 5\n", None).unwrap();
    assert_eq!(config.limits, Limits::default());
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
    assert!(error.contains("unknown key `intercepts`"), "{error}");
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
        error.starts_with("/etc/gleaner/config.yaml:3:9: listen:"),
        "{error}"
    );
    assert!(
        error.contains("\"everywhere\"") && error.contains("expected an address"),
        "{error}"
    );
    let error = error_of("timeouts:\n  connect_seconds: 0\n");
    assert!(
        error.starts_with("/etc/gleaner/config.yaml:2:20: timeouts.connect_seconds"),
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

#[test]
fn a_bad_filter_setting_is_named_on_its_own_line() {
    let text = "filters:\n  main_block: { min_share: 0.1 }\n  link_lists:\n    ratio: 0\n";
    let error = error_of(text);
    assert!(
        error.contains("config.yaml:4:12: filters.link_lists.ratio"),
        "{error}"
    );
    let error = error_of("filters: { order: [ignore,\n  ignore] }\n");
    assert!(
        error.contains("config.yaml:2:3: filters.order: `ignore`"),
        "{error}"
    );
}

#[test]
fn a_genres_key_that_is_left_out_has_its_default() {
    let config = Config::from_yaml("filters: { genre: { news: { select: false } } }", None);
    let news = config.unwrap().filters.genre.news;
    assert!(!news.select && (news.dial - 0.3).abs() < 1e-9, "{news:?}");
    let error = error_of("filters: { genre: { news: { dial: 7 } } }");
    assert!(error.contains("filters.genre.news.dial: 7"), "{error}");
    let error = error_of("filters: { genre: { news: { dail: 0 } } }");
    assert!(
        error.contains("unknown key `dail`, did you mean `dial`"),
        "{error}"
    );
}

#[test]
fn a_bad_item_is_named_on_its_own_line() {
    let error = error_of("https:\n  except:\n    - a.example\n    - '*'\n");
    assert!(error.contains("config.yaml:4:7: https.except"), "{error}");
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("list.txt"), "\u{feff}ads.example\n").unwrap();
    let file = dir.path().join("config.yaml");
    let text = "\u{feff}preset: crunch\nad_server_lists: [list.txt]\n";
    std::fs::write(&file, text).unwrap();
    let config = Lookup::new(Some(file)).load().unwrap().config;
    // The first key and the first host stand right behind the marks.
    assert_eq!(config.preset, Preset::Crunch);
    assert!(config.ad_servers.matches("ads.example"));
    assert_eq!(config.filters, gleaner_filters::ChainConfig::crunch());
}

/// A device or a video that is named by mistake must not fill the memory.
#[cfg(unix)]
#[test]
fn files_without_end_are_refused() {
    for (yaml, key) in [
        ("ad_server_lists: [/dev/zero]\n", "ad_server_lists"),
        (
            "upstream: { extra_ca_file: /dev/zero }\n",
            "upstream.extra_ca_file",
        ),
    ] {
        let error = error_of(yaml);
        assert!(error.contains(key), "{error}");
        assert!(
            error.contains("/dev/zero: it is longer than 128 MiB"),
            "{error}"
        );
    }
    let error = Lookup::new(Some("/dev/zero".into())).load().unwrap_err();
    assert!(
        error.to_string().contains("it is longer than 4 MiB"),
        "{error}"
    );
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
        "filters: { order: [ignore, ignore] }",
    ] {
        let error = error_of(yaml);
        for word in [
            "f64",
            "u128",
            "usize",
            "variant",
            "YAML value",
            "tag",
            "Ignore",
            "boolean",
        ] {
            assert!(!error.contains(word), "{yaml}: {error}");
        }
    }
    let error = error_of("filters: { ignore: { enabled: yes } }");
    assert!(error.contains("`true` or `false`"), "{error}");
    let error = error_of("https: { intercept: maybe }");
    assert!(error.contains("`on`, `off`, `true` or `false`"), "{error}");
}

#[test]
fn what_can_only_be_a_slip_is_refused() {
    assert!(error_of("authority: { dir: 5 }").contains("a path"));
    assert!(error_of("access: { clients: [] }").contains("access.clients"));
    assert!(error_of("limits: { page_depth: 4097 }").contains("1 to 4096"));
    assert!(Config::from_yaml("filters: { order: [] }", None).is_ok());
}

#[test]
fn a_port_alone_means_this_machine_and_names_are_resolved() {
    let of = |yaml: &str| Config::from_yaml(yaml, None).unwrap().listen;
    assert_eq!(of("listen: 18118"), ["127.0.0.1:18118".parse().unwrap()]);
    assert!(of("listen: 'localhost:8118'")[0].ip().is_loopback());
}

#[test]
fn a_bad_line_of_a_list_is_named_once_in_its_own_file() {
    let dir = tempfile::tempdir().unwrap();
    let list = "ads.example.com\n0.0.0.0 ||bad^\n";
    std::fs::write(dir.path().join("my.txt"), list).unwrap();
    let file = dir.path().join("config.yaml");
    let error = Config::from_yaml("ad_server_lists: [my.txt]", Some(&file)).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("my.txt:2:9: \"||bad^\""), "{error}");
    assert_eq!(error.matches("my.txt").count(), 1, "{error}");
    assert_eq!(error.matches("expected").count(), 1, "{error}");
}

#[test]
fn a_wildcard_spares_hosts_from_the_lists_too() {
    let yaml = "filters: { ad_servers: { except: ['*.a.example', .b.example] } }";
    let config = Config::from_yaml(yaml, None).unwrap();
    assert_eq!(config.filters.ad_servers.except, ["a.example", "b.example"]);
}

#[test]
fn listeners_that_cannot_stand_beside_each_other_are_refused() {
    for (listen, words) in [
        (
            "[8118, '127.0.0.1:8118']",
            "2:9: listen: 127.0.0.1:8118 is listed twice",
        ),
        ("['127.0.0.1:8118', '0.0.0.0:8118']", "one covers the other"),
        ("'224.0.0.1:8118'", "many machines"),
    ] {
        let error = error_of(&format!(
            "access: {{ clients: [private] }}\nlisten: {listen}\n"
        ));
        assert!(error.contains("config.yaml:2:"), "{error}");
        assert!(error.contains(words), "{error}");
    }
    for listen in [
        "['127.0.0.1:8118', '127.0.0.2:8118', '[::1]:8118', 8119]",
        "[0, 0]",
    ] {
        Config::from_yaml(&format!("listen: {listen}"), None).unwrap();
    }
}

#[test]
fn limits_that_allow_nothing_or_cannot_be_meant_are_refused() {
    for yaml in [
        "page_cpu_ms: 0",
        "page_cpu_ms: 99999999999999",
        "page_wait_seconds: 0",
        "page_wait_seconds: 18446744073709551615",
        "page_workers: 100000",
        "connections: 0",
        "connections_per_client: 0",
        "shutdown_grace_seconds: 99999999999999999",
    ] {
        let error = error_of(&format!("limits:\n  {yaml}\n"));
        let key = yaml.split(':').next().unwrap();
        assert!(
            error.contains(&format!("config.yaml:2:{}: limits.{key}: ", key.len() + 5)),
            "{error}"
        );
        assert!(error.contains("expected "), "{error}");
    }
    assert!(error_of("rewrite: { max_html_bytes: 99999999999999 }").contains("1024 to 1073741824"));
}

#[test]
fn a_slip_is_told_with_its_file_and_place() {
    for (text, start) in [
        (
            "limits:\n  connections: 5\n  connections: 6\n",
            "3:3: limits.connections is written a second time",
        ),
        ("\u{feff}limits:\r\n\tconnections: 5\r\n", "2:1: a TAB"),
        (
            "limits: 3\n",
            "1:9: limits: invalid value: number `3`, expected a section with keys",
        ),
        (
            "filters:\n  main_block:\n    algorithm:\n",
            "3:15: filters.main_block.algorithm: invalid value: nothing",
        ),
        (
            "https: { except: [5] }\n",
            "1:19: https.except: \"5\" is not a host",
        ),
        (
            "upstream:\n  insecure_hosts:\n    - '*.x.example'\n",
            "3:7: upstream.insecure_hosts: ",
        ),
        (
            "access:\n  clients:\n    - 192.168.1.5/24\n",
            "3:7: access.clients: ",
        ),
    ] {
        let error = error_of(text);
        let wanted = format!("/etc/gleaner/config.yaml:{start}");
        assert!(error.starts_with(&wanted), "{text:?}: {error}");
    }
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let told = |bytes: &[u8]| {
        Config::from_bytes(bytes.to_vec(), None)
            .unwrap_err()
            .to_string()
    };
    let error = told(b"listen: 8118\nlimits:\n  # caf\xe9\n");
    assert!(
        error.contains(":3:8: ") && error.contains("UTF-8"),
        "{error}"
    );
    assert!(told(b"\xff\xfel\0").contains("UTF-16"));
}

#[test]
fn a_file_where_the_authority_should_be_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("authority"), "").unwrap();
    let file = dir.path().join("config.yaml");
    let error = Config::from_yaml("authority: { dir: authority }", Some(&file)).unwrap_err();
    assert!(error.to_string().contains("is no folder"), "{error}");
}
