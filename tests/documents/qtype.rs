//! QType documents: the examples are clean, includes keep their locations, secrets are not shown.

use std::{fs, path::PathBuf, sync::Arc};

use proofmark::{Diagnostic, ParseOptions, Ruleset, Settings, Severity, Source, Validator};

fn findings(name: &str, text: &str, files: &[(&str, &str)], variables: &[(&str, &str)]) -> Vec<Diagnostic> {
    let read = |path: &str| {
        let file = files.iter().find(|(name, _)| *name == path);
        file.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| std::io::ErrorKind::NotFound.into())
    };
    let environment = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let options =
        ParseOptions { read: Some(&read), environment: Some(&environment), ..ParseOptions::default() };
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let source = Arc::new(Source::new(name, text));
    validator.validate(&source, validator.ruleset().kind("qtype").unwrap().as_ref(), &options).diagnostics
}

#[test]
fn the_examples_are_clean() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/qtype");
    let models = fs::read_to_string(folder.join("shared/models.qtype.yaml")).unwrap();
    let files = [("shared/models.qtype.yaml", models.as_str()), ("shared/tone.txt", "Be kind.")];
    let mut count = 0;
    for path in fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
        if path.is_file() {
            let text = fs::read_to_string(&path).unwrap();
            let findings = findings("example.qtype.yaml", &text, &files, &[]);
            assert!(findings.is_empty(), "{}: {:?}", path.display(), findings);
            count += 1;
        }
    }
    assert!(count >= 10);
}

#[test]
fn an_error_in_an_included_file_has_the_location_in_that_file() {
    let text = "id: app\nmodels: !include parts/models.yaml\n";
    let files =
        [("parts/models.yaml", "- {type: Model, id: a, provider: openai}\n- {type: Modell, id: b}\n")];
    let findings = findings("flows/app.qtype.yaml", text, &files, &[]);
    let error = findings.iter().find(|d| d.id == "QT405").unwrap();
    assert_eq!((error.location.file.as_str(), error.location.line), ("flows/parts/models.yaml", 2));
    assert_eq!(error.location.path.as_deref(), Some("/models/1/type"));
}

/// Aliases repeat a value, not what is wrong with it.
#[test]
fn a_tag_that_aliases_repeat_is_reported_once() {
    let text = "id: app\nx: &x [!include missing.yaml, !nope y]\ny: [*x, *x, *x]\n";
    let found = findings("app.qtype.yaml", text, &[], &[]);
    let count = |id: &str| found.iter().filter(|one| one.id == id).count();
    assert_eq!((count("QT202"), count("QT103")), (1, 1), "{found:?}");
    let many = "id: app\na: &a [!include a.yaml, !include a.yaml]\n";
    let doubled: String = (0..10).fold(many.to_owned(), |text, at| {
        let before = if at == 0 { "a".to_owned() } else { format!("c{}", at - 1) };
        text + &format!("c{at}: &c{at} [*{before}, *{before}]\n")
    });
    let found = findings("app.qtype.yaml", &doubled, &[("a.yaml", "[]\n")], &[]);
    assert_eq!(found.iter().filter(|one| one.id == "QT212").count(), 1);
}

#[test]
fn secrets_and_environment_values_are_not_shown() {
    let text = "id: app\nauths:\n  - {type: api_key, id: key, api_key: sk-verysecretverysecret0}\n\
                models:\n  - {type: Model, id: gpt, provider: \"${PROVIDER}\"}\n";
    let findings = findings("app.qtype.yaml", text, &[], &[("PROVIDER", "hidden-value")]);
    let ids: Vec<&str> = findings.iter().map(|d| d.id.as_str()).collect();
    assert!(ids.contains(&"QT927"), "{ids:?}");
    assert!(!ids.contains(&"QT404"), "what the variable holds is not known: {ids:?}");
    let all = serde_json::to_string(&findings).unwrap();
    assert!(!all.contains("verysecret") && !all.contains("hidden-value"), "{all}");
}

#[test]
fn a_misspelled_step_type_is_one_error_with_a_suggestion() {
    let text = "id: app\nmodels: [{type: Model, id: gpt, provider: openai}]\nflows:\n  - id: f\n    variables:\n      \
                - {id: a, type: text}\n      - {id: b, type: text}\n    inputs: [a]\n    outputs: [b]\n    steps:\n      \
                - {id: s, type: LLMInferance, model: gpt, inputs: [a], outputs: [b]}\n";
    let findings = findings("app.qtype.yaml", text, &[], &[]);
    let errors: Vec<&Diagnostic> = findings.iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].message, "`LLMInferance` is not a valid step type; did you mean `LLMInference`?");
}
