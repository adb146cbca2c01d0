//! JSON with and without comments: validation is sound.

#![no_main]

mod sound;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| sound::validate("json", "fuzz.jsonc", text));
