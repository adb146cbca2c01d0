//! Markdown with metadata blocks: nothing panics and every place fits.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use proofmark::{Fragment, Kind, ParseOptions, Source, internals::kinds::markdown::Markdown};

fuzz_target!(|text: &str| {
    let source = Arc::new(Source::new("fuzz.md", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    for dialect in [None, Some("seed"), Some("c2")] {
        let options = ParseOptions { dialect, ..ParseOptions::default() };
        let document = Markdown.parse(&source, &fragment, &options);
        for observation in &document.observations {
            assert!(text.get(observation.span.range()).is_some(), "{observation:?}");
        }
    }
});
