//! Quills and templates: the published result shapes.

use std::{fs, path::Path};

use proofmark::internals::service::Options;
use serde_json::{Value, json};

use crate::client::{Client, Protocol, with_root};

const MANIFEST: &str = r#"[Quill]
name = "letter"
backend = "typst"
glue_file = "glue.typ"
example_file = "letter.md"
description = "A letter"
author = "Ann"
tags = ["post"]
department = "mail"

[fields]
recipient = { description = "Who gets it", type = "string", required = true, example = "Bob" }
subject = { description = "What it is about", type = "string" }
"#;

const EXAMPLE: &str = "---\nQUILL: letter\nrecipient: Bob\n---\n\nDear Bob,\n";

/// Writes a quill and a list of templates, and returns options with them.
pub(crate) fn with_letter(folder: &Path) -> Options {
    let quill = folder.join("quills/letter");
    fs::create_dir_all(&quill).unwrap();
    fs::write(quill.join("Quill.toml"), MANIFEST).unwrap();
    fs::write(quill.join("glue.typ"), "{{ recipient | String }}\n#{{ body | Content }}\n").unwrap();
    fs::write(quill.join("letter.md"), EXAMPLE).unwrap();
    let templates = folder.join("templates");
    fs::create_dir_all(&templates).unwrap();
    let list = json!([
        {"name": "U.S. Letter", "description": "For mail", "file": "letter.md"},
        {"name": "Draft", "description": "Not ready", "file": "letter.md", "production": false},
        {"name": "Outside", "description": "Away", "file": "../quills/letter/letter.md"},
    ]);
    fs::write(templates.join("templates.json"), list.to_string()).unwrap();
    fs::write(templates.join("letter.md"), EXAMPLE).unwrap();
    with_root(folder)
}

async fn client() -> (tempfile::TempDir, Client) {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(Protocol::Stateless, &with_letter(folder.path())).await;
    (folder, client)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_quill_is_listed_and_described() {
    let (_folder, client) = client().await;
    let list = client.get("list_quills", json!({})).await;
    let quills = list["quills"].as_array().unwrap();
    let own = json!({"name": "letter", "backend": "typst", "description": "A letter", "tags": ["post"]});
    assert_eq!(quills.iter().filter(|quill| quill["name"] == "letter").collect::<Vec<_>>(), [&own]);
    assert!(quills.iter().any(|quill| quill["name"] == "memo"), "the built-in quills are there, too: {list}");
    let info = client.get("get_quill_info", json!({"quill_name": "letter"})).await;
    assert_eq!(info["example"], EXAMPLE);
    assert_eq!(info["department"], "mail");
    assert_eq!(info["version"], Value::Null);
    assert_eq!(info["supported_formats"], json!(["PDF", "SVG", "PNG", "HTML"]));
    let recipient = &info["frontmatter_fields"]["recipient"];
    for key in ["type", "required", "description", "example", "default"] {
        assert!(keys(recipient).contains(&key), "{recipient}");
    }
    assert_eq!((&recipient["type"], &recipient["required"]), (&json!("string"), &json!(true)));
    let refusal = client.refused("get_quill_info", json!({"quill_name": "leter"})).await;
    assert!(refusal.contains("did you mean `letter`?") && refusal.contains("Next: list_quills"), "{refusal}");
}

#[tokio::test]
async fn frontmatter_is_validated_against_a_quill() {
    let (_folder, client) = client().await;
    let text = "---\nQUILL: letter\nrecepient: Bob\n---\n";
    let answer = client.get("validate_frontmatter", json!({"markdown": text})).await;
    assert_eq!(answer["valid"], false);
    assert_eq!(answer["missing_required_fields"], json!(["recipient"]));
    assert_eq!(answer["parsed_fields"]["recepient"], "Bob");
    let errors = answer["errors"].as_array().unwrap();
    let typo =
        errors.iter().find(|error| error["location"]["line"] == 3).expect("the typo is reported at its line");
    let words = format!("{} {}", typo["message"], typo["hint"]);
    assert!(
        words.contains("Did you mean `recipient`?") || words.contains("did you mean `recipient`?"),
        "{words}"
    );
    for error in errors {
        for key in ["severity", "message", "code", "location", "hint"] {
            assert!(keys(error).contains(&key), "{error}");
        }
        assert!(["ERROR", "WARNING", "NOTE"].contains(&error["severity"].as_str().unwrap()));
    }
    let bare = json!({"markdown": "subject: Hello\n", "quill_name": "letter"});
    let answer = client.get("validate_frontmatter", bare).await;
    assert_eq!(answer["missing_required_fields"], json!(["recipient"]));
    let whole = json!({"markdown": EXAMPLE, "quill_name": "letter"});
    assert_eq!(client.get("validate_frontmatter", whole).await["valid"], true);
}

#[tokio::test]
async fn a_document_is_validated_against_the_quill_named_in_the_call() {
    let (_folder, client) = client().await;
    let text = "---\nsubject: Hello\n---\n";
    let call = |quill: Value| json!({"text": text, "kind": "markdown", "quill": quill});
    assert_eq!(client.get("validate", call(Value::Null)).await["valid"], true);
    let answer = client.get("validate", call("letter".into())).await;
    assert_eq!(answer["valid"], false, "{answer:#}");
    let refusal =
        client.refused("validate", json!({"text": "id: a", "kind": "qtype", "quill": "letter"})).await;
    assert!(refusal.contains("of kind `markdown`"), "{refusal}");
}

#[tokio::test]
async fn templates_are_found_by_name_and_never_by_path() {
    let (_folder, client) = client().await;
    let list = client.get("list_markdown_templates", json!({})).await;
    let names: Vec<&Value> = list["templates"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["U.S. Letter", "Outside"]);
    let call = |name: &str| json!({"template_name": name});
    let template = client.get("get_markdown_template", call("U.S. Letter")).await;
    assert_eq!(template, json!({"template_name": "U.S. Letter", "markdown": EXAMPLE}));
    for name in
        ["letter.md", "../quills/letter/letter.md", "/etc/passwd", "U.S. Letter\0", "Draft", "Outside"]
    {
        let refusal = client.refused("get_markdown_template", call(name)).await;
        assert!(!refusal.contains("Dear Bob"), "{name}: {refusal}");
    }
}

#[tokio::test]
async fn a_broken_list_of_templates_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let options = with_letter(folder.path());
    fs::write(folder.path().join("templates/templates.json"), "[{").unwrap();
    let client = Client::new(Protocol::Stateless, &options).await;
    let refusal = client.refused("list_markdown_templates", json!({})).await;
    assert!(refusal.contains("`templates.json` cannot be read"), "{refusal}");
}
