//! What a response says it is, as far as that decides anything here.

use http::{HeaderMap, header};

/// What a response says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// HTML or XHTML.
    Html,
    /// It may be silent for as long as nothing happens.
    EventStream,
    Other,
}

impl Media {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut fields = headers.get_all(header::CONTENT_TYPE).iter();
        let Some(first) = fields.next() else {
            return Self::Other;
        };
        let bytes = first.as_bytes();
        if after(bytes, b"text/event-stream").is_some() {
            return Self::EventStream;
        }
        let is_html = [&b"text/html"[..], b"application/xhtml+xml"]
            .iter()
            .filter_map(|html| after(bytes.trim_ascii_start(), html))
            .any(|after| matches!(after.trim_ascii_start(), [] | [b';' | b',', ..]));
        // Several fields are a mistake of the server; browsers do not agree on them, so hands off.
        if is_html && first.to_str().is_ok() && fields.next().is_none() {
            return Self::Html;
        }
        Self::Other
    }
}

/// What follows these words, in capitals or small letters.
fn after<'a>(bytes: &'a [u8], words: &[u8]) -> Option<&'a [u8]> {
    let (begin, after) = bytes.split_at_checked(words.len())?;
    begin.eq_ignore_ascii_case(words).then_some(after)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn of(values: &[&'static [u8]]) -> Media {
        let mut headers = HeaderMap::new();
        for value in values {
            let value = HeaderValue::from_bytes(value).unwrap();
            headers.append(header::CONTENT_TYPE, value);
        }
        Media::of(&headers)
    }

    #[test]
    fn html_is_what_one_field_says_is_html() {
        for value in [
            &b"text/html"[..],
            b"Text/HTML;charset=utf-8",
            b"  text/html ; charset=x",
            b"text/html, text/plain",
            b"application/xhtml+xml",
        ] {
            assert_eq!(of(&[value]), Media::Html);
        }
        let others: [&[&'static [u8]]; 7] = [
            &[],
            &[b""],
            &[b"text/htm"],
            &[b"text/html5"],
            &[b"text/plain; text/html"],
            &[b"text/html; charset=\xe9"],
            &[b"text/html", b"text/html"],
        ];
        for values in others {
            assert_eq!(of(values), Media::Other, "{values:?}");
        }
    }

    #[test]
    fn an_event_stream_is_known_by_its_first_field() {
        assert_eq!(of(&[b"Text/Event-Stream; charset=utf-8", b"text/html"]), Media::EventStream);
        assert_eq!(of(&[b"text/event"]), Media::Other);
    }
}
