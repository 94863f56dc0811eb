use std::fs;

use super::*;
use crate::config::Config;

fn via(yaml: &str) -> Via {
    Config::from_yaml(&format!("upstream: {{ via: [{yaml}] }}"), None).unwrap().via
}

fn way(via: &Via, host: &str, client: &str) -> String {
    let wanted = WantedConnection { host, port: 443, is_encrypted: true, client: client.parse().unwrap() };
    via.rule(&wanted).map_or_else(|| "no rule".to_owned(), |rule| rule.name.to_string())
}

#[test]
fn the_first_rule_that_fits_host_and_client_decides() {
    let via = via("{ hosts: [onion], proxy: 'socks5://127.0.0.1:9050' },
        { hosts: [Intranet.Example, 10.0.0.0/8, '2001:db8::1'], proxy: direct },
        { hosts: [secret.example], proxy: refuse },
        { clients: [192.168.1.40], proxy: 'socks5h://[::1]:1080' },
        { hosts: [all.example], clients: [loopback, private], proxy: 'HTTPS://Proxy.example:443/' }");
    for (host, client, expected) in [
        ("abc.onion", "127.0.0.1", "socks5://127.0.0.1:9050"),
        ("notonion", "127.0.0.1", "no rule"),
        ("www.intranet.example", "192.168.1.40", "direct"),
        ("10.1.2.3", "::1", "direct"),
        ("11.1.2.3", "::1", "no rule"),
        ("2001:db8::1", "::1", "direct"),
        ("secret.example", "192.168.1.40", "refuse"),
        ("a.example", "192.168.1.40", "socks5://[::1]:1080"),
        ("a.example", "::ffff:192.168.1.40", "socks5://[::1]:1080"),
        ("a.all.example", "127.0.0.1", "https://proxy.example:443"),
        ("a.all.example", "203.0.113.9", "no rule"),
    ] {
        assert_eq!(way(&via, host, client), expected, "{host} {client}");
    }
}

#[test]
fn a_rule_that_cannot_be_used_is_told_and_shows_no_password() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str, mode: u32| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let _ = mode;
    };
    write("good", "s3cret\n", 0o600);
    write("two", "s3cret\nmore\n", 0o600);
    write("empty", "\n", 0o600);
    write("open", "s3cret\n", 0o644);
    let file = dir.path().join("config.yaml");
    let problem = |rule: &str| {
        let yaml = format!("upstream:\n  via:\n  - {{ {rule} }}\n");
        Config::from_yaml(&yaml, Some(&file)).map(|config| config.via)
    };
    for (rule, expected) in [
        ("hosts: [a.example]", "missing field `proxy`"),
        ("proxy: 'ftp://a.example:1'", "kind is not known"),
        ("proxy: 'socks4://a.example:1'", "kind is not known"),
        ("proxy: a.example", "neither a proxy's address nor one of the words"),
        ("proxy: 'http://a.example'", "port is missing"),
        ("proxy: 'http://a.example:0'", "1 to 65535"),
        ("proxy: 'http://::1:80'", "port is missing"),
        ("proxy: 'http://a.example:80/x'", "has a path"),
        ("proxy: 'http://anna:s3cret@a.example:80'", "`user` and `password_file`"),
        ("hosts: [], proxy: direct", "the list is empty"),
        ("clients: [], proxy: direct", "the list is empty"),
        ("hosts: ['a b'], proxy: direct", "is not a host"),
        ("hosts: [10.0.0.0/99], proxy: direct", "neither a host nor a range"),
        ("clients: [anna], proxy: direct", "is not an address or range"),
        ("proxy: direct, user: anna", "needs no password"),
        ("proxy: refuse, password_file: good", "needs no password"),
        ("proxy: 'http://a.example:1', user: anna", "expected the key `password_file`"),
        ("proxy: 'http://a.example:1', password_file: good", "expected the key `user`"),
        ("proxy: 'http://a.example:1', user: 'an:na', password_file: good", "has a colon"),
        ("proxy: 'http://a.example:1', user: anna, password_file: none", "No such file"),
        ("proxy: 'http://a.example:1', user: anna, password_file: two", "more than one line"),
        ("proxy: 'http://a.example:1', user: anna, password_file: empty", "is empty"),
        ("proxy: 'http://a.example:1', user: anna, password_file: '.'", "not a regular file"),
        #[cfg(unix)]
        ("proxy: 'http://a.example:1', user: anna, password_file: open", "chmod 600"),
        ("proxi: direct", "unknown key `proxi`"),
    ] {
        let problem = problem(rule).expect_err(rule).to_string();
        assert!(problem.contains(expected) && problem.contains("config.yaml:3:"), "{rule}: {problem}");
        assert!(problem.contains("expected") || expected.starts_with("missing"), "{rule}: {problem}");
        assert!(!problem.contains("s3cret"), "{rule}: {problem}");
    }
    let good = problem("proxy: 'http://a.example:1', user: anna, password_file: good").unwrap();
    let Way::Parent(parent) = &good.rules().next().unwrap().way else { panic!() };
    assert_eq!(parent.authorization().unwrap(), "Basic YW5uYTpzM2NyZXQ=");
    assert!(!format!("{good:?}").contains("s3cret"));
}

#[test]
fn the_environment_names_proxies_as_other_programs_read_it() {
    let read = |variables: &[(&str, &str)]| {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let value = |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        environment::rules(value).map(Via::new)
    };
    let via = read(&[
        ("HTTP_PROXY", "upper.example:3128"),
        ("http_proxy", "lower.example:3128"),
        ("ALL_PROXY", "socks5h://anna:s%33cret@127.0.0.1:1080"),
        ("NO_PROXY", "a.example, .b.example,*.c.example,10.0.0.0/8,d.example:8443,::1,not a host"),
    ])
    .unwrap();
    let way = |host, port, is_encrypted| {
        let wanted = WantedConnection { host, port, is_encrypted, client: [127, 0, 0, 1].into() };
        via.rule(&wanted).map(|rule| format!("{} {}", rule.name, rule.place)).unwrap()
    };
    assert_eq!(way("x.example", 80, false), "http://lower.example:3128 HTTP_PROXY");
    assert_eq!(way("x.example", 443, true), "socks5://127.0.0.1:1080 ALL_PROXY");
    for host in ["a.example", "www.a.example", "b.example", "x.c.example", "10.9.9.9", "localhost", "127.0.0.7", "::1"]
    {
        assert_eq!(way(host, 443, true), "direct NO_PROXY", "{host}");
    }
    assert_eq!(way("d.example", 8443, true), "direct NO_PROXY");
    assert_ne!(way("d.example", 443, true), "direct NO_PROXY");
    let parent = via.rules().find_map(|rule| match &rule.way {
        Way::Parent(parent) => parent.credentials.clone(),
        _ => None,
    });
    assert_eq!(parent, Some(("anna".to_owned(), "s3cret".to_owned())));
    assert!(read(&[("HTTP_PROXY", "http://p:1"), ("NO_PROXY", "*")]).unwrap().is_empty());
    assert!(read(&[("NO_PROXY", "a.example")]).unwrap().is_empty());
    let problem = read(&[("HTTPS_PROXY", "http://anna:s3cret@p")]).unwrap_err();
    assert!(problem.contains("HTTPS_PROXY") && !problem.contains("s3cret"), "{problem}");
}
