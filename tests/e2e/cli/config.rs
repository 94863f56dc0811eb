//! The configuration file: what is read, and what is said of mistakes in it.

use std::{collections::BTreeSet, fs};

use gleaner::{
    Config, LoadedConfig, RawConfig,
    config::{Intercept, Limits, Lookup, ParsedConfig, Preset},
};
use gleaner_filters::ChainConfig;
use serde_yaml::Value;

const EXAMPLE: &str = include_str!("../../../config.example.yaml");

fn config(yaml: &str) -> Config {
    Config::from_yaml(yaml, None).unwrap()
}

fn loaded(yaml: &str) -> LoadedConfig {
    LoadedConfig::from_yaml(yaml, None).unwrap()
}

fn error_of(yaml: &str) -> String {
    Config::from_yaml(yaml, Some("/etc/gleaner/config.yaml".as_ref())).expect_err(yaml).to_string()
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
        assert_eq!(config.https.intercept, Intercept::Auto);
        assert!(config.never_processed.matches("captive.apple.com"));
        assert!(loaded(yaml).blocker.lists()[0].counts.requests > 1000);
        assert_eq!(config.limits, Limits::default());
    }
}

/// File, line and column, the key, what is wrong with it, and what would be right.
#[test]
#[rustfmt::skip]
fn a_mistake_is_reported_with_its_place_its_key_and_what_is_expected() {
    for (yaml, start, words) in [
        ("https:\n  intercepts: on\n", "2:3: https: unknown key `intercepts`", "expected one of `intercept`, `except`, `tunnel_pinned_apps`"),
        ("https:\n  except_lists: [builtin]\n", "2:3: https: unknown key `except_lists`", "it is now `leave_alone.lists`"),
        ("timeouts: { idle_seconds: 5 }\n", "1:13: timeouts: unknown key `idle_seconds`", "it is now `timeouts.server_idle_seconds`"),
        ("limits:\n  connections: many\n", "2:16: limits.connections: ", "expected a whole number, 1 to 1048576"),
        ("log:\n  level: info\nlisten: everywhere\n", "3:9: listen: \"everywhere\"", "expected an address"),
        ("listen: []\n", "1:9: listen: the list is empty", "expected an address"),
        ("timeouts:\n  connect_seconds: 0\n", "2:20: timeouts.connect_seconds: ", "1 to 86400"),
        ("limits:\n  page_cpu_ms: 99999999999999\n", "2:16: limits.page_cpu_ms: ", "1 to 3600000"),
        ("limits:\n  page_nodes: 0\n", "2:15: limits.page_nodes: ", "1 or more"),
        ("limits:\n  page_depth: -1\n", "2:15: limits.page_depth: ", "1 to 4096"),
        ("limits:\n  page_workers: 100000\n", "2:17: limits.page_workers: ", "1 to 1024"),
        ("limits:\n  page_arrival_seconds: 18446744073709551615", "2:25: limits.page_arrival_seconds: ", "1 to 86400"),
        ("rewrite: { max_html_bytes: 99999999999999 }", "1:28: rewrite.max_html_bytes: ", "1024 to 1073741824"),
        ("limits: 3\n", "1:9: limits: invalid value: number `3`", "a section with keys"),
        ("filters:\n  main_block:\n    algorithm:\n", "3:15: filters.main_block.algorithm: invalid value: nothing", ""),
        ("limits:\n  connections: 5\n  connections: 6\n", "3:3: limits.connections is written a second time", "line 2"),
        ("\u{feff}limits:\r\n\tconnections: 5\r\n", "2:1: this is a TAB", "expected spaces"),
        ("listen: [1\nlog: x\n", "1:9: what begins here is not closed", ""),
        ("https: { except: [5] }\n", "1:19: https.except: \"5\" is not a host", "expected a host name"),
        ("https:\n  except:\n    - a.example\n    - '*'\n", "4:7: https.except: \"*\"", ""),
        ("upstream:\n  insecure_hosts:\n    - '*.x.example'\n", "3:7: upstream.insecure_hosts: ", "single hosts"),
        ("access:\n  clients:\n    - 192.168.1.5/24\n", "3:7: access.clients: ", "192.168.1.0/24"),
        ("access: { clients: [] }", "1:20: access.clients: the list is empty", "`loopback`"),
        ("access: { connect_ports: [443, 0] }", "1:32: access.connect_ports: ", "a port, 1 to 65535"),
        ("access:\n  users:\n    anna: secret\n", "3:11: access.users.anna: this is not a usable", "hash-password"),
        ("authority: { dir: 5 }", "1:19: authority.dir: invalid value: number `5`", "a word or text"),
        ("authority: { dir: '' }", "1:19: authority.dir: the path is empty", "a path"),
        ("https: { intercept: maybe }", "1:21: https.intercept: \"maybe\"", "`auto`, `on` or `off`"),
        ("blocking: { lists: [easylst] }", "1:21: blocking.lists: there is no list \"easylst\", did you mean `easylist`", "expected `builtin`"),
        ("filters: { ad_server_lists: [x] }", "1:12: filters: unknown key `ad_server_lists`", "it is now `blocking.lists`"),
        ("ad_server_lists: [builtin]", "1:1: unknown key `ad_server_lists`", "it is now `blocking.lists`"),
        ("blocking: { lists: ['ftp://a.example/'] }", "1:21: blocking.lists: \"ftp://a.example/\" is no address", ""),
        ("blocking: { list: [builtin] }", "1:13: blocking: unknown key `list`", "did you mean `lists`"),
        ("blocking:\n  except_by_list: { easylist: [] }", "2:19: blocking.except_by_list: \"easylist\" is none", "`builtin`"),
        ("filters:\n  main_block: { min_share: 0.1 }\n  link_lists:\n    ratio: 0\n", "4:12: filters.link_lists.ratio", ""),
        ("filters: { order: [ignore,\n  ignore] }\n", "2:3: filters.order: `ignore`", ""),
        ("filters: { main_block: { cnr: { dial: 7 } } }", "1:39: filters.main_block.cnr.dial: 7", ""),
        ("filters: { main_block: { cnr: { dail: 0 } } }", "1:33: filters.main_block.cnr: ", "`dail`, did you mean `dial`"),
        ("listen: '0.0.0.0:8118'", "1:9: listen: 0.0.0.0 is open to other machines", "`access.clients`"),
        ("listen: [8118, '127.0.0.1:8118']", "1:9: listen: 127.0.0.1:8118 is listed twice", ""),
        ("access: { clients: [private] }\nlisten: ['127.0.0.1:1', '0.0.0.0:1']", "2:9: listen: ", "covers the other"),
        ("listen: '224.0.0.1:8118'", "1:9: listen: ", "many machines"),
        ("health: { listen: 8118 }", "1:19: health.listen: 127.0.0.1:8118 is taken by `listen`", "another port"),
        ("health: { listen: 9 }\nicap: { listen: '0.0.0.0:9' }", "2:17: icap.listen: 0.0.0.0:9 is taken by `health.listen`", ""),
        ("filters: { link_lists: { ratio: many } }", "1:33: filters.link_lists.ratio: ", "expected a number"),
        ("limits: { connections: 99999999999999999999 }", "1:24: limits.connections: ", "a smaller number"),
        ("log: { level: loud }", "1:15: log.level: unknown word `loud`", "`warn`"),
        ("log: { level: [] }", "1:15: log.level: invalid value: a list", ""),
        ("filters: { order: [ignored] }", "1:20: filters.order: unknown word `ignored`, did you mean `ignore`?", ""),
        ("filters: { ignore: { enabled: yes } }", "1:31: filters.ignore.enabled: ", "`true` or `false`"),
        ("profiles: { own: { filters: { link_lists: { ratio: 0 } } } }", "1:52: profiles.own.filters.link_lists.ratio: ", ""),
        ("profiles: { phone: { filters: { removed_links: { max: 1 } } } }", "1:50: profiles.phone.filters.removed_links: unknown key `max`", ""),
        ("profiles: { phone: { image: false } }", "1:22: profiles.phone: unknown key `image`", "did you mean `images`"),
        ("profiles: { own: { intercept: never } }", "1:31: profiles.own.intercept: \"never\"", "`auto`"),
        ("devices:\n- {user_agents: [x], profile: phoen}", "2:31: devices.profile: there is no profile \"phoen\"", "`phone`"),
        ("devices: [{users: [anna], profile: off}]", "1:19: devices.users: there is no user \"anna\"", ""),
        ("sites: [{hosts: ['*'], profile: off}]", "1:18: sites.hosts: \"*\"", ""),
        ("sites: [{profile: off}]", "1:9: sites: ", "`hosts`"),
        ("leave_alone: { lists: [none.txt] }", "1:24: leave_alone.lists: cannot read", ""),
        // Keys outside their section.
        ("ignore:\n  enabled: false\n", "1:1: unknown key `ignore`", "it belongs under `filters`, indented"),
        ("filters: {max_links: 1}", "1:11: filters: unknown key", "it belongs under `removed_links`, indented"),
        ("enabled: false\n", "1:1: unknown key", "it belongs under a section such as `"),
        ("rewrite:\n# off\nenabled: false\n", "3:1: unknown key", "is it to be indented, as a key of `rewrite`?"),
        ("filters:\n  main_block:\n  enabled: false\n", "3:3: filters: unknown key", "as a key of `main_block`?"),
        ("nonsense: 1\n", "1:1: unknown key `nonsense`, expected", ""),
    ] {
        let error = error_of(yaml);
        let wanted = format!("/etc/gleaner/config.yaml:{start}");
        assert!(error.starts_with(&wanted) && error.contains(words), "{yaml:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        for word in ["f64", "u128", "usize", "variant", "YAML value", "Value", "tag", "Ignore", "boolean"] {
            // The name of a profile has one of them in it.
            assert!(!error.replace("vintage", "").contains(word), "{yaml}: {error}");
        }
    }
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
fn the_fingerprint_follows_the_filters_but_not_the_address() {
    let of = |yaml: &str| config(yaml).fingerprint;
    assert_eq!(of("listen: '127.0.0.1:1'"), of("listen: '127.0.0.1:2'"));
    assert_ne!(of(""), of("filters: { main_block: { enabled: false } }"));
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("list.txt"), "\u{feff}ads.example\n").unwrap();
    let file = dir.path().join("config.yaml");
    let text = "\u{feff}preset: crunch\nblocking: { lists: [list.txt] }\n";
    fs::write(&file, text).unwrap();
    let LoadedConfig { config, blocker, .. } = LoadedConfig::find(&Lookup::new(Some(file))).unwrap();
    // The first key and the first host follow the marks immediately.
    assert_eq!(config.preset, Preset::Crunch);
    assert!(blocker.blocked_host("x.ads.example").is_some());
    assert_eq!(config.filters, ChainConfig::crunch());
}

#[test]
fn filters_of_the_file_are_laid_over_the_preset() {
    let mut wanted = ChainConfig::crunch();
    wanted.main_block.min_share = 0.7;
    let filters = config("preset: crunch\nfilters: { main_block: { min_share: 0.7 } }").filters;
    assert_eq!(filters, wanted);
}

/// A device or a video that is named by mistake must not fill the memory.
#[test]
fn files_without_end_are_refused() {
    let error = error_of("upstream: { extra_ca_file: /dev/zero }");
    assert!(error.contains("/dev/zero: it is not a regular file"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe.txt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for key in ["upstream: { extra_ca_file: PIPE }", "leave_alone: { lists: [PIPE] }"] {
        let error = error_of(&key.replace("PIPE", pipe.to_str().unwrap()));
        assert!(error.contains("it is not a regular file"), "{error}");
    }
    let lists = loaded("blocking: { lists: [/dev/zero] }").blocker;
    let problem = lists.lists()[0].problem.as_ref().unwrap();
    assert!(problem.contains("/dev/zero: it is not a regular file"), "{problem}");
    let error = Lookup::new(Some("/dev/zero".into())).read().unwrap_err();
    assert!(error.to_string().contains("it is longer than 4 MiB"), "{error}");
}

#[test]
fn a_bad_list_or_line_is_told_and_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("my.txt"), "ads.example.com\n0.0.0.0 b.example\n||bad.example^$nonsense\n").unwrap();
    let file = dir.path().join("config.yaml");
    let blocker = LoadedConfig::from_yaml("blocking: { lists: [my.txt, gone.txt] }", Some(&file)).unwrap().blocker;
    let [mine, gone] = blocker.lists() else { panic!() };
    assert_eq!((mine.counts.requests, mine.counts.refused, &mine.problem), (2, 1, &None));
    assert!(gone.problem.as_ref().unwrap().contains("gone.txt: No such file"), "{gone:?}");
    assert!(blocker.blocked_host("b.example").is_some());
}

#[test]
fn a_wildcard_excepts_hosts_from_the_lists_too() {
    let config = config("filters: { ad_servers: { except: ['*.a.example', .b.example] } }");
    assert_eq!(config.filters.ad_servers.except, ["a.example", "b.example"]);
}

#[test]
fn bytes_that_are_no_text_are_reported_with_their_place() {
    let error_of = |bytes: &[u8]| ParsedConfig::from_bytes(bytes.to_vec(), None).unwrap_err().to_string();
    let error = error_of(b"listen: 8118\nlimits:\n  # caf\xe9\n");
    assert!(error.contains(":3:8: ") && error.contains("UTF-8"), "{error}");
    assert!(error_of(b"\xff\xfel\0").contains("UTF-16"));
}

#[test]
fn a_file_in_place_of_the_authoritys_folder_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("authority"), "").unwrap();
    let file = dir.path().join("config.yaml");
    let error = Config::from_yaml("authority: { dir: authority }", Some(&file)).unwrap_err();
    assert!(error.to_string().contains("is no folder"), "{error}");
}
