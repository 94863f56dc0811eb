//! Response fields after a page was rewritten: `name: value` lines.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| gleaner::fuzzing::repair(data));
