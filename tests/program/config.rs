//! `proofmark.toml`: what it says, what it may get wrong.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use proofmark::{
    Document, ParseOptions, Ruleset, Settings, Severity, Source, Validator,
    internals::{
        kinds::config::Config as ConfigKind,
        project::config::{Config, KnownOption, KnownRule, Loaded, find, parse, schema, unknown_names},
    },
};

fn read(text: &str) -> Loaded {
    parse(&Arc::new(Source::new("proofmark.toml", text)), Path::new("/project"))
}

/// Every observation with its line, its name, its place and its values.
fn faults(document: &Document) -> String {
    crate::observations::lines(document.source(), &document.observations)
}

const FULL: &str = r#"
[files]
include = ["docs/**/*.md"]
exclude = ["vendor/"]
kinds = { "notes/*.txt" = "markdown" }
gitignore = false

[rules]
select = ["QT", "FM"]
ignore = ["style"]
fail_level = "warning"
baseline = "baseline.json"
QT520 = "off"

[rules.QT510]
severity = "warning"
options = { max = 3 }

[[rules.override]]
files = ["tests/**"]
extend = ["style"]
rules.QT510 = "note"

[packs]
paths = ["rules/shop"]

[quills]
path = "my/quills"
auto_register = false

[[quills.manual]]
name = "letter"
path = "elsewhere/letter"

[limits]
yaml_depth = 10

[render]
timeout_seconds = 5
worker = "bin/proofmark-render"

[server]
roots = ["docs"]
"#;

#[test]
fn everything_that_is_said_holds() {
    let loaded = read(FULL);
    assert_eq!(faults(&loaded.document), "");
    let config = loaded.config.unwrap();
    assert!(config.includes("docs/a/b.md"));
    assert!(!config.includes("src/a.md"));
    assert!(!config.includes("docs/vendor/b.md"));
    assert_eq!(config.kind_of("notes/x.txt"), Some("markdown"));
    assert!(!config.files.gitignore);
    assert_eq!(config.rules.fail_level, Severity::Warning);
    assert_eq!(config.rules.baseline, Some(PathBuf::from("/project/baseline.json")));
    assert_eq!(config.packs, [PathBuf::from("/project/rules/shop")]);
    assert_eq!(config.quills.path, PathBuf::from("/project/my/quills"));
    assert_eq!(config.quills.manual, [("letter".to_owned(), PathBuf::from("/project/elsewhere/letter"))]);
    assert_eq!(config.limits.yaml_depth, 10);
    assert_eq!(config.render.timeout.as_secs(), 5);
    assert_eq!(config.render.worker, Some(PathBuf::from("/project/bin/proofmark-render")));
    assert_eq!(config.server.roots, [PathBuf::from("/project/docs")]);
}

#[test]
fn settings_of_a_file_are_those_for_all_and_its_overrides() {
    let config = read(FULL).config.unwrap();
    let plain = config.settings_for("docs/a.md", &config.limits);
    assert_eq!(plain.layers.len(), 1);
    assert_eq!(plain.layers[0].ignore, ["style"]);
    let levels = [("QT510".to_owned(), Some(Severity::Warning)), ("QT520".to_owned(), None)];
    assert_eq!(plain.layers[0].levels, levels);
    assert_eq!(plain.options["QT510"]["max"], 3);
    assert_eq!(plain.max_diagnostics, config.limits.diagnostics);
    let tests = config.settings_for("tests/deep/a.md", &config.limits);
    assert_eq!(tests.layers[1].extend, ["style"]);
    assert_eq!(tests.layers[1].levels, [("QT510".to_owned(), Some(Severity::Note))]);
    assert_eq!(config.overrides_of("docs/a.md"), Vec::<usize>::new());
    assert_eq!(config.overrides_of("tests/a.md"), [0]);
}

#[test]
fn an_empty_file_says_nothing() {
    let config = parse(&Arc::new(Source::new("proofmark.toml", "")), Path::new("")).config.unwrap();
    assert_eq!(config, Config::default());
}

#[test]
fn every_error_is_observed_at_its_position() {
    let text = r#"
fiels = 1
[files]
inclde = ["x"]
include = "docs"
exclude = ["a[", 3]
[rules]
selct = ["QT"]
fail_level = "eror"
QT510 = "warn"
[rules.QT511]
severity = 4
enabledd = true
[[rules.override]]
files = ["{"]
rules.QT1 = true
[quills]
auto_register = "yes"
[[quills.manual]]
nme = "letter"
path = "x"
[[quills.manual]]
name = "y"
[limits]
yaml_depth = 0
text_bytes = 1.5
diagnostics = -3
[render]
timeout_seconds =
[server]
roots = [tmp]
"#;
    let loaded = read(text);
    assert!(loaded.config.is_none());
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let outcome = validator.validate(loaded.document.source(), &ConfigKind, &ParseOptions::default());
    let reported = outcome.diagnostics.iter().map(|diagnostic| {
        let hint = diagnostic.fix_hint.as_deref().unwrap_or_default();
        format!("{:2}: {} {} ({hint})", diagnostic.location.line, diagnostic.id, diagnostic.message)
    });
    insta::assert_snapshot!(reported.collect::<Vec<_>>().join("\n"));
}

#[test]
fn names_are_validated_against_the_rules() {
    let rules = [
        KnownRule {
            id: "QT510",
            name: "undefined-variable",
            pack: "qtype",
            tags: vec!["reference"],
            options: vec![
                KnownOption { name: "max", value_type: "integer", values: &[] },
                KnownOption { name: "names", value_type: "list", values: &[] },
            ],
        },
        KnownRule { id: "MM010", name: "large-diagram", pack: "mermaid", tags: vec![], options: vec![] },
    ];
    let text = r#"
[files]
kinds = { "*.txt" = "markdwn" }
[rules]
select = ["QT", "all", "reference", "qtype", "QT51O"]
ignore = ["undefined-varible"]
[rules.undefined-variable]
options = { max = "3", names = ["a"], mx = 1 }
[rules.MM01]
options = { max = 3 }
[rules.nothing]
[[rules.override]]
ignore = ["mermaid", "mermeid"]
rules.MM010 = "off"
rules.MM999 = "off"
"#;
    let mut loaded = read(text);
    assert_eq!(faults(&loaded.document), "");
    let found = unknown_names(&loaded.document, &rules, &["markdown", "qtype"]);
    loaded.document.observations.extend(found);
    insta::assert_snapshot!(faults(&loaded.document));
}

#[test]
fn the_nearest_file_upward_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(folder.path().join("proofmark.toml"), "").unwrap();
    assert_eq!(find(&deep), Some(folder.path().join("proofmark.toml")));
    std::fs::write(folder.path().join("a/proofmark.toml"), "").unwrap();
    assert_eq!(find(&deep), Some(folder.path().join("a/proofmark.toml")));
}

#[test]
fn the_schema_describes_every_key() {
    let schema = schema();
    assert!(jsonschema::meta::is_valid(schema));
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema["$defs"]["RawRules"]).unwrap());
    let text = schema.to_string();
    assert!(!text.contains("uint"));
}

#[test]
fn the_example_of_the_documentation_is_right() {
    let page = include_str!("../../docs/configuration.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let loaded = read(example);
    assert_eq!(faults(&loaded.document), "");
    let sections = schema()["properties"].as_object().unwrap();
    for section in sections.keys() {
        let shown = example.contains(&format!("[{section}")) || example.contains(&format!("\n{section} = "));
        assert!(shown, "`[{section}]` is not shown");
    }
    for (section, table) in sections {
        let Some(name) = table["$ref"].as_str().and_then(|name| name.rsplit('/').next()) else { continue };
        for key in schema()["$defs"][name]["properties"].as_object().unwrap().keys() {
            assert!(page.contains(key.as_str()), "`{key}` of `[{section}]` is not documented");
        }
    }
}
