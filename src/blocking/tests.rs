use super::*;

/// Yaml of the configuration; how often rules of the configuration itself are listed.
#[test]
fn own_rules_are_listed_once_for_each_set_of_them() {
    let own = "blocking: { rules: ['||a.example^'] }\n";
    for (profile, listed) in
        [("lists: []", 1), ("lists: [], rules: ['||a.example^']", 1), ("lists: [], rules: ['||b.example^']", 2)]
    {
        let yaml = format!("{own}profiles: {{ child: {{ blocking: {{ {profile} }} }} }}\n");
        let blocker = Blocker::load_all(&Config::from_yaml(&yaml, None).unwrap());
        let found = blocker.all_states.iter().filter(|state| state.source == ListSource::Own);
        assert_eq!(found.count(), listed, "{profile}");
    }
}
