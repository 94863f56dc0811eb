//! The target of a request, in every form: what is understood is understood the same way when it is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| gleaner::fuzzing::authority(text));
