//! The policies that a page sets by `<meta>` (`<meta http-equiv="Content-Security-Policy">`), passed on beside a page
//! whose head is ours: there a policy of the response does the same, and is corrected for our style.

use html5ever::local_name;

use crate::html::{Page, tag::Tag};

/// The policies in force, each on one line: browsers take those of `<meta>` elements in the head alone (HTML Standard § 4.2.5.3).
pub(crate) fn from_page(page: &Page) -> Vec<String> {
    let of_head = page.about(Tag::Meta).filter(|&id| page.tag(page.parent(id)) == Some(Tag::Head));
    let policies = of_head.filter(|&id| {
        let kind = page.attribute(id, &local_name!("http-equiv"));
        kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("content-security-policy"))
    });
    let policies = policies.filter_map(|id| page.attribute(id, &local_name!("content"))).map(written);
    policies.filter(|policy| !policy.is_empty()).collect()
}

/// The referrer policy of the page (HTML Standard § 4.2.5.1: the last one counts), if it is one that tells other sites no more than
/// browsers do by themselves.
pub(crate) fn referrer(page: &Page) -> Option<&'static str> {
    const DISCREET: [&str; 6] = [
        "no-referrer",
        "same-origin",
        "origin",
        "strict-origin",
        "origin-when-cross-origin",
        "strict-origin-when-cross-origin",
    ];
    let named = page.about(Tag::Meta).filter(|&id| {
        page.attribute(id, &local_name!("name")).is_some_and(|name| name.eq_ignore_ascii_case("referrer"))
    });
    let last = named.filter_map(|id| page.attribute(id, &local_name!("content"))).last()?.trim();
    DISCREET.into_iter().find(|policy| policy.eq_ignore_ascii_case(last))
}

/// A policy as a field of a response can have it. What a page cannot decide for itself is none of it (CSP Level 3 § 3.3), and a comma
/// would begin another policy.
fn written(policy: &str) -> String {
    const IGNORED: [&str; 3] = ["frame-ancestors", "report-uri", "sandbox"];
    let directives = policy.split(';').map(|directive| directive.split_ascii_whitespace().collect::<Vec<_>>());
    let kept = directives.filter(|words| {
        let name = words.first().copied().unwrap_or_default();
        !name.is_empty()
            && !IGNORED.iter().any(|ignored| name.eq_ignore_ascii_case(ignored))
            && words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_graphic() && byte != b','))
    });
    kept.map(|words| words.join(" ")).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn the_referrer_policy_is_kept_unless_it_tells_more_than_browsers_do() {
        for (policy, kept) in
            [("No-Referrer ", Some("no-referrer")), ("same-origin", Some("same-origin")), ("unsafe-url", None)]
        {
            assert_eq!(referrer(&page(&format!("<meta name=Referrer content='{policy}'><p>words"))), kept);
        }
    }

    #[test]
    fn policies_of_the_head_are_told_as_far_as_a_page_can_have_them() {
        let told = |head: &str| from_page(&page(&format!("<title>x</title>{head}<body><p>words")));
        let meta = |policy: &str| format!("<meta http-equiv=' content-Security-policy' content=\"{policy}\">");
        let policy = "img-src 'self'; frame-src 'none'; base-uri 'none'";
        assert_eq!(told(&meta(policy)), [policy]);
        assert_eq!(told(&(meta(policy) + &meta("img-src\n https:;;"))), [policy, "img-src https:"]);
        assert_eq!(told(&meta("sandbox; report-uri /x; frame-ancestors 'none'; img-src 'self', x")), [""; 0]);
        assert_eq!(told(&format!("<noscript>{}</noscript>", meta(policy))), [""; 0]);
        assert_eq!(told(&format!("<p>{}", meta(policy))), [""; 0]);
    }
}
