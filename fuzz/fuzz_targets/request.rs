//! A connection's bytes, judged as requests: what is let through is read as one message by others too, to the byte. The first
//! byte says in which pieces a body arrives.
#![no_main]

use gleaner::fuzzing;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
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
});

/// Length of a body to a strict reader; none where it comes in chunks.
fn length_as_others_read_it(head: &[u8]) -> Option<u64> {
    // A higher minor version is read as 1.1 (RFC 9110 § 2.5), which this reader does not do.
    let mut head = head.to_vec();
    if let Some(at) = head.windows(7).position(|signs| signs == b"HTTP/1.")
        && head[at + 7] > b'1'
    {
        head[at + 7] = b'1';
    }
    let mut fields = [httparse::EMPTY_HEADER; 256];
    let mut request = httparse::Request::new(&mut fields);
    let read = request.parse(&head);
    assert_eq!(read, Ok(httparse::Status::Complete(head.len())), "{head:?}");
    let values = |name: &str| -> Vec<_> {
        let fields = request.headers.iter();
        fields
            .filter(|field| field.name.eq_ignore_ascii_case(name))
            .map(|field| field.value)
            .collect()
    };
    let hosts = values("host").len();
    assert!(hosts == 1 || hosts == 0 && request.version == Some(0));
    match (
        &values("content-length")[..],
        &values("transfer-encoding")[..],
    ) {
        ([], []) => Some(0),
        ([length], []) => {
            let length = std::str::from_utf8(length).ok();
            Some(
                length
                    .and_then(|length| length.parse().ok())
                    .expect("a number"),
            )
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
