//! Quarto documents: validation is sound.

#![no_main]

mod sound;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| sound::validate("quarto", "fuzz.qmd", text));
