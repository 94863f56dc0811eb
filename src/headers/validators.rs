//! Validators of rewritten pages: tags that are tied to the configuration, mapped back when the
//! client asks whether its copy is still good.
//!
//! A rewritten page's tag is `W/"gleaner-<configuration>-<kind>-<original>"`. The kind is `s` or `w`
//! for the origin's strong or weak tag, or `m` for a page that only had a date, which is then inside.
//! When the configuration has changed, our tag no longer fits and the origin is asked without it, so
//! the page comes whole and is rewritten anew.

use http::{HeaderMap, HeaderValue, header};

use super::{repair, without};

const PREFIX: &str = "gleaner-";

/// What every tag of one configuration has in common.
#[derive(Clone, Debug)]
pub(crate) struct Tagger {
    configuration: String,
}

/// What became of a request's conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapped {
    /// A tag of ours was translated: a 304 must be translated back.
    pub(crate) ours: bool,
}

impl Tagger {
    pub(crate) fn new(fingerprint: u64) -> Self {
        Self { configuration: format!("{fingerprint:016x}") }
    }

    /// Translates the conditions of a request; tags that are not ours pass as they came.
    pub(crate) fn map_request(&self, headers: &mut HeaderMap) -> Mapped {
        drop_our_range(headers);
        let Some(tags) = tags_of(headers, &header::IF_NONE_MATCH) else {
            return Mapped::default();
        };
        if !tags.iter().any(|tag| is_ours(tag)) {
            return Mapped::default();
        }
        let (mut originals, mut since) = (Vec::new(), None);
        for tag in &tags {
            match self.original(tag) {
                Some(Original::Tag(tag)) => originals.push(tag),
                Some(Original::Date(date)) => since = Some(date),
                None if is_ours(tag) => {}
                None => originals.push(tag.clone()),
            }
        }
        let mapped = Mapped { ours: tags.iter().any(|tag| self.original(tag).is_some()) };
        // The date the client kept belongs to the same copy; without the tag it would let an outdated
        // configuration's page live on.
        *headers = without(headers, |name| *name == header::IF_NONE_MATCH || *name == header::IF_MODIFIED_SINCE);
        if let Ok(tags) = HeaderValue::from_str(&originals.join(", "))
            && !originals.is_empty()
        {
            headers.insert(header::IF_NONE_MATCH, tags);
        } else if let Some(date) = since.and_then(|date| HeaderValue::from_str(&date).ok()) {
            headers.insert(header::IF_MODIFIED_SINCE, date);
        }
        mapped
    }

    /// Gives a rewritten response our tag, weak, because the bytes are ours (RFC 9110 § 8.8.1).
    pub(crate) fn tag_response(&self, headers: &mut HeaderMap) {
        let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
        let tag = headers.get(header::ETAG).and_then(text);
        let date = headers.get(header::LAST_MODIFIED).and_then(text);
        let (kind, original) = match (&tag, &date) {
            (Some(tag), _) => match tag.strip_prefix("W/") {
                Some(weak) => ('w', weak.trim_matches('"')),
                None => ('s', tag.trim_matches('"')),
            },
            (None, Some(date)) => ('m', date.as_str()),
            (None, None) => return,
        };
        // A tag has no spaces (RFC 9110 § 8.8.3), a date has.
        let original = original.replace(' ', "_");
        let tag = format!("W/\"{PREFIX}{}-{kind}-{original}\"", self.configuration);
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        if kind == 'm' {
            *headers = without(headers, |name| *name == header::LAST_MODIFIED);
        }
    }

    /// Translates a 304 to a translated request: our tag again, and none of the fields that
    /// describe the original page, because they would be laid over the stored, rewritten one.
    pub(crate) fn map_not_modified(&self, headers: &mut HeaderMap) {
        self.tag_response(headers);
        *headers = without(headers, |name| {
            [
                header::CONTENT_SECURITY_POLICY,
                header::CONTENT_TYPE,
                header::CONTENT_ENCODING,
                header::CONTENT_LENGTH,
                header::LINK,
                header::EXPIRES,
            ]
            .contains(name)
        });
        repair::for_caches(headers);
    }

    /// What the origin called it, if the tag is ours and of this configuration.
    fn original(&self, tag: &str) -> Option<Original> {
        let rest = ours(tag)?.strip_prefix(self.configuration.as_str())?.strip_prefix('-')?;
        let (kind, original) = rest.split_once('-')?;
        match kind {
            "s" => Some(Original::Tag(format!("\"{original}\""))),
            "w" => Some(Original::Tag(format!("W/\"{original}\""))),
            "m" => Some(Original::Date(original.replace('_', " "))),
            _ => None,
        }
    }
}

enum Original {
    Tag(String),
    Date(String),
}

/// The part of a tag after our prefix, if it is ours at all.
fn ours(tag: &str) -> Option<&str> {
    let opaque = tag.strip_prefix("W/").unwrap_or(tag);
    opaque.strip_prefix('"')?.strip_suffix('"')?.strip_prefix(PREFIX)
}

/// Whether an `If-Range` is met by the very original alone: a strong tag that is not of this program (RFC 9110 § 13.1.5). A date
/// may have come with a rewritten page.
pub(crate) fn is_of_original(condition: &HeaderValue) -> bool {
    let tag = condition.to_str().unwrap_or_default();
    tag.starts_with('"') && !is_ours(tag)
}

fn is_ours(tag: &str) -> bool {
    ours(tag).is_some()
}

/// A part of the original cannot continue a rewritten page: the client gets the whole.
fn drop_our_range(headers: &mut HeaderMap) {
    let ours = headers.get(header::IF_RANGE).and_then(|value| value.to_str().ok()).is_some_and(is_ours);
    if ours {
        *headers = without(headers, |name| *name == header::IF_RANGE || *name == header::RANGE);
    }
}

/// The tags of a field; a comma inside quotes does not separate. None where there is no field or it
/// cannot be read.
fn tags_of(headers: &HeaderMap, name: &header::HeaderName) -> Option<Vec<String>> {
    let mut tags = Vec::new();
    for value in headers.get_all(name) {
        let (mut quoted, mut tag) = (false, String::new());
        for char in value.to_str().ok()?.chars() {
            match char {
                ',' if !quoted => tags.push(std::mem::take(&mut tag)),
                _ => {
                    quoted ^= char == '"';
                    tag.push(char);
                }
            }
        }
        tags.push(tag);
    }
    let tags: Vec<_> = tags.iter().map(|tag| tag.trim().to_owned()).collect();
    let tags: Vec<_> = tags.into_iter().filter(|tag| !tag.is_empty()).collect();
    (!tags.is_empty()).then_some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sat, 21 Nov 2026 11:00:00 GMT";

    fn fields(list: &[(header::HeaderName, &str)]) -> HeaderMap {
        let value = |value: &str| HeaderValue::from_str(value).unwrap();
        list.iter().map(|(name, text)| (name.clone(), value(text))).collect()
    }

    fn tagged(list: &[(header::HeaderName, &str)]) -> HeaderMap {
        let mut headers = fields(list);
        Tagger::new(1).tag_response(&mut headers);
        headers
    }

    /// What the origin is asked after a client got `tag` under one configuration.
    fn asked(tag: &HeaderValue, fingerprint: u64) -> (HeaderMap, Mapped) {
        let mut headers = fields(&[(header::IF_NONE_MATCH, tag.to_str().unwrap()), (header::IF_MODIFIED_SINCE, DATE)]);
        let mapped = Tagger::new(fingerprint).map_request(&mut headers);
        (headers, mapped)
    }

    #[test]
    fn tags_are_weak_and_come_back_as_they_were() {
        for original in ["\"abc-1\"", "W/\"abc,d\"", "\"\""] {
            let headers = tagged(&[(header::ETAG, original), (header::LAST_MODIFIED, DATE)]);
            let tag = &headers[header::ETAG];
            assert!(tag.to_str().unwrap().starts_with("W/\"gleaner-0000000000000001-"), "{tag:?}");
            assert!(headers.contains_key(header::LAST_MODIFIED));
            let (asked, mapped) = asked(tag, 1);
            assert_eq!(asked[header::IF_NONE_MATCH], original);
            assert!(mapped.ours);
        }
    }

    #[test]
    fn a_date_alone_becomes_a_tag_and_a_date_again() {
        let headers = tagged(&[(header::LAST_MODIFIED, DATE)]);
        assert!(!headers.contains_key(header::LAST_MODIFIED));
        let (asked, mapped) = asked(&headers[header::ETAG], 1);
        assert_eq!(asked[header::IF_MODIFIED_SINCE], DATE);
        assert!(!asked.contains_key(header::IF_NONE_MATCH) && mapped.ours);
    }

    #[test]
    fn another_configuration_asks_without_conditions() {
        let headers = tagged(&[(header::ETAG, "\"abc\"")]);
        let (asked, mapped) = asked(&headers[header::ETAG], 2);
        assert!(asked.is_empty() && !mapped.ours);
    }

    #[test]
    fn foreign_tags_pass() {
        let mut headers = fields(&[(header::IF_NONE_MATCH, "\"a\", W/\"b\"")]);
        let before = headers.clone();
        assert!(!Tagger::new(1).map_request(&mut headers).ours);
        assert_eq!(headers, before);
    }

    #[test]
    fn foreign_tags_beside_ours_stay() {
        let ours = tagged(&[(header::ETAG, "\"x\"")])[header::ETAG].clone();
        let both = format!("\"a\", {}", ours.to_str().unwrap());
        let mut headers = fields(&[(header::IF_NONE_MATCH, &both)]);
        Tagger::new(1).map_request(&mut headers);
        assert_eq!(headers[header::IF_NONE_MATCH], "\"a\", \"x\"");
    }

    #[test]
    fn a_page_without_validators_gets_none() {
        assert!(tagged(&[]).is_empty());
    }

    #[test]
    fn a_range_of_a_rewritten_page_becomes_the_whole() {
        let mut headers = fields(&[(header::IF_RANGE, "W/\"gleaner-1-s-x\""), (header::RANGE, "bytes=5-")]);
        Tagger::new(1).map_request(&mut headers);
        assert!(headers.is_empty());
    }

    #[test]
    fn a_304_is_translated_back_without_the_fields_we_changed() {
        let mut headers = fields(&[
            (header::ETAG, "\"abc\""),
            (header::CONTENT_SECURITY_POLICY, "style-src 'none'"),
            (header::CACHE_CONTROL, "max-age=5"),
        ]);
        Tagger::new(1).map_not_modified(&mut headers);
        assert_eq!(headers[header::ETAG], "W/\"gleaner-0000000000000001-s-abc\"");
        assert!(!headers.contains_key(header::CONTENT_SECURITY_POLICY));
        assert!(headers.contains_key(header::CACHE_CONTROL));
    }
}
