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
    no_transform,
};
use crate::{config::Rewrite, headers::Media};

/// What to do with a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Rewrite it, after undoing these codings.
    Rewrite(Vec<Coding>),
    /// Leave it.
    PassReason(PassReason),
}

/// Why a response is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassReason {
    NotHtml,
    SwitchedOff,
    AskedFor,
    Host,
    Method,
    Status,
    Attachment,
    NoTransform,
    Destination,
    ByScript,
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
            Self::Attachment => "attachment",
            Self::NoTransform => "no-transform",
            Self::Destination => "not-a-document",
            Self::ByScript => "fetched-by-script",
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

/// Judges a response by its head.
pub(super) fn judge(
    asked: &RequestInfo<'_>,
    head: &Parts,
    media: Media,
    settings: &Rewrite,
) -> Verdict {
    let headers = &head.headers;
    // First, so that what is not HTML is never even looked at.
    if media != Media::Html {
        return Verdict::PassReason(PassReason::NotHtml);
    }
    let rules = [
        (!settings.enabled, PassReason::SwitchedOff),
        (asked.untouched, PassReason::AskedFor),
        (asked.is_for(&settings.except), PassReason::Host),
        (
            ![Method::GET, Method::HEAD, Method::POST].contains(&asked.method),
            PassReason::Method,
        ),
        (!has_page(head.status), PassReason::Status),
        (is_attachment(headers), PassReason::Attachment),
        (
            settings.respect_no_transform && (asked.no_transform || no_transform(headers)),
            PassReason::NoTransform,
        ),
        (!asked.may_be_document(), PassReason::Destination),
        (
            asked.destination.is_none() && asked.by_script,
            PassReason::ByScript,
        ),
        (
            length(headers).is_some_and(|length| length == 0),
            PassReason::Empty,
        ),
        (
            length(headers).is_some_and(|length| length > settings.max_html_bytes),
            PassReason::TooLarge,
        ),
    ];
    if let Some((_, skip)) = rules.into_iter().find(|(applies, _)| *applies) {
        return Verdict::PassReason(skip);
    }
    match coding::of(headers) {
        Some(codings) => Verdict::Rewrite(codings),
        None => Verdict::PassReason(PassReason::Coding),
    }
}

/// The destinations of a fetch that a person will see as a page (Fetch § 2.2.5).
pub(super) fn shows_documents(destination: &str) -> bool {
    matches!(destination, "document" | "iframe" | "frame")
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
    headers
        .get(header::CONTENT_DISPOSITION)
        .is_some_and(|value| {
            let kind = value
                .as_bytes()
                .split(|byte| *byte == b';')
                .next()
                .unwrap_or_default();
            kind.trim_ascii().eq_ignore_ascii_case(b"attachment")
        })
}

fn length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::{HeaderName, HeaderValue, Request, Response};

    use super::*;
    use crate::{
        authority::{Scheme, Target},
        config::{Config, HostPatterns},
    };

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
            response: &[("content-type", "text/html")],
            settings: Config::from_yaml("", None).unwrap().rewrite,
        }
    }

    fn fields(headers: &mut HeaderMap, list: Fields) {
        for (name, value) in list {
            let value = HeaderValue::from_static(value);
            headers.append(HeaderName::from_static(name), value);
        }
    }

    fn verdict(case: &Case) -> Verdict {
        let target = Arc::new(Target::of_authority(Scheme::Http, "www.example.com").unwrap());
        let mut request = Request::new(());
        *request.method_mut() = case.method.clone();
        fields(request.headers_mut(), case.request);
        let mut response = Response::new(());
        *response.status_mut() = StatusCode::from_u16(case.status).unwrap();
        fields(response.headers_mut(), case.response);
        let asked = RequestInfo::of(&request, &target, false);
        let media = Media::of(response.headers());
        judge(&asked, &response.into_parts().0, media, &case.settings)
    }

    fn rewritten(case: &Case) -> bool {
        matches!(verdict(case), Verdict::Rewrite(_))
    }

    fn skipped(case: &Case) -> PassReason {
        match verdict(case) {
            Verdict::PassReason(skip) => skip,
            Verdict::Rewrite(_) => panic!("rewritten"),
        }
    }

    #[test]
    fn html_and_xhtml_are_rewritten() {
        for response in [
            [("content-type", "text/html; charset=utf-8")].as_slice(),
            &[("content-type", "Text/HTML")],
            &[("content-type", "application/xhtml+xml")],
        ] {
            assert!(rewritten(&Case { response, ..page() }), "{response:?}");
        }
    }

    #[test]
    fn other_types_are_not() {
        for response in [
            [("content-type", "application/json")].as_slice(),
            &[("content-type", "text/html-not")],
            &[
                ("content-type", "text/html"),
                ("content-type", "text/plain"),
            ],
            &[],
        ] {
            assert_eq!(
                skipped(&Case { response, ..page() }),
                PassReason::NotHtml,
                "{response:?}"
            );
        }
    }

    #[test]
    fn only_get_and_post_are_rewritten() {
        // HEAD is judged as the GET it stands for; `rewrite` knows that there is no page.
        for method in [Method::POST, Method::HEAD] {
            assert!(rewritten(&Case { method, ..page() }));
        }
        for method in [Method::PUT, Method::OPTIONS] {
            assert_eq!(skipped(&Case { method, ..page() }), PassReason::Method);
        }
    }

    #[test]
    fn successful_pages_and_pages_not_found_are_rewritten() {
        for status in [200, 201, 203, 404, 410] {
            assert!(rewritten(&Case { status, ..page() }), "{status}");
        }
    }

    #[test]
    fn parts_redirects_and_bot_walls_pass() {
        for status in [204, 205, 206, 301, 304, 403, 429, 500, 503] {
            assert_eq!(
                skipped(&Case { status, ..page() }),
                PassReason::Status,
                "{status}"
            );
        }
    }

    #[test]
    fn attachments_pass_and_inline_pages_do_not() {
        let attachment: Fields = &[
            ("content-type", "text/html"),
            ("content-disposition", "Attachment; filename=a"),
        ];
        assert_eq!(
            skipped(&Case {
                response: attachment,
                ..page()
            }),
            PassReason::Attachment
        );
        let inline: Fields = &[
            ("content-type", "text/html"),
            ("content-disposition", "inline"),
        ];
        assert!(rewritten(&Case {
            response: inline,
            ..page()
        }));
    }

    #[test]
    fn no_transform_is_obeyed_unless_switched_off() {
        let response: Fields = &[
            ("content-type", "text/html"),
            ("cache-control", "public, No-Transform"),
        ];
        assert_eq!(
            skipped(&Case { response, ..page() }),
            PassReason::NoTransform
        );
        let request: Fields = &[("cache-control", "no-transform")];
        assert_eq!(
            skipped(&Case { request, ..page() }),
            PassReason::NoTransform
        );
        let settings = Rewrite {
            respect_no_transform: false,
            ..page().settings
        };
        assert!(rewritten(&Case {
            response,
            settings,
            ..page()
        }));
    }

    #[test]
    fn only_documents_and_frames_are_rewritten_where_the_browser_tells() {
        for request in [
            [("sec-fetch-dest", "document")].as_slice(),
            &[("sec-fetch-dest", "iframe")],
            &[("sec-fetch-dest", "frame")],
        ] {
            assert!(rewritten(&Case { request, ..page() }), "{request:?}");
        }
        let request: Fields = &[("sec-fetch-dest", "empty")];
        assert_eq!(
            skipped(&Case { request, ..page() }),
            PassReason::Destination
        );
    }

    #[test]
    fn what_a_script_asked_for_passes_where_the_browser_does_not_tell() {
        let request: Fields = &[("x-requested-with", "XMLHttpRequest")];
        assert_eq!(skipped(&Case { request, ..page() }), PassReason::ByScript);
        let request: Fields = &[
            ("x-requested-with", "com.android.browser"),
            ("sec-fetch-dest", "document"),
        ];
        assert!(rewritten(&Case { request, ..page() }));
    }

    #[test]
    fn pages_over_the_limit_and_empty_ones_pass() {
        let response: Fields = &[("content-type", "text/html"), ("content-length", "8388609")];
        assert_eq!(skipped(&Case { response, ..page() }), PassReason::TooLarge);
        let response: Fields = &[("content-type", "text/html"), ("content-length", "0")];
        assert_eq!(skipped(&Case { response, ..page() }), PassReason::Empty);
    }

    #[test]
    fn excepted_hosts_and_a_switched_off_rewriter_pass() {
        let except: HostPatterns = ["example.com"].into_iter().collect();
        let settings = Rewrite {
            except,
            ..page().settings
        };
        assert_eq!(skipped(&Case { settings, ..page() }), PassReason::Host);
        let settings = Rewrite {
            enabled: false,
            ..page().settings
        };
        assert_eq!(
            skipped(&Case { settings, ..page() }),
            PassReason::SwitchedOff
        );
    }

    #[test]
    fn unknown_codings_pass() {
        let response: Fields = &[("content-type", "text/html"), ("content-encoding", "dcb")];
        assert_eq!(skipped(&Case { response, ..page() }), PassReason::Coding);
        let response: Fields = &[("content-type", "text/html"), ("content-encoding", "br")];
        assert_eq!(
            verdict(&Case { response, ..page() }),
            Verdict::Rewrite(vec![Coding::Brotli])
        );
    }
}
