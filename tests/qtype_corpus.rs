//! The labelled documents of a corpus, judged one by one. Run with `PROOFMARK_QTYPE_CORPUS` set to
//! its folder; the results go to `PROOFMARK_QTYPE_RESULTS` as JSON Lines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use proofmark::{
    engine::{Settings, Validator},
    kinds::{self, ParseOptions},
    rules::Ruleset,
    text::Source,
};

const ENVIRONMENT: &[&str] = &[
    "OPENAI_KEY",
    "OPENAI_API_KEY",
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_DEFAULT_REGION",
    "LANGFUSE_SECRET_KEY",
    "LANGFUSE_PUBLIC_KEY",
    "TAVILY-API_BEARER",
    "TAVILY_API_BEARER",
    "PROD_API_KEY",
    "ENV_VAR",
    "ARIZE_SPACE_ID",
    "ARIZE_API_KEY",
    "ANTHROPIC_KEY",
];

#[test]
#[ignore = "needs a corpus"]
fn judge_a_corpus() {
    let root = PathBuf::from(std::env::var_os("PROOFMARK_QTYPE_CORPUS").unwrap());
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kind = kinds::by_name("qtype").unwrap();
    let labels = fs::read_to_string(root.join("labels.jsonl")).unwrap();
    let mut results = String::new();
    let mut spent = 0.0;
    for label in labels.lines() {
        let label: serde_json::Value = serde_json::from_str(label).unwrap();
        let file = label["file"].as_str().unwrap();
        let path = root.join(file);
        let Ok(text) = fs::read_to_string(&path) else {
            results += &serde_json::json!({"id": file, "diagnostics": [{"id": "PM003", "severity": "error",
                "location": {"line": 1}, "message": "not UTF-8"}]})
            .to_string();
            results.push('\n');
            continue;
        };
        let folder = path.parent().unwrap().to_path_buf();
        let read = |path: &str| fs::read(Path::new(&folder).join(path));
        let environment = |name: &str| ENVIRONMENT.contains(&name).then(|| "dummy".to_owned());
        let options = ParseOptions {
            read: Some(&read),
            environment: Some(&environment),
            strict_environment: true,
            ..ParseOptions::default()
        };
        let source = Arc::new(Source::new(file.rsplit('/').next().unwrap(), text));
        let start = Instant::now();
        let outcome = validator.validate(&source, kind, &options);
        spent += start.elapsed().as_secs_f64();
        results += &serde_json::json!({"id": file, "diagnostics": outcome.diagnostics}).to_string();
        results.push('\n');
    }
    fs::write(std::env::var_os("PROOFMARK_QTYPE_RESULTS").unwrap(), results).unwrap();
    eprintln!("{spent:.3} s");
}
