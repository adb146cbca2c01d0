//! A kind of document that is written outside of the library, with a pack of rules for it.

use std::{fs, sync::Arc};

use proofmark::{
    Comment, Diagnostic, Document, Fragment, Input, KeyType, Kind, Kinds, Observable, Observation,
    ParseOptions, Project, Ruleset, Scalar, Source, Span, TreeBuilder,
};

/// Lines of `name = value`; `;` begins a comment.
struct SettingsFile;

const OBSERVABLES: &[Observable] = &[Observable::syntax("err_no_value", &["name"], &["name"])];

impl Kind for SettingsFile {
    fn name(&self) -> &'static str {
        "settings"
    }

    fn description(&self) -> &'static str {
        "Settings, one per line"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.settings"]
    }

    fn languages(&self) -> Vec<&str> {
        vec!["settings"]
    }

    fn observables(&self) -> &[Observable] {
        OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        r#"{"type": "object", "additionalProperties": false, "properties": {"settings": {"type": "array",
            "items": {"type": "object", "additionalProperties": false,
                "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}}}}"#
    }

    fn comment(&self, text: &str) -> String {
        format!("; {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, _: &ParseOptions<'_>) -> Document {
        let text = fragment.text();
        let whole = fragment.host(Span::new(0, text.len()));
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let (mut observations, mut comments) = (Vec::new(), Vec::new());
        builder.open_mapping(whole);
        builder.key_static("settings");
        builder.open_sequence(whole);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let span = |part: &str| {
                let at = part.as_ptr() as usize - text.as_ptr() as usize;
                fragment.host(Span::new(at, at + part.len()))
            };
            let content = line.trim();
            if let Some(comment) = content.strip_prefix(';') {
                comments.push(Comment { span: span(content), text: span(comment) });
            } else if let Some((name, value)) = content.split_once('=') {
                builder.open_mapping(span(content));
                for (key, part) in [("name", name.trim()), ("value", value.trim())] {
                    builder.key(key, span(part), KeyType::String);
                    builder.scalar(Scalar::Text(part), span(part));
                }
                builder.close(None);
            } else if !content.is_empty() {
                let observation = Observation::new("err_no_value", span(content)).with("name", content);
                observations.push(observation.at("name", span(content)));
            }
            start += line.len();
        }
        assert_eq!(start, text.len());
        let mut document = Document::new(self.name().to_owned(), builder.finish());
        document.observations = observations;
        document.comments = comments;
        document
    }
}

const PACK: &str =
    "version: 1\nname: house\ndescription: Rules for settings\nprefix: HS\nkinds: [settings]\n";

const RULES: &str = r#"
version: 1
rules:
  - id: HS001
    name: setting-repeated
    severity: error
    since: 0.1.0
    given: $.settings[*].name
    check: {unique: {}}
    message: "`{{ value }}` is set twice"
    explain: "A setting that is set twice has the last value, and the first one has no effect."
  - id: HS002
    name: setting-without-value
    severity: error
    since: 0.1.0
    check: {syntax: err_no_value}
    at: name
    message: "`{{ name }}` has no value"
    fix: {applicability: unsafe, insert: " = ", after: name}
    explain: "A line is a name, an equals sign and a value. A name alone sets nothing."
"#;

fn ruleset(rules: &str) -> Result<Arc<Ruleset>, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pack.yaml"), PACK).unwrap();
    fs::write(folder.path().join("rules.yaml"), rules).unwrap();
    let built = Ruleset::builder().kind(Arc::new(SettingsFile)).pack(folder.path()).build();
    built.map_err(|errors| errors[0].to_string())
}

fn validate(name: &str, text: &str) -> Vec<Diagnostic> {
    let project = Project::of(ruleset(RULES).unwrap());
    project.subject(Input::text(text).at(name)).unwrap().validate().diagnostics
}

fn found(diagnostics: &[Diagnostic]) -> Vec<(&str, u32, &str)> {
    diagnostics.iter().map(|d| (d.id.as_str(), d.location.line, d.message.as_str())).collect()
}

#[test]
fn its_rules_run_on_its_files() {
    let diagnostics = validate("app.settings", "port = 1\nhost\nport = 2\n");
    assert_eq!(
        found(&diagnostics),
        [("HS002", 2, "`host` has no value"), ("HS001", 3, "`port` is set twice")]
    );
    assert_eq!(diagnostics[0].fixes[0].edits[0].new, " = ");
    assert_eq!(diagnostics[1].location.path.as_deref(), Some("/settings/1/name"));
}

#[test]
fn its_rules_run_on_fences_of_its_language() {
    let diagnostics = validate("page.md", "# Title\n\n```settings\nport = 1\nport = 2\n```\n");
    assert_eq!(found(&diagnostics), [("HS001", 5, "`port` is set twice")]);
}

#[test]
fn its_comments_suppress() {
    let text = "port = 1\n; proofmark-ignore HS001: both are needed\nport = 2\n";
    let diagnostics = validate("app.settings", text);
    assert_eq!(diagnostics[0].suppressed.as_deref(), Some("both are needed"));
}

#[test]
fn a_selector_that_its_schema_rules_out_does_not_load() {
    let error = ruleset(&RULES.replace("$.settings[*].name", "$.settings[*].nmae")).unwrap_err();
    assert!(error.contains("impossible selector") && error.contains("nmae"), "{error}");
}

#[test]
fn an_observable_that_it_does_not_declare_does_not_load() {
    let error = ruleset(&RULES.replace("err_no_value", "err_no_vlaue")).unwrap_err();
    assert!(error.contains("unknown observable") && error.contains("err_no_value"), "{error}");
}

#[test]
fn without_the_kind_its_pack_does_not_load() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pack.yaml"), PACK).unwrap();
    let errors = Ruleset::builder().pack(folder.path()).build().unwrap_err();
    assert!(errors[0].to_string().contains("unknown kind"), "{}", errors[0]);
}

#[test]
fn a_kind_takes_the_place_of_one_of_its_name() {
    let ruleset = ruleset(RULES).unwrap();
    let kinds = ruleset.kinds();
    assert_eq!(kinds.names().filter(|name| *name == "settings").count(), 1);
    assert_eq!(kinds.iter().count(), Kinds::builtin().iter().count() + 1);
}
