//! Values of environment variables never leave the process, and no report shows a literal secret.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use proofmark::report::Format;

const VALUE: &str = "value-of-the-environment-4711";
const NAME: &str = "HARDENING_TEST_KEY";

/// Flows that put the variable where messages quote text.
const FLOWS: &[&str] = &[
    "id: app\nflows:\n  - id: f\n    variables:\n      - {id: \"${HARDENING_TEST_KEY}\", type: text}\n      - {id: a, type: text}\n    \
     inputs: [HARDENING_TEST_KE]\n    outputs: [a]\n    steps:\n      - {id: s, type: LLMInference, model: m, inputs: \
     [b], outputs: [a]}\n",
    "id: app\nflows:\n  - id: f\n    variables:\n      - {id: \"${HARDENING_TEST_KEY}\", type: text}\n      - {id: x, type: text}\n    \
     inputs: []\n    outputs: [x]\n    steps:\n      - {id: s, type: PromptTemplate, template: \"{${HARDENING_TEST_KEY}} \
     {y}\", outputs: [x]}\n",
    "id: \"${HARDENING_TEST_KEY}\"\ndescription: \"${HARDENING_TEST_KEY}\"\nmodels:\n  - {type: \"${HARDENING_TEST_KEY}\", id: m, \
     provider: \"${HARDENING_TEST_KEY}\", auth: \"${HARDENING_TEST_KEY}\"}\nauths:\n  - {type: api_key, id: k, api_key: \
     \"${HARDENING_TEST_KEY}\"}\n\"${HARDENING_TEST_KEY}\": 1\n",
];

fn run(arguments: &[&str], folder: &Path, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(arguments)
        .current_dir(folder)
        .env(NAME, VALUE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn shows(output: &Output, secret: &str) -> bool {
    let both = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(both.iter().any(|text| !text.is_empty()), "nothing is reported");
    both.concat().contains(secret)
}

#[test]
fn no_report_shows_a_value_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("env"), format!("{NAME}={VALUE}\n")).unwrap();
    for flow in FLOWS {
        fs::write(folder.path().join("a.qtype.yaml"), flow).unwrap();
        for format in Format::ALL {
            for more in [&[][..], &["--strict-env"], &["--env-file", "env"]] {
                let arguments = [
                    &["check", "--isolated", "--select", "all", "--format", format.name(), "a.qtype.yaml"],
                    more,
                ];
                let output = run(&arguments.concat(), folder.path(), "");
                assert!(
                    !shows(&output, VALUE),
                    "{format} {more:?}: {}",
                    String::from_utf8_lossy(&output.stdout)
                );
            }
        }
    }
}

#[test]
fn fixes_write_no_value_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.qtype.yaml");
    for flow in FLOWS {
        fs::write(&file, flow).unwrap();
        let output = run(&["fix", "--isolated", "--unsafe", "a.qtype.yaml"], folder.path(), "");
        assert!(!shows(&output, VALUE));
        assert!(!fs::read_to_string(&file).unwrap().contains(VALUE));
    }
}

#[test]
fn records_see_nothing_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    for flow in FLOWS {
        let record = serde_json::json!({"id": 1, "text": flow, "kind": "qtype", "emit": ["tree", "fixed"]});
        let output = run(&["batch", "--isolated"], folder.path(), &format!("{record}\n"));
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(shown.contains("\"tree\""), "{shown}");
        assert!(!shown.contains(VALUE), "{shown}");
        // Whether the variable is set cannot be found out either.
        assert!(!shown.contains("environment"), "{shown}");
    }
}

#[test]
fn a_variable_that_is_set_is_neither_missing_nor_a_wrong_value() {
    let folder = tempfile::tempdir().unwrap();
    let text = "id: app\nmodels:\n  - {type: Model, id: m, provider: \"${HARDENING_TEST_KEY}\"}\n";
    fs::write(folder.path().join("a.qtype.yaml"), text).unwrap();
    let output = run(&["check", "--isolated", "--format", "concise", "a.qtype.yaml"], folder.path(), "");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!shown.contains("error") || shown.contains("0 errors"), "{shown}");
    let unset = text.replace(NAME, "HARDENING_TEST_UNSET");
    fs::write(folder.path().join("a.qtype.yaml"), unset).unwrap();
    let output = run(&["check", "--isolated", "--format", "concise", "a.qtype.yaml"], folder.path(), "");
    assert!(String::from_utf8_lossy(&output.stdout).contains("HARDENING_TEST_UNSET"));
}

#[test]
fn no_report_shows_a_literal_secret() {
    let folder = tempfile::tempdir().unwrap();
    for secret in ["sk-SECRETSECRETSECRET4711", "123456789012"] {
        let text = format!(
            "id: app\nauths:\n  - {{type: api_key, id: k, api_key: {secret}}}\n  - {{type: bearer_token, id: {secret}, \
             token: \"{secret}\"}}\nmodels:\n  - {{type: Model, id: m, provider: openai, auth: {secret}x}}\n"
        );
        fs::write(folder.path().join("a.qtype.yaml"), text).unwrap();
        for format in Format::ALL {
            let arguments =
                ["check", "--isolated", "--select", "all", "--format", format.name(), "a.qtype.yaml"];
            let output = run(&arguments, folder.path(), "");
            // As an id it is not a secret itself, but the same text.
            let shown = String::from_utf8_lossy(&output.stdout).into_owned();
            let known = shown.replace(&format!("id: {secret}"), "").replace(&format!("auth: {secret}x"), "");
            assert!(!known.contains(&format!("key: {secret}")), "{format}: {shown}");
            assert!(!known.contains(&format!("token: \"{secret}")), "{format}: {shown}");
        }
    }
}
