//! Rule files: validating one never panics.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use proofmark::{ParseOptions, Ruleset, Settings, Source, Validator};

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| Validator::new(Ruleset::builtin(), Settings::default()));

fuzz_target!(|text: &str| {
    let Some(kind) = VALIDATOR.ruleset().kind("rulefile") else { return };
    let source = Arc::new(Source::new("fuzz.rules.yaml", text));
    VALIDATOR.validate(&source, kind.as_ref(), &ParseOptions::default());
});
