//! The heads of a response, interim ones too, however they arrive. The first byte says in which pieces.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some((piece, bytes)) = data.split_first() {
        gleaner::fuzzing::response(bytes, usize::from(*piece));
    }
});
