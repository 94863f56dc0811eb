//! Which responses are rewritten, judged by their head alone.
//!
//! One rule decides about statuses that is not written anywhere: successful pages are rewritten, and so
//! are 404 and 410, which are ordinary pages of the site. Every other error page passes, because many
//! of them are bot walls and log-ins (403, 429, 503) that do not work without their scripts.

use std::fmt;

use gleaner_filters::PageError;
use http::{HeaderMap, Method, StatusCode, header, response::Parts};

use super::{
    RequestInfo,
    coding::{self, Coding},
    content_length, no_transform,
};
use crate::{config::Rewrite, headers::Media};

/// Why a response is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassReason {
    NotHtml,
    SwitchedOff,
    AskedFor,
    Host,
    Method,
    Status,
    Part,
    Attachment,
    NoTransform,
    Destination,
    ByScript,
    Accept,
    OtherFormat,
    Fragment,
    Empty,
    TooLarge,
    Coding,
    BrokenCoding,
    Charset,
    Busy,
    Slow,
    BrokenOff,
    Panicked,
    Page(&'static str),
}

impl PassReason {
    /// Whether another client's request for the same address would have been rewritten.
    pub(super) fn is_of_request(self) -> bool {
        matches!(self, Self::Destination | Self::ByScript | Self::Accept)
    }
}

impl From<PageError> for PassReason {
    fn from(error: PageError) -> Self {
        Self::Page(error.reason())
    }
}

impl fmt::Display for PassReason {
    /// The stable token of the `Gleaner` field.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHtml => "not-html",
            Self::SwitchedOff => "switched-off",
            Self::AskedFor => "asked-for",
            Self::Host => "host-excepted",
            Self::Method => "method",
            Self::Status => "status",
            Self::Part => "part",
            Self::Attachment => "attachment",
            Self::NoTransform => "no-transform",
            Self::Destination => "not-a-document",
            Self::ByScript => "fetched-by-script",
            Self::Accept => "accept",
            Self::OtherFormat => "other-format",
            Self::Fragment => "fragment",
            Self::Empty => "empty",
            Self::TooLarge => "too-large",
            Self::Coding => "unknown-coding",
            Self::BrokenCoding => "broken-coding",
            Self::Charset => "charset",
            Self::Busy => "busy",
            Self::Slow => "slow",
            Self::BrokenOff => "broken-off",
            Self::Panicked => "panicked",
            Self::Page(reason) => reason,
        })
    }
}

/// Judges a response by its head: the codings to undo before it is rewritten, or why it passes.
pub(super) fn judge(asked: &RequestInfo<'_>, head: &Parts, settings: &Rewrite) -> Result<Vec<Coding>, PassReason> {
    let headers = &head.headers;
    let length = content_length(headers);
    let is_part = head.status == StatusCode::PARTIAL_CONTENT && asked.has_range;
    // The first that applies; other types than HTML come first because most responses are of one.
    let rules = [
        (Media::of(headers) != Media::Html, PassReason::NotHtml),
        (!settings.enabled, PassReason::SwitchedOff),
        (asked.wants_original, PassReason::AskedFor),
        (asked.is_for(&settings.except), PassReason::Host),
        (![Method::GET, Method::HEAD, Method::POST].contains(&asked.method), PassReason::Method),
        (!has_page(head.status) && !is_part, PassReason::Status),
        (is_attachment(headers), PassReason::Attachment),
        (settings.respect_no_transform && (asked.no_transform || no_transform(headers)), PassReason::NoTransform),
        (!asked.is_for_reader(), not_for_reader(asked)),
        // Last of what is known of the request: the caller can ask for the whole.
        (is_part, PassReason::Part),
        (length == Some(0), PassReason::Empty),
        (length.is_some_and(|length| length > settings.max_html_bytes), PassReason::TooLarge),
    ];
    match rules.into_iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => Err(reason),
        None => coding::of(headers).ok_or(PassReason::Coding),
    }
}

fn not_for_reader(asked: &RequestInfo<'_>) -> PassReason {
    if asked.destination.is_some() {
        PassReason::Destination
    } else if asked.by_script {
        PassReason::ByScript
    } else {
        PassReason::Accept
    }
}

fn has_page(status: StatusCode) -> bool {
    const WITHOUT: [StatusCode; 3] = [
        StatusCode::NO_CONTENT,
        StatusCode::RESET_CONTENT,
        // A part of a page cannot be parsed.
        StatusCode::PARTIAL_CONTENT,
    ];
    let error_page = [StatusCode::NOT_FOUND, StatusCode::GONE].contains(&status);
    error_page || (status.is_success() && !WITHOUT.contains(&status))
}

fn is_attachment(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_DISPOSITION) else {
        return false;
    };
    let kind = value.as_bytes().split(|byte| *byte == b';').next();
    kind.unwrap_or_default().trim_ascii().eq_ignore_ascii_case(b"attachment")
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue, Request, Response};

    use super::*;
    use crate::{
        authority::{Scheme, Target},
        config::{Config, HostPatterns},
    };

    const HTML: (&str, &str) = ("content-type", "text/html");

    type Fields = &'static [(&'static str, &'static str)];

    struct Case {
        method: Method,
        request: Fields,
        status: u16,
        response: Fields,
        settings: Rewrite,
    }

    fn page() -> Case {
        Case {
            method: Method::GET,
            request: &[],
            status: 200,
            response: &[HTML],
            settings: Config::from_yaml("", None).unwrap().rewrite,
        }
    }

    fn request(request: Fields) -> Case {
        Case { request, ..page() }
    }

    fn response(response: Fields) -> Case {
        Case { response, ..page() }
    }

    fn add(headers: &mut HeaderMap, list: Fields) {
        for (name, value) in list {
            let value = HeaderValue::from_static(value);
            headers.append(HeaderName::from_static(name), value);
        }
    }

    fn verdict(case: &Case) -> Result<Vec<Coding>, PassReason> {
        let target = Target::of_authority(Scheme::Http, "www.example.com").unwrap();
        let mut request = Request::new(());
        *request.method_mut() = case.method.clone();
        add(request.headers_mut(), case.request);
        let mut response = Response::new(());
        *response.status_mut() = StatusCode::from_u16(case.status).unwrap();
        add(response.headers_mut(), case.response);
        let asked = RequestInfo::of(&request, &target);
        judge(&asked, &response.into_parts().0, &case.settings)
    }

    #[test]
    fn pages_are_rewritten() {
        let html: Fields = &[("content-type", "text/html; charset=utf-8")];
        for fields in [html, &[("content-type", "application/xhtml+xml")]] {
            assert_eq!(verdict(&response(fields)), Ok(vec![]));
        }
        // HEAD is judged as the GET it stands for; `rewrite` knows that there is no page.
        for method in [Method::POST, Method::HEAD] {
            assert_eq!(verdict(&Case { method, ..page() }), Ok(vec![]));
        }
        for status in [200, 201, 203, 404, 410] {
            assert_eq!(verdict(&Case { status, ..page() }), Ok(vec![]), "{status}");
        }
        for fields in [
            [("sec-fetch-dest", "document")].as_slice(),
            &[("sec-fetch-dest", "iframe")],
            &[("sec-fetch-dest", "frame")],
            &[("x-requested-with", "com.android.browser"), ("sec-fetch-dest", "document")],
        ] {
            assert_eq!(verdict(&request(fields)), Ok(vec![]), "{fields:?}");
        }
    }

    #[test]
    fn requests_that_are_for_no_reader_pass() {
        let cases: [(Fields, PassReason); 4] = [
            (&[("sec-fetch-dest", "empty")], PassReason::Destination),
            (&[("x-requested-with", "XMLHttpRequest")], PassReason::ByScript),
            (&[("accept", "application/json")], PassReason::Accept),
            (&[("cache-control", "no-transform")], PassReason::NoTransform),
        ];
        for (fields, reason) in cases {
            assert_eq!(verdict(&request(fields)), Err(reason));
        }
        for method in [Method::PUT, Method::OPTIONS] {
            let case = Case { method, ..page() };
            assert_eq!(verdict(&case), Err(PassReason::Method));
        }
    }

    #[test]
    fn responses_that_are_no_page_pass() {
        let cases: [(Fields, PassReason); 8] = [
            (&[("content-type", "application/json")], PassReason::NotHtml),
            (&[HTML, ("content-type", "text/plain")], PassReason::NotHtml),
            (&[], PassReason::NotHtml),
            (&[HTML, ("content-disposition", "Attachment; filename=a")], PassReason::Attachment),
            (&[HTML, ("cache-control", "public, No-Transform")], PassReason::NoTransform),
            (&[HTML, ("content-length", "8388609")], PassReason::TooLarge),
            (&[HTML, ("content-length", "0")], PassReason::Empty),
            (&[HTML, ("content-encoding", "dcb")], PassReason::Coding),
        ];
        for (fields, reason) in cases {
            assert_eq!(verdict(&response(fields)), Err(reason), "{fields:?}");
        }
        for status in [204, 205, 206, 301, 304, 403, 429, 500, 503] {
            let case = Case { status, ..page() };
            assert_eq!(verdict(&case), Err(PassReason::Status), "{status}");
        }
        let inline: Fields = &[HTML, ("content-disposition", "inline")];
        assert_eq!(verdict(&response(inline)), Ok(vec![]));
        let brotli: Fields = &[HTML, ("content-encoding", "br")];
        assert_eq!(verdict(&response(brotli)), Ok(vec![Coding::Brotli]));
    }

    #[test]
    fn settings_are_obeyed() {
        let mut case = page();
        case.settings.except = ["example.com"].into_iter().collect::<HostPatterns>();
        assert_eq!(verdict(&case), Err(PassReason::Host));
        let mut case = page();
        case.settings.enabled = false;
        assert_eq!(verdict(&case), Err(PassReason::SwitchedOff));
        let mut case = request(&[("cache-control", "no-transform")]);
        case.settings.respect_no_transform = false;
        assert_eq!(verdict(&case), Ok(vec![]));
    }
}
