//! The server as a client sees it: messages in, messages out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod client;

use std::{
    fs,
    time::{Duration, Instant},
};

use client::{Editor, apply, examples, offset, project, pulling, uri, validated};
use proofmark_diagnostic::Applicability;
use proofmark_lsp::Ended;
use proofmark_project::project::Input;
use serde_json::{Value, json};

#[test]
fn diagnostics_are_those_of_check_in_every_encoding() {
    let folder = examples();
    let project = project(&folder);
    let expected = validated(&project);
    let count: usize = expected.iter().map(|(_, _, found)| found.len()).sum();
    assert!(expected.len() > 10 && count > 20, "{count} findings in {} documents", expected.len());
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut editor = Editor::start(&folder, pulling(encoding));
        for (path, text, found) in &expected {
            editor.open(&uri(path), text);
            let pulled: Vec<Value> = editor.pull(&uri(path));
            let name = path.display();
            assert_eq!(pulled.len(), found.len(), "{name}");
            for (own, found) in pulled.iter().zip(found) {
                assert_eq!(own["code"], json!(found.id), "{name}");
                assert!(own["message"].as_str().unwrap().starts_with(&found.message), "{name}");
                let fixes: Vec<&str> = found.fixes.iter().map(|fix| fix.id.as_str()).collect();
                assert_eq!(own["data"]["fixes"], json!(fixes), "{name}");
                if found.location.file == project.name_of_path(path) {
                    let place = |end: &str| offset(text, &own["range"][end], encoding) as u32;
                    let bytes = [place("start"), place("end")];
                    assert_eq!(
                        bytes,
                        [found.location.byte_start, found.location.byte_end],
                        "{name} {}",
                        found.id
                    );
                }
            }
        }
        editor.finish();
    }
}

#[test]
fn fix_all_gives_the_text_of_fix() {
    let folder = examples();
    let project = project(&folder);
    let mut editor = Editor::start(&folder, pulling("utf-16"));
    let mut count = 0;
    for (path, text, found) in validated(&project) {
        let is_safe = |fix: &proofmark_diagnostic::Fix| fix.applicability == Applicability::Safe;
        if !found.iter().any(|found| found.fixes.iter().any(is_safe)) {
            continue;
        }
        editor.open(&uri(&path), &text);
        let start = json!({"line": 0, "character": 0});
        let range = json!({"start": start, "end": start});
        let actions = editor.actions(&uri(&path), &range, &json!(["source.fixAll"]));
        assert_eq!(actions.len(), 1, "{}", path.display());
        let fixed = apply(&text, &actions[0]["edit"]["changes"][uri(&path)], "utf-16");
        let expected = project.subject(Input::file(&path)).unwrap().fix(Applicability::Safe).text;
        assert_eq!(fixed, expected, "{}", path.display());
        count += 1;
    }
    assert!(count > 3, "{count}");
    editor.finish();
}

const UNCLOSED: &str = "---\ntitle: Part 1: the plan\n---\n";

#[test]
fn a_finding_offers_the_page_on_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md");
    let mut editor = Editor::start(folder.path(), pulling("utf-16"));
    editor.open(&uri(&path), UNCLOSED);
    let found = editor.pull(&uri(&path));
    assert_eq!(found[0]["code"], "YM101");
    let actions = editor.actions(&uri(&path), &found[0]["range"], &json!(["quickfix"]));
    let titles: Vec<&str> = actions.iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert!(titles.iter().any(|title| title.starts_with("Explain YM101")), "{titles:?}");
    editor.finish();
}

#[test]
fn the_suppression_of_an_action_has_an_effect() {
    let folder = examples();
    let project = project(&folder);
    let mut editor = Editor::start(&folder, pulling("utf-16"));
    let mut count = 0;
    for (path, text, found) in validated(&project) {
        editor.open(&uri(&path), &text);
        for own in editor.pull(&uri(&path)) {
            let title = format!("Suppress {} here", own["code"].as_str().unwrap());
            let actions = editor.actions(&uri(&path), &own["range"], &json!(["quickfix"]));
            let Some(suppress) = actions.iter().find(|action| action["title"] == title) else { continue };
            let edited = apply(&text, &suppress["edit"]["changes"][uri(&path)], "utf-16");
            let after = project.subject(Input::text(edited).at(&path)).unwrap().validate().diagnostics;
            let left = after.iter().filter(|found| found.suppressed.is_none()).count();
            assert!(left < found.len(), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 3, "{count}");
    editor.finish();
}

#[test]
fn a_hover_explains_the_rule_of_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri(&folder.path().join("a.md"));
    let mut editor = Editor::start(folder.path(), pulling("utf-16"));
    editor.open(&uri, UNCLOSED);
    let position = &editor.pull(&uri)[0]["range"]["start"];
    let params = json!({"textDocument": {"uri": uri}, "position": position});
    let hover = editor.ask("textDocument/hover", params).unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.starts_with("### YM101"), "{text}");
    editor.finish();
}

#[test]
fn a_burst_of_changes_is_validated_a_few_times_and_never_reported_late() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri(&folder.path().join("a.md"));
    let mut editor = Editor::start(folder.path(), json!({}));
    editor.open(&uri, "---\ntitle: a\n---\n");
    for version in 2..=201 {
        let change = json!({"range": {"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 7}}, "text": "b: "});
        editor.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}),
        );
    }
    let mut versions = Vec::new();
    while versions.last() != Some(&201) {
        let message = editor.read();
        if message["method"] == "textDocument/publishDiagnostics" {
            versions.push(message["params"]["version"].as_i64().unwrap());
        }
    }
    assert!(versions.len() <= 4, "{versions:?}");
    assert!(versions.is_sorted(), "{versions:?}");
    editor.finish();
}

#[test]
fn what_is_not_a_message_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri(&folder.path().join("a.md"));
    let mut editor = Editor::start(folder.path(), pulling("utf-16"));
    editor.write(b"garbage\r\n\r\nContent-Length: 4\r\n\r\n\xff{}[");
    editor.notify("textDocument/didChange", json!({"textDocument": 3}));
    editor.open(&uri, UNCLOSED);
    assert_eq!(editor.pull(&uri).len(), 1);
    let unknown = editor.ask("textDocument/unknown", json!({})).unwrap_err();
    assert_eq!(unknown["code"], -32601);
    let error = editor.ask("textDocument/hover", json!({"textDocument": {"uri": uri}})).unwrap_err();
    assert_eq!(error["code"], -32602);
    let begun = Instant::now();
    editor.finish();
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_message_of_100_megabytes_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri(&folder.path().join("a.md"));
    let mut editor = Editor::start(folder.path(), pulling("utf-16"));
    editor.write(b"Content-Length: 104857600\r\n\r\n");
    let block = vec![b' '; 1 << 20];
    (0..100).for_each(|_| editor.write(&block));
    editor.open(&uri, UNCLOSED);
    assert_eq!(editor.pull(&uri).len(), 1);
    editor.finish();
}

#[test]
fn the_session_says_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::start(folder.path(), json!({}));
    assert_eq!(editor.finish(), Ended::Abruptly);
    let mut editor = Editor::start(folder.path(), json!({}));
    editor.ask("shutdown", Value::Null).unwrap();
    assert_eq!(editor.ask("textDocument/hover", json!({})).unwrap_err()["code"], -32600);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.finish(), Ended::Properly);
}

#[test]
fn an_unusable_configuration_is_reported_on_each_document() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("proofmark.toml"), "[rules]\nselect = 3\n").unwrap();
    let (document, configuration) = (folder.path().join("a.md"), folder.path().join("proofmark.toml"));
    let mut editor = Editor::start(folder.path(), pulling("utf-16"));
    editor.open(&uri(&document), "# A\n");
    let found = editor.pull(&uri(&document));
    assert_eq!(found.len(), 1);
    assert!(editor.others.iter().any(|message| message["method"] == "window/showMessage"));
    editor.open(&uri(&configuration), "[rules]\nselect = 3\n");
    assert_ne!(editor.pull(&uri(&configuration))[0]["code"], found[0]["code"]);
    fs::write(&configuration, "").unwrap();
    editor.notify("textDocument/didSave", json!({"textDocument": {"uri": uri(&configuration)}}));
    assert_eq!(editor.pull(&uri(&document)), Vec::<Value>::new());
    editor.finish();
}

#[test]
fn a_document_that_is_opened_again_has_its_own_result() {
    let folder = tempfile::tempdir().unwrap();
    let uri = uri(&folder.path().join("a.md"));
    let mut editor = Editor::start(folder.path(), pulling("utf-16"));
    // Its validation is not finished when the document is closed.
    let slow = format!("{UNCLOSED}{}", "A *word* and [another](b.md).\n\n".repeat(2_000));
    for _ in 0..5 {
        editor.open(&uri, &slow);
        let waiting = editor.begin(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 8}}),
        );
        editor.open(&uri, "---\ntitle: a\n---\n");
        assert_eq!(editor.answer_to(waiting).unwrap_err()["code"], -32801);
        assert_eq!(editor.pull(&uri), Vec::<Value>::new());
        editor.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }
    editor.finish();
}

#[test]
fn ten_thousand_documents_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = Editor::start(folder.path(), pulling("utf-16"));
    let uri = |number: usize| format!("file://{}/{number}.md", folder.path().display());
    (0..10_000).for_each(|number| editor.open(&uri(number), UNCLOSED));
    assert_eq!(editor.pull(&uri(9_999)).len(), 1);
    let begun = Instant::now();
    editor.finish();
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}
