//! Validators of rewritten pages: entity tags that include the configuration, translated back when the client
//! revalidates its copy.
//!
//! The tag is `W/"gleaner-<configuration>-<kind>-<original>"`. The kind is `s` or `w` for the origin's strong or weak tag,
//! or `m` for a page that had only `Last-Modified`, which is then inside. After a change of the configuration the tag no
//! longer fits and the origin is asked without it, so that the page comes whole and is rewritten again.

use std::hash::{DefaultHasher, Hash, Hasher};

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{repair, split_quoted, without};

const PREFIX: &str = "gleaner-";

/// Makes and reads the tags of one configuration.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Tagger {
    configuration: String,
}

impl Tagger {
    pub(crate) fn new(fingerprint: u64) -> Self {
        Self { configuration: format!("{fingerprint:016x}") }
    }

    /// A tagger whose fingerprint also covers `change`.
    pub(crate) fn with(&self, change: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        (&self.configuration, change).hash(&mut hasher);
        Self::new(hasher.finish())
    }

    /// Translates the conditions of a request; tags that are not ours stay. Whether there was one of ours, so that a 304
    /// must be translated back.
    pub(crate) fn map_request(&self, headers: &mut HeaderMap) -> bool {
        // A range of the original cannot continue a rewritten page: the client gets the whole.
        if headers.get(header::IF_RANGE).and_then(|value| value.to_str().ok()).and_then(ours).is_some() {
            *headers = without(headers, |name| [header::IF_RANGE, header::RANGE].contains(name));
        }
        let fields = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let (our_tags, mut tags): (Vec<_>, Vec<_>) = fields.flat_map(split_quoted).partition(|tag| ours(tag).is_some());
        if our_tags.is_empty() {
            return false;
        }
        let (mut is_ours, mut since) = (false, None);
        for original in our_tags.iter().filter_map(|tag| self.original(tag)) {
            is_ours = true;
            match original {
                OriginalValidator::Tag(tag) => tags.push(tag),
                OriginalValidator::Date(date) => since = Some(date),
            }
        }
        // The date belongs to the same copy; alone it would confirm a page of an earlier configuration.
        drop_conditions(headers);
        let (name, value) = match since {
            Some(date) if tags.is_empty() => (header::IF_MODIFIED_SINCE, date),
            _ => (header::IF_NONE_MATCH, tags.join(", ")),
        };
        if let Ok(value) = HeaderValue::from_str(&value)
            && !value.is_empty()
        {
            headers.insert(name, value);
        }
        is_ours
    }

    /// Whether a condition of a request is a tag of this tagger.
    pub(crate) fn has_tagged(&self, headers: &HeaderMap) -> bool {
        let fields = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        fields.flat_map(split_quoted).any(|tag| self.original(&tag).is_some())
    }

    /// Gives a rewritten response our tag. It is weak, because the content is not the origin's (RFC 9110 § 8.8.1).
    pub(crate) fn tag_response(&self, headers: &mut HeaderMap) {
        let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
        let (kind, original) = if let Some(tag) = headers.get(header::ETAG).and_then(text) {
            (if tag.starts_with("W/") { 'w' } else { 's' }, tag.trim_start_matches("W/").trim_matches('"').to_owned())
        } else if let Some(date) = headers.get(header::LAST_MODIFIED).and_then(text) {
            ('m', date)
        } else {
            return;
        };
        // A tag has no spaces (RFC 9110 § 8.8.3), a date has.
        let original = original.replace(' ', "_");
        let tag = format!("W/\"{PREFIX}{}-{kind}-{original}\"", self.configuration);
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
    }

    /// Corrects a 304 for a picture that was made smaller: its fields for caches stay.
    pub(crate) fn map_picture_not_modified(&self, headers: &mut HeaderMap) {
        *headers = without(headers, |name| [header::CONTENT_TYPE, header::CONTENT_LENGTH].contains(name));
        self.tag_response(headers);
    }

    /// Translates the 304 to a translated request: our tag again, and none of the fields that describe the original,
    /// because they would replace those of the stored, rewritten page.
    pub(crate) fn map_not_modified(&self, headers: &mut HeaderMap) {
        const DESCRIBE_ORIGINAL: [HeaderName; 6] = [
            header::CONTENT_SECURITY_POLICY,
            header::CONTENT_TYPE,
            header::CONTENT_ENCODING,
            header::CONTENT_LENGTH,
            header::LINK,
            header::EXPIRES,
        ];
        self.tag_response(headers);
        *headers = without(headers, |name| DESCRIBE_ORIGINAL.contains(name));
        repair::for_caches(headers);
    }

    /// The origin's validator, if the tag is ours and of this configuration.
    fn original(&self, tag: &str) -> Option<OriginalValidator> {
        let rest = ours(tag)?.strip_prefix(self.configuration.as_str())?.strip_prefix('-')?;
        let (kind, original) = rest.split_once('-')?;
        match kind {
            "s" => Some(OriginalValidator::Tag(format!("\"{original}\""))),
            "w" => Some(OriginalValidator::Tag(format!("W/\"{original}\""))),
            "m" => Some(OriginalValidator::Date(original.replace('_', " "))),
            _ => None,
        }
    }
}

enum OriginalValidator {
    Tag(String),
    Date(String),
}

/// The part of a tag after our prefix; `None` if the tag is not ours.
fn ours(tag: &str) -> Option<&str> {
    let opaque = tag.strip_prefix("W/").unwrap_or(tag);
    opaque.strip_prefix('"')?.strip_suffix('"')?.strip_prefix(PREFIX)
}

/// Whether one of the tags of a request is ours, of whatever configuration.
pub(crate) fn has_ours(headers: &HeaderMap) -> bool {
    let conditions = [header::IF_NONE_MATCH, header::IF_RANGE];
    let fields = conditions.iter().flat_map(|name| headers.get_all(name)).filter_map(|value| value.to_str().ok());
    fields.flat_map(split_quoted).any(|tag| ours(&tag).is_some())
}

/// The validator by which clients ask for a response again: its tag, or else its date (RFC 9110 § 13.1.3).
pub(crate) fn response_validator(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::ETAG).or_else(|| headers.get(header::LAST_MODIFIED))?;
    value.to_str().ok().map(str::to_owned)
}

/// The validators of the stored copies that a request names.
pub(crate) fn copy_validators(headers: &HeaderMap) -> Vec<String> {
    let text = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let tags: Vec<String> = text(header::IF_NONE_MATCH).flat_map(split_quoted).collect();
    if tags.is_empty() { text(header::IF_MODIFIED_SINCE).map(str::to_owned).collect() } else { tags }
}

/// Asks for the page whatever copy of it is stored.
pub(crate) fn drop_conditions(headers: &mut HeaderMap) {
    *headers = without(headers, |name| [header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE].contains(name));
}

/// Whether only the original itself can meet an `If-Range`: a strong tag that is not ours (RFC 9110 § 13.1.5). A date may
/// have come with a rewritten page.
pub(crate) fn is_of_original(condition: &HeaderValue) -> bool {
    let tag = condition.to_str().unwrap_or_default();
    tag.starts_with('"') && ours(tag).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sat, 21 Nov 2026 11:00:00 GMT";

    fn fields(list: &[(HeaderName, &str)]) -> HeaderMap {
        list.iter().map(|(name, text)| (name.clone(), HeaderValue::from_str(text).unwrap())).collect()
    }

    /// A rewritten response with these validators, and the tag it was given.
    fn tagged(list: &[(HeaderName, &str)]) -> (HeaderMap, String) {
        let mut headers = fields(list);
        Tagger::new(1).tag_response(&mut headers);
        let tag = headers[header::ETAG].to_str().unwrap().to_owned();
        (headers, tag)
    }

    /// The conditions sent to the origin when a client revalidates with these tags.
    fn asked(tags: &str, fingerprint: u64) -> (HeaderMap, bool) {
        let mut headers = fields(&[(header::IF_NONE_MATCH, tags), (header::IF_MODIFIED_SINCE, DATE)]);
        let is_ours = Tagger::new(fingerprint).map_request(&mut headers);
        (headers, is_ours)
    }

    #[test]
    fn tags_are_weak_and_come_back_as_they_were() {
        for original in ["\"abc-1\"", "W/\"abc,d\"", "\"\""] {
            let (headers, tag) = tagged(&[(header::ETAG, original), (header::LAST_MODIFIED, DATE)]);
            assert!(tag.starts_with("W/\"gleaner-0000000000000001-"), "{tag}");
            assert!(headers.contains_key(header::LAST_MODIFIED));
            assert_eq!(asked(&tag, 1), (fields(&[(header::IF_NONE_MATCH, original)]), true));
            // Another configuration asks without conditions.
            assert_eq!(asked(&tag, 2), (HeaderMap::new(), false));
        }
    }

    #[test]
    fn tags_of_the_origin_stay() {
        let foreign = "\"a\", W/\"b\"";
        let unchanged = fields(&[(header::IF_NONE_MATCH, foreign), (header::IF_MODIFIED_SINCE, DATE)]);
        assert_eq!(asked(foreign, 1), (unchanged, false));
        let (_, ours) = tagged(&[(header::ETAG, "\"x\"")]);
        let both = fields(&[(header::IF_NONE_MATCH, "\"a\", \"x\"")]);
        assert_eq!(asked(&format!("\"a\", {ours}"), 1), (both, true));
    }

    #[test]
    fn a_range_of_a_rewritten_page_becomes_the_whole() {
        let mut headers = fields(&[(header::IF_RANGE, "W/\"gleaner-1-s-x\""), (header::RANGE, "bytes=5-")]);
        Tagger::new(1).map_request(&mut headers);
        assert!(headers.is_empty());
    }
}
