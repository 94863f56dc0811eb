//! The media type of a message: HTML, event stream, the fields of a form, or other.

use http::{HeaderMap, header};

/// The media type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// HTML. XHTML is none: as XML it has other rules (`<a id="top"/>`, CDATA).
    Html,
    /// `text/event-stream`, which may be silent for any time.
    EventStream,
    /// Text as it is, or in Markdown.
    Text,
    /// `application/x-www-form-urlencoded`.
    Form,
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
        } else if is("text/plain") || is("text/markdown") {
            Self::Text
        } else if is("application/x-www-form-urlencoded") {
            Self::Form
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn html_is_what_one_field_says_is_html() {
        let cases: [(&[&'static [u8]], Media); 15] = [
            (&[b"text/html"], Media::Html),
            (&[b"Text/HTML;charset=utf-8"], Media::Html),
            (&[b"  text/html ; charset=x"], Media::Html),
            (&[b"text/html, text/plain"], Media::Html),
            (&[b"application/xhtml+xml"], Media::Other),
            (&[], Media::Other),
            (&[b""], Media::Other),
            (&[b"text/htm"], Media::Other),
            (&[b"text/html5"], Media::Other),
            (&[b"text/plain; text/html"], Media::Text),
            (&[b"text/markdown;charset=utf-8"], Media::Text),
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
