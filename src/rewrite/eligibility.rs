//! Which responses are rewritten, judged by their header fields alone.
//!
//! Successful pages are rewritten, and so are 404 and 410, which are ordinary pages of the site. Every other error page
//! passes, because many of them are bot walls and log-ins (403, 429, 503) that do not work without their scripts.

use http::{HeaderMap, Method, StatusCode, header, response::Parts};

use super::{RequestInfo, coding, content_length, no_transform};
use crate::{
    config::Rewrite,
    http::{
        headers::{Coding, Media},
        outcome::PassReason,
    },
};

/// Judges a response by its header: the codings to undo before it is rewritten, or why it passes.
pub(super) fn judge(asked: &RequestInfo<'_>, head: &Parts, settings: &Rewrite) -> Result<Vec<Coding>, PassReason> {
    let headers = &head.headers;
    // Most responses are none.
    if Media::from_headers(headers) != Media::Html {
        return Err(PassReason::NOT_HTML);
    }
    let length = content_length(headers);
    let is_part = head.status == StatusCode::PARTIAL_CONTENT && asked.has_range;
    // The first that applies decides.
    let rules = [
        (!asked.look.enabled, PassReason::SWITCHED_OFF),
        (asked.wants_original, PassReason::ASKED_FOR),
        (asked.is_for(&settings.except), PassReason::HOST),
        (![Method::GET, Method::HEAD, Method::POST].contains(&asked.method), PassReason::METHOD),
        (!has_page(head.status) && !is_part, PassReason::STATUS),
        (is_attachment(headers), PassReason::ATTACHMENT),
        (settings.respect_no_transform && (asked.no_transform || no_transform(headers)), PassReason::NO_TRANSFORM),
        (!asked.is_for_reader(), not_for_reader(asked)),
        // After all other rules about the request, because the caller then fetches the whole page.
        (is_part, PassReason::PART),
        (length == Some(0), PassReason::EMPTY),
        (length.is_some_and(|length| length > settings.max_html_bytes), PassReason::TOO_LARGE),
    ];
    match rules.into_iter().find(|(applies, _)| *applies) {
        Some((_, reason)) => Err(reason),
        None => coding::from_headers(headers).ok_or(PassReason::CODING),
    }
}

fn not_for_reader(asked: &RequestInfo<'_>) -> PassReason {
    if asked.destination.is_some() {
        PassReason::DESTINATION
    } else if asked.by_script {
        PassReason::BY_SCRIPT
    } else {
        PassReason::ACCEPT
    }
}

fn has_page(status: StatusCode) -> bool {
    match status {
        StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::PARTIAL_CONTENT => false,
        StatusCode::NOT_FOUND | StatusCode::GONE => true,
        _ => status.is_success(),
    }
}

pub(super) fn is_attachment(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_DISPOSITION) else {
        return false;
    };
    let kind = value.as_bytes().split(|byte| *byte == b';').next();
    kind.unwrap_or_default().trim_ascii().eq_ignore_ascii_case(b"attachment")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::{HeaderName, HeaderValue, Request, Response};

    use super::*;
    use crate::{
        blocking::Blocker,
        config::Config,
        net::target::{Scheme, Target},
        rewrite::PageProfile,
    };

    type Fields = &'static [(&'static str, &'static str)];

    const HTML: Fields = &[("content-type", "text/html; charset=utf-8")];

    fn fields(list: Fields) -> HeaderMap {
        let fields = list.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        fields.collect()
    }

    /// The verdict, without the codings.
    fn judged(
        (method, request): (Method, Fields),
        (status, response): (u16, Fields),
        yaml: &str,
    ) -> Result<(), PassReason> {
        let target = Target::from_authority(Scheme::Http, "www.example.com").unwrap();
        let mut asked = Request::new(());
        *asked.method_mut() = method;
        *asked.headers_mut() = fields(request);
        let mut answer = Response::new(());
        *answer.status_mut() = StatusCode::from_u16(status).unwrap();
        *answer.headers_mut() = fields(response);
        let config = Config::from_yaml(yaml, None).unwrap();
        let look = &PageProfile::all(&config, &Arc::new(Blocker::load_all(&config))).unwrap()[0];
        let client = [127, 0, 0, 1].into();
        let asked = RequestInfo::new(&asked, client, &target, target.plain_host(), look);
        judge(&asked, &answer.into_parts().0, &config.rewrite).map(|_| ())
    }

    #[test]
    fn the_request_must_be_for_a_page() {
        let cases: [(Fields, Result<(), PassReason>); 8] = [
            (&[("sec-fetch-dest", "document")], Ok(())),
            (&[("sec-fetch-dest", "iframe")], Ok(())),
            (&[("sec-fetch-dest", "frame")], Ok(())),
            (&[("x-requested-with", "com.android.browser"), ("sec-fetch-dest", "document")], Ok(())),
            (&[("sec-fetch-dest", "empty")], Err(PassReason::DESTINATION)),
            (&[("x-requested-with", "XMLHttpRequest")], Err(PassReason::BY_SCRIPT)),
            (&[("accept", "application/json")], Err(PassReason::ACCEPT)),
            (&[("cache-control", "no-transform")], Err(PassReason::NO_TRANSFORM)),
        ];
        for (request, expected) in cases {
            assert_eq!(judged((Method::GET, request), (200, HTML), ""), expected, "{request:?}");
        }
        let ignored = judged((Method::GET, cases[7].0), (200, HTML), "rewrite: { respect_no_transform: false }");
        assert_eq!(ignored, Ok(()));
        // HEAD is judged as the GET it stands for; `rewrite` knows that there is no page.
        let methods = [(Method::POST, Ok(())), (Method::HEAD, Ok(())), (Method::PUT, Err(PassReason::METHOD))];
        for (method, expected) in methods {
            assert_eq!(judged((method, &[]), (200, HTML), ""), expected);
        }
    }

    #[test]
    fn the_response_must_be_a_page() {
        const TYPE: (&str, &str) = HTML[0];
        let cases: [(Fields, Result<(), PassReason>); 9] = [
            (&[("content-type", "application/xhtml+xml")], Err(PassReason::NOT_HTML)),
            (&[TYPE, ("content-disposition", "inline")], Ok(())),
            (&[("content-type", "application/json")], Err(PassReason::NOT_HTML)),
            (&[], Err(PassReason::NOT_HTML)),
            (&[TYPE, ("content-disposition", "Attachment; filename=a")], Err(PassReason::ATTACHMENT)),
            (&[TYPE, ("cache-control", "public, No-Transform")], Err(PassReason::NO_TRANSFORM)),
            (&[TYPE, ("content-length", "8388609")], Err(PassReason::TOO_LARGE)),
            (&[TYPE, ("content-length", "0")], Err(PassReason::EMPTY)),
            (&[TYPE, ("content-encoding", "dcb")], Err(PassReason::CODING)),
        ];
        for (response, expected) in cases {
            assert_eq!(judged((Method::GET, &[]), (200, response), ""), expected, "{response:?}");
        }
        for status in [200, 201, 203, 404, 410] {
            assert_eq!(judged((Method::GET, &[]), (status, HTML), ""), Ok(()), "{status}");
        }
        for status in [204, 205, 206, 301, 304, 403, 429, 500, 503] {
            let expected = Err(PassReason::STATUS);
            assert_eq!(judged((Method::GET, &[]), (status, HTML), ""), expected, "{status}");
        }
    }
}
