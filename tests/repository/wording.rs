//! Plain English: phrases that readers stumble over do not come back.
//!
//! Covers what users read (rules, documentation, `--help`) and what contributors read (comments,
//! messages in the code, tests). The list is the project's glossary, see `CONTRIBUTING.md`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use regex::Regex;

/// A phrase to avoid, and what to write instead. `(?-i:…)` and friends work as in `regex`.
const PHRASES: &[(&str, &str)] = &[
    (r"\bmend(s|ed|ing)?\b", "fix"),
    (r"\bjudg(e|es|ed|ing)\b", "validate, check"),
    (r"\b(told|tells?|telling)\b", "report, say, show"),
    (r"\b(?:is|are) no (?:longer|more|less)\b", ""),
    (r"\bthere (?:is|are) (?:no|none)\b", ""),
    (r"\b(is|are) no\b", "is not a"),
    (r"\bblank lines?\b", ""),
    (r"\b(?:is|are|not|nor) blank\b", ""),
    (r"\bblanks?\b", "space, whitespace"),
    (r"\ba text\b|\bno text\b|\btexts\b", "string; text (without an article)"),
    (r"\btruth value", "boolean"),
    (r"\bwhole number", "integer"),
    (r"\bin silence\b|\bwithout a word\b", "silently"),
    (r"\b(nobody|somebody)\b", "no one, a user"),
    (r"\bheld to\b", "validated against"),
    (r"\bworded by\b", "the rule provides the message"),
    (r"\btak(e|es|en) up\b", "reload"),
    (r"\bof ours\b", "built-in, custom"),
    (r"\bso many\b", "at most N"),
    (r"\bstands? for\b", ""),
    (r"\bstands?\b", "is, appears"),
    (r"\b(?:leaves?|left) behind\b", ""),
    (r"\bbehind\b", "after"),
    (r"\bin front of\b", "before"),
    (r"\bknows? no\b", "does not support, has no"),
    (r"\bplan of the house\b", "architecture"),
    (r"\bone a (line|processor)\b", "one per line"),
    (r"\bone for an?\b", ""),
    (r"\bone [a-z]+( object)? an? (line|file|finding|document|inch)\b", "one … per …"),
    (r"\bis none\b|\bare none\b", "is not one"),
    (r"\bbelongs? into\b", "belongs in"),
    (r"colour", "color"),
    (r"behaviour", "behavior"),
    (r"honour", "honor, respect"),
    (r"\b(un)?labelled\b", "labeled"),
    (r"\b(mis)?spelt\b", "misspelled, spelled"),
    (r"\bwhite space", "whitespace"),
    (r"\bcancelled\b", "canceled"),
];

/// Further phrases to avoid in what users read; code and comments may use the words.
const PHRASES_FOR_USERS: &[(&str, &str)] = &[
    (r"\bthe reference\b", "its name and version"),
    (r"\bfaults?\b", "error, mistake"),
    (r"\bwhen absent\b", "default: …"),
    (r"\bwhere to:", "output: …"),
    (r"\bas (?:it|they) should be\b", "passed, correct"),
    (r"\bwhatever (?:the|its|their) \w+ says?\b", "overrides …, instead of …"),
];

/// Phrases to avoid in names (their words are separated by spaces here); other words of the list are fine
/// in code.
const NAMES: &[(&str, &str)] = &[
    (r"\bmend(s|ed|ing)?\b", "fix"),
    (r"\bjudg(e|es|ed|ing)\b", "validate, check"),
    (r"\b(told|tells?)\b", "reported, messages"),
    (r"\bheld to\b", "validated against"),
    (r"\b(nobody|somebody)\b", "no one, a user"),
    (r"\btak(e|es|en) up\b", "reload"),
    (r"\b(?:is|are) no\b", "is not a"),
    (r"\ba text\b|\b(?:hostile|odd|short|random|mutated) texts\b", "input, document, string"),
];

struct Wording {
    phrases: Vec<(Regex, &'static str)>,
}

impl Wording {
    fn new(lists: &[&'static [(&'static str, &'static str)]]) -> Self {
        let phrases = lists.iter().flat_map(|list| list.iter());
        Self {
            phrases: phrases
                .map(|(pattern, instead)| (Regex::new(&format!("(?i){pattern}")).unwrap(), *instead))
                .collect(),
        }
    }

    /// The phrases to avoid in a line, each with what to write instead. A phrase with nothing to
    /// write instead is good English, and hides what it covers from the phrases after it.
    fn find(&self, line: &str) -> Vec<(String, &'static str)> {
        let mut rest = line.to_owned();
        let mut found = Vec::new();
        for (pattern, instead) in &self.phrases {
            if instead.is_empty() {
                rest = pattern.replace_all(&rest, "").into_owned();
            } else {
                found.extend(pattern.find_iter(&rest).map(|at| (at.as_str().to_owned(), *instead)));
            }
        }
        found
    }

    /// Complaints about the lines of a text, each with its line number.
    fn complaints(&self, name: &str, lines: impl Iterator<Item = (usize, String)>) -> Vec<String> {
        let mut complaints = Vec::new();
        for (number, line) in lines {
            for (phrase, instead) in self.find(&line) {
                complaints.push(format!(
                    "{name}:{number}: \"{phrase}\" (write: {instead}): {}",
                    line.trim().chars().take(120).collect::<String>()
                ));
            }
        }
        complaints
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    fn walk(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, extensions, found);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|known| e == *known)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), extensions, &mut found);
    found.sort();
    assert!(!found.is_empty(), "no {extensions:?} files in {folder}");
    found
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, String)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line.to_owned()))
}

/// The prose of a Markdown file: no fenced code, no code spans, no generated tables' samples.
fn prose(text: &str) -> Vec<(usize, String)> {
    let code = Regex::new(r"`[^`]*`").unwrap();
    let mut fenced = false;
    let mut lines = Vec::new();
    for (number, line) in numbered(text) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((number, code.replace_all(&line, "``").into_owned()));
        }
    }
    lines
}

/// The texts of a rule file that readers see: everything but samples and checks, and its comments.
/// Of a line in flow style only what is in quotes counts; placeholders do not count.
fn rule_texts(text: &str) -> Vec<(usize, String)> {
    let prose = Regex::new(r"^\s*-?\s*(message|hint|label|title|description|purpose): (.*)$").unwrap();
    let flow = Regex::new(r"^\s*(related|options|fix|fixes|-) ?(: |\{)").unwrap();
    let quoted = Regex::new(r#""(?:[^"\\]|\\.)*""#).unwrap();
    let hidden = Regex::new(r"`[^`]*`|\{%.*?%\}|\{\{.*?\}\}").unwrap();
    let mut lines = Vec::new();
    // The field whose block is being read, and its indentation.
    let mut block: Option<(&str, usize)> = None;
    for (number, line) in numbered(text) {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if block.is_some_and(|(_, outer)| indent <= outer && !trimmed.is_empty()) {
            block = None;
        }
        if let Some((field, _)) = block {
            if field == "explain" {
                lines.push((number, hidden.replace_all(&line, "``").into_owned()));
            }
            continue;
        }
        if let Some(field) =
            ["explain", "examples"].into_iter().find(|field| trimmed.starts_with(&format!("{field}:")))
        {
            block = Some((field, indent));
        } else if trimmed.starts_with("# ") || prose.is_match(&line) {
            lines.push((number, hidden.replace_all(&line, "``").into_owned()));
        } else if flow.is_match(&line) {
            let texts: Vec<&str> = quoted.find_iter(&line).map(|at| at.as_str()).collect();
            lines.push((number, hidden.replace_all(&texts.join(" "), "``").into_owned()));
        }
    }
    lines
}

/// The comments and strings of Rust code, line by line. A string of one word is a name, not English.
fn english(text: &str) -> Vec<(usize, String)> {
    let parts = Regex::new(r#"//.*|"(?:[^"\\]|\\.)*""#).unwrap();
    let hidden = Regex::new(r#"`[^`]*`|"[\w.-]*""#).unwrap();
    let of = |line: &str| {
        let found: Vec<&str> = parts.find_iter(line).map(|part| part.as_str()).collect();
        hidden.replace_all(&found.join(" "), "``").into_owned()
    };
    numbered(text).map(|(number, line)| (number, of(&line))).collect()
}

/// Rust code without its comments and strings, line by line, with the words of names separated.
fn code(text: &str) -> Vec<(usize, String)> {
    let parts = Regex::new(r#"//.*|"(?:[^"\\]|\\.)*""#).unwrap();
    numbered(text).map(|(number, line)| (number, parts.replace_all(&line, "").replace('_', " "))).collect()
}

fn assert_plain(complaints: &[String]) {
    let shown: Vec<&str> = complaints
        .iter()
        .take(if std::env::var_os("ALL").is_some() { usize::MAX } else { 60 })
        .map(String::as_str)
        .collect();
    assert!(complaints.is_empty(), "{} phrases to rewrite:\n{}", complaints.len(), shown.join("\n"));
}

#[test]
fn phrases_are_found_and_good_english_is_not() {
    let wording = Wording::new(&[PHRASES, PHRASES_FOR_USERS]);
    for bad in
        ["`x` is no key", "mend it", "put blanks behind it", "a text", "The reference refuses it", "is told"]
    {
        assert!(!wording.find(bad).is_empty(), "{bad}");
    }
    for good in ["there is no key `x`", "it is no longer used", "add a blank line", "a string", "fix it"] {
        assert!(wording.find(good).is_empty(), "{good}: {:?}", wording.find(good));
    }
}

#[test]
fn rules_are_in_plain_english() {
    let wording = Wording::new(&[PHRASES, PHRASES_FOR_USERS]);
    let mut complaints = Vec::new();
    for path in files("rules", &["yaml"]) {
        let text = fs::read_to_string(&path).unwrap();
        complaints.extend(wording.complaints(&name(&path), rule_texts(&text).into_iter()));
    }
    assert_plain(&complaints);
}

/// What a JSON Schema says of keys, with the pointer of each.
fn descriptions(schema: &serde_json::Value, at: &str, found: &mut Vec<(String, String)>) {
    match schema {
        serde_json::Value::Object(entries) => {
            for (key, value) in entries {
                match value.as_str().filter(|_| matches!(key.as_str(), "description" | "title")) {
                    Some(text) => found.push((at.to_owned(), text.to_owned())),
                    None => descriptions(value, &format!("{at}/{key}"), found),
                }
            }
        }
        serde_json::Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                descriptions(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn schemas_are_in_plain_english() {
    let wording = Wording::new(&[PHRASES, PHRASES_FOR_USERS]);
    let code = Regex::new(r"`[^`]*`").unwrap();
    let mut complaints = Vec::new();
    for path in files("schemas", &["json"]) {
        let schema = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut found = Vec::new();
        descriptions(&schema, "", &mut found);
        for (at, text) in found {
            for (phrase, instead) in wording.find(&code.replace_all(&text, "``")) {
                complaints.push(format!("{}{at}: \"{phrase}\" (write: {instead}): {text}", name(&path)));
            }
        }
    }
    assert_plain(&complaints);
}

#[test]
fn documentation_is_in_plain_english() {
    let wording = Wording::new(&[PHRASES, PHRASES_FOR_USERS]);
    let mut paths = files("docs", &["md"]);
    paths.retain(|path| !path.starts_with(root().join("docs/rules")));
    paths.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|file| root().join(file)));
    let mut complaints = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        complaints.extend(wording.complaints(&name(&path), prose(&text).into_iter()));
    }
    assert_plain(&complaints);
}

/// The help of a command and of all commands below it.
fn help(command: &[String], complaints: &mut Vec<String>, wording: &Wording) {
    let output = Command::new(env!("CARGO_BIN_EXE_proofmark")).args(command).arg("--help").output().unwrap();
    assert!(output.status.success(), "{command:?} --help");
    let text = String::from_utf8(output.stdout).unwrap();
    complaints.extend(wording.complaints(&format!("{} --help", command.join(" ")), numbered(&text)));
    let commands = text.split("Commands:\n").nth(1).unwrap_or_default();
    for line in commands.lines().take_while(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let Some(name) = line.split_whitespace().next().filter(|name| indent == 2 && *name != "help") else {
            continue;
        };
        help(&[command, &[name.to_owned()]].concat(), complaints, wording);
    }
}

#[test]
fn help_is_in_plain_english() {
    let mut complaints = Vec::new();
    help(&[], &mut complaints, &Wording::new(&[PHRASES, PHRASES_FOR_USERS]));
    assert_plain(&complaints);
}

#[test]
fn code_and_tests_are_in_plain_english() {
    let (wording, names) = (Wording::new(&[PHRASES]), Wording::new(&[NAMES]));
    let mut complaints = Vec::new();
    let folders = ["src", "crates", "tests", "benches", "render-worker", "render-protocol"];
    for path in folders.iter().flat_map(|folder| files(folder, &["rs"])) {
        if path.ends_with("tests/repository/wording.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        complaints.extend(wording.complaints(&name(&path), english(&text).into_iter()));
        complaints.extend(names.complaints(&name(&path), code(&text).into_iter()));
    }
    for path in files("crates/mcp/src", &["md"]) {
        let text = fs::read_to_string(&path).unwrap();
        complaints.extend(wording.complaints(&name(&path), numbered(&text)));
    }
    for path in files("grammars", &["pest"]) {
        let text = fs::read_to_string(&path).unwrap();
        let comments = numbered(&text).filter(|(_, line)| line.trim_start().starts_with("//"));
        complaints.extend(wording.complaints(&name(&path), comments));
    }
    assert_plain(&complaints);
}
