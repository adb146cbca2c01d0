//! A kind of document that a pack defines without Rust: `examples/packs/sku`.

use std::{fs, path::Path, sync::Arc};

use proofmark::{
    Diagnostic, Outcome, ParseOptions, Ruleset, Settings, Source, Validator, internals::engine::try_examples,
};
use serde_json::Value;
use tempfile::TempDir;

/// A copy of the pack with some files changed.
fn pack(changes: &[(&str, &str, &str)]) -> TempDir {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/packs/sku");
    let folder = tempfile::tempdir().unwrap();
    for name in ["pack.yaml", "kind.yaml", "sku.pest", "rules.yaml"] {
        let mut text = fs::read_to_string(original.join(name)).unwrap();
        for (_, from, to) in changes.iter().filter(|(file, ..)| *file == name) {
            assert!(text.contains(from), "{name} has {from}");
            text = text.replace(from, to);
        }
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn ruleset(folder: &TempDir) -> Result<Arc<Ruleset>, String> {
    Ruleset::builder().pack(folder.path()).build().map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("\n")
    })
}

fn validate_with(ruleset: Arc<Ruleset>, name: &str, text: &str) -> Outcome {
    let validator = Validator::new(ruleset, Settings::default());
    let kind = Arc::clone(validator.ruleset().kinds().for_path(Path::new(name), text).unwrap());
    validator.validate(&Arc::new(Source::new(name, text)), kind.as_ref(), &ParseOptions::default())
}

fn validate(name: &str, text: &str) -> Outcome {
    validate_with(ruleset(&pack(&[])).unwrap(), name, text)
}

fn found(diagnostics: &[Diagnostic]) -> Vec<(&str, u32, &str)> {
    diagnostics.iter().map(|d| (d.id.as_str(), d.location.line, d.message.as_str())).collect()
}

#[test]
fn the_tree_has_what_the_description_says() {
    let outcome = validate("a.sku", "= Shop\nA-1: 9.95 sold, red, large\nA-2: 5 -> A-1\n");
    let tree = outcome.document.tree.root().to_json();
    let expected = r#"{"title":"Shop","items":[
        {"code":"A-1","price":9.95,"sold":true,"tags":["red","large"]},
        {"code":"A-2","price":5,"sold":false,"tags":[],"replaces":"A-1"}]}"#;
    let mut expected: Value = serde_json::from_str(expected).unwrap();
    expected["title"] = tree["title"].clone();
    assert_eq!(tree, expected);
    let price = outcome.document.tree.at_pointer("/items/0/price").unwrap();
    assert_eq!(price.raw(), "9.95");
}

#[test]
fn its_rules_run_on_files_and_fences() {
    let outcome = validate("a.sku", "A-1: 5\nA-1: -6\n");
    assert_eq!(
        found(&outcome.diagnostics),
        [("SK001", 2, "the code `A-1` is used twice"), ("SK002", 2, "the price -6 is not positive")]
    );
    let outcome = validate("page.md", "# Stock\n\n> ```sku\n> A-1: 5\n> A-1: 6\n> ```\n");
    assert_eq!(found(&outcome.diagnostics), [("SK001", 5, "the code `A-1` is used twice")]);
}

#[test]
fn error_productions_have_places_and_fixes() {
    let outcome = validate("a.sku", "A-1: 9,95 sold\nA-2:\n");
    let [comma, missing] = &outcome.diagnostics[..] else { panic!("{:?}", found(&outcome.diagnostics)) };
    assert_eq!((comma.id.as_str(), comma.location.column), ("SK003", 6));
    assert_eq!(comma.fixes[0].edits[0].new, "9.95");
    let place = &missing.location;
    assert_eq!((missing.id.as_str(), place.byte_start, place.byte_end), ("SK004", 15, 18));
}

#[test]
fn its_comments_suppress() {
    let text =
        "A-1: 5\n# proofmark-ignore SK001: both are sold\nA-1: 6\nA-2: -1 # proofmark-ignore SK002: a gift\n";
    let outcome = validate("a.sku", text);
    let suppressed: Vec<_> = outcome.diagnostics.iter().map(|d| d.suppressed.as_deref()).collect();
    assert_eq!(suppressed, [Some("both are sold"), Some("a gift")]);
    let kind = ruleset(&pack(&[])).unwrap().kind("sku").unwrap().comment("x");
    assert_eq!(kind, "# x");
}

#[test]
fn its_examples_keep_their_promises() {
    let ruleset = ruleset(&pack(&[])).unwrap();
    let own: Vec<_> = ruleset.rules().iter().filter(|rule| rule.pack == "sku").collect();
    assert!(own.len() >= 6);
    for rule in own {
        let failures = try_examples(&ruleset, rule, &ruleset.help(rule).examples);
        assert!(failures.is_empty(), "{failures:?}");
    }
}

#[test]
fn its_schema_comes_from_the_description_or_from_a_file() {
    let schema = |folder: &TempDir| -> Value {
        let ruleset = ruleset(folder).unwrap();
        serde_json::from_str(ruleset.kind("sku").unwrap().tree_schema()).unwrap()
    };
    let generated = schema(&pack(&[]));
    assert_eq!(generated["properties"]["items"]["items"]["properties"]["price"]["type"], "number");
    let folder = pack(&[("kind.yaml", "tree:", "schema: own.json\ntree:")]);
    fs::write(folder.path().join("own.json"), r#"{"type": "object"}"#).unwrap();
    assert_eq!(schema(&folder), serde_json::json!({"type": "object"}));
}

/// What `check` finds in a file of a changed pack: id, file, line and message.
fn check(file: &str, changes: &[(&str, &str, &str)]) -> Vec<String> {
    let folder = pack(changes);
    let text = fs::read_to_string(folder.path().join(file)).unwrap();
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kind = Arc::clone(validator.ruleset().kinds().for_path(Path::new(file), &text).unwrap());
    let read = |path: &str| fs::read(folder.path().join(path));
    let options = ParseOptions { read: Some(&read), ..ParseOptions::default() };
    let outcome = validator.validate(&Arc::new(Source::new(file, text)), kind.as_ref(), &options);
    let shown = outcome.diagnostics.iter().map(|d| {
        format!("{} {}:{}:{} {}", d.id, d.location.file, d.location.line, d.location.column, d.message)
    });
    shown.collect()
}

#[test]
fn the_files_of_the_pack_are_clean() {
    for file in ["pack.yaml", "kind.yaml", "rules.yaml"] {
        assert_eq!(check(file, &[]), Vec::<String>::new());
    }
}

#[test]
fn a_rule_that_the_grammar_does_not_have_is_reported_in_the_description() {
    let wrong = [("kind.yaml", "{list: tag}", "{list: tga}"), ("kind.yaml", "title: title", "title: titel")];
    assert_eq!(
        check("kind.yaml", &wrong),
        [
            "RF063 kind.yaml:9:10 the grammar has no rule `titel` that makes matches; did you mean `title`?",
            "RF063 kind.yaml:17:20 the grammar has no rule `tga` that makes matches; did you mean `tag`?",
        ]
    );
    let error = ruleset(&pack(&wrong)).unwrap_err();
    assert!(error.contains("kind.yaml` has 2 error"), "{error}");
}

#[test]
fn an_error_in_the_grammar_is_reported_in_the_grammar() {
    let found = check(
        "kind.yaml",
        &[("sku.pest", "(\",\" ~ tag)*", "(\",\" ~ tga)*"), ("sku.pest", "remark? }", "remak? }")],
    );
    assert_eq!(
        found,
        [
            "RF045 sku.pest:4:33 the grammar `sku.pest` cannot be used: there is no rule `remak`; did you mean `remark`?",
            "RF045 sku.pest:13:47 the grammar `sku.pest` cannot be used: there is no rule `tga`; did you mean `tag`?",
        ]
    );
    let found = check("kind.yaml", &[("sku.pest", "code ~ \":\" ~ price", "item ~ \":\" ~ price")]);
    assert!(found[0].starts_with("RF045 sku.pest:13:") && found[0].contains("calls itself"), "{found:?}");
}

#[test]
fn a_selector_that_no_tree_can_have_does_not_load() {
    let error = ruleset(&pack(&[("rules.yaml", "$.items[*].price", "$.items[*].prise")])).unwrap_err();
    assert!(error.contains("impossible selector") && error.contains("prise"), "{error}");
    let error = ruleset(&pack(&[("rules.yaml", "at: code", "at: cod")])).unwrap_err();
    assert!(error.contains("unknown place") && error.contains("code"), "{error}");
}

#[test]
fn a_syntax_error_without_a_rule_is_not_valid() {
    let ruleset =
        ruleset(&pack(&[("rules.yaml", "{syntax: syntax_error}", "{syntax: too_complex}")])).unwrap();
    let outcome = validate_with(ruleset, "a.sku", "A-1: x\n");
    assert_eq!(found(&outcome.diagnostics), [("PM006", 1, "expected price, found `x`")]);
    assert!(!outcome.is_valid());
}

#[test]
fn a_kind_of_a_name_that_is_taken_is_refused() {
    let found = check("kind.yaml", &[("kind.yaml", "name: sku", "name: qtype")]);
    assert_eq!(found, ["RF062 kind.yaml:2:7 there is already a kind `qtype`"]);
}
