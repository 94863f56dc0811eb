use super::*;
use crate::Config;

const AGENT: &str = "Mozilla/5.0 (X11; Linux) Firefox/140.0";

fn chosen(yaml: &str, client: &str, user_agent: &str, host: &str) -> (String, ProfileRule) {
    let profiles = Config::from_yaml(yaml, None).unwrap().profiles;
    let asker = ClientInfo { client: client.parse().unwrap(), user: None, user_agent, port: 8118 };
    let choice = profiles.choose(&asker, host).unwrap();
    (choice.profile.name.clone(), choice.rule)
}

#[test]
fn the_first_rule_that_matches_chooses() {
    let yaml = "sites: [{hosts: [bank.example], profile: off}]\n\
                devices:\n\
                - {clients: [192.168.1.20, 192.168.2.0/24], profile: e-ink}\n\
                - {user_agents: [firefox], ports: [8119], profile: text}\n\
                - {user_agents: [firefox], ports: [8118], clients: [192.168.1.0/24], profile: phone}";
    for (client, agent, host, profile, rule) in [
        ("192.168.1.20", AGENT, "www.bank.example", "off", ProfileRule::Site(0)),
        ("192.168.1.20", AGENT, "a.example", "e-ink", ProfileRule::Device(0)),
        ("192.168.2.9", "", "a.example", "e-ink", ProfileRule::Device(0)),
        ("192.168.1.21", AGENT, "a.example", "phone", ProfileRule::Device(2)),
        ("192.168.3.1", AGENT, "a.example", "desktop", ProfileRule::None),
        ("192.168.3.1", "Mozilla/5.0 (Linux; Android 14)", "a.example", "phone", ProfileRule::Shipped(2)),
        ("192.168.3.1", "Mozilla/5.0 (Linux; Kindle) Mobile", "a.example", "e-ink", ProfileRule::Shipped(0)),
    ] {
        assert_eq!(chosen(yaml, client, agent, host), (profile.to_owned(), rule), "{client} {agent} {host}");
    }
    let last = "devices: [{profile: text}]";
    assert_eq!(chosen(last, "::1", "Android", "a.example"), ("text".to_owned(), ProfileRule::Device(0)));
}

#[test]
fn a_profile_is_laid_over_the_file_and_over_the_shipped_one_of_its_name() {
    let config = Config::from_yaml(
        "filters: { removed_links: { max_links: 7 }, output: { style: original } }\n\
         profiles: { phone: { images: false }, own: { filters: { output: { style: reader } } } }",
        None,
    )
    .unwrap();
    let of = |name: &str| config.profiles.all.iter().find(|profile| profile.name == name).unwrap();
    assert_eq!(of("desktop").filters, config.filters);
    assert_eq!(of("phone").filters.removed_links.max_links, 50);
    assert!(of("phone").filters.ignore.non_link_images && !of("own").filters.ignore.non_link_images);
    assert_eq!(of("own").filters.removed_links.max_links, 7);
    assert_ne!(of("own").filters.output, config.filters.output);
    assert_ne!(of("own").fingerprint, of("desktop").fingerprint);
    assert!(!of("off").rewrite && of("off").intercept == Intercept::Off && of("phone").rewrite);
}

#[test]
fn what_is_blocked_is_decided_beside_all_else() {
    let yaml = "blocking: { lists: [easylist], except: [a.example], schedule: { bed: '21:00-07:00' } }\n\
                profiles:\n  kids: { blocking: { services: [youtube@bed], safe_search: strict } }\n  \
                calm: { images: false, blocking: { lists: [] } }\n\
                sites: [{hosts: [bank.example], profile: off}]\n\
                devices:\n- {clients: [192.168.1.20], profile: kids}\n- {clients: [192.168.1.21], profile: calm}";
    let profiles = Config::from_yaml(yaml, None).unwrap().profiles;
    let names = |client: &str, agent: &'static str, host: &str| {
        let asker = ClientInfo { client: client.parse().unwrap(), user: None, user_agent: agent, port: 8118 };
        let name = |choice: Option<Choice<'_>>| choice.map_or("", |choice| &choice.profile.name).to_owned();
        let [all, blocking] = [profiles.choose(&asker, host), profiles.choose_blocking(&asker, Some(host))];
        [name(all), name(blocking), name(profiles.choose_blocking(&asker, None))]
    };
    // A tablet stays a tablet.
    assert_eq!(names("192.168.1.20", "iPad", "x.example"), ["phone", "kids", "kids"]);
    assert_eq!(names("192.168.1.20", "", "x.example"), ["desktop", "kids", "kids"]);
    assert_eq!(names("192.168.1.20", "iPad", "bank.example"), ["off", "off", "kids"]);
    assert_eq!(names("192.168.1.21", "iPad", "x.example"), ["calm", "calm", "calm"]);
    assert_eq!(names("192.168.1.22", "iPad", "x.example"), ["phone", "", ""]);
    let of = |name: &str| {
        let profile = profiles.all.iter().find(|profile| profile.name == name).unwrap();
        profile.own_blocking.clone().unwrap()
    };
    assert!(of("kids").lists.len() == 1 && of("kids").except.matches("a.example") && of("calm").lists.is_empty());
    assert!(!of("off").enabled);
}

#[test]
fn what_a_profile_blocks_is_checked() {
    for (profiles, problem) in [
        ("kids: { blocking: { services: [yuotube] } }", "profiles.kids.blocking.services"),
        ("kids: { blocking: { services: [youtube@bed] } }", "no name of hours"),
        ("kids: { blocking: { schedule: { bed: 21-07 } } }", "profiles.kids.blocking.schedule.bed"),
        ("kids: { blocking: { dir: /x } }", "profiles.kids.blocking"),
        ("kids: { blocking: 7 }", "expected `true`, `false`, or settings"),
        ("kids: { blocking: { time_zone: Europe/Nowhere } }", "no time zone"),
    ] {
        let error = Config::from_yaml(&format!("profiles: {{ {profiles} }}"), None).unwrap_err().to_string();
        assert!(error.contains(problem), "{profiles}: {error}");
    }
    let profile = |index: u8| format!("  p{index}: {{ blocking: {{ rules: ['||h{index}.example^'] }} }}");
    let many = (0..8).map(profile).collect::<Vec<_>>().join("\n");
    let error = Config::from_yaml(&format!("profiles:\n{many}"), None).unwrap_err().to_string();
    assert!(error.contains("there are 9 different sets"), "{error}");
}
