//! Conversions of Quarto documents by the embedded writers: nothing panics, and the same input gives the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use proofmark::internals::convert;

const FORMATS: &[&str] = &["html", "revealjs", "pptx", "json"];

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let format = FORMATS[usize::from(choice) % FORMATS.len()];
    assert_eq!(convert::text(text, format), convert::text(text, format));
});
