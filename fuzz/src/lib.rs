//! The targets: functions of bytes that panic where something is wrong. libFuzzer calls them from `fuzz_targets/`, and the
//! program of this crate, which needs no nightly compiler, calls all of them with mutated pages.

use std::sync::{Arc, LazyLock};

use gleaner::{Config, fuzzing};
use gleaner_filters::{Chain, ChainConfig, HostList, PageError, PageLimits, output::Format};
use url::Url;

/// A target.
pub type Target = fn(&[u8]);

/// All targets by their names, which are those of the folders of their seeds in `corpus/`.
pub const TARGETS: [(&str, Target); 13] = [
    ("authority", authority),
    ("body", body),
    ("config", config),
    ("feed", feed),
    ("hosts", hosts),
    ("icap", icap),
    ("page", page),
    ("picture", picture),
    ("proxy_header", proxy_header),
    ("repair", repair),
    ("request", request),
    ("response", response),
    ("tree", tree),
];

/// The target of a request, in every form: what is understood is understood the same way when it is written again.
pub fn authority(data: &[u8]) {
    fuzzing::authority(&String::from_utf8_lossy(data));
}

/// A response's bytes through the codings, the charset and the chain. The first line is `Content-Type`, the second
/// `Content-Encoding`.
pub fn body(data: &[u8]) {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    if let (Some(content_type), Some(codings), Some(body)) = (lines.next(), lines.next(), lines.next()) {
        fuzzing::body(content_type, codings, body);
    }
}

/// A configuration file: refused with a message or taken, never a panic.
pub fn config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // Keys that name other files are left to the tests: a fuzzer should not open what it thinks of.
    if ["list", "file", "dir"].iter().any(|word| text.contains(word)) {
        return;
    }
    if let Err(error) = Config::from_yaml(&text, None) {
        assert!(!error.to_string().is_empty());
    }
}

/// A connection's bytes, read as messages of ICAP. The first byte says in which pieces they come.
pub fn icap(data: &[u8]) {
    if let Some((piece, bytes)) = data.split_first() {
        fuzzing::icap(bytes, usize::from(*piece));
    }
}

/// A feed, or a page that may name one. The first line is `Content-Type`: what it is read as once, it is with texts in its items, and
/// all else of it stays.
pub fn feed(data: &[u8]) {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    if let (Some(content_type), Some(feed)) = (lines.next(), lines.next()) {
        fuzzing::feed(content_type, feed);
    }
}

/// A picture made smaller: for the screen of a phone, or for a browser of the nineties.
pub fn picture(data: &[u8]) {
    fuzzing::picture(data);
}

/// The header of a load balancer: the same, however much of it and of what follows has come.
pub fn proxy_header(data: &[u8]) {
    fuzzing::proxy_header(data);
}

/// An ad list, and the hosts it matches: each host it holds, and each below it.
pub fn hosts(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut hosts = HostList::default();
    let added = hosts.add(&text);
    assert!(added.is_ok() || hosts.is_empty());
    for word in text.split_whitespace() {
        let _ = hosts.matches(word);
        let mut one = HostList::default();
        if one.add(word).is_ok() && one.len() == 1 && word.len() < 200 && !word.contains('#') {
            assert!(one.matches(word), "{word}");
            assert!(one.matches(&format!("ads.{word}")), "{word}");
        }
    }
}

static CHAINS: LazyLock<Vec<Arc<Chain>>> = LazyLock::new(|| {
    let mut text = ChainConfig::default();
    text.output.format = Format::Text;
    let mut eager = ChainConfig::default();
    eager.floor.page_chars = 0;
    eager.floor.kept_share = 0.0;
    eager.floor.kept_chars = 0;
    let configs = [eager, ChainConfig::crunch(), text];
    let chain = |config: &ChainConfig| {
        let mut hosts = HostList::default();
        hosts.add("ads.example").expect("a host");
        Arc::new(Chain::new(config, PageLimits::default(), hosts).expect("in order"))
    };
    configs.iter().map(chain).collect()
});

static URL: LazyLock<Url> = LazyLock::new(|| "https://example.org/a/b?c".parse().expect("an address"));

/// HTML through the whole chain, in each of its forms: no panic, no time that its size does not explain, and what comes out
/// is a page again.
pub fn page(data: &[u8]) {
    let html = &*String::from_utf8_lossy(data);
    for chain in CHAINS.iter() {
        match chain.run(html, &URL) {
            Ok(filtered) => assert!(filtered.content.len() < 40_000 + 20 * html.len()),
            Err(PageError::Panicked { place }) => panic!("{place} panicked"),
            Err(PageError::OutOfTime { .. }) => panic!("out of time"),
            Err(_) => {}
        }
    }
}

/// Response fields after a page was rewritten: `name: value` lines.
pub fn repair(data: &[u8]) {
    fuzzing::repair(data);
}

/// A connection's bytes, judged as requests: what is let through is read as one message by others too, to the byte. The first
/// byte says in which pieces a body arrives.
pub fn request(data: &[u8]) {
    let Some((piece, mut bytes)) = data.split_first() else {
        return;
    };
    while let Some((head, length)) = fuzzing::request(bytes) {
        let (head, body) = bytes.split_at(head);
        assert_eq!(length_as_others_read_it(head), length, "{head:?}");
        let length = match length {
            Some(length) => usize::try_from(length).ok(),
            None => {
                let taken = fuzzing::chunked(body, usize::from(*piece));
                if taken.is_some() {
                    assert_eq!(chunks_as_others_read_them(body), taken, "{body:?}");
                }
                taken
            }
        };
        match length.and_then(|length| body.get(length..)) {
            Some(rest) => bytes = rest,
            None => return,
        }
    }
}

/// Length of a body to a strict reader; none where it comes in chunks.
fn length_as_others_read_it(head: &[u8]) -> Option<u64> {
    // The version ends the request line; a target may hold the same characters.
    let mut head = head.to_vec();
    let start = head.iter().position(|byte| !b"\r\n".contains(byte)).unwrap_or(0);
    let line_end = head[start..].iter().position(|byte| b"\r\n".contains(byte)).map_or(0, |length| start + length);
    if let Some(at) = head[..line_end].windows(7).rposition(|signs| signs == b"HTTP/1.") {
        // A higher minor version is read as 1.1 (RFC 9110 § 2.5), which this reader does not do.
        if head[at + 7] > b'1' {
            head[at + 7] = b'1';
        }
        // Bytes of a target that are no ASCII are sent on percent-encoded; this reader takes UTF-8 alone.
        head[..at].iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'x');
    }
    let mut fields = [httparse::EMPTY_HEADER; 256];
    let mut request = httparse::Request::new(&mut fields);
    let read = request.parse(&head);
    assert_eq!(read, Ok(httparse::Status::Complete(head.len())), "{head:?}");
    let values = |name: &str| -> Vec<_> {
        let fields = request.headers.iter();
        fields.filter(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value).collect()
    };
    let hosts = values("host").len();
    // Links sends none with CONNECT, whose target is a host.
    assert!(hosts == 1 || hosts == 0 && (request.version == Some(0) || request.method == Some("CONNECT")));
    match (&values("content-length")[..], &values("transfer-encoding")[..]) {
        ([], []) => Some(0),
        ([length], []) => {
            let length = std::str::from_utf8(length).ok();
            Some(length.and_then(|length| length.parse().ok()).expect("a number"))
        }
        ([], [coding]) => {
            assert!(coding.eq_ignore_ascii_case(b"chunked"));
            assert_eq!(request.version, Some(1));
            None
        }
        (lengths, codings) => panic!("{lengths:?} {codings:?}"),
    }
}

/// Where the chunks end in the eyes of a reader that finds lines first and reads them then.
fn chunks_as_others_read_them(body: &[u8]) -> Option<usize> {
    let line = |at: usize| {
        let rest = body.get(at..)?;
        let end = rest.windows(2).position(|signs| signs == b"\r\n")?;
        Some((&rest[..end], at + end + 2))
    };
    let mut at = 0;
    loop {
        let (size, data) = line(at)?;
        let digits = size.split(|byte| *byte == b';').next()?;
        let digits = std::str::from_utf8(digits).ok()?;
        let size = usize::from_str_radix(digits, 16).ok()?;
        at = data;
        if size == 0 {
            break;
        }
        at = at.checked_add(size)?;
        let (nothing, next) = line(at)?;
        if !nothing.is_empty() {
            return None;
        }
        at = next;
    }
    loop {
        let (trailer, next) = line(at)?;
        at = next;
        if trailer.is_empty() {
            return Some(at);
        }
    }
}

/// The heads of a response, interim ones too, however they arrive. The first byte says in which pieces.
pub fn response(data: &[u8]) {
    if let Some((piece, bytes)) = data.split_first() {
        fuzzing::response(bytes, usize::from(*piece));
    }
}

/// The tree of a page, which is the one that html5ever builds alone, in whatever pieces it arrives.
pub fn tree(data: &[u8]) {
    const PIECES: [usize; 6] = [1, 3, 16, 61, 500, 4096];
    let piece = PIECES[data.len() % PIECES.len()];
    gleaner_filters::fuzzing::tree(&String::from_utf8_lossy(data), piece);
}
