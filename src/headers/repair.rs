//! A response's fields after its page was rewritten: everything that described the old bytes is
//! corrected or taken out.

use gleaner_filters::{CspChange, Filtered, Format};
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{csp, members, validators::Tagger, without};
use crate::rewrite::coding::Coding;

/// Fields that are about the origin's very bytes (RFC 9530 for the digests).
const ABOUT_THE_BYTES: [HeaderName; 8] = [
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    // `Cache-Control` counts, and this one is for the original.
    header::EXPIRES,
    // What came behind the old bytes went with them.
    header::TRAILER,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
];

/// Corrects the fields; `length` is that of the body as it is sent.
pub(crate) fn after_rewriting(
    headers: &HeaderMap,
    filtered: &Filtered,
    coding: Option<Coding>,
    length: usize,
    tagger: &Tagger,
) -> HeaderMap {
    let mut repaired = without_bytes(headers, filtered.format, &filtered.csp, tagger);
    repaired.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    if let Some(coding) = coding {
        let name = HeaderValue::from_static(coding.as_str());
        repaired.insert(header::CONTENT_ENCODING, name);
    }
    repaired
}

/// The same for a page that nobody has seen, which is what HEAD asks for. RFC 9110 § 9.3.2: the fields are
/// those of the GET, without such as only the content's making would tell (its length, its coding).
pub(crate) fn without_bytes(headers: &HeaderMap, format: Format, csp: &CspChange, tagger: &Tagger) -> HeaderMap {
    let mut repaired = without(headers, |name| ABOUT_THE_BYTES.contains(name));
    let content_type = match format {
        // The result is serialized as HTML, also where the page came as XHTML.
        Format::Html => "text/html; charset=utf-8",
        Format::Text => "text/plain; charset=utf-8",
    };
    repaired.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    for_caches(&mut repaired);
    csp::apply(&mut repaired, csp);
    drop_script_preloads(&mut repaired);
    tagger.tag_response(&mut repaired);
    repaired
}

/// Fields of a request that decide whether its response is rewritten.
pub(crate) const DECIDED_BY: [&str; 3] = ["Accept", "Sec-Fetch-Dest", "X-Requested-With"];

/// What caches must know of a rewritten page, and of a 304 that confirms one: it is no more than this client's version of this
/// moment, because the reader may ask for the page as it was, at the same address; and it has no parts, because those of the
/// original would not fit.
pub(super) fn for_caches(headers: &mut HeaderMap) {
    vary(headers, &["Accept-Encoding"]);
    vary(headers, &DECIDED_BY);
    let kept: Vec<String> = members(headers, &header::CACHE_CONTROL)
        .map(str::to_ascii_lowercase)
        .filter(|directive| ["private", "no-store", "no-transform"].contains(&directive.as_str()))
        .collect();
    let directives = [kept, vec!["no-cache".to_owned()]].concat().join(", ");
    if let Ok(directives) = HeaderValue::from_str(&directives) {
        headers.insert(header::CACHE_CONTROL, directives);
    }
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("none"));
}

/// Adds request fields that the answer depends on (RFC 9110 § 12.5.5).
pub(crate) fn vary(headers: &mut HeaderMap, names: &[&'static str]) {
    for name in names {
        let known = members(headers, &header::VARY).any(|member| member == "*" || member.eq_ignore_ascii_case(name));
        if !known {
            headers.append(header::VARY, HeaderValue::from_static(name));
        }
    }
}

/// Preloading scripts of a page that has none any more is a waste of the reader's line.
fn drop_script_preloads(headers: &mut HeaderMap) {
    if !headers.contains_key(header::LINK) {
        return;
    }
    let kept: Vec<String> = headers
        .get_all(header::LINK)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(split_links)
        .filter(|link| !loads_script(link))
        .map(str::to_owned)
        .collect();
    *headers = without(headers, |name| *name == header::LINK);
    if let Ok(links) = HeaderValue::from_str(&kept.join(", "))
        && !kept.is_empty()
    {
        headers.insert(header::LINK, links);
    }
}

fn loads_script(link: &str) -> bool {
    let params = link.split_once('>').map_or("", |(_, params)| params).to_ascii_lowercase();
    params.split(';').any(|param| {
        let (name, value) = param.split_once('=').unwrap_or((param, ""));
        let value = value.trim().trim_matches('"');
        match name.trim() {
            "as" => value == "script",
            "rel" => value.split_ascii_whitespace().any(|rel| rel == "modulepreload"),
            _ => false,
        }
    })
}

/// Splits at commas outside of `<…>` and quotes (RFC 8288 § 3).
fn split_links(value: &str) -> Vec<&str> {
    let (mut links, mut start, mut quoted, mut in_address) = (Vec::new(), 0, false, false);
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            b'"' if !in_address => quoted = !quoted,
            b'<' if !quoted => in_address = true,
            b'>' if !quoted => in_address = false,
            b',' if !quoted && !in_address => {
                links.push(value[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    links.push(value[start..].trim());
    links.retain(|link| !link.is_empty());
    links
}

#[cfg(test)]
mod tests {
    use gleaner_filters::{CspChange, Report};

    use super::*;

    fn repair(list: &[(&'static str, &'static str)], coding: Option<Coding>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let filtered = Filtered {
            content: String::new(),
            offer: None,
            format: Format::Html,
            csp: CspChange::Keep,
            metadata: gleaner_filters::Metadata::default(),
            report: Report::default(),
            survey: None,
        };
        after_rewriting(&headers, &filtered, coding, 7, &Tagger::new(1))
    }

    #[test]
    fn what_described_the_old_bytes_is_gone() {
        let headers = repair(
            &[
                ("content-type", "application/xhtml+xml; charset=shift_jis"),
                ("content-length", "999"),
                ("content-encoding", "br"),
                ("accept-ranges", "bytes"),
                ("content-md5", "x"),
                ("digest", "x"),
                ("content-digest", "x"),
                ("repr-digest", "x"),
                ("trailer", "X-Sum"),
                ("content-location", "/en"),
            ],
            Some(Coding::Gzip),
        );
        assert_eq!(headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(headers["content-length"], "7");
        assert_eq!(headers["content-encoding"], "gzip");
        assert_eq!(headers["content-location"], "/en");
        assert_eq!(headers["accept-ranges"], "none");
        for gone in ["content-md5", "digest", "content-digest", "repr-digest", "trailer"] {
            assert!(!headers.contains_key(gone), "{gone}");
        }
    }

    #[test]
    fn set_cookies_are_all_kept() {
        let headers = repair(&[("set-cookie", "a=1"), ("x", "1"), ("set-cookie", "b=2")], None);
        let cookies: Vec<_> = headers.get_all("set-cookie").iter().collect();
        assert_eq!(cookies, ["a=1", "b=2"]);
    }

    #[test]
    fn caches_ask_each_time_and_keep_what_they_may_not_share() {
        let fields = [("cache-control", "public, max-age=60, Private"), ("expires", "x")];
        let headers = repair(&fields, None);
        assert_eq!(headers["cache-control"], "private, no-cache");
        assert!(!headers.contains_key("expires"));
    }

    #[test]
    fn vary_is_completed_once() {
        let headers = repair(&[("vary", "accept-encoding, Cookie")], None);
        let values: Vec<_> = headers.get_all("vary").iter().collect();
        let added = ["Accept", "Sec-Fetch-Dest", "X-Requested-With"];
        assert_eq!(values[0], "accept-encoding, Cookie");
        assert_eq!(values[1..], added);
    }

    #[test]
    fn preloads_of_scripts_are_dropped_and_others_stay() {
        let headers = repair(
            &[
                ("link", "</a.js>; rel=preload; as=script, </x,y.css>; rel=preload; as=style"),
                ("link", "</m.js>; rel=\"modulepreload\""),
            ],
            None,
        );
        assert_eq!(headers["link"], "</x,y.css>; rel=preload; as=style");
        assert_eq!(headers.get_all("link").iter().count(), 1);
    }
}
