//! Each tool: its answers, and its answers to invalid calls.

use std::time::Duration;

use proofmark::internals::service::{Limits, Options};
use serde_json::{Value, json};

use crate::{
    client::{BROKEN, Client, PROTOCOLS, Protocol, configured},
    quills::with_letter,
};

async fn client() -> Client {
    Client::new(Protocol::Stateless, &Options::default()).await
}

fn ids(answer: &Value) -> Vec<String> {
    let diagnostics = answer["diagnostics"].as_array().unwrap();
    diagnostics.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_example_call_of_every_tool_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("letter.md"), "---\ntitle: x\nrecepient: Ann\n---\n").unwrap();
    for protocol in PROTOCOLS {
        let client = Client::new(protocol, &with_letter(folder.path())).await;
        for tool in client.running.list_all_tools().await.unwrap() {
            let refusal = client.refused(&tool.name, json!({"unknown_argument": 1})).await;
            let call =
                refusal.lines().find_map(|line| line.strip_prefix("Example of a correct call: ")).unwrap();
            let arguments = call.strip_prefix(&format!("{} ", tool.name)).unwrap();
            let mut arguments: Value = serde_json::from_str(arguments).unwrap();
            match &*tool.name {
                "apply_patch" | "write_file" => arguments["dry_run"] = true.into(),
                "get_markdown_template" => arguments["template_name"] = "U.S. Letter".into(),
                _ => {}
            }
            client.get(&tool.name, arguments).await;
        }
    }
}

#[tokio::test]
async fn invalid_arguments_are_reported_together_with_an_example_call() {
    let client = client().await;
    let refusal = client.refused("validate", json!({"txt": "x", "detail": "long", "cursor": 3})).await;
    for part in [
        "failed with 3 errors",
        "did you mean `text`?",
        "`concise`, `full`",
        "`cursor` must be",
        "Example of a correct call: validate {",
    ] {
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
    let refusal = client.refused("validate", json!({"text": "a", "kind": "rulefil"})).await;
    assert!(refusal.contains("did you mean `rulefile`?"), "{refusal}");
    let refusal = client.refused("validate", json!({"text": "a", "path": "b"})).await;
    assert!(refusal.contains("not both"), "{refusal}");
    let refusal = client.refused("explain_error", json!({"id": "RF01O"})).await;
    assert!(
        refusal.contains("there is no rule `RF01O`") && refusal.contains("Next: list_rules"),
        "{refusal}"
    );
    let refusal = client.refused("get_example", json!({"id": "../etc/passwd"})).await;
    assert!(refusal.contains("there is no example"), "{refusal}");
    let unknown = rmcp::model::CallToolRequestParams::new("validat");
    let error = client.running.call_tool(unknown).await.unwrap_err().to_string();
    assert!(error.contains("did you mean `validate`?"), "{error}");
}

#[tokio::test]
async fn the_verdict_is_the_first_line_and_the_next_step_the_last() {
    let client = client().await;
    let answer = client.call("validate", json!({"text": BROKEN, "kind": "rulefile"})).await;
    let lines: Vec<&str> = answer.text.lines().collect();
    assert!(lines[0].starts_with("INVALID: "), "{}", answer.text);
    assert!(lines[lines.len() - 1].starts_with("Next: "), "{}", answer.text);
    assert_eq!(answer.structured["valid"], false);
    for one in answer.structured["diagnostics"].as_array().unwrap() {
        for part in [&one["id"], &one["message"]] {
            assert!(answer.text.contains(part.as_str().unwrap()), "{part} is not in the text");
        }
    }
}

#[tokio::test]
async fn no_list_of_findings_shows_a_literal_secret() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "sk-SECRETSECRETSECRET4711";
    let text = format!("id: app\nauths:\n  - {{type: api_key, id: k, api_key: {secret}}}\nmodel: m\n");
    std::fs::write(folder.path().join("a.qtype.yaml"), &text).unwrap();
    let client = Client::new(Protocol::Stateless, &configured(folder.path(), "")).await;
    for detail in ["concise", "full"] {
        for document in [json!({"text": text, "kind": "qtype"}), json!({"path": "a.qtype.yaml"})] {
            let mut arguments = document;
            arguments["detail"] = detail.into();
            let answer = client.get("validate", arguments).await;
            assert!(ids(&answer).contains(&"QT927".to_owned()), "{answer}");
            assert!(!answer.to_string().contains("SECRET"), "{answer}");
        }
    }
}

#[tokio::test]
async fn full_detail_adds_edits_surrounding_lines_and_the_reason() {
    let client = client().await;
    let concise = client.get("validate", json!({"text": BROKEN, "kind": "rulefile"})).await;
    let full = client.get("validate", json!({"text": BROKEN, "kind": "rulefile", "detail": "full"})).await;
    assert!(concise["diagnostics"][0]["why"].is_null());
    assert!(full["diagnostics"][0]["why"].as_str().is_some_and(|why| !why.is_empty()));
    assert!(full["diagnostics"][0]["context"].as_str().unwrap().lines().count() > 1);
    assert_eq!(ids(&concise), ids(&full));
}

#[tokio::test]
async fn a_later_result_reports_what_is_fixed_remaining_and_new() {
    let client = client().await;
    let first = client.get("validate", json!({"text": BROKEN, "kind": "rulefile"})).await;
    let fixed = BROKEN.replace("RF9", "RF901");
    let arguments = json!({"text": fixed, "kind": "rulefile", "previous": first["result"]});
    let second = client.get("validate", arguments).await;
    let count = |key: &str| second["delta"][key].as_array().unwrap().len();
    assert!(count("fixed") > 0 && count("remaining") > 0, "{:#}\n{:#}", first["diagnostics"], second);
    let fingerprints: Vec<&Value> =
        first["diagnostics"].as_array().unwrap().iter().map(|one| &one["fingerprint"]).collect();
    let arguments = json!({"text": BROKEN, "kind": "rulefile", "previous": fingerprints});
    let same = client.get("validate", arguments).await;
    assert_eq!(same["delta"]["remaining"].as_array().unwrap().len(), fingerprints.len());
    assert_eq!(same["delta"]["new"], json!([]));
    let refusal =
        client.refused("validate", json!({"text": "a", "kind": "rulefile", "previous": "r0"})).await;
    assert!(refusal.contains("no result `r0` is kept"), "{refusal}");
}

#[tokio::test]
async fn long_lists_are_paged() {
    let rules: String = (0..30).map(|index| format!("  - id: RF{index}\n")).collect();
    let text = format!("version: 1\nrules:\n{rules}");
    let limits = Limits { diagnostics: 7, ..Limits::default() };
    let client = Client::new(Protocol::Stateless, &Options { limits, ..Options::default() }).await;
    let (mut cursor, mut seen, mut pages) = (Value::Null, Vec::new(), 0);
    let total = loop {
        let arguments = json!({"text": text, "kind": "rulefile", "cursor": cursor});
        let page = client.get("validate", arguments).await;
        let shown = page["diagnostics"].as_array().unwrap();
        assert!(shown.len() <= 7);
        seen.extend(shown.iter().map(|one| one["fingerprint"].clone()));
        pages += 1;
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break page["total"].as_u64().unwrap() as usize;
        }
    };
    let distinct: std::collections::BTreeSet<String> = seen.iter().map(Value::to_string).collect();
    assert_eq!((seen.len(), distinct.len()), (total, total));
    assert!(pages > 4);
}

#[tokio::test]
async fn text_and_a_file_over_the_limit_get_the_same_finding_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = "a: 1\n".repeat(20);
    let edits = json!([{"old": "a", "new": "b", "line": 1}]);
    std::fs::write(folder.path().join("long.yaml"), &text).unwrap();
    for limit in ["[server]\ntext_bytes = 64\n", "[limits]\ntext_bytes = 64\n"] {
        let client = Client::new(Protocol::Stateless, &configured(folder.path(), limit)).await;
        let sent = client.get("validate", json!({"text": text, "kind": "rulefile"})).await;
        let read = client.get("validate", json!({"path": "long.yaml", "kind": "rulefile"})).await;
        assert!(sent["diagnostics"][0]["message"].as_str().unwrap().contains("64"), "{sent:#}");
        for part in ["id", "message", "hint"] {
            assert_eq!(sent["diagnostics"][0][part], read["diagnostics"][0][part], "{sent:#}\n{read:#}");
        }
        assert_eq!((&sent["valid"], &read["valid"]), (&json!(false), &json!(false)));
        let refused = client.refused("apply_patch", json!({"path": "long.yaml", "edits": edits})).await;
        assert!(refused.contains("64"), "{refused}");
    }
}

#[tokio::test]
async fn a_call_past_the_deadline_fails_with_the_time_limit() {
    let limits = Limits { deadline: Duration::from_micros(1), ..Limits::default() };
    let client = Client::new(Protocol::Stateless, &Options { limits, ..Options::default() }).await;
    let refusal =
        client.refused("validate", json!({"text": "a: 1\n".repeat(2_000), "kind": "rulefile"})).await;
    assert!(refusal.contains("limit of 0 ms"), "{refusal}");
}

#[tokio::test]
async fn hidden_characters_of_a_document_do_not_reach_the_answer() {
    let client = client().await;
    let text = "version: 1\nrules:\n  - id: \"\u{202e}x\u{1b}[31m\u{200b}\"\n    n\u{200b}ame: a\n";
    for detail in ["concise", "full"] {
        let answer =
            client.call("validate", json!({"text": text, "kind": "rulefile", "detail": detail})).await;
        for shown in [answer.text, answer.structured.to_string()] {
            let hidden = shown.chars().find(|c| matches!(c, '\u{202e}' | '\u{1b}' | '\u{200b}'));
            assert_eq!(hidden, None, "{shown}");
        }
    }
}

#[tokio::test]
async fn every_rule_can_be_explained_and_read() {
    let client = client().await;
    let mut cursor = Value::Null;
    let mut count = 0;
    loop {
        let page = client.get("list_rules", json!({"cursor": cursor})).await;
        for rule in page["rules"].as_array().unwrap() {
            count += 1;
            assert!(!rule["summary"].as_str().unwrap().is_empty(), "{rule}");
            let explained = client.get("explain_error", json!({"id": rule["id"]})).await;
            assert_eq!(explained["title"], rule["name"]);
            assert!(!explained["what"].as_str().unwrap().is_empty(), "{rule}");
            assert!(
                !explained["how_to_fix"].as_str().unwrap().is_empty(),
                "{rule} does not explain how to fix it"
            );
            assert!(explained["examples"]["good"].is_string(), "{rule} has no good example");
        }
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            assert_eq!(page["total"], count);
            break;
        }
    }
}

#[tokio::test]
async fn every_kind_has_a_guide_and_examples() {
    let client = client().await;
    let about = client.get("about", json!({})).await;
    for kind in about["kinds"].as_array().unwrap() {
        let name = &kind["kind"];
        let summary = client.get("get_schema_summary", json!({"kind": name})).await;
        assert!(!summary["structure"].as_array().unwrap().is_empty(), "{summary:#}");
        assert!(!summary["common_pitfalls"].as_array().unwrap().is_empty(), "{summary:#}");
        for part in summary["parts"].as_array().into_iter().flatten() {
            let of_part = client.get("get_schema_summary", json!({"kind": name, "part": part})).await;
            assert!(!of_part["structure"].as_array().unwrap().is_empty(), "{of_part:#}");
        }
        let examples = client.get("list_examples", json!({"kind": name})).await;
        let examples = examples["examples"].as_array().unwrap();
        assert!(!examples.is_empty(), "there is no example of kind {name}");
        for example in examples {
            let text = client.get("get_example", json!({"id": example["id"]})).await["text"].clone();
            let verdict = client.get("validate", json!({"text": text, "kind": name})).await;
            assert_eq!(verdict["valid"], true, "{example}: {verdict:#}");
        }
    }
}

#[tokio::test]
async fn argument_names_of_similar_tools_are_accepted() {
    let client = client().await;
    let answer = client.get("validate", json!({"yaml_text": BROKEN, "kind": "rulefile", "path": null})).await;
    assert_eq!(answer["valid"], false);
    for written in ["fm101", "FM101 missing-frontmatter", "FM101: x"] {
        assert!(client.call("explain_error", json!({"code": written})).await.text.starts_with("FM101"));
    }
}

#[tokio::test]
async fn a_document_is_fixed_and_returned() {
    let client = client().await;
    let text = "version: 1\nrules:\n  - id: RF901\n    naem: a-name\n";
    let before = client.get("validate", json!({"text": text, "kind": "rulefile"})).await;
    let fix = client.get("fix_text", json!({"text": text, "kind": "rulefile", "unsafe": true})).await;
    assert_eq!(fix["ok"], true);
    let offered = |one: &Value| one["fixes"].as_array().is_some_and(|fixes| !fixes.is_empty());
    if before["diagnostics"].as_array().unwrap().iter().any(offered) {
        assert!(!fix["applied"].as_array().unwrap().is_empty(), "{before:#}\n{fix:#}");
        assert_ne!(fix["text"], text);
    }
    let edits = json!([{"old": "naem", "new": "name"}]);
    let edited = client.get("fix_text", json!({"text": text, "kind": "rulefile", "edits": edits})).await;
    assert_eq!(edited["text"], text.replace("naem", "name"));
    let worse = json!([{"old": "version: 1", "new": "version: ["}]);
    let refused = client.get("fix_text", json!({"text": text, "kind": "rulefile", "edits": worse})).await;
    assert_eq!((refused["ok"].clone(), refused["text"].clone()), (false.into(), text.into()));
    let forced = json!({"text": text, "kind": "rulefile", "edits": worse, "force": true});
    assert_eq!(client.get("fix_text", forced).await["ok"], true);
    let refusal =
        client.refused("fix_text", json!({"text": text, "kind": "rulefile", "fixes": ["nope"]})).await;
    assert!(refusal.contains("no finding and no fix of this text has the id `nope`"), "{refusal}");
}

#[tokio::test]
async fn a_fix_is_chosen_by_its_id_and_goes_together_with_edits() {
    let client = client().await;
    let text = "flowchart TD\n    A -> B\n    C[one] --> D\n";
    let before = client.get("validate", json!({"text": text, "kind": "mermaid"})).await;
    let fix = before["diagnostics"][0]["fixes"][0]["id"].as_str().unwrap();
    assert!(fix.ends_with(".1"), "{fix}");
    let edits = json!([{"old": "one", "new": "first"}]);
    let arguments = json!({"text": text, "kind": "mermaid", "fixes": [fix], "edits": edits});
    let fixed = client.get("fix_text", arguments).await;
    assert_eq!(fixed["text"], "flowchart TD\n    A --> B\n    C[first] --> D\n");
    let diff = fixed["diff"].as_str().unwrap();
    assert!(diff.contains("-    A -> B") && diff.contains("+    C[first] --> D"), "{diff}");
    let nothing = client.refused("fix_text", json!({"text": text, "kind": "mermaid", "fixes": []})).await;
    assert!(nothing.contains("name at least one fix"), "{nothing}");
}

#[tokio::test]
async fn an_edit_may_drop_words() {
    let client = client().await;
    let text = "---\ntitle: One\n---\n\nText.\n";
    let dropped = json!([{"old": "Text.", "new": ""}]);
    let fixed = client.get("fix_text", json!({"text": text, "kind": "markdown", "edits": dropped})).await;
    assert_eq!(fixed["text"], "---\ntitle: One\n---\n\n\n");
}

#[tokio::test]
async fn a_refused_change_shows_the_diff_and_counts_the_findings_of_the_unchanged_document() {
    let client = client().await;
    let text = "flowchart TD\n    A -> B\n    C -> D\n    E --> F\n";
    let edits = json!([{"old": "E --> F", "new": "E -> F ->"}]);
    let refused = client.call("fix_text", json!({"text": text, "kind": "mermaid", "edits": edits})).await;
    assert_eq!(refused.structured["ok"], false);
    assert_eq!(refused.structured["summary"]["errors"], 2, "{}", refused.text);
    assert!(refused.structured["diff"].as_str().unwrap().contains("+    E -> F ->"), "{}", refused.text);
    assert_eq!(refused.structured["text"], text);
}

#[tokio::test]
async fn previous_results_and_cursors_are_those_of_the_document() {
    let client = client().await;
    let lines = |word: &str| (0..9).map(|n| format!("  - id: {word}{n}\n")).collect::<String>();
    let text = |word: &str| format!("version: 1\nrules:\n{}", lines(word));
    let validate = |text: String, more: Value| {
        let mut arguments = json!({"text": text, "kind": "rulefile"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let first = client.get("validate", validate(text("RF1"), json!({}))).await;
    let result = &first["result"];
    for (arguments, reason) in [
        (
            json!({"text": "# Other\n", "kind": "markdown", "previous": result}),
            "is of other text, not of this document",
        ),
        (validate(text("RF1"), json!({"previous": ["nothex"]})), "`nothex`, which is not a fingerprint"),
        (validate(text("RF1"), json!({"cursor": "o3"})), "not a `next_cursor` of any answer"),
        (validate(text("RF1"), json!({"cursor": "o3.00000000"})), "`next_cursor` of another result"),
    ] {
        let refusal = client.refused("validate", arguments).await;
        assert!(refusal.contains(reason), "{refusal}");
    }
    let edited =
        client.get("validate", validate(text("RF1") + "  - id: RF2\n", json!({"previous": result}))).await;
    assert!(edited["delta"]["counts"]["remaining"].as_u64().unwrap() > 0, "{edited}");
}

#[tokio::test]
async fn the_qtype_guide_has_the_signature_of_every_step() {
    let client = client().await;
    let summary = client.get("get_schema_summary", json!({"kind": "qtype"})).await;
    let steps = summary["step_structure"].as_array().unwrap();
    let step = |name: &str| {
        let start = format!("{name}: ");
        steps.iter().filter_map(Value::as_str).find(|step| step.starts_with(&start)).unwrap()
    };
    assert!(step("VectorSearch").starts_with("VectorSearch: 1 × text -> 1 × list[RAGSearchResult]"));
    assert!(!step("PromptTemplate").contains("template*"), "its fields are in its own guide");
    let part = client.get("get_schema_summary", json!({"kind": "qtype", "part": "PromptTemplate"})).await;
    assert!(part.to_string().contains("template*: string"), "{part}");
    let refusal =
        client.refused("get_schema_summary", json!({"kind": "qtype", "part": "PromptTemplat"})).await;
    assert!(refusal.contains("did you mean `PromptTemplate`?"), "{refusal}");
}

#[tokio::test]
async fn the_mermaid_guide_has_the_forms_of_a_diagram_type() {
    let client = client().await;
    let part = client.get("get_schema_summary", json!({"kind": "mermaid", "part": "sequenceDiagram"})).await;
    let form = part["structure"][0].as_str().unwrap();
    assert!(form.contains("participant id as Label") && form.contains("->>"), "{form}");
    assert!(form.contains("example:"), "{form}");
}

#[tokio::test]
async fn diagrams_of_a_document_are_reported_in_the_published_shape() {
    let client = client().await;
    let text = "# Title\n\n```{mermaid}\nflowchart TD\n    A --> B\n```\n\n```mermaid\nflowchart TD\n    A[x (y)] --> B\n```\n";
    let answer = client.get("quarto_validate_mermaid", json!({"content": text})).await;
    assert_eq!(answer["success"], false);
    let counts = ["total_blocks", "valid_blocks", "invalid_blocks"].map(|key| answer[key].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1]);
    let wrong = &answer["results"][1];
    assert_eq!(
        (&wrong["start_line"], &wrong["end_line"], &wrong["error_line"]),
        (&json!(8), &json!(11), &json!(2))
    );
    assert_eq!(answer["results"][0]["error_message"], Value::Null);
    assert!(answer["unblocked_issues"].is_array());
    let strict = json!({"content": "```mermaid\nflowchart TD\n    A --> B\n```\n", "strict_mode": true});
    assert_eq!(client.get("quarto_validate_mermaid", strict).await["success"], true);
}

/// Most bytes of an answer besides content that the call asks for.
const ANSWER: usize = 256 * 1024;

#[tokio::test]
async fn answers_about_hostile_documents_are_bounded() {
    let client = client().await;
    let repeated = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len());
    for text in [
        repeated("```mermaid\nflowchart TD\n A --> [\n```\n\n", 200_000),
        repeated("---\nCARD: a\na: [\n---\n\n", 200_000),
        repeated("a: b: c\n", 200_000),
        repeated("# a\n\n[b](#c) [^d]\n\n", 200_000),
        format!("---\n{}\n---\n", (0..20_000).map(|n| format!("k{n}: x\n")).collect::<String>()),
        "x".repeat(500_000) + ": [",
    ] {
        for (tool, arguments) in [
            ("validate", json!({"text": text, "kind": "markdown"})),
            ("validate", json!({"text": text, "kind": "yaml"})),
            ("validate_frontmatter", json!({"markdown": text})),
            ("quarto_validate_mermaid", json!({"content": text})),
        ] {
            let mut answer = client.call(tool, arguments).await;
            assert!(!answer.text.contains("nknown argument"), "{tool}: {}", answer.text);
            // What was asked for.
            let _ = answer.structured.as_object_mut().and_then(|answer| answer.remove("parsed_fields"));
            let bytes = answer.text.len() + answer.structured.to_string().len();
            assert!(bytes <= ANSWER, "{tool}: {bytes} bytes about {:?}", &text[..40]);
        }
    }
}

#[tokio::test]
async fn a_refusal_lists_some_of_many_reasons() {
    let client = client().await;
    let edits: Vec<Value> = (0..5_000).map(|n| json!({"old": format!("x{n}"), "new": "y"})).collect();
    let refusal = client.refused("fix_text", json!({"text": "a: 1\n", "kind": "yaml", "edits": edits})).await;
    assert!(refusal.len() < 8_000, "{} bytes", refusal.len());
    assert!(refusal.contains("5000 errors") && refusal.contains("and 4976 more"), "{refusal}");
    let long = "x".repeat(200_000);
    let refusal = client.refused("explain_error", json!({"id": long})).await;
    assert!(refusal.len() < 8_000, "{} bytes", refusal.len());
}
