//! One test for every way in which clients have differed.

use serde_json::json;

use super::sandbox::Sandbox;

const VARIABLE: &str = "id: app\nauths:\n  - {id: cloud, type: aws, profile_name: \"${PROFILE}\"}\n";

/// Commands that validate a document, with what they need to show their findings.
const COMMANDS: [&[&str]; 3] = [
    &["check", "--format", "concise", "a.qtype.yaml"],
    &["fix", "--format", "concise", "a.qtype.yaml"],
    &["snapshot", "a.qtype.yaml"],
];

#[test]
fn strict_env_makes_unset_variables_errors_in_every_command() {
    for command in COMMANDS {
        let sandbox = Sandbox::with(&[("a.qtype.yaml", VARIABLE)]);
        let lenient = sandbox.run(command);
        assert!(lenient.stdout.contains("QT211") && !lenient.stdout.contains("QT201"), "{}", lenient.stdout);
        let strict = sandbox.run(&[command, &["--strict-env"]].concat());
        assert!(strict.stdout.contains("QT201"), "{}", strict.stdout);
        assert_eq!(strict.code, 1);
    }
}

#[test]
fn env_file_sets_variables_and_makes_others_errors_in_every_command() {
    for command in COMMANDS {
        let sandbox =
            Sandbox::with(&[("a.qtype.yaml", VARIABLE), ("set", "PROFILE=a\n"), ("other", "B=a\n")]);
        let set = sandbox.run(&[command, &["--env-file", "set"]].concat());
        assert!(!set.stdout.contains("QT201") && !set.stdout.contains("QT211"), "{}", set.stdout);
        let other = sandbox.run(&[command, &["--env-file", "other"]].concat());
        assert!(other.stdout.contains("QT201"), "{}", other.stdout);
    }
}

#[test]
fn batch_obeys_the_configured_kinds_of_files() {
    let files = [("proofmark.toml", "[files]\nkinds = {\"*.note\" = \"markdown\"}\n"), ("a.note", BROKEN)];
    let sandbox = Sandbox::with(&files);
    let records = [json!({"path": "a.note"}), json!({"text": BROKEN, "name": "a.note"})];
    for result in sandbox.batch(&["--allow-root", "."], &records) {
        assert_eq!(result["diagnostics"][0]["id"], "YM101", "{result:#}");
    }
}

const BROKEN: &str = "---\ntitle: Report: the year\n---\n\n# A report\n";

#[test]
fn a_bare_name_in_its_own_folder_finds_its_includes() {
    let sandbox = Sandbox::with(&[
        ("flows/main.qtype.yaml", "id: app\nreferences:\n  - !include models.qtype.yaml\n"),
        ("flows/models.qtype.yaml", "- {type: Model, id: m, provider: openai, model_id: gpt-4o}\n"),
    ]);
    for (folder, name) in
        [("flows", "main.qtype.yaml"), ("", "flows/main.qtype.yaml"), ("flows", "./main.qtype.yaml")]
    {
        let run = sandbox.feed_in(folder, &["check", "--format", "concise", name], "");
        assert_eq!(run.stdout, "1 file checked, nothing found\n", "{folder}: {name}");
    }
}

#[test]
fn a_configuration_that_is_named_allows_the_same_includes() {
    let sandbox = Sandbox::with(&[
        ("proofmark.toml", ""),
        ("flows/main.qtype.yaml", "id: app\nreferences:\n  - !include ../shared/models.qtype.yaml\n"),
        ("shared/models.qtype.yaml", "- {type: Model, id: m, provider: openai, model_id: gpt-4o}\n"),
    ]);
    for arguments in [&["main.qtype.yaml"][..], &["main.qtype.yaml", "--config", "../proofmark.toml"]] {
        let run = sandbox.feed_in("flows", &[&["check", "--format", "concise"], arguments].concat(), "");
        assert_eq!(run.stdout, "1 file checked, nothing found\n", "{arguments:?}");
    }
    let isolated = sandbox.feed_in("flows", &["check", "--format", "concise", "--isolated"], "");
    assert!(isolated.stdout.contains("QT210"), "outside the folder nothing is read: {}", isolated.stdout);
}

#[test]
fn a_folder_walk_finds_the_documents_of_a_pack() {
    let kind =
        "name: list\ndescription: Lists\nglobs: [\"*.LST\", \"Listfile\"]\ngrammar: list.pest\ntree: {}\n";
    let sandbox = Sandbox::with(&[
        ("proofmark.toml", "[packs]\npaths = [\"packs/list\"]\n"),
        ("packs/list/pack.yaml", "version: 1\nname: list\ndescription: Lists\nprefix: LI\nkinds: [list]\n"),
        ("packs/list/kind.yaml", kind),
        ("packs/list/list.pest", "document = { SOI ~ \"ok\" ~ NEWLINE? ~ EOI }\n"),
        ("a.lst", "wrong\n"),
        ("b.LST", "wrong\n"),
        ("listfile", "wrong\n"),
        ("other.txt", "wrong\n"),
    ]);
    let run = sandbox.run(&["check", "--format", "json"]);
    let report: serde_json::Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let found = report["diagnostics"].as_array().unwrap().iter();
    let files: Vec<&str> = found.filter_map(|finding| finding["location"]["file"].as_str()).collect();
    assert_eq!(files, ["a.lst", "b.LST", "listfile"], "{}", run.stdout);
}

#[test]
fn an_unreadable_file_has_the_same_fingerprint_everywhere() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", b"# Caf\xE9\n");
    let fingerprint =
        |value: &serde_json::Value| value["diagnostics"][0]["fingerprint"].as_str().unwrap().to_owned();
    let report = sandbox.run(&["check", "--format", "json", "docs/a.md"]);
    let checked = fingerprint(&serde_json::from_str(&report.stdout).unwrap());
    let batch =
        sandbox.batch(&["--allow-root", "docs"], &[json!({"path": "docs/a.md"}), json!({"path": "a.md"})]);
    assert_eq!(batch.iter().map(fingerprint).collect::<Vec<_>>(), [checked.clone(), checked]);
}

#[cfg(feature = "mcp")]
mod service {
    use serde_json::{Value, json};

    use super::{super::server::Server, BROKEN, Sandbox, VARIABLE};

    fn ids(answer: &Value) -> Vec<&str> {
        answer["diagnostics"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
    }

    #[test]
    fn serve_obeys_limits() {
        let diagram = "graph TD\n  A --> B\n";
        let files = [("proofmark.toml", "[limits]\ndiagram_bytes = 8\n"), ("a.mmd", diagram)];
        let sandbox = Sandbox::with(&files);
        let server = Server::start(&sandbox, &[]);
        for arguments in [json!({"path": "a.mmd"}), json!({"text": diagram, "kind": "mermaid"})] {
            assert!(ids(&server.call("validate", arguments)).contains(&"MM053"));
        }
    }

    #[test]
    fn serve_obeys_the_dialect() {
        let text = "---\ntitle: a\ntitle: b\n---\n";
        let sandbox = Sandbox::with(&[("a.md", text), ("proofmark.toml", "[server]\ndialect = \"seed\"\n")]);
        let checked = |dialect| sandbox.ids(&["a.md", "--dialect", dialect]);
        assert_ne!(checked("c2"), checked("seed"));
        let configured = Server::start(&sandbox, &[]).call("validate", json!({"path": "a.md"}));
        assert_eq!(ids(&configured), checked("seed"));
        let named = Server::start(&sandbox, &["--dialect", "c2"]).call("validate", json!({"path": "a.md"}));
        assert_eq!(ids(&named), checked("c2"));
    }

    #[test]
    fn text_and_a_file_have_the_same_size_limit() {
        let sandbox =
            Sandbox::with(&[("proofmark.toml", "[server]\ntext_bytes = 40\n"), ("long.md", BROKEN)]);
        sandbox.write("short.md", &BROKEN[..40]);
        let server = Server::start(&sandbox, &[]);
        for (name, text, refused) in [("long.md", BROKEN, true), ("short.md", &BROKEN[..40], false)] {
            for arguments in [json!({"path": name}), json!({"text": text, "name": name})] {
                let answer = server.call("validate", arguments);
                assert_eq!(ids(&answer).contains(&"PM004"), refused, "{name}: {answer:#}");
            }
        }
    }

    #[test]
    fn text_and_a_file_have_the_same_fingerprints() {
        let sandbox = Sandbox::with(&[("docs/a.md", BROKEN)]);
        let server = Server::start(&sandbox, &[]);
        let fingerprint = |arguments: Value| {
            server.call("validate", arguments)["diagnostics"][0]["fingerprint"].as_str().unwrap().to_owned()
        };
        let by_path = fingerprint(json!({"path": "docs/a.md"}));
        assert_eq!(fingerprint(json!({"text": BROKEN, "name": "docs/a.md"})), by_path);
        assert_ne!(fingerprint(json!({"text": BROKEN, "name": "docs/b.md"})), by_path);
    }

    #[test]
    fn a_changed_include_gives_a_new_result() {
        let sandbox = Sandbox::with(&[
            ("main.qtype.yaml", "id: app\nreferences:\n  - !include models.qtype.yaml\n"),
            ("models.qtype.yaml", "- {type: Model, id: m, provider: openai, model_id: gpt-4o}\n"),
        ]);
        let server = Server::start(&sandbox, &[]);
        let validate = |previous: Option<&str>| {
            server.call("validate", json!({"path": "main.qtype.yaml", "previous": previous}))
        };
        let first = validate(None);
        let handle = first["result"].as_str().unwrap();
        assert_eq!(validate(None)["result"], handle);
        sandbox.write("models.qtype.yaml", "- {type: Model, id: m, provider: unknown}\n");
        let second = validate(Some(handle));
        assert_ne!(second["result"], handle);
        assert!(second["delta"]["counts"]["new"].as_u64() > Some(0), "{second:#}");
    }

    #[test]
    fn serve_knows_the_environment_that_it_is_given() {
        let sandbox = Sandbox::with(&[("a.qtype.yaml", VARIABLE), ("set", "PROFILE=a\n")]);
        let found = |arguments: &[&str]| {
            let answer = Server::start(&sandbox, arguments).call("validate", json!({"path": "a.qtype.yaml"}));
            ids(&answer)
                .iter()
                .filter(|id| id.starts_with("QT2"))
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&[]), [""; 0], "documents will run elsewhere");
        assert_eq!(found(&["--strict-env"]), ["QT201"]);
        assert_eq!(found(&["--env-file", "set"]), [""; 0]);
    }
}
