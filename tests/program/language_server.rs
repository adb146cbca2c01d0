//! `proofmark lsp` as a program: what it reports is what `check` reports, and it ends when its client does.
#![cfg(feature = "lsp")]

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// A client of the program.
struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: i64,
}

impl Editor {
    fn start(folder: &Path, encoding: &str) -> Self {
        Self::start_with(&["lsp".to_owned()], folder, encoding)
    }

    fn start_with(arguments: &[String], folder: &Path, encoding: &str) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Self { server, input, output, asked: 0 };
        let capabilities =
            json!({"general": {"positionEncodings": [encoding]}, "textDocument": {"diagnostic": {}}});
        editor.ask(
            "initialize",
            json!({"processId": null, "rootUri": uri(folder), "capabilities": capabilities}),
        );
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

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer_to(id)["result"].clone()
    }

    fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == json!(id) {
                return message;
            }
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
        let report = self.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}));
        report["items"].as_array().unwrap().clone()
    }

    /// Closes the input; how long the program goes on.
    fn close(mut self) -> Duration {
        drop(self.input.take());
        let begun = Instant::now();
        while self.server.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the program does not end");
            thread::sleep(Duration::from_millis(5));
        }
        begun.elapsed()
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The line and the column, from 1, of a position, with columns in characters.
fn line_and_column(text: &str, position: &Value, encoding: &str) -> (u64, u64) {
    let line = position["line"].as_u64().unwrap();
    let mut left = position["character"].as_u64().unwrap() as usize;
    let mut characters = 0;
    for character in text.split_inclusive('\n').nth(line as usize).unwrap_or_default().chars() {
        if left == 0 {
            break;
        }
        left -= match encoding {
            "utf-8" => character.len_utf8(),
            "utf-16" => character.len_utf16(),
            _ => 1,
        };
        characters += 1;
    }
    (line + 1, characters + 1)
}

#[test]
fn the_diagnostics_of_the_examples_are_those_that_check_reports() {
    let folder = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["check", "--format", "json", "."])
        .current_dir(&folder)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&run.stderr));
    });
    let mut expected: BTreeMap<PathBuf, Vec<&Value>> = BTreeMap::new();
    for found in report["diagnostics"].as_array().unwrap() {
        if found["suppressed"].is_null() {
            expected.entry(folder.join(found["location"]["file"].as_str().unwrap())).or_default().push(found);
        }
    }
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut editor = Editor::start(&folder, encoding);
        let mut count = 0;
        for (path, found) in &expected {
            let Ok(text) = fs::read_to_string(path) else { continue };
            editor.open(&uri(path), &text);
            let own = editor.pull(&uri(path));
            for found in found {
                let is_same = |own: &&Value| own["data"]["fingerprint"] == found["fingerprint"];
                let own = own.iter().find(is_same).unwrap_or_else(|| panic!("{}: {found}", path.display()));
                assert_eq!(own["code"], found["id"]);
                assert!(own["message"].as_str().unwrap().starts_with(found["message"].as_str().unwrap()));
                let fixes = found["fixes"].as_array().into_iter().flatten();
                let fixes: Vec<&Value> = fixes.map(|fix| &fix["id"]).collect();
                assert_eq!(own["data"]["fixes"], json!(fixes), "{}", path.display());
                let start = line_and_column(&text, &own["range"]["start"], encoding);
                let location = &found["location"];
                let wanted = (location["line"].as_u64().unwrap(), location["column"].as_u64().unwrap());
                assert_eq!(start, wanted, "{} {}", path.display(), found["id"]);
                count += 1;
            }
            // What it reports besides is about a file that the document includes.
            let is_known = |own: &Value| {
                let all = report["diagnostics"].as_array().unwrap();
                all.iter().any(|found| found["fingerprint"] == own["data"]["fingerprint"])
            };
            assert!(own.iter().all(is_known), "{}: {own:?}", path.display());
        }
        assert!(count > 20, "{count}");
        editor.close();
    }
}

#[test]
fn the_program_ends_when_its_input_does() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::start(folder.path(), "utf-16");
    let idle = editor.close();
    assert!(idle < Duration::from_secs(1), "{idle:?}");
    // While it validates, and while it answers.
    let mut editor = Editor::start(folder.path(), "utf-16");
    let text = format!("flowchart LR\n{}", "a --> b\nb -- text --> c\n".repeat(4_000));
    for number in 0..50 {
        editor.open(&uri(&folder.path().join(format!("{number}.mmd"))), &text);
    }
    let place = json!({"textDocument": {"uri": uri(&folder.path().join("0.mmd"))}, "position": {"line": 9, "character": 0}});
    editor.begin("textDocument/completion", place);
    let busy = editor.close();
    assert!(busy < Duration::from_secs(1), "{busy:?}");
}

#[cfg(unix)]
#[test]
fn the_program_ends_when_its_client_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = Editor::start(folder.path(), "utf-16");
    let text = format!("flowchart LR\n{}", "a --> b\nb -- text --> c\n".repeat(4_000));
    editor.open(&uri(&folder.path().join("a.mmd")), &text);
    // Another process holds the input, and is killed as no program can prevent.
    let input = Stdio::from(editor.input.take().unwrap());
    let mut client = Command::new("sleep").arg("60").stdout(input).spawn().unwrap();
    assert!(editor.server.try_wait().unwrap().is_none());
    client.kill().unwrap();
    client.wait().unwrap();
    let end = editor.close();
    assert!(end < Duration::from_secs(10), "{end:?}");
}

#[test]
fn input_of_any_kind_leaves_the_program_usable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md");
    let mut editor = Editor::start(folder.path(), "utf-16");
    editor.write(
        b"\xff\xfe\x00garbage\r\n\r\nContent-Length: -3\r\n\r\nContent-Length: 99999999999999999999\r\n\r\n",
    );
    editor.write(b"Content-Length: 7\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n[]");
    editor.write(b"Content-Length: 104857600\r\n\r\n");
    let block = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| editor.write(&block));
    editor.open(&uri(&path), "---\ntitle: Part 1: the plan\n---\n");
    assert_eq!(editor.pull(&uri(&path)).len(), 1);
    let end = editor.close();
    assert!(end < Duration::from_secs(10), "{end:?}");
}

#[test]
fn a_canceled_request_is_answered_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mmd");
    let mut editor = Editor::start(folder.path(), "utf-16");
    let text = format!("flowchart LR\n{}", "a --> b\nb -- text --> c\n".repeat(4_000));
    editor.open(&uri(&path), &text);
    let place = json!({"textDocument": {"uri": uri(&path)}, "position": {"line": 9, "character": 0}});
    let id = editor.begin("textDocument/hover", place);
    let begun = Instant::now();
    editor.notify("$/cancelRequest", json!({"id": id}));
    let answer = editor.answer_to(id);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(answer["error"]["code"] == -32800 || answer.get("result").is_some(), "{answer}");
    assert!(editor.close() < Duration::from_secs(10));
}

/// The arguments of a configuration, whose command must be the name of the program.
fn configured(command: &Value, arguments: &Value) -> Vec<String> {
    assert_eq!(command, "proofmark");
    arguments.as_array().unwrap().iter().map(|argument| argument.as_str().unwrap().to_owned()).collect()
}

/// The value of a key in a table of a TOML file, where it is one that JSON writes alike.
fn value_in(text: &str, table: &str, key: &str) -> Value {
    let after = text.split_once(table).unwrap().1;
    let lines = after.lines().skip(1).take_while(|line| !line.starts_with('['));
    let value = lines.filter_map(|line| line.split_once(" = ")).find(|(name, _)| *name == key).unwrap().1;
    serde_json::from_str(value).unwrap()
}

/// Helix, Zed, and programs that read `.lsp.json` are not started here; what their configurations start is.
#[test]
fn the_configurations_of_other_editors_start_the_server() {
    let editors = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors");
    let read = |name: &str| fs::read_to_string(editors.join(name)).unwrap();
    let agents: Value = serde_json::from_str(&read("agents/.lsp.json")).unwrap();
    let agents = &agents["proofmark"];
    let zed: Value = serde_json::from_str(&read("zed/settings.json")).unwrap();
    let zed = &zed["lsp"]["proofmark"]["binary"];
    let helix = read("helix/languages.toml");
    let of_helix = |key: &str| value_in(&helix, "[language-server.proofmark]", key);
    let all = [
        configured(&agents["command"], &agents["args"]),
        configured(&zed["path"], &zed["arguments"]),
        configured(&of_helix("command"), &of_helix("args")),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mmd");
    for arguments in &all {
        let mut editor = Editor::start_with(arguments, folder.path(), "utf-16");
        editor.open(&uri(&path), "flowchart LR\n  subgraph one\n    A --> B\n");
        let found = editor.pull(&uri(&path));
        assert_eq!(found.iter().map(|one| one["code"].as_str().unwrap()).collect::<Vec<_>>(), ["MM039"]);
        editor.close();
    }
    // Helix starts the server only for languages that name it; `.lsp.json` names the endings of files.
    for language in ["markdown", "mermaid", "yaml", "org"] {
        let servers = value_in(&helix, &format!("name = \"{language}\""), "language-servers");
        assert!(servers.as_array().unwrap().contains(&json!("proofmark")), "{language}");
    }
    let endings = agents["extensionToLanguage"].as_object().unwrap();
    for (ending, text) in [
        (".mmd", "flowchart LR\n  A -- B\n"),
        (".md", "---\na: b: c\n---\n"),
        (".org", "* A\n:PROPERTIES:\n"),
    ] {
        assert!(endings.contains_key(ending), "{ending}");
        let path = folder.path().join(format!("b{ending}"));
        let mut editor = Editor::start(folder.path(), "utf-16");
        editor.open(&uri(&path), text);
        assert!(!editor.pull(&uri(&path)).is_empty(), "{ending}");
        editor.close();
    }
}
