//! An ad list, and the hosts it matches: each host it holds, and each below it.
#![no_main]

use gleaner_filters::HostList;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut hosts = HostList::default();
    let added = hosts.add(text);
    assert!(added.is_ok() || hosts.is_empty());
    for word in text.split_whitespace() {
        let _ = hosts.matches(word);
        let mut one = HostList::default();
        if one.add(word).is_ok() && one.len() == 1 && word.len() < 200 && !word.contains('#') {
            assert!(one.matches(word), "{word}");
            assert!(one.matches(&format!("ads.{word}")), "{word}");
        }
    }
});
