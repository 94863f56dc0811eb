//! Entry points for the fuzz targets in `fuzz/`: the parts that read untrusted input. Only with the feature `fuzzing`; not part
//! of the API.

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use gleaner_filters::{CspChange, Format};

pub use crate::{
    client::read_in_pieces as response,
    net::proxy_protocol::parse_in_pieces as proxy_header,
    server::{
        fuzz_api::{chunked, head as request},
        icap::fuzz_api::messages as icap,
    },
};
use crate::{
    config::{Animations, Limits, PictureFormats, Pictures},
    http::headers::{accept, repair, validators::Tagger},
    net::target::{Scheme, Target},
    rewrite,
};

/// A body through decoding and filters. Errors must become a reason to pass it, not a panic.
pub fn body(content_type: &[u8], codings: &[u8], body: &[u8]) {
    let mut headers = HeaderMap::new();
    for (name, value) in [("content-type", content_type), ("content-encoding", codings)] {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    if let Err(reason) = rewrite::fuzz_api::run(&headers, body) {
        assert!(reason != "panic", "{reason}");
    }
    let _ = rewrite::decode_html(body);
}

/// A feed of this media type, read and written.
pub fn feed(content_type: &[u8], feed: &[u8]) {
    let kind = HeaderValue::from_bytes(content_type).ok().map(|value| (header::CONTENT_TYPE, value));
    rewrite::fuzz_api::feed(&kind.into_iter().collect(), feed);
}

/// A picture: made smaller, or a reason why not.
pub fn picture(bytes: &[u8]) {
    let limits = Limits { picture_pixels: 100_000, ..Limits::default() };
    for (formats, greys) in
        [(PictureFormats::Auto, None), (PictureFormats::Auto, Some(16)), (PictureFormats::Old, None)]
    {
        let settings = Pictures {
            max_width: Some(20),
            min_bytes: 0,
            formats,
            greys,
            dither: bytes.len().is_multiple_of(2),
            animations: Animations::First,
            ..Pictures::default()
        };
        let _ = rewrite::pictures::explain(bytes, &settings, &limits);
    }
}

/// The fields of a rewritten response, given as `name: value` lines.
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
    let tagger = Tagger::new(1);
    for csp in [CspChange::Replace("x"), CspChange::AllowStyle("'sha256-x'")] {
        let repaired = repair::rewritten(&headers, Format::Html, &csp, &tagger);
        assert_eq!(repaired["content-type"], "text/html; charset=utf-8");
        assert!(!repaired.contains_key("content-length") && !repaired.contains_key("content-encoding"));
        let cookies = |headers: &HeaderMap| headers.get_all("set-cookie").iter().count();
        assert_eq!(cookies(&repaired), cookies(&headers));
    }
    tagger.map_not_modified(&mut headers.clone());
    accept::narrow_codings(&mut headers);
    let _ = accept::choose_coding(&headers);
}

/// The target of a request, in every form.
pub fn authority(text: &str) {
    let uri: Option<Uri> = text.parse().ok();
    let targets = [
        Target::from_authority(Scheme::Http, text).ok(),
        Target::from_authority(Scheme::Https, text).ok(),
        uri.as_ref().and_then(|uri| Target::from_connect(uri).ok()),
        uri.as_ref().and_then(|uri| Target::from_absolute(uri).ok()),
    ];
    for target in targets.into_iter().flatten() {
        let written = target.authority();
        let again = Target::from_authority(target.scheme, written);
        assert!(again.is_ok_and(|again| again.same_place(&target)), "{text} as {written}");
        assert!(HeaderValue::from_str(written).is_ok());
    }
}
