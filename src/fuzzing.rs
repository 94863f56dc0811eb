//! Doors for the fuzz targets in `fuzz/`: the insides that read what strangers send. Only with the feature `fuzzing`; no part
//! of the interface.

use http::{HeaderMap, HeaderName, HeaderValue, Uri};

use gleaner_filters::{CspChange, Filtered, Report, output::Format};

use crate::{
    authority::{Scheme, Target},
    client,
    headers::{accept, repair, validators::Tagger},
    rewrite, server,
};

/// What the judge of requests lets through.
pub struct Sound {
    /// Length of the head.
    pub head: usize,
    /// Length of the body; none where it comes in chunks.
    pub length: Option<u64>,
}

/// A request's head, as it is read from a connection; none where it is refused or not whole. What has arrived of it must
/// never be judged otherwise than the whole.
#[must_use]
pub fn request(bytes: &[u8]) -> Option<Sound> {
    server::fuzz_api::head(bytes).map(|(head, length)| Sound { head, length })
}

/// How many of these bytes are a chunked body; none where it is malformed or not whole. Pieces of this size must be read as
/// the whole is.
#[must_use]
pub fn chunked(bytes: &[u8], piece: usize) -> Option<usize> {
    server::fuzz_api::chunked(bytes, piece)
}

/// A response, in pieces of this size and at once: hyper must be given the same.
pub fn response(bytes: &[u8], piece: usize) {
    client::fuzz_response(bytes, piece);
}

/// A body through codings, charset and chain. Whatever is wrong with it must be a reason, not a panic.
pub fn body(content_type: &[u8], codings: &[u8], body: &[u8]) {
    let mut headers = HeaderMap::new();
    for (name, value) in [("content-type", content_type), ("content-encoding", codings)] {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    if let Err(reason) = rewrite::fuzz_api::run(&headers, body) {
        assert!(!["panic", "panicked"].contains(&reason.as_str()), "{reason}");
    }
    let _ = crate::decode_html(body);
}

/// Fields, as `name: value` lines, after a page was rewritten.
pub fn repair(lines: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let at = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(at.unwrap_or(line.len()));
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name), HeaderValue::from_bytes(value.get(1..).unwrap_or_default().trim_ascii()))
        {
            headers.append(name, value);
        }
    }
    for csp in [CspChange::Replace("x"), CspChange::AllowStyle("'sha256-x'")] {
        let filtered = Filtered {
            content: String::new(),
            offer: None,
            format: Format::Html,
            csp,
            metadata: gleaner_filters::Metadata::default(),
            report: Report::default(),
            survey: None,
        };
        let tagger = Tagger::new(1);
        let repaired = repair::after_rewriting(&headers, &filtered, None, 7, &tagger);
        assert_eq!(repaired["content-length"], "7");
        assert_eq!(repaired["content-type"], "text/html; charset=utf-8");
        assert!(!repaired.contains_key("content-encoding"));
        let cookies = |headers: &HeaderMap| headers.get_all("set-cookie").iter().count();
        assert_eq!(cookies(&repaired), cookies(&headers));
        let mut not_modified = headers.clone();
        tagger.map_not_modified(&mut not_modified);
    }
    accept::narrow_codings(&mut headers);
    let _ = accept::choose_coding(&headers);
}

/// The target of a request, in every form.
pub fn authority(text: &str) {
    let uri: Option<Uri> = text.parse().ok();
    let targets = [
        Target::of_authority(Scheme::Http, text).ok(),
        Target::of_authority(Scheme::Https, text).ok(),
        uri.as_ref().and_then(|uri| Target::of_connect(uri).ok()),
        uri.as_ref().and_then(|uri| Target::of_absolute(uri).ok()),
    ];
    for target in targets.into_iter().flatten() {
        let written = target.authority();
        let again = Target::of_authority(target.scheme, &written);
        assert!(again.is_ok_and(|again| again.same_place(&target)), "{text} as {written}");
        assert!(HeaderValue::from_str(&written).is_ok());
    }
}
