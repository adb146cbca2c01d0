//! A client of the server, and the examples that it opens.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{
    fs,
    io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe},
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};

use proofmark_diagnostic::Diagnostic;
use proofmark_lsp::{Ended, Options, serve};
use proofmark_project::project::{Configuration, Overrides, Project};
use serde_json::{Value, json};

/// An editor.
pub(crate) struct Editor {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: JoinHandle<Ended>,
    asked: i64,
    /// Notifications and requests of the server.
    pub others: Vec<Value>,
}

impl Editor {
    pub(crate) fn start(folder: &Path, capabilities: Value) -> Self {
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

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(crate) fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        self.asked
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        self.answer_to(id)
    }

    pub(crate) fn answer_to(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            let message = self.read();
            if message["id"] == json!(id) {
                let error = message.get("error").cloned();
                return error.map_or_else(|| Ok(message["result"].clone()), Err);
            }
            self.others.push(message);
        }
    }

    pub(crate) fn read(&mut self) -> Value {
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

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "x", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub(crate) fn pull(&mut self, uri: &str) -> Vec<Value> {
        let report = self.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}})).unwrap();
        report["items"].as_array().unwrap().clone()
    }

    pub(crate) fn actions(&mut self, uri: &str, range: &Value, only: &Value) -> Vec<Value> {
        let params = json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": [], "only": only}});
        self.ask("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
    }

    pub(crate) fn finish(mut self) -> Ended {
        drop(self.input.take());
        let ended = self.server.join().unwrap();
        drop(self.output);
        ended
    }
}

pub(crate) fn pulling(encoding: &str) -> Value {
    json!({"general": {"positionEncodings": [encoding]}, "textDocument": {"diagnostic": {}}})
}

pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The byte at a position, counted without an index. Examples have no lone carriage returns.
pub(crate) fn offset(text: &str, position: &Value, encoding: &str) -> usize {
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

pub(crate) fn apply(text: &str, edits: &Value, encoding: &str) -> String {
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

pub(crate) fn examples() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")).unwrap()
}

pub(crate) fn project(folder: &Path) -> Project {
    let overrides = Overrides { folder: Some(folder.to_owned()), nearest: true, ..Overrides::default() };
    Project::open(&Configuration::Nearest, overrides).unwrap()
}

/// The examples with what the project reports about them.
pub(crate) fn validated(project: &Project) -> Vec<(PathBuf, String, Vec<Diagnostic>)> {
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

/// The position of a byte.
pub(crate) fn position(text: &str, at: usize) -> Value {
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": at - start})
}

/// The text after a rename, or why there is none.
pub(crate) fn renamed(
    editor: &mut Editor,
    uri: &str,
    position: &Value,
    text: &str,
    new: &str,
) -> Result<String, String> {
    let params = json!({"textDocument": {"uri": uri}, "position": position, "newName": new});
    let edit = editor.ask("textDocument/rename", params).map_err(|error| error.to_string())?;
    Ok(apply(text, &edit["changes"][uri], "utf-8"))
}

pub(crate) fn change(editor: &mut Editor, uri: &str, text: &str) {
    let document = json!({"uri": uri, "version": 2});
    let changes = json!([{"text": text}]);
    editor.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
}

/// The semantic tokens of a document: start, end, type, modifiers.
pub(crate) fn tokens(editor: &mut Editor, uri: &str, text: &str) -> Vec<(usize, usize, usize, usize)> {
    let document = json!({"textDocument": {"uri": uri}});
    let data = editor.ask("textDocument/semanticTokens/full", document).unwrap()["data"].clone();
    let numbers: Vec<usize> = data.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let (mut line, mut column) = (0, 0);
    let mut all = Vec::new();
    for token in numbers.chunks(5) {
        column = if token[0] > 0 { token[1] } else { column + token[1] };
        line += token[0];
        let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + column;
        all.push((start, start + token[2], token[3], token[4]));
    }
    all
}
