//! The header of a rewritten response: fields that described the original content are corrected or removed.

use gleaner_filters::{CspChange, Format};
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{csp, members, split_quoted, validators::Tagger, without};

/// Fields about the original content (RFC 9530 for the digests).
const ABOUT_THE_CONTENT: [HeaderName; 8] = [
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    // It is for the original; `Cache-Control` overrides it.
    header::EXPIRES,
    // Trailers are dropped with the original content.
    header::TRAILER,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
];

/// The fields of a rewritten response, without its length and coding. So they are also those of the response to a HEAD,
/// for which no content is made (RFC 9110 § 9.3.2).
pub(crate) fn rewritten(headers: &HeaderMap, format: Format, csp: &CspChange, tagger: &Tagger) -> HeaderMap {
    let mut fields = without(headers, |name| ABOUT_THE_CONTENT.contains(name));
    let content_type = match format {
        // The result is serialized as HTML, also where the page came as XHTML.
        Format::Html => "text/html; charset=utf-8",
        Format::Text => "text/plain; charset=utf-8",
    };
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    for_caches(&mut fields);
    csp::apply(&mut fields, csp);
    drop_preloads(&mut fields);
    tagger.tag_response(&mut fields);
    fields
}

/// Corrects the header of a page into which a style element was inserted, which `source` allows in a policy. `charset` is the encoding that
/// the page declares itself, where the header declares none: the element may push the declaration further than browsers look.
pub(crate) fn styled(headers: &HeaderMap, source: &str, charset: Option<&'static str>, tagger: &Tagger) -> HeaderMap {
    let mut fields = without(headers, |name| ABOUT_THE_CONTENT.contains(name));
    if let Some(Ok(media)) = charset.map(|charset| HeaderValue::try_from(format!("text/html; charset={charset}"))) {
        fields.insert(header::CONTENT_TYPE, media);
    }
    for_caches(&mut fields);
    csp::allow_style_element(&mut fields, source);
    tagger.tag_response(&mut fields);
    fields
}

/// Corrects the header of a picture that was made smaller. Caches may keep it as long as the original.
pub(crate) fn scaled(headers: &HeaderMap, media: &'static str, tagger: &Tagger) -> HeaderMap {
    let is_about_bytes = |name: &HeaderName| ABOUT_THE_CONTENT.contains(name) && *name != header::EXPIRES;
    let mut fields = without(headers, is_about_bytes);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    fields.insert(header::ACCEPT_RANGES, HeaderValue::from_static("none"));
    tagger.tag_response(&mut fields);
    fields
}

/// Changes the fields of a page to those of a view: it is made anew each time, and its address is for nobody else.
pub(crate) fn for_view(headers: &mut HeaderMap) {
    *headers = without(headers, |name| [header::ETAG, header::LAST_MODIFIED].contains(name));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin"));
}

/// Request fields that decide whether the response is rewritten.
pub(crate) const DECIDED_BY: [&str; 4] = ["Accept", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "X-Requested-With"];

/// Fields for caches, of a rewritten page and of a 304 that confirms one. It must be revalidated, because the reader may ask for
/// the original at the same URL; and it has no ranges, because those of the original would not fit.
pub(super) fn for_caches(headers: &mut HeaderMap) {
    vary(headers, &["Accept-Encoding"]);
    vary(headers, &DECIDED_BY);
    let mut directives: Vec<String> = members(headers, &header::CACHE_CONTROL)
        .map(str::to_ascii_lowercase)
        .filter(|directive| ["private", "no-store", "no-transform"].contains(&directive.as_str()))
        .collect();
    directives.push("no-cache".to_owned());
    if let Ok(directives) = HeaderValue::from_str(&directives.join(", ")) {
        headers.insert(header::CACHE_CONTROL, directives);
    }
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("none"));
}

/// Adds request fields that the response depends on (RFC 9110 § 12.5.5).
pub(crate) fn vary(headers: &mut HeaderMap, names: &[&'static str]) {
    for name in names {
        let known = members(headers, &header::VARY).any(|member| member == "*" || member.eq_ignore_ascii_case(name));
        if !known {
            headers.append(header::VARY, HeaderValue::from_static(name));
        }
    }
}

/// Removes links that preload scripts, of which a rewritten page has none, and rules for what to load before a person has
/// chosen it: they were made for the page's own links.
fn drop_preloads(headers: &mut HeaderMap) {
    let links = headers.get_all(header::LINK).iter().filter_map(|value| value.to_str().ok()).flat_map(split_quoted);
    let kept: Vec<String> = links.filter(|link| !loads_script(link)).collect();
    *headers = without(headers, |name| *name == header::LINK || name == "speculation-rules");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_described_the_original_is_corrected() {
        let original = [
            ("content-type", "text/html; charset=shift_jis"),
            ("content-length", "999"),
            ("content-encoding", "br"),
            ("expires", "x"),
            ("trailer", "X-Sum"),
            ("content-md5", "x"),
            ("digest", "x"),
            ("content-digest", "x"),
            ("repr-digest", "x"),
            ("accept-ranges", "bytes"),
            ("content-location", "/en"),
            ("set-cookie", "a=1"),
            ("vary", "accept-encoding, Cookie"),
            ("cache-control", "public, max-age=60, Private"),
            ("set-cookie", "b=2"),
            ("link", "</a.js>; rel=preload; as=script, </x,y.css>; rel=preload; as=style"),
            ("link", "</m.js>; rel=\"modulepreload\""),
            ("speculation-rules", "\"/rules.json\""),
        ];
        let original: HeaderMap = original
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .into_iter()
            .collect();
        let fields = rewritten(&original, Format::Html, &CspChange::Keep, &Tagger::new(1));
        let expected: [(&str, &[&str]); 7] = [
            ("content-type", &["text/html; charset=utf-8"]),
            ("accept-ranges", &["none"]),
            ("content-location", &["/en"]),
            ("set-cookie", &["a=1", "b=2"]),
            ("vary", &["accept-encoding, Cookie", "Accept", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "X-Requested-With"]),
            ("cache-control", &["private, no-cache"]),
            ("link", &["</x,y.css>; rel=preload; as=style"]),
        ];
        for (name, values) in expected {
            assert_eq!(fields.get_all(name).iter().collect::<Vec<_>>(), values, "{name}");
        }
        assert_eq!(fields.keys_len(), expected.len(), "{fields:?}");
    }
}
