//! Everything can be written from nothing: what the guides and examples show is validated.

use std::fmt::Write as _;

use proofmark::internals::service::Options;
use serde_json::{Value, json};

use crate::client::{Client, Protocol, with_root};

async fn client() -> Client {
    Client::new(Protocol::Stateless, &Options::default()).await
}

/// The documents that a guide shows as examples.
fn shown_examples(guide: &Value) -> Vec<String> {
    let mut examples = Vec::new();
    for block in guide["structure"].as_array().unwrap().iter().filter_map(Value::as_str) {
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            if line.trim() != "example:" {
                continue;
            }
            let indent = line.len() - line.trim_start().len() + 2;
            let mut text = String::new();
            while let Some(line) =
                lines.next_if(|line| line.trim().is_empty() || line.starts_with(&" ".repeat(indent)))
            {
                text += line.get(indent..).unwrap_or_default();
                text.push('\n');
            }
            examples.push(text);
        }
    }
    examples
}

/// The parts of a kind, with what the guide to each shows.
async fn guides(client: &Client, kind: &str) -> Vec<(String, Value)> {
    let whole = client.get("get_schema_summary", json!({"kind": kind})).await;
    let mut guides = Vec::new();
    for part in whole["parts"].as_array().into_iter().flatten() {
        let part = part.as_str().unwrap().to_owned();
        let guide = client.get("get_schema_summary", json!({"kind": kind, "part": part})).await;
        guides.push((part, guide));
    }
    guides
}

#[tokio::test]
async fn every_diagram_type_has_a_valid_example_of_itself() {
    let client = client().await;
    let guides = guides(&client, "mermaid").await;
    assert!(guides.len() > 30, "{} types", guides.len());
    for (part, guide) in guides {
        let examples = shown_examples(&guide);
        assert!(!examples.is_empty(), "{part} has no example: {guide:#}");
        for text in examples {
            let verdict = client.get("validate", json!({"text": text, "kind": "mermaid"})).await;
            assert_eq!(verdict["valid"], true, "{part}:\n{text}\n{verdict:#}");
        }
    }
}

#[tokio::test]
async fn flows_shown_for_step_types_and_built_in_types_are_valid_and_use_them() {
    let client = client().await;
    let whole = client.get("get_schema_summary", json!({"kind": "qtype"})).await;
    let steps = whole["step_structure"].as_array().unwrap().iter().filter_map(Value::as_str);
    let mut parts: Vec<String> =
        steps.map(|step| step.split([':', ' ']).next().unwrap().trim_end_matches(':').to_owned()).collect();
    assert!(parts.len() > 20, "{parts:?}");
    let steps = parts.len();
    let mut shown = 0;
    parts.extend(["ChatMessage", "RAGDocument"].map(str::to_owned));
    for part in parts {
        let guide = client.get("get_schema_summary", json!({"kind": "qtype", "part": part})).await;
        let examples = shown_examples(&guide);
        let Some(text) = examples.first() else { continue };
        shown += 1;
        assert!(text.contains(&part), "{part}:\n{text}");
        let verdict = client.get("validate", json!({"text": text, "kind": "qtype"})).await;
        assert_eq!(verdict["valid"], true, "{part}:\n{text}\n{verdict:#}");
    }
    assert!(shown * 2 > steps, "{shown} of {steps} step types have an example");
}

#[tokio::test]
async fn the_guide_to_rule_files_describes_rules_packs_and_kinds() {
    let client = client().await;
    let guides = guides(&client, "rulefile").await;
    let parts: Vec<&str> = guides.iter().map(|(part, _)| part.as_str()).collect();
    for part in ["Pack", "RawRule", "RawCheck", "RawFix", "RawEdit", "RawExample", "RawSymbol"] {
        assert!(parts.contains(&part), "no part {part}: {parts:?}");
    }
    let check = guides.iter().find(|(part, _)| part == "RawCheck").unwrap().1["structure"].to_string();
    for kind in ["required", "one_of", "pattern", "unique", "count"] {
        assert!(check.contains(kind), "{check}");
    }
}

#[tokio::test]
async fn a_document_for_every_quill_can_be_written_from_its_description() {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(Protocol::Stateless, &with_root(folder.path())).await;
    let quills = client.get("list_quills", json!({})).await["quills"].clone();
    for quill in quills.as_array().unwrap() {
        let name = quill["name"].as_str().unwrap();
        let info = client.get("get_quill_info", json!({"quill_name": name})).await;
        let mut text = format!("---\nQUILL: {name}\n");
        for (field, about) in info["frontmatter_fields"].as_object().unwrap() {
            if about["required"] == true {
                let value = [&about["example"], &about["default"], &about["enum"][0]];
                let value = value.into_iter().find(|value| !value.is_null());
                let value = value.unwrap_or_else(|| panic!("{name}.{field} shows no value"));
                writeln!(text, "{field}: {value}").unwrap();
            }
        }
        text += "---\n\nText.\n";
        let own = info["example"].as_str().map(str::to_owned);
        for text in own.into_iter().chain([text]) {
            let verdict =
                client.get("validate", json!({"text": text, "kind": "markdown", "quill": name})).await;
            assert_eq!(verdict["valid"], true, "{name}:\n{text}\n{verdict:#}");
        }
    }
}

#[tokio::test]
async fn the_guide_to_quills_describes_layouts() {
    let client = client().await;
    let guide = client.get("get_schema_summary", json!({"kind": "quill"})).await;
    let about = client.get("get_schema_summary", json!({"kind": "quill", "part": "about"})).await;
    let structure = format!("{} {}", guide["structure"], about["structure"]);
    for word in ["quillmark-helper", "$body", "$cards", "plate_file", "String", "Content"] {
        assert!(structure.contains(word), "{word}: {structure}");
    }
}
