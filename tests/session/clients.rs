//! The ways in which a document can be checked and fixed.
#![allow(clippy::unnecessary_wraps, reason = "the clients have one type")]

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::{folder::Folder, sandbox::Sandbox};

/// Findings on a document, with names relative to the folder; nothing where the client cannot have it.
type Findings = fn(&Folder, &str) -> Option<Vec<Value>>;

/// Clients that give whole diagnostics.
pub(crate) const CLIENTS: &[(&str, Findings)] = &[
    ("check of the folder", check_all),
    ("check in the folder of the document", check_beside),
    ("check in a folder between", check_between),
    ("check with a configuration that is named", check_configured),
    ("check of an absolute path from elsewhere", check_elsewhere),
    ("check of standard input", check_stdin),
    ("batch by path", batch_path),
    ("batch by absolute path", batch_absolute),
    ("batch by a path below the allowed folder", batch_below),
    ("batch by text", batch_text),
];

/// `check` of the file in the folder of the configuration: what the others must agree with.
pub(crate) fn check(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    Some(checked(folder, "", &[document], ""))
}

fn check_all(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    // Included files are reported with the document and on their own.
    if document.starts_with("flows/") {
        return None;
    }
    let mut found = checked(folder, "", &[], "");
    found.retain(|finding| finding["location"]["file"] == document);
    Some(found)
}

fn check_beside(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    let (parent, name) = document.rsplit_once('/').unwrap();
    Some(checked(folder, parent, &[name], ""))
}

fn check_between(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    Some(checked(folder, "packs/sku", &[&format!("../../{document}")], ""))
}

fn check_configured(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    let (parent, name) = document.rsplit_once('/').unwrap();
    let up = "../".repeat(parent.split('/').count());
    Some(checked(folder, parent, &[name, "--config", &format!("{up}proofmark.toml")], ""))
}

fn check_elsewhere(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    let elsewhere = Sandbox::new();
    let (configuration, path) = (folder.absolute("proofmark.toml"), folder.absolute(document));
    let run = elsewhere.run(&[
        "check",
        "--format",
        "json",
        "--config",
        &configuration,
        "--env-file",
        &folder.absolute("app.env"),
        &path,
    ]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    Some(named_in_folder(folder, &elsewhere.path(""), report["diagnostics"].as_array().unwrap()))
}

fn check_stdin(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    let text = folder.text(document)?;
    Some(checked(folder, "", &["-", "--stdin-filename", document], &text))
}

/// Runs `check` in a folder of the sandbox.
fn checked(folder: &Folder, within: &str, arguments: &[&str], stdin: &str) -> Vec<Value> {
    let environment = folder.absolute("app.env");
    let all = [&["check", "--format", "json", "--env-file", &environment], arguments].concat();
    let run = folder.sandbox.feed_in(within, &all, stdin);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    named_in_folder(folder, &folder.sandbox.path(within), report["diagnostics"].as_array().unwrap())
}

fn batch_path(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    Some(findings(&batch(folder, ".", json!({"path": document}))))
}

fn batch_absolute(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    Some(findings(&batch(folder, ".", json!({"path": folder.absolute(document)}))))
}

/// The parent of the document's folder is allowed when there is one, so that includes stay below it.
fn batch_below(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    let (root, path) = document.split_once('/').unwrap();
    Some(findings(&batch(folder, root, json!({"path": path}))))
}

fn batch_text(folder: &Folder, document: &str) -> Option<Vec<Value>> {
    let text = folder.text(document)?;
    Some(findings(&batch(folder, ".", json!({"text": text, "name": document}))))
}

/// The result of one record.
fn batch(folder: &Folder, root: &str, record: Value) -> Value {
    let arguments = ["--allow-root", root, "--env-file", "app.env", "--fix", "--unsafe"];
    folder.sandbox.batch(&arguments, &[record]).remove(0)
}

fn findings(result: &Value) -> Vec<Value> {
    result["diagnostics"].as_array().unwrap_or_else(|| panic!("{result:#}")).clone()
}

/// The findings of a run in the folder `within`, with file names relative to the sandbox.
fn named_in_folder(folder: &Folder, within: &Path, findings: &[Value]) -> Vec<Value> {
    let root = folder.sandbox.path("");
    let mut findings = findings.to_vec();
    for finding in &mut findings {
        rename(finding, within, &root);
    }
    findings
}

fn rename(value: &mut Value, within: &Path, root: &Path) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(name) if key == "file" => *name = relative(&within.join(&*name), root),
                    value => rename(value, within, root),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, within, root)),
        _ => {}
    }
}

fn relative(path: &Path, root: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain.strip_prefix(root).unwrap_or(&plain).to_str().unwrap().to_owned()
}

// ---- clients that show less ------------------------------------------------------------------------

/// A line for each finding and each of its fixes.
type Lines = fn(&Folder, &str) -> Option<Vec<String>>;

/// Clients that give a part of every diagnostic.
pub(crate) const LINES: &[(&str, Lines)] = &[
    ("snapshot", snapshot),
    #[cfg(feature = "mcp")]
    ("validate by path", |folder, document| Some(validated(folder, json!({"path": document})))),
    #[cfg(feature = "mcp")]
    ("validate by absolute path", |folder, document| {
        Some(validated(folder, json!({"path": folder.absolute(document)})))
    }),
    #[cfg(feature = "mcp")]
    ("validate by text", |folder, document| {
        Some(validated(folder, json!({"text": folder.text(document)?, "name": document})))
    }),
];

/// What every client shows of diagnostics.
pub(crate) fn lines(findings: &[Value]) -> Vec<String> {
    let line = |finding: &Value| {
        let at = &finding["location"];
        let end = if at["end_line"] == at["line"] {
            at["end_column"].to_string()
        } else {
            format!("{}:{}", at["end_line"], at["end_column"])
        };
        let text = |key: &str| finding[key].as_str().unwrap().to_owned();
        let place = format!("{}:{}-{end}", at["line"], at["column"]);
        let own =
            format!("{place} {} {} {}\n  {}", text("severity"), text("id"), text("name"), text("message"));
        let fixes = finding["fixes"].as_array().into_iter().flatten();
        let fix = |fix: &Value| {
            let part = |key: &str| fix[key].as_str().unwrap().to_owned();
            format!("  fix ({}): {}", part("applicability"), part("title"))
        };
        std::iter::once(own).chain(fixes.map(fix)).collect::<Vec<_>>()
    };
    findings.iter().flat_map(line).collect()
}

#[cfg(feature = "mcp")]
fn validated(folder: &Folder, mut arguments: Value) -> Vec<String> {
    arguments["detail"] = "full".into();
    lines(&findings(&folder.server.call("validate", arguments)))
}

/// The lines of a snapshot, without findings that are suppressed and without details of others.
fn snapshot(folder: &Folder, document: &str) -> Option<Vec<String>> {
    let sandbox = &folder.sandbox;
    let run = sandbox.run(&["snapshot", document, "--folder", "pinned", "--update", "--env-file", "app.env"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = sandbox.read(&format!("pinned/{document}.proofmark.txt"));
    let mut shown: Vec<Vec<String>> = Vec::new();
    let mut rest = text.lines().filter(|line| *line != "no findings");
    while let Some(line) = rest.next() {
        if !line.starts_with(' ') {
            shown.push(vec![format!("{line}\n{}", rest.next().unwrap_or_default())]);
        } else if line.starts_with("  suppressed: ") {
            shown.pop();
        } else if line.starts_with("  fix (") {
            shown.last_mut().unwrap().push(line.to_owned());
        }
    }
    Some(shown.concat())
}

// ---- fixes -----------------------------------------------------------------------------------------

/// The fixed text of a document; nothing where the client cannot have it.
type Fixed = fn(&Folder, &str) -> Option<String>;

/// Clients that fix documents.
pub(crate) const FIXERS: &[(&str, Fixed)] = &[
    ("fix --diff", fix_diff),
    ("fix of standard input", fix_stdin),
    ("batch --fix by path", |folder, document| Some(fixed(&batch(folder, ".", json!({"path": document}))))),
    ("batch --fix by text", |folder, document| {
        Some(fixed(&batch(folder, ".", json!({"text": folder.text(document)?, "name": document}))))
    }),
    #[cfg(feature = "mcp")]
    ("fix_text", |folder, document| {
        let arguments = json!({"text": folder.text(document)?, "name": document, "unsafe": true});
        Some(folder.server.call("fix_text", arguments)["text"].as_str().unwrap().to_owned())
    }),
];

/// `fix` of the file itself: what the others must agree with. The file is as before afterwards.
pub(crate) fn fix(folder: &Folder, document: &str) -> Option<String> {
    let before = folder.text(document)?;
    fix_run(folder, &[document], "");
    let after = folder.text(document)?;
    folder.sandbox.write(document, before);
    Some(after)
}

fn fix_stdin(folder: &Folder, document: &str) -> Option<String> {
    Some(fix_run(folder, &["-", "--stdin-filename", document], &folder.text(document)?))
}

/// Applies the diff that `fix --diff` shows.
fn fix_diff(folder: &Folder, document: &str) -> Option<String> {
    let text = folder.text(document)?;
    let diff = fix_run(folder, &[document, "--diff"], "");
    let mut old = text.split_inclusive('\n');
    let (mut new, mut line) = (String::new(), 1);
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    for shown in diff.lines().skip(2) {
        if let Some(hunk) = shown.strip_prefix("@@ -") {
            let start: usize = hunk.split([',', ' ']).next().unwrap().parse().unwrap();
            while line < start {
                new.push_str(old.next().unwrap());
                line += 1;
            }
        } else if let Some(added) = shown.strip_prefix('+') {
            new.push_str(added.trim_end_matches('\r'));
            new.push_str(ending);
        } else if !shown.is_empty() {
            let kept = old.next().unwrap();
            line += 1;
            if shown.starts_with(' ') {
                new.push_str(kept);
            }
        }
    }
    new.extend(old);
    Some(new)
}

fn fix_run(folder: &Folder, arguments: &[&str], stdin: &str) -> String {
    let all = [&["fix", "--unsafe", "--env-file", "app.env"], arguments].concat();
    let run = folder.sandbox.feed(&all, stdin);
    assert!(run.code <= 1, "{}", run.stderr);
    run.stdout
}

fn fixed(result: &Value) -> String {
    result["fixed"].as_str().unwrap_or_else(|| panic!("{result:#}")).to_owned()
}
