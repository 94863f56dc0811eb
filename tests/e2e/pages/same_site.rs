//! Blocks that repeat on the pages of a host are judged more strictly, in the proxy and in `gleaner extract`.

use std::fs;

use crate::harness::{Origin, TestProxy, get, origin::html, program::command};

/// A page whose bar has too few linked characters to be a list by itself, and stands on every page of the site.
fn page(number: usize) -> String {
    let text = format!("Page {number} tells of the river and of the town. ").repeat(20 + number);
    format!(
        "<!doctype html><title>{number}</title><div id=bar>Latest from us this week <a href=/x>sign up now</a></div>\
         <div id=text><p>{text}</p></div>"
    )
}

const FILTERS: &str = "filters: { main_block: { enabled: false }, link_quota: { enabled: true } }";

/// Whether the bar is on the last of five pages of one host.
async fn bar_is_left(yaml: &str) -> bool {
    let origin = Origin::http(|request| {
        let path = request.uri.path();
        html(page(path.trim_start_matches('/').parse().unwrap_or_default()))
    })
    .await;
    let proxy = TestProxy::start(yaml).await;
    let mut last = String::new();
    for number in 0..5 {
        let answer = get(&proxy, &origin.url(&format!("/{number}")), &[]).await;
        assert!(answer.header("gleaner").starts_with("rewritten"));
        answer.text().clone_into(&mut last);
    }
    assert!(last.contains("Page 4 tells"));
    last.contains("Latest from us")
}

#[tokio::test]
async fn what_repeats_on_the_pages_of_a_host_is_judged_more_strictly_where_that_is_remembered() {
    let remembers = format!("rewrite: {{ remember_hosts: 10 }}\n{FILTERS}");
    assert!(!bar_is_left(&remembers).await);
    assert!(bar_is_left(FILTERS).await, "nothing is remembered unasked");
}

#[test]
fn extract_compares_the_pages_of_one_site() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..5).map(|number| format!("{number}.html")).collect();
    for (number, name) in names.iter().enumerate() {
        fs::write(dir.path().join(name), page(number)).unwrap();
    }
    let extract = |more: &[&str]| {
        let output = command(dir.path(), &["extract", "--format", "text", "--filters"])
            .arg("{main_block: {enabled: false}, link_quota: {enabled: true}}")
            .args(more)
            .args(&names)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(extract(&[]).matches("Latest from us").count(), 5);
    assert_eq!(extract(&["--same-site"]).matches("Latest from us").count(), 0);
}
