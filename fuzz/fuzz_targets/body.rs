//! A response's bytes through the codings, the charset and the chain. The first line is `Content-Type`, the second
//! `Content-Encoding`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let (Some(content_type), Some(codings), Some(body)) =
        (lines.next(), lines.next(), lines.next())
    else {
        return;
    };
    gleaner::fuzzing::body(content_type, codings, body);
});
