//! The media type of a response: HTML, event stream, or other.

use http::{HeaderMap, header};

/// The media type of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// HTML. XHTML is none: as XML it has other rules (`<a id="top"/>`, CDATA).
    Html,
    /// `text/event-stream`, which may be silent for any time.
    EventStream,
    Other,
}

impl Media {
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let mut fields = headers.get_all(header::CONTENT_TYPE).iter();
        let first = fields.next().and_then(|field| field.to_str().ok()).unwrap_or_default();
        let essence = first.split([';', ',']).next().unwrap_or_default().trim_ascii();
        let is = |wanted: &str| essence.eq_ignore_ascii_case(wanted);
        if is("text/event-stream") {
            Self::EventStream
        } else if is("text/html") && fields.next().is_none() {
            // Browsers do not agree on several fields.
            Self::Html
        } else {
            Self::Other
        }
    }
}

/// Whether a response is a picture, a sound, a film, a type or a style sheet, in which no script runs. Pages of ours load them, and
/// some browsers do not say that they do.
pub(crate) fn is_part_without_scripts(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.trim_ascii().to_ascii_lowercase();
    // SVG is a document when it is opened.
    ["image/", "audio/", "video/", "font/", "text/css"].iter().any(|part| kind.starts_with(part))
        && !kind.contains("svg")
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn scripts_may_run_in_what_is_no_picture() {
        for (kind, is_without) in [
            ("image/png", true),
            (" Text/CSS", true),
            ("image/svg+xml", false),
            ("text/html", false),
            ("*/*", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap())]);
            assert_eq!(is_part_without_scripts(&headers), is_without, "{kind}");
        }
    }

    #[test]
    fn html_is_what_one_field_says_is_html() {
        let cases: [(&[&'static [u8]], Media); 14] = [
            (&[b"text/html"], Media::Html),
            (&[b"Text/HTML;charset=utf-8"], Media::Html),
            (&[b"  text/html ; charset=x"], Media::Html),
            (&[b"text/html, text/plain"], Media::Html),
            (&[b"application/xhtml+xml"], Media::Other),
            (&[], Media::Other),
            (&[b""], Media::Other),
            (&[b"text/htm"], Media::Other),
            (&[b"text/html5"], Media::Other),
            (&[b"text/plain; text/html"], Media::Other),
            (&[b"text/html; charset=\xe9"], Media::Other),
            (&[b"text/html", b"text/html"], Media::Other),
            (&[b"Text/Event-Stream; charset=utf-8", b"text/html"], Media::EventStream),
            (&[b"text/event"], Media::Other),
        ];
        for (values, media) in cases {
            let field = |value: &&[u8]| (header::CONTENT_TYPE, HeaderValue::from_bytes(value).unwrap());
            assert_eq!(Media::from_headers(&values.iter().map(field).collect()), media, "{values:?}");
        }
    }
}
