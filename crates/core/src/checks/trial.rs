//! Runs one check on one document, for the tests of check kinds.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Compiler, Context, Field, RawCheck, State, Symbol, Vocabulary};
use crate::{
    kinds::{Document, Kind, Kinds, ParseOptions, rulefile::RuleFile},
    text::{Fragment, Source},
    tree::JsonPath,
};

/// A YAML text as a document.
pub fn document(text: &str) -> Document {
    let source = Arc::new(Source::new("test.yaml", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    RuleFile.parse(&source, &fragment, &ParseOptions::default())
}

/// The names that the tests of check kinds use.
pub(super) fn vocabulary() -> Vocabulary {
    let path = |path: &str| path.parse::<JsonPath>().unwrap();
    let product = Symbol {
        given: vec![path("$.products[*]")],
        name: Some(path("@.sku")),
        file: None,
        pattern: None,
        pairs: false,
        values: [].into(),
        value_type: None,
        builtin: vec!["any".into()],
        within: None,
    };
    Vocabulary {
        ancestors: [("shelf".to_owned(), path("$.shelves[*]"))].into(),
        symbols: [("product".to_owned(), product)].into(),
        ..Vocabulary::default()
    }
}

/// A compiler for a rule with the option `most`.
fn compiler(vocabulary: &Vocabulary) -> Compiler<'_> {
    let mut compiler = Compiler::new(vocabulary, true);
    compiler.options.extend(["most", "strict"].map(str::to_owned));
    compiler
}

/// What a check, given as YAML, finds at the nodes that `given` selects in a YAML document: the JSON Pointer
/// and the source text of every finding, and what is most similar where there is such a thing.
pub(super) fn findings(check: &str, given: &str, text: &str) -> Vec<String> {
    findings_in(check, given, &document(text), &json!({"most": 2}))
}

/// Like [`findings`], in a document that is read already.
pub(super) fn found_in(check: &str, given: &str, subject: &Document) -> Vec<String> {
    findings_in(check, given, subject, &json!({"most": 2}))
}

/// Like [`findings`], with other values of the options.
pub(super) fn findings_with(check: &str, given: &str, text: &str, options: &Value) -> Vec<String> {
    findings_in(check, given, &document(text), options)
}

fn findings_in(check: &str, given: &str, subject: &Document, options: &Value) -> Vec<String> {
    let check: RawCheck = serde_json::from_value(document(check).tree.root().to_json()).unwrap();
    let vocabulary = vocabulary();
    let mut compiler = compiler(&vocabulary);
    let compiled = check.compile(&Field::at("/check"), &mut compiler);
    assert!(compiler.faults.is_empty(), "{:?}", compiler.faults);
    let kinds = Kinds::builtin();
    let state = State::new(subject, &vocabulary, &kinds);
    let context = Context { rule: "SH001", state: &state, options, most: usize::MAX };
    let nodes = given.parse::<JsonPath>().unwrap().select(subject.tree.root());
    let found = compiled.unwrap().run(&nodes, &context);
    let described = found.iter().map(|finding| {
        let written = subject.source().slice(finding.span);
        let nearest = finding.nearest.as_ref().map(|near| format!(" ({near}?)")).unwrap_or_default();
        format!("{} {written}{nearest}", finding.node.unwrap().pointer())
    });
    described.collect()
}

/// The names of the faults that compiling a check reports.
pub(super) fn faults(check: &str) -> Vec<&'static str> {
    let check: RawCheck = serde_json::from_value(document(check).tree.root().to_json()).unwrap();
    let vocabulary = vocabulary();
    let mut compiler = compiler(&vocabulary);
    check.compile(&Field::at("/check"), &mut compiler);
    compiler.faults.iter().map(|fault| fault.name).collect()
}

/// The YAML example in the description of a form.
pub(crate) fn example(schema: &Value) -> Value {
    let description = schema["description"].as_str().unwrap_or_default();
    let (_, rest) = description.split_once("```yaml\n").expect("the doc comment has an example");
    document(rest.split_once("```").unwrap().0).tree.root().to_json()
}

#[test]
fn the_example_of_every_check_kind_compiles() {
    for kind in super::KINDS {
        let mut generator = schemars::SchemaGenerator::default();
        let reference = (kind.schema)(&mut generator).to_value();
        let name = reference["$ref"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let example = example(&generator.definitions()[&name]);
        assert!(
            example["check"].get(kind.name).is_some(),
            "the example of `{}` is of another kind",
            kind.name
        );
        let check: RawCheck = serde_json::from_value(example["check"].clone()).unwrap();
        let vocabulary = vocabulary();
        let mut compiler = compiler(&vocabulary);
        assert!(
            check.compile(&Field::at(""), &mut compiler).is_some(),
            "{}: {:?}",
            kind.name,
            compiler.faults
        );
        assert!(compiler.faults.is_empty(), "{}: {:?}", kind.name, compiler.faults);
    }
}

#[test]
fn one_kind_is_wanted_and_its_fields_are_checked() {
    for check in ["{}", "{required: a, type: string}"] {
        let check: RawCheck = serde_json::from_value(document(check).tree.root().to_json()).unwrap();
        assert!(check.compile(&Field::at(""), &mut Compiler::new(&vocabulary(), true)).is_none());
    }
    let decode = |check: Value| serde_json::from_value::<RawCheck>(check).unwrap_err().to_string();
    assert!(decode(json!({"uniqe": {}})).contains("unknown field `uniqe`"));
    assert!(decode(json!({"unique": {"bye": "@.a"}})).contains("unknown field `bye`"));
}
