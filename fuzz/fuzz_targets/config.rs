//! A configuration file: refused with a message or taken, never a panic.
#![no_main]

use gleaner::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Keys that name other files are left to the tests: a fuzzer should not open what it thinks of.
    if ["list", "file", "dir"]
        .iter()
        .any(|word| text.contains(word))
    {
        return;
    }
    if let Err(error) = Config::from_yaml(text, None) {
        assert!(!error.to_string().is_empty());
    }
});
