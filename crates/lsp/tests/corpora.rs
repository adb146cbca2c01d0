//! Completion, renaming and diagnostics on many documents: the examples, and the labeled documents that are kept outside the
//! repository, in `../shared/corpus` or where `PROOFMARK_CORPUS` says. `PROOFMARK_EVERY=1` takes all of them, and not only some of each sort.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod client;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use client::{Editor, change, examples, offset, position, project, pulling, renamed, tokens, uri, validated};
use proofmark_diagnostic::{Diagnostic, Severity};
use proofmark_project::project::{Input, Project};
use serde::Deserialize;
use serde_json::{Value, json};

/// A document of a corpus.
struct Labeled {
    /// The sort of documents.
    sort: &'static str,
    name: String,
    text: String,
}

fn corpus() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    env::var_os("PROOFMARK_CORPUS").map_or_else(beside, PathBuf::from)
}

/// A line of a file of the corpus, as far as it is needed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Line {
    text: Option<String>,
    input: Option<String>,
    file: Option<String>,
    ok: Option<bool>,
    valid: Option<bool>,
}

/// The lines of a file of the corpus; nothing where it does not exist and the test is to be skipped.
fn lines(file: &str) -> Vec<Line> {
    let path = corpus().join(file);
    match fs::read_to_string(&path) {
        Ok(text) => text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        Err(error) => {
            let has_none = env::var_os("PROOFMARK_CORPUS").is_some_and(|value| value == "none");
            assert!(has_none || env::var_os("CI").is_none(), "CI needs {}: {error}", path.display());
            // Written past the test runner, which hides the output of tests that pass.
            let _ = writeln!(io::stderr(), "SKIPPED: labeled documents are missing: {}", path.display());
            Vec::new()
        }
    }
}

/// At most `most` of many, spread over all of them.
fn some<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let step =
        if env::var_os("PROOFMARK_EVERY").is_some() { 1 } else { all.len().div_ceil(most.max(1)).max(1) };
    all.into_iter().step_by(step).collect()
}

/// The documents of the corpora that are labeled as valid.
fn labeled(most: usize) -> Vec<Labeled> {
    let mut all = Vec::new();
    let mut add = |sort, extension: &str, file: &str, most: usize, is_valid: fn(&Line) -> bool| {
        let valid: Vec<Line> = lines(file).into_iter().filter(is_valid).collect();
        for (number, line) in some(valid, most).into_iter().enumerate() {
            let text = line.text.or(line.input).unwrap();
            if text.len() < 10_000 {
                all.push(Labeled { sort, name: format!("{sort}-{number}.{extension}"), text });
            }
        }
    };
    add("mermaid", "mmd", "mermaid/real.jsonl", most, |line| line.ok == Some(true));
    add("quarto", "qmd", "quarto/real.jsonl", most / 2, |_| true);
    add("org", "org", "org/cases.jsonl", most / 4, |_| true);
    add("scope", "md", "scope/c2.jsonl", most / 4, |line| line.ok == Some(true));
    let flows: Vec<Line> =
        lines("qtype/labels.jsonl").into_iter().filter(|line| line.valid == Some(true)).collect();
    for (number, line) in some(flows, most).into_iter().enumerate() {
        let text = fs::read_to_string(corpus().join("qtype").join(line.file.unwrap())).unwrap();
        if !text.contains("!include") {
            all.push(Labeled { sort: "qtype", name: format!("qtype-{number}.qtype.yaml"), text });
        }
    }
    all
}

/// What a project reports about text.
fn findings(project: &Project, name: &str, text: &str) -> Vec<Diagnostic> {
    let input = Input::text(text).at(project.folder().join(name));
    let found = project.subject(input).map(|subject| subject.validate().diagnostics).unwrap_or_default();
    found.into_iter().filter(|found| found.suppressed.is_none()).collect()
}

fn errors(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().filter(|found| found.severity == Severity::Error).map(|found| found.id.as_str()).collect()
}

/// A word that is taken out of a document.
struct Taken {
    what: &'static str,
    start: usize,
    end: usize,
}

/// The words of a YAML document that completion should know: fields, types of steps, and references to ids.
fn words_of_yaml(text: &str, all: &mut Vec<Taken>) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let ids: BTreeSet<&str> = text
        .match_indices("id: ")
        .filter(|(at, _)| text[..*at].ends_with([' ', '{', '\n']) || *at == 0)
        .map(|(at, _)| {
            let id = &text[at + 4..];
            &id[..id.find(|c: char| !is_part(c)).unwrap_or(id.len())]
        })
        .filter(|id| id.len() > 1)
        .collect();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begin = at + line.len() - line.trim_start_matches([' ', '-']).len();
        let content = text[begin..at + line.len()].trim_end();
        at += line.len();
        let Some((key, value)) = content.split_once(':') else {
            if ids.contains(content) && line.trim_start().starts_with('-') {
                all.push(Taken { what: "reference", start: begin, end: begin + content.len() });
            }
            continue;
        };
        if !value.is_empty() && !value.starts_with(' ') || content.starts_with('#') {
            continue;
        }
        let fields = [
            "id",
            "type",
            "description",
            "models",
            "flows",
            "variables",
            "steps",
            "inputs",
            "outputs",
            "model",
            "template",
            "provider",
            "memories",
            "auths",
            "auth",
            "tools",
            "system_message",
            "index",
            "path",
            "name",
        ];
        if fields.contains(&key) {
            all.push(Taken { what: "field", start: begin, end: begin + key.len() });
        }
        let value_at = begin + key.len() + 1 + value.len() - value.trim_start().len();
        let value = value.trim_start();
        if key == "type" && value.chars().all(char::is_alphanumeric) && !value.is_empty() {
            all.push(Taken { what: "type", start: value_at, end: value_at + value.len() });
        }
        let is_reference = !["id", "name", "function_name", "model_id", "description"].contains(&key);
        if is_reference && ids.contains(value) {
            all.push(Taken { what: "reference", start: value_at, end: value_at + value.len() });
        }
        if let Some(list) = value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
            let mut start = value_at + 1;
            for item in list.split(',') {
                let name = item.trim();
                let from = start + item.len() - item.trim_start().len();
                if ids.contains(name) {
                    all.push(Taken { what: "reference", start: from, end: from + name.len() });
                }
                start += item.len() + 1;
            }
        }
    }
}

/// Options of the header and references of a Quarto document.
fn words_of_quarto(text: &str, all: &mut Vec<Taken>) {
    let known = ["title", "format", "author", "date", "bibliography", "execute", "toc", "engine", "jupyter"];
    let front = text.strip_prefix("---\n").and_then(|rest| rest.find("\n---").map(|end| end + 4));
    let mut at = 0;
    for line in text[..front.unwrap_or(0)].split_inclusive('\n') {
        if let Some((key, _)) = line.split_once(':').filter(|(key, _)| known.contains(key)) {
            all.push(Taken { what: "option", start: at, end: at + key.len() });
        }
        at += line.len();
    }
    for (at, _) in text.match_indices('@') {
        let end = text[at + 1..].find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
        let end = at + 1 + end.unwrap_or(text.len() - at - 1);
        let name = &text[at + 1..end];
        let is_label = ["fig-", "tbl-", "sec-", "eq-", "lst-"].iter().any(|prefix| name.starts_with(prefix));
        let declared = [format!("#{name}"), format!("label: {name}")];
        if is_label && declared.iter().any(|declared| text.contains(declared)) {
            all.push(Taken { what: "reference", start: at + 1, end });
        }
    }
}

/// States and dates of an Org file.
fn words_of_org(text: &str, all: &mut Vec<Taken>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start_matches('*');
        for word in ["TODO", "DONE"] {
            if rest.len() < line.len() && rest.trim_start().starts_with(&format!("{word} ")) {
                let start = at + line.find(word).unwrap();
                all.push(Taken { what: "keyword", start, end: start + word.len() });
            }
        }
        for word in ["SCHEDULED", "DEADLINE", "CLOSED"] {
            if let Some(found) = line.find(&format!("{word}: ")) {
                all.push(Taken { what: "keyword", start: at + found, end: at + found + word.len() });
            }
        }
        at += line.len();
    }
}

/// Keys of metadata blocks that say what a block is.
fn words_of_blocks(text: &str, all: &mut Vec<Taken>) {
    for word in ["SCOPE", "QUILL"] {
        for (at, _) in text.match_indices(&format!("\n{word}: ")) {
            all.push(Taken { what: "field", start: at + 1, end: at + 1 + word.len() });
        }
    }
    // Without any of these keys, it is a document of another dialect.
    if all.len() < 2 {
        all.clear();
    }
}

/// The words of a document that completion should know.
fn words(editor: &mut Editor, labeled: &Labeled, uri: &str) -> Vec<Taken> {
    let (text, mut all) = (labeled.text.as_str(), Vec::new());
    match labeled.sort {
        "qtype" => words_of_yaml(text, &mut all),
        "quarto" => words_of_quarto(text, &mut all),
        "org" => words_of_org(text, &mut all),
        "scope" => words_of_blocks(text, &mut all),
        _ => {
            for (start, end, kind, modifiers) in tokens(editor, uri, text) {
                match (kind, modifiers) {
                    (0, _) => all.push(Taken { what: "keyword", start, end }),
                    // What declares a name can have any name.
                    (1, 0) => all.push(Taken { what: "reference", start, end }),
                    _ => {}
                }
            }
        }
    }
    all
}

/// How often the word that was taken out is proposed, and how often among the first five: one word of each document of the
/// corpora, and some of each example.
#[test]
fn what_was_taken_out_of_a_valid_document_is_proposed() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    let mut editor = Editor::start(folder.path(), pulling("utf-8"));
    let (mut counts, mut missed) = (BTreeMap::<String, [usize; 3]>::new(), String::new());
    let mut documents: Vec<(Labeled, usize)> = labeled(280).into_iter().map(|one| (one, 1)).collect();
    for (path, text, _) in validated(&client::project(&examples())) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let sort = match name.rsplit('.').next() {
            Some("mmd") => "mermaid",
            Some("yaml") if name.ends_with(".qtype.yaml") && !text.contains("!include") => "qtype",
            Some("qmd") => "quarto",
            _ => continue,
        };
        documents.push((Labeled { sort, name, text }, 24));
    }
    let mut number: usize = 0;
    for (labeled, most) in documents {
        let text = labeled.text.as_str();
        if !errors(&findings(&project, &labeled.name, text)).is_empty() {
            continue;
        }
        let uri = uri(&folder.path().join(&labeled.name));
        editor.open(&uri, text);
        let all = words(&mut editor, &labeled, &uri);
        number += 1;
        let first = number.wrapping_mul(7919) % all.len().div_ceil(most).max(1);
        for Taken { what, start, end } in all.into_iter().skip(first).step_by_even(most) {
            let without = format!("{}{}", &text[..start], &text[end..]);
            change(&mut editor, &uri, &without);
            let params = json!({"textDocument": {"uri": uri}, "position": position(&without, start)});
            let answer = editor.ask("textDocument/completion", params).unwrap();
            let items = answer["items"].as_array().unwrap();
            let is_right = |item: &Value| {
                let label = item["label"].as_str().unwrap();
                label == &text[start..end]
                    || (what == "keyword" && label.eq_ignore_ascii_case(&text[start..end]))
            };
            let rank = items.iter().position(is_right);
            let count = counts.entry(format!("{} {what}", labeled.sort)).or_default();
            count[0] += 1;
            count[1] += usize::from(rank.is_some());
            count[2] += usize::from(rank.is_some_and(|rank| rank < 5));
            if rank.is_none_or(|rank| rank >= 5) {
                let line = text[..start].matches('\n').count();
                let written = text.lines().nth(line).unwrap_or_default();
                let first: Vec<&str> =
                    items.iter().take(5).map(|item| item["label"].as_str().unwrap()).collect();
                let _ = writeln!(
                    missed,
                    "{} {what} {rank:?}: {} in {written:?}: {first:?}",
                    labeled.name,
                    &text[start..end]
                );
            }
        }
        editor.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }
    println!("{missed}");
    let mut sum = [0; 3];
    for (name, count) in &counts {
        println!("{name}: {} words, {} proposed, {} among the first five", count[0], count[1], count[2]);
        (0..3).for_each(|index| sum[index] += count[index]);
    }
    println!(
        "all: {} words, {} proposed, {} among the first five, in {number} documents",
        sum[0], sum[1], sum[2]
    );
    assert!(sum[0] > 80, "{sum:?}");
    assert!(sum[1] * 100 >= sum[0] * 99 && sum[2] * 100 >= sum[0] * 90, "{sum:?}\n{missed}");
}

/// Items of a list, spread over it.
trait Spread: Iterator + Sized {
    fn step_by_even(self, most: usize) -> std::vec::IntoIter<Self::Item> {
        let all: Vec<Self::Item> = self.collect();
        let step = all.len().div_ceil(most).max(1);
        all.into_iter().step_by(step).collect::<Vec<_>>().into_iter()
    }
}

impl<I: Iterator> Spread for I {}

/// Renames every name of a document that can be renamed, and back; how many there are.
fn rename_all(editor: &mut Editor, project: &Project, labeled: &Labeled, problems: &mut String) -> usize {
    let text = labeled.text.as_str();
    let uri = uri(&project.folder().join(&labeled.name));
    editor.open(&uri, text);
    let mut count = 0;
    let mut seen = BTreeSet::new();
    for (start, end, kind, modifiers) in tokens(editor, &uri, text) {
        let old = &text[start..end];
        if (kind, modifiers) != (1, 1) || !seen.insert(start) {
            continue;
        }
        let at = position(text, start);
        let params = json!({"textDocument": {"uri": uri}, "position": at});
        let range = editor.ask("textDocument/prepareRename", params).unwrap();
        if range.is_null() {
            // The first branch of a git graph has its name from the language.
            if old != "main" {
                let _ = writeln!(problems, "{}: {old} cannot be renamed", labeled.name);
            }
            continue;
        }
        if offset(text, &range["start"], "utf-8") != start {
            continue;
        }
        count += 1;
        // Some names are numbers.
        let is_number = old.bytes().all(|byte| byte.is_ascii_digit());
        let other = if is_number { "9".repeat(old.len()) } else { "renamed_name".to_owned() };
        let new = match renamed(editor, &uri, &at, text, &other) {
            Ok(new) => new,
            Err(error) => {
                let _ = writeln!(problems, "{}: {old}: {error}", labeled.name);
                continue;
            }
        };
        let after = findings(project, &labeled.name, &new);
        if !errors(&after).is_empty() {
            let _ = writeln!(
                problems,
                "{}: {old}: {:?}",
                labeled.name,
                after.iter().map(|found| &found.message).collect::<Vec<_>>()
            );
        }
        change(editor, &uri, &new);
        match renamed(editor, &uri, &at, &new, old) {
            Ok(back) if back == text => {}
            other => {
                let _ = writeln!(problems, "{}: {old} does not come back: {other:?}", labeled.name);
            }
        }
        change(editor, &uri, text);
    }
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    count
}

#[test]
fn renaming_there_and_back_keeps_the_verdict_and_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    let mut editor = Editor::start(folder.path(), pulling("utf-8"));
    let (mut count, mut documents, mut problems) = (0, 0, String::new());
    for labeled in labeled(240).into_iter().filter(|one| ["mermaid", "qtype"].contains(&one.sort)) {
        if errors(&findings(&project, &labeled.name, &labeled.text)).is_empty() {
            count += rename_all(&mut editor, &project, &labeled, &mut problems);
            documents += 1;
        }
    }
    println!("{problems}{count} names in {documents} documents");
    assert!(problems.is_empty(), "{problems}");
    assert!(documents == 0 || count > 500, "{count}");
}

#[test]
fn diagnostics_of_the_corpora_are_those_of_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    let mut all = labeled(200);
    for (file, sort, extension) in
        [("mermaid/mutated.jsonl", "mutated", "mmd"), ("quarto/faults.jsonl", "faults", "qmd")]
    {
        for (number, line) in some(lines(file), 200).into_iter().enumerate() {
            if let Some(text) = line.text {
                all.push(Labeled { sort, name: format!("{sort}-{number}.{extension}"), text });
            }
        }
    }
    let mut count = 0;
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut editor = Editor::start(folder.path(), pulling(encoding));
        for labeled in &all {
            let expected = findings(&project, &labeled.name, &labeled.text);
            let uri = uri(&folder.path().join(&labeled.name));
            editor.open(&uri, &labeled.text);
            let pulled = editor.pull(&uri);
            editor.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
            compare(labeled, encoding, &pulled, &expected);
            count += expected.len();
        }
        editor.finish();
    }
    println!("{count} diagnostics of {} documents in three encodings", all.len());
    assert!(all.is_empty() || count > 1000, "{count}");
}

fn compare(labeled: &Labeled, encoding: &str, pulled: &[Value], expected: &[Diagnostic]) {
    let Labeled { name, text, .. } = labeled;
    assert_eq!(pulled.len(), expected.len(), "{name}");
    for (own, found) in pulled.iter().zip(expected) {
        assert_eq!(own["code"], json!(found.id), "{name}");
        assert!(own["message"].as_str().unwrap().starts_with(&found.message), "{name}");
        let fixes: Vec<&str> = found.fixes.iter().map(|fix| fix.id.as_str()).collect();
        assert_eq!(own["data"]["fixes"], json!(fixes), "{name}");
        if Path::new(&found.location.file).file_name().is_some_and(|file| file == name.as_str())
            && !text.contains('\r')
        {
            let place = |end: &str| offset(text, &own["range"][end], encoding) as u32;
            let bytes = [place("start"), place("end")];
            assert_eq!(bytes, [found.location.byte_start, found.location.byte_end], "{name} {}", found.id);
        }
    }
}
