//! Content-Security-Policy of a rewritten page: allows our own style, and nothing else that was not allowed.

use gleaner_filters::CspChange;
use http::{HeaderMap, HeaderValue, header};

/// Changes the policies in force; report-only ones stay as they are.
pub(crate) fn apply(headers: &mut HeaderMap, change: &CspChange) {
    match change {
        CspChange::Keep => {}
        CspChange::Replace(policy) => {
            let site_policies = in_force(headers).into_iter().filter_map(|policy| site_policy(&policy));
            let policies: Vec<String> = std::iter::once((*policy).to_owned()).chain(site_policies).collect();
            set(headers, &policies);
        }
        CspChange::AllowStyle(source) => allow_style_element(headers, source),
    }
}

/// Allows a style element of ours where the policies of a page forbid it.
pub(crate) fn allow_style_element(headers: &mut HeaderMap, source: &str) {
    let policies = in_force(headers);
    let changed: Vec<String> = policies.iter().map(|policy| allow_style(policy, source)).collect();
    if changed != policies {
        set(headers, &changed);
    }
}

/// The policies of a response. A field may hold several, and all of them are in force (CSP 3 § 4.2).
fn in_force(headers: &HeaderMap) -> Vec<String> {
    let fields = headers.get_all(header::CONTENT_SECURITY_POLICY).iter();
    let texts = fields.map(|field| String::from_utf8_lossy(field.as_bytes()));
    texts.flat_map(|text| text.split(',').map(|policy| policy.trim().to_owned()).collect::<Vec<_>>()).collect()
}

fn set(headers: &mut HeaderMap, policies: &[String]) {
    let name = header::CONTENT_SECURITY_POLICY;
    let mut values = policies.iter().filter_map(|policy| HeaderValue::from_bytes(policy.as_bytes()).ok());
    // The first one takes the place of the original field.
    if let Some(first) = values.next() {
        headers.insert(&name, first);
    }
    for policy in values {
        headers.append(&name, policy);
    }
}

/// The site's policy for a rewritten page, beside ours: policies intersect (CSP 3 § 8.1), so that pictures, frames, forms and `<base>`
/// come from where the site allows them. Without its directives for scripts, of which there are none, for styles, which are ours, and
/// for reports, which would be about our page.
fn site_policy(policy: &str) -> Option<String> {
    const LEFT_OUT: [&str; 7] = [
        "script-src",
        "style-src",
        "trusted-types",
        "require-trusted-types-for",
        "require-sri-for",
        "report-uri",
        "report-to",
    ];
    let name = |directive: &str| directive.split_ascii_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let is_kept = |directive: &&str| {
        let name = name(directive);
        let name = name.trim_end_matches("-elem").trim_end_matches("-attr");
        !name.is_empty() && !LEFT_OUT.contains(&name)
    };
    let mut directives: Vec<&str> = policy.split(';').map(str::trim).filter(is_kept).collect();
    if directives.iter().any(|directive| name(directive) == "default-src") {
        // It would count for styles too.
        directives.push("style-src 'unsafe-inline'");
    }
    (!directives.is_empty()).then(|| directives.join("; "))
}

/// Allows one inline style element in one policy.
fn allow_style(policy: &str, source: &str) -> String {
    let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
    // CSP 3 § 6.8.4: the most specific directive present applies to style elements.
    let in_force = ["style-src-elem", "style-src", "default-src"].iter().find_map(|name| {
        directives.iter().find_map(|directive| {
            let mut words = directive.split_ascii_whitespace();
            let found = words.next().is_some_and(|word| word.eq_ignore_ascii_case(name));
            found.then(|| (*name, *directive, words.collect::<Vec<_>>()))
        })
    });
    let Some((name, directive, sources)) = in_force else {
        return policy.to_owned();
    };
    if allows_inline(&sources) {
        return policy.to_owned();
    }
    let mut allowed: Vec<&str> = sources.into_iter().filter(|word| !word.eq_ignore_ascii_case("'none'")).collect();
    allowed.push(source);
    if name == "default-src" {
        // Only style elements get the new source; for everything else `default-src` stays.
        let policy = policy.trim_end_matches([';', ' ']);
        return format!("{policy}; style-src-elem {}", allowed.join(" "));
    }
    let changed = format!("{name} {}", allowed.join(" "));
    let directives: Vec<&str> =
        directives.iter().map(|other| if *other == directive { &changed } else { *other }).collect();
    directives.join("; ")
}

/// `'unsafe-inline'` applies only without a nonce or a hash beside it (CSP 3 § 6.7.3.2).
fn allows_inline(sources: &[&str]) -> bool {
    let starts =
        |word: &str, prefix: &str| word.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    sources.iter().any(|word| word.eq_ignore_ascii_case("'unsafe-inline'"))
        && !sources.iter().any(|word| starts(word, "'nonce-") || starts(word, "'sha"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(change: &CspChange, policies: &[&'static str]) -> Vec<String> {
        let field = |policy: &&'static str| (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        let mut headers: HeaderMap = policies.iter().map(field).collect();
        apply(&mut headers, change);
        let values = headers.get_all(header::CONTENT_SECURITY_POLICY).iter();
        values.map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn the_policy_of_a_site_stays_beside_ours_without_its_scripts_and_styles() {
        let policies = [
            "Default-Src 'self'; script-src 'self' 'nonce-1'; script-src-elem x; style-src-attr 'none'; style-src 'self'; \
             img-src 'self'; frame-src 'none'; base-uri 'none'; frame-ancestors 'none'; report-uri /r",
            "form-action 'self'; require-trusted-types-for 'script', img-src *;",
            "script-src 'self'",
        ];
        assert_eq!(
            applied(&CspChange::Replace("default-src 'none'"), &policies),
            [
                "default-src 'none'",
                "Default-Src 'self'; img-src 'self'; frame-src 'none'; base-uri 'none'; frame-ancestors 'none'; \
                 style-src 'unsafe-inline'",
                "form-action 'self'",
                "img-src *",
            ]
        );
        assert_eq!(applied(&CspChange::Replace("default-src 'none'"), &[]), ["default-src 'none'"]);
    }

    #[test]
    fn one_inline_style_is_allowed() {
        for (policy, expected) in [
            // The most specific directive is changed.
            (
                "default-src 'self'; style-src a.example; style-src-elem b.example",
                "default-src 'self'; style-src a.example; style-src-elem b.example 'sha256-x'",
            ),
            ("default-src 'self'; style-src a.example", "default-src 'self'; style-src a.example 'sha256-x'"),
            // `default-src` is left and style elements get their own.
            ("default-src 'self';", "default-src 'self'; style-src-elem 'self' 'sha256-x'"),
            ("style-src 'none'", "style-src 'sha256-x'"),
            ("script-src 'self'", "script-src 'self'"),
            // `'unsafe-inline'` is enough, except beside a nonce or hash.
            ("style-src 'self' 'unsafe-inline'", "style-src 'self' 'unsafe-inline'"),
            ("style-src 'unsafe-inline' 'nonce-1'", "style-src 'unsafe-inline' 'nonce-1' 'sha256-x'"),
        ] {
            assert_eq!(allow_style(policy, "'sha256-x'"), expected);
        }
    }

    #[test]
    fn every_policy_in_force_is_changed() {
        let policies = ["style-src a.example, style-src 'none'", "style-src b.example"];
        assert_eq!(
            applied(&CspChange::AllowStyle("'sha256-x'"), &policies),
            ["style-src a.example 'sha256-x'", "style-src 'sha256-x'", "style-src b.example 'sha256-x'"]
        );
    }
}
