//! What the default list refuses, beside the exceptions of public lists.

use std::{collections::HashSet, fs, path::Path};

use gleaner::{LoadedConfig, blocking::Blocker};
use gleaner_filters::{Blocker as _, Resource};

use crate::harness::{TestProxy, get, optional};

fn default_lists() -> std::sync::Arc<Blocker> {
    LoadedConfig::from_yaml("", None).unwrap().blocker
}

/// Options of exceptions that let no request through.
const OTHER: [&str; 12] = [
    "popup",
    "badfilter",
    "redirect",
    "redirect-rule",
    "removeparam",
    "csp",
    "generichide",
    "ghide",
    "elemhide",
    "ehide",
    "specifichide",
    "shide",
];

/// The host that an exception names, if it lets requests to it through.
fn spared_host(line: &str) -> Option<&str> {
    let rule = line.strip_prefix("@@")?;
    let (pattern, options) = rule.rsplit_once('$').unwrap_or((rule, ""));
    let lets_nothing_through =
        options.split(',').any(|option| OTHER.contains(&option.split('=').next().unwrap_or_default()));
    let named = pattern.strip_prefix("||").or_else(|| pattern.split_once("://").map(|(_, rest)| rest))?;
    let end = named.find(['/', '^', '*', '$', '|', '?', ':']).unwrap_or(named.len());
    let host = &named[..end];
    (!lets_nothing_through && host.contains('.') && host.is_ascii()).then_some(host)
}

#[test]
fn the_default_refuses_no_host_for_which_a_public_list_has_an_exception() {
    let assets = Path::new("/usr/share/chromium/extensions/ublock-origin/assets");
    if !assets.is_dir() {
        return optional::skip("the lists are not installed: apt install webext-ublock-origin-chromium");
    }
    let reasons: HashSet<&str> =
        include_str!("../../../spared-hosts.txt").lines().filter_map(|line| line.strip_prefix('!')).collect();
    let blocker = default_lists();
    let mut refused = Vec::new();
    let mut exceptions = 0;
    for name in [
        "thirdparties/easylist/easylist.txt",
        "thirdparties/easylist/easyprivacy.txt",
        "ublock/filters.min.txt",
        "ublock/privacy.min.txt",
        "ublock/quick-fixes.min.txt",
        "ublock/unbreak.min.txt",
    ] {
        let list = fs::read_to_string(assets.join(name)).unwrap();
        for (host, line) in list.lines().filter_map(|line| Some((spared_host(line)?, line))) {
            exceptions += 1;
            let is_explained = reasons
                .iter()
                .any(|known| host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
            if blocker.blocked_host(host).is_some() && !is_explained {
                refused.push(line.to_owned());
            }
        }
    }
    assert!(exceptions > 3_000, "{exceptions}");
    assert!(refused.is_empty(), "{}:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn what_pages_wait_for_leaves_rewritten_pages_and_is_not_refused() {
    let blocker = default_lists();
    let page = "https://news.example/".parse().unwrap();
    for (host, is_refused) in
        [("www.googletagmanager.com", false), ("cdn.cookielaw.org", false), ("ads.propellerads.net", true)]
    {
        assert_eq!(blocker.blocked_host(host).is_some(), is_refused, "{host}");
        let address = format!("https://{host}/x.js").parse().unwrap();
        assert!(blocker.blocks(&page, &address, Resource::Script), "{host}");
        let rule = blocker.rule(&page, &address, Resource::Script).unwrap();
        assert!(rule.starts_with("builtin: ||") && rule.ends_with('^'), "{rule}");
    }
    let is_listed =
        |host: &str| blocker.blocks(&page, &format!("https://{host}/").parse().unwrap(), Resource::Document);
    assert!(is_listed("imasdk.googleapis.com") && !is_listed("news.example"));
    // A list of rules keeps what it says of a spared host: nothing of the default list hides its exception.
    let own = tempfile::tempdir().unwrap();
    let file = own.path().join("own.txt");
    fs::write(&file, "@@||googletagmanager.com^$domain=shop.example\n").unwrap();
    let yaml = format!("blocking: {{ lists: [builtin, '{}'] }}", file.display());
    let both = LoadedConfig::from_yaml(&yaml, None).unwrap().blocker;
    let address = "https://www.googletagmanager.com/gtm.js".parse().unwrap();
    assert!(!both.blocks(&"https://shop.example/".parse().unwrap(), &address, Resource::Script));
    assert!(both.blocks(&page, &address, Resource::Script));
}

#[tokio::test]
async fn a_spared_host_is_asked_and_another_is_not() {
    let proxy = TestProxy::start("").await;
    let asks = async |host: &str| {
        let fields = [("referer", "http://news.example/"), ("sec-fetch-dest", "script")];
        get(&proxy, &format!("http://{host}/x.js"), &fields).await.header("gleaner") != "blocked"
    };
    // Neither name is resolved here: what is not refused ends in an error of the resolver.
    assert!(asks("tags.tiqcdn.com").await && !asks("ads.propellerads.net").await);
    proxy.stop().await;
}

#[tokio::test]
async fn explain_says_of_a_spared_host_that_it_only_leaves_pages() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    fs::write(&config, "").unwrap();
    for (host, is_spared) in [("www.googletagmanager.com", true), ("www.example.com", false)] {
        let words = ["explain", &format!("https://{host}/gtm.js"), "--page", "https://shop.example/"];
        let (_, text) = crate::harness::client::run(super::gleaner(&config, &words)).await;
        let line = "removed from rewritten pages: builtin: ||googletagmanager.com^";
        assert!(text.contains("let through") && text.contains(line) == is_spared, "{text}");
    }
}
