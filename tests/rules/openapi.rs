//! OpenAPI descriptions in a project, and rule sets of Spectral that are translated.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// File, line and name of every finding.
fn found(sandbox: &Sandbox, arguments: &[&str]) -> Vec<(String, u64, String)> {
    let run = sandbox.run(&[&["check", "--format", "json"], arguments].concat());
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let diagnostics = report["diagnostics"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    diagnostics
        .iter()
        .map(|one| {
            (text(&one["location"]["file"]), one["location"]["line"].as_u64().unwrap(), text(&one["name"]))
        })
        .collect()
}

fn named<'f>(found: &'f [(String, u64, String)], name: &str) -> Vec<(&'f str, u64)> {
    found.iter().filter(|one| one.2 == name).map(|one| (one.0.as_str(), one.1)).collect()
}

#[test]
fn descriptions_in_a_folder_are_recognized_by_their_content() {
    let sandbox = Sandbox::with(&[
        ("api/pets.yaml", "openapi: 3.0.0\ninfo: {title: Pets, version: '1'}\npaths: {}\n"),
        (
            "api/swagger.json",
            "{\"swagger\": \"2.0\", \"info\": {\"title\": \"Pets\", \"version\": \"1\"}, \"paths\": {}}\n",
        ),
        ("plugins.yaml", "plugins:\n  openapi: 3.0.0\n"),
        ("package.json", "{\"openapi\": \"3.0.0\"}\n"),
    ]);
    let found = found(&sandbox, &["."]);
    assert_eq!(named(&found, "info-contact"), [("api/pets.yaml", 2), ("api/swagger.json", 1)]);
    assert!(found.iter().all(|(file, ..)| file.starts_with("api/")), "{found:?}");
}

#[test]
fn a_json_file_with_any_name_is_recognized_where_it_is_named_or_configured() {
    let text =
        "{\"openapi\": \"3.0.0\", \"info\": {\"title\": \"Pets\", \"version\": \"1\"}, \"paths\": {}}\n";
    let sandbox = Sandbox::with(&[("pets.json", text)]);
    assert_eq!(found(&sandbox, &["."]), []);
    assert_eq!(named(&found(&sandbox, &["pets.json"]), "info-contact").len(), 1);
    sandbox.write("proofmark.toml", "[files]\nkinds = { \"pets.json\" = \"openapi\" }\n");
    assert_eq!(named(&found(&sandbox, &["."]), "info-contact").len(), 1);
}

#[test]
fn findings_reached_through_references_are_where_the_values_are_written() {
    let sandbox = Sandbox::with(&[
        (
            "openapi.yaml",
            "openapi: 3.0.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets: {$ref: paths/pets.yaml}\n",
        ),
        (
            "paths/pets.yaml",
            "get:\n  description: All pets\n  responses: {'200': {$ref: '../responses.yaml#/Pets'}}\n",
        ),
        ("responses.yaml", "Pets:\n  description: Pets\n"),
    ]);
    let found = found(&sandbox, &["openapi.yaml"]);
    assert_eq!(named(&found, "operation-operationId"), [("paths/pets.yaml", 1)]);
    assert_eq!(named(&found, "unreadable-ref"), []);
    sandbox.write("paths/pets.yaml", "get: {$ref: nowhere.yaml}\n");
    let one = "openapi: 3.0.0\npaths:\n  /pets: {$ref: pets.yaml}\n";
    sandbox.write("openapi.yaml", one);
    assert_eq!(named(&self::found(&sandbox, &["openapi.yaml"]), "unreadable-ref"), [("openapi.yaml", 3)]);
}

/// What a reference leads to is compared with the schema of its place, once however many documents refer to it.
#[test]
fn what_references_lead_to_is_checked_once() {
    let description = |path: &str| {
        format!(
            "openapi: 3.0.0\ninfo: {{title: Pets, version: '1', contact: {{$ref: shared.yaml#/contact}}}}\n\
             paths:\n  /{path}:\n    get: {{$ref: shared.yaml#/get}}\n    put: {{$ref: shared.yaml#/none}}\n"
        )
    };
    let (a, b) = (description("a"), description("b"));
    let sandbox = Sandbox::with(&[
        ("a.yaml", a.as_str()),
        ("b.yaml", b.as_str()),
        ("shared.yaml", "contact: {name: null}\nget:\n  summary: Pets\n"),
    ]);
    let found = found(&sandbox, &["."]);
    assert_eq!(named(&found, "oas3-schema"), [("shared.yaml", 1), ("shared.yaml", 2)], "{found:?}");
    assert_eq!(named(&found, "invalid-ref"), [("a.yaml", 6), ("b.yaml", 6)], "{found:?}");
}

#[test]
fn keys_that_text_swallows_are_one_finding() {
    let sandbox = Sandbox::with(&[(
        "openapi.yaml",
        "openapi: 3.0.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets\n    get:\n      description: All pets\n",
    )]);
    let found = found(&sandbox, &["openapi.yaml"]);
    assert_eq!(named(&found, "oas3-schema"), []);
    assert_eq!(named(&found, "yaml-key-inside-text").first(), Some(&("openapi.yaml", 5)));
}

const RULESET: &str = "extends: spectral:oas
rules:
  info-contact: off
  tag-description: error
  summary:
    description: Operations have a summary.
    given: $.paths[*][get,put]
    severity: error
    then: {field: summary, function: truthy}
  names:
    description: Paths are written in kebab case.
    given: $.paths
    then: {field: '@key', function: pattern, functionOptions: {match: '^[a-z/-]+$'}}
  ours:
    given: $
    then: {function: ours}
";

#[test]
fn a_rule_set_of_spectral_becomes_a_pack_and_a_configuration() {
    let sandbox = Sandbox::with(&[
        (".spectral.yaml", RULESET),
        (
            "openapi.yaml",
            "openapi: 3.0.0\ninfo: {title: Pets, version: '1'}\ntags: [{name: a}]\npaths:\n  /Pets:\n    get: {}\n",
        ),
    ]);
    let run = sandbox.run(&["rules", "import", "spectral", ".spectral.yaml", "packs/api"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("not translated: rules.ours: `ours` is not one of"), "{}", run.stderr);
    sandbox.write("proofmark.toml", &run.stdout);
    let found = found(&sandbox, &["openapi.yaml"]);
    assert_eq!(named(&found, "info-contact"), []);
    assert_eq!(named(&found, "tag-description").len(), 1);
    assert_eq!(named(&found, "summary"), [("openapi.yaml", 6)]);
    assert_eq!(named(&found, "names"), [("openapi.yaml", 5)]);
    let again = sandbox.run(&["rules", "import", "spectral", ".spectral.yaml", "packs/api"]);
    assert_eq!(again.code, 2, "{}", again.stderr);
}
