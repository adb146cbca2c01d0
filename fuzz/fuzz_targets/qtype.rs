//! QType applications: validation is sound.

#![no_main]

mod sound;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| sound::validate("qtype", "fuzz.qtype.yaml", text));
