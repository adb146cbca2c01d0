//! The server as a client sees it: messages in, messages out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{
    fs,
    io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe},
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use proofmark_diagnostic::{Applicability, Diagnostic};
use proofmark_lsp::{Ended, Options, serve};
use proofmark_project::project::{Configuration, Input, Overrides, Project};
use serde_json::{Value, json};

/// An editor.
struct Editor {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: JoinHandle<Ended>,
    asked: i64,
    /// Notifications and requests of the server.
    others: Vec<Value>,
}

impl Editor {
    fn start(folder: &Path, capabilities: Value) -> Self {
        let (server_input, input) = pipe().unwrap();
        let (output, server_output) = pipe().unwrap();
        let options = Options::new(Configuration::Nearest, Overrides::default());
        let server = thread::spawn(move || serve(options, server_input, server_output).unwrap());
        let output = BufReader::new(output);
        let mut editor = Self { input: Some(input), output, server, asked: 0, others: Vec::new() };
        let root = format!("file://{}", folder.display());
        let params = json!({"processId": null, "rootUri": root, "capabilities": capabilities});
        editor.ask("initialize", params).unwrap();
        editor.notify("initialized", json!({}));
        editor
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        self.asked
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        self.answer_to(id)
    }

    fn answer_to(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            let message = self.read();
            if message["id"] == json!(id) {
                let error = message.get("error").cloned();
                return error.map_or_else(|| Ok(message["result"].clone()), Err);
            }
            self.others.push(message);
        }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(value) => length = value.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "x", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn pull(&mut self, uri: &str) -> Vec<Value> {
        let report = self.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}})).unwrap();
        report["items"].as_array().unwrap().clone()
    }

    fn actions(&mut self, uri: &str, range: &Value, only: &Value) -> Vec<Value> {
        let params = json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": [], "only": only}});
        self.ask("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
    }

    fn finish(mut self) -> Ended {
        drop(self.input.take());
        let ended = self.server.join().unwrap();
        drop(self.output);
        ended
    }
}

fn pulling(encoding: &str) -> Value {
    json!({"general": {"positionEncodings": [encoding]}, "textDocument": {"diagnostic": {}}})
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The byte at a position, counted without an index. Examples have no lone carriage returns.
fn offset(text: &str, position: &Value, encoding: &str) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut left = position["character"].as_u64().unwrap() as usize;
    let mut at = start;
    for character in text[start..].chars() {
        if left == 0 {
            break;
        }
        left -= match encoding {
            "utf-8" => character.len_utf8(),
            "utf-16" => character.len_utf16(),
            _ => 1,
        };
        at += character.len_utf8();
    }
    at
}

fn apply(text: &str, edits: &Value, encoding: &str) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            (offset(text, start, encoding), offset(text, end, encoding), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_by_key(|edit| edit.0);
    let mut new = text.to_owned();
    for (start, end, replacement) in edits.into_iter().rev() {
        new.replace_range(start..end, replacement);
    }
    new
}

fn examples() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")).unwrap()
}

fn project(folder: &Path) -> Project {
    let overrides = Overrides { folder: Some(folder.to_owned()), nearest: true, ..Overrides::default() };
    Project::open(&Configuration::Nearest, overrides).unwrap()
}

/// The examples with what the project reports about them.
fn validated(project: &Project) -> Vec<(PathBuf, String, Vec<Diagnostic>)> {
    let documents = project.documents(&[project.folder().to_owned()], false);
    let mut all = Vec::new();
    for listed in documents {
        let Some(path) = listed.input.path().map(|path| project.folder().join(path)) else { continue };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Ok(subject) = project.subject(listed.input.clone()) else { continue };
        let counting = subject.validate().diagnostics.into_iter().filter(|found| found.suppressed.is_none());
        all.push((path, text, counting.collect()));
    }
    all
}

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
