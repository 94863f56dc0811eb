//! Content-Security-Policy of a rewritten page: our own style must be allowed, and nothing else.

use gleaner_filters::CspChange;
use http::{HeaderMap, HeaderValue, header};

/// Changes the policies in force as the chain asks; report-only ones stay as they are.
pub(crate) fn apply(headers: &mut HeaderMap, change: &CspChange) {
    let name = header::CONTENT_SECURITY_POLICY;
    match change {
        CspChange::Keep => {}
        CspChange::Replace(policy) => {
            let carried: Vec<HeaderValue> = headers
                .get_all(&name)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .flat_map(|field| field.split(','))
                .filter_map(|policy| HeaderValue::from_str(&about_the_surroundings(policy)?).ok())
                .collect();
            headers.insert(&name, HeaderValue::from_static(policy));
            for policy in carried {
                headers.append(&name, policy);
            }
        }
        CspChange::AllowStyle(source) => {
            let policies: Vec<HeaderValue> = headers
                .get_all(&name)
                .iter()
                .map(|value| allow_in_field(value, source).unwrap_or_else(|| value.clone()))
                .collect();
            // A field that was there keeps its place; only its values change.
            let mut policies = policies.into_iter();
            if let Some(first) = policies.next() {
                headers.insert(&name, first);
            }
            for policy in policies {
                headers.append(&name, policy);
            }
        }
    }
}

/// What a policy says about who may frame the page, where its forms and requests may go: that holds for the rewritten page
/// too. What it says about styles and pictures was written for another page.
fn about_the_surroundings(policy: &str) -> Option<String> {
    const CARRIED: [&str; 4] = ["frame-ancestors", "form-action", "sandbox", "upgrade-insecure-requests"];
    let directives: Vec<&str> = policy
        .split(';')
        .map(str::trim)
        .filter(|directive| {
            let name = directive.split_ascii_whitespace().next().unwrap_or("");
            CARRIED.iter().any(|carried| name.eq_ignore_ascii_case(carried))
        })
        .collect();
    (!directives.is_empty()).then(|| directives.join("; "))
}

/// A field may hold several policies, and all of them are in force (CSP 3 § 4.2).
fn allow_in_field(value: &HeaderValue, source: &str) -> Option<HeaderValue> {
    let policies: Vec<String> =
        value.to_str().ok()?.split(',').map(|policy| allow_style(policy.trim(), source)).collect();
    HeaderValue::from_str(&policies.join(", ")).ok()
}

/// Allows one inline style element in one policy.
fn allow_style(policy: &str, source: &str) -> String {
    let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
    // CSP 3 § 6.8.4: the most special directive that is there decides about style elements.
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
        // Only style elements get the new source; everything else stays under `default-src`.
        let policy = policy.trim_end_matches([';', ' ']);
        return format!("{policy}; style-src-elem {}", allowed.join(" "));
    }
    let changed = format!("{name} {}", allowed.join(" "));
    let directives: Vec<&str> =
        directives.iter().map(|other| if *other == directive { &changed } else { *other }).collect();
    directives.join("; ")
}

/// `'unsafe-inline'` counts only without a nonce or a hash beside it (CSP 3 § 6.7.3.2).
fn allows_inline(sources: &[&str]) -> bool {
    let starts =
        |word: &str, prefix: &str| word.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    sources.iter().any(|word| word.eq_ignore_ascii_case("'unsafe-inline'"))
        && !sources.iter().any(|word| starts(word, "'nonce-") || starts(word, "'sha"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "'sha256-x'";

    #[test]
    fn a_replaced_policy_still_says_who_may_frame_the_page() {
        let mut headers = HeaderMap::new();
        for policy in ["default-src 'self'; frame-ancestors 'none', form-action 'self'; img-src *", "script-src 'self'"]
        {
            headers.append(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        }
        apply(&mut headers, &CspChange::Replace("default-src 'none'"));
        let policies: Vec<_> = headers.get_all(header::CONTENT_SECURITY_POLICY).iter().collect();
        assert_eq!(policies, ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"]);
    }

    #[test]
    fn the_most_special_directive_is_changed() {
        assert_eq!(
            allow_style("default-src 'self'; style-src a.example; style-src-elem b.example", OURS),
            "default-src 'self'; style-src a.example; style-src-elem b.example 'sha256-x'"
        );
        assert_eq!(
            allow_style("default-src 'self'; style-src a.example", OURS),
            "default-src 'self'; style-src a.example 'sha256-x'"
        );
    }

    #[test]
    fn a_default_is_left_and_style_elements_get_their_own() {
        assert_eq!(allow_style("default-src 'self';", OURS), "default-src 'self'; style-src-elem 'self' 'sha256-x'");
    }

    #[test]
    fn unsafe_inline_is_enough_unless_a_nonce_or_hash_switches_it_off() {
        let plain = "style-src 'self' 'unsafe-inline'";
        assert_eq!(allow_style(plain, OURS), plain);
        assert_eq!(
            allow_style("style-src 'unsafe-inline' 'nonce-1'", OURS),
            "style-src 'unsafe-inline' 'nonce-1' 'sha256-x'"
        );
    }

    #[test]
    fn none_is_replaced() {
        assert_eq!(allow_style("style-src 'none'", OURS), "style-src 'sha256-x'");
    }

    #[test]
    fn a_policy_without_a_word_on_styles_stays() {
        assert_eq!(allow_style("script-src 'self'", OURS), "script-src 'self'");
    }

    #[test]
    fn every_policy_in_force_is_changed_and_report_only_is_not() {
        let mut headers = HeaderMap::new();
        let name = header::CONTENT_SECURITY_POLICY;
        let policy = HeaderValue::from_static;
        headers.append(&name, policy("style-src a.example, style-src 'none'"));
        headers.append(&name, policy("style-src b.example"));
        let report = header::CONTENT_SECURITY_POLICY_REPORT_ONLY;
        headers.append(&report, policy("style-src 'none'"));
        apply(&mut headers, &CspChange::AllowStyle(OURS));
        let values: Vec<_> = headers.get_all(&name).iter().collect();
        assert_eq!(values, ["style-src a.example 'sha256-x', style-src 'sha256-x'", "style-src b.example 'sha256-x'"]);
        assert_eq!(headers[&report], "style-src 'none'");
    }

    #[test]
    fn a_replacement_is_the_only_policy() {
        let mut headers = HeaderMap::new();
        let name = header::CONTENT_SECURITY_POLICY;
        headers.append(&name, HeaderValue::from_static("a"));
        headers.append(&name, HeaderValue::from_static("b"));
        apply(&mut headers, &CspChange::Replace("default-src 'none'"));
        assert_eq!(headers.get_all(&name).iter().collect::<Vec<_>>(), ["default-src 'none'"]);
    }
}
