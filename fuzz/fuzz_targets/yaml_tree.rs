//! YAML in every dialect: nothing panics, places fit, and `serde_yaml`'s verdict and value are ours.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use proofmark::{Fragment, Source, Tree, TreeBuilder, internals::syntax::yaml::{self, Dialect, YamlOptions}};

fn read(text: &str, options: &YamlOptions) -> (Tree, usize) {
    let source = Arc::new(Source::new("fuzz.yaml", text));
    let mut builder = TreeBuilder::new(Arc::clone(&source));
    let mut observations = Vec::new();
    let fragment = Fragment::contiguous(source.text(), source.span());
    yaml::read(&mut builder, &fragment, options, &mut observations);
    for observation in &observations {
        assert!(text.get(observation.span.range()).is_some(), "{observation:?}");
        for (_, place) in &observation.places {
            assert!(text.get(place.range()).is_some(), "{observation:?}");
        }
    }
    (builder.finish(), observations.len())
}

fuzz_target!(|text: &str| {
    read(text, &YamlOptions::py_yaml());
    read(text, &YamlOptions { dialect: Dialect::Any, ..YamlOptions::default() });
    let strict = YamlOptions { depth: 128, report_traps: false, ..YamlOptions::default() };
    let (tree, faults) = read(text, &strict);
    let oracle = serde_yaml::from_str::<serde_yaml::Value>(text);
    assert_eq!(faults == 0, oracle.is_ok(), "{oracle:?}");
    if let Ok(Ok(value)) = oracle.map(serde_json::to_value) {
        assert_eq!(tree.root().to_json(), value);
    }
});
