//! Text of a document controls neither a terminal nor the programs that read a report: the same hostile strings
//! through every format and command, decoded as their consumers do.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use proofmark::report::Format;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

/// What terminals obey, what reorders or hides text, and what leaves no trace.
const HIDDEN: &[char] = &[
    '\u{1b}',
    '\u{9b}',
    '\u{7}',
    '\u{8}',
    '\u{7f}',
    '\u{85}',
    '\u{b}',
    '\u{c}',
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{1160}',
    '\u{17b4}',
    '\u{180e}',
    '\u{200b}',
    '\u{200f}',
    '\u{2028}',
    '\u{202e}',
    '\u{2060}',
    '\u{2066}',
    '\u{206f}',
    '\u{3164}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fff9}',
    '\u{e000}',
    '\u{1d173}',
    '\u{e0041}',
];

/// What services that show Markdown make links, pictures, mentions or HTML of.
const MARKUP: &[&str] = &[
    "![x](http://evil.example/p.png)",
    "[x](http://evil.example)",
    "https://evil.example",
    "www.evil.example",
    "mail@evil.example",
    "@everyone",
    "#1",
    "a``b`[x](http://evil.example)",
    "<img src=x>",
    "&lt;b&gt;",
    "]]>",
    "::error::x",
    "%0A::error::x",
    "|x|",
];

/// Documents whose messages quote this text, with their names.
fn documents(text: &str) -> Vec<(&'static str, String)> {
    let quoted = serde_json::to_string(text).unwrap();
    let flow = format!(
        "id: {quoted}\nflows:\n  - id: f\n    variables: [{{id: {quoted}, type: {quoted}}}]\n    inputs: [{quoted}]\n    \
         outputs: [o]\n    steps:\n      - {{id: {quoted}, type: {quoted}, inputs: [i, {quoted}], outputs: [o]}}\n\
         models:\n  - {{type: Model, id: {quoted}, provider: {quoted}, auth: {quoted}}}\n{quoted}: 1\n"
    );
    vec![
        ("flow.qtype.yaml", flow),
        ("raw.yaml", format!("a: {text}: b\n{text}: 1\n{text}: 2\n\"{text}")),
        (
            "page.md",
            format!(
                "---\n{text}: [\n---\n\n# {text}\n\n[a](#{text}) [^{text}]\n\n```mermaid\npi {text}\n```\n"
            ),
        ),
        ("chart.mmd", format!("flowchart TD\n  A{text} --> [\n  {text}\n")),
        ("data.json", format!("{{{text}: 1, '{text}': 2, '{text}': 3}}")),
        ("notes.org", format!("* TODO {text}\n[[#{text}]] [fn:{text}]\n#+begin_src {text}\n")),
        (
            "page.qmd",
            format!("---\nformat: {text}\n---\n\n::: {{.callout-{text}}}\n@fig-{text} {{{{< {text} >}}}}\n"),
        ),
    ]
}

/// A folder with the documents of every hostile text, and their names.
fn folder() -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    let hidden = HIDDEN.iter().map(|c| format!("x{c}y"));
    let sequences = ["\u{1b}[31mred", "\u{1b}]0;title\u{7}", "a\rb"].map(str::to_owned);
    let markup = MARKUP.iter().map(|text| (*text).to_owned());
    for (number, text) in hidden.chain(sequences).chain(markup).enumerate() {
        for (name, document) in documents(&text) {
            let name = format!("{number}-{name}");
            fs::write(folder.path().join(&name), document).unwrap();
            names.push(name);
        }
    }
    #[cfg(unix)]
    for name in ["\u{1b}[2J\u{202e}.md", "a\nb.md", "`x` [x](y) @all.md"] {
        fs::write(folder.path().join(name), "# A\n\n[a](#b)\n").unwrap();
        names.push(name.to_owned());
    }
    (folder, names)
}

fn run(folder: &Path, arguments: &[&str], input: &str) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    });
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// The hidden characters of text, besides line ends and the colors of the report.
fn hidden(text: &str) -> Vec<char> {
    let without_colors = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(text, "").into_owned();
    let mut found: Vec<char> =
        without_colors.chars().filter(|c| HIDDEN.contains(c) || (c.is_control() && *c != '\n')).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Calls `check` for every string of a report that is meant for people; edits and paths are data.
fn strings(value: &Value, key: &str, check: &mut dyn FnMut(&str, &str)) {
    const DATA: &[&str] = &[
        "old",
        "new",
        "path",
        "insertedContent",
        "suggestions",
        "snippet",
        "replacements",
        "fullyQualifiedName",
        "range",
        "rules",
    ];
    match value {
        Value::String(text) => check(key, text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, key, check)),
        Value::Object(entries) => {
            for (key, value) in entries.iter().filter(|(key, _)| !DATA.contains(&key.as_str())) {
                strings(value, key, check);
            }
        }
        _ => {}
    }
}

fn check<'a>(format: &'a str, names: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let options = ["check", "--isolated", "--select", "all", "--format", format];
    options.iter().chain(more).copied().chain(names.iter().map(String::as_str)).collect()
}

#[test]
fn no_report_has_hidden_characters_of_a_document() {
    let (folder, names) = folder();
    let names: Vec<String> = names.iter().map(|name| format!("./{name}")).collect();
    for format in Format::ALL {
        let colors = matches!(format, Format::Pretty | Format::Concise);
        for more in [&[][..], &["--color", "always"]].into_iter().take(1 + usize::from(colors)) {
            let (out, _) = run(folder.path(), &check(format.name(), &names, more), "");
            assert!(out.len() > 10_000, "{format} reports nothing");
            assert!(hidden(&out).is_empty(), "{format} {more:?}: {:?}", hidden(&out));
            let values: Vec<Value> = match format {
                Format::Json | Format::Sarif | Format::Gitlab | Format::Rdjson => {
                    vec![serde_json::from_str(&out).unwrap()]
                }
                Format::Jsonl => out.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
                _ => Vec::new(),
            };
            for value in values {
                strings(&value, "", &mut |key, text| {
                    let text_only = text.replace(['\t', '\r'], "");
                    assert!(hidden(&text_only).is_empty(), "{format}, {key}: {text:?}");
                    if format == Format::Sarif && key == "text" {
                        assert!(!text.contains("]("), "{text}");
                    }
                });
            }
            if matches!(format, Format::Junit | Format::Checkstyle) {
                let document = roxmltree::Document::parse(&out).unwrap();
                for node in document.descendants() {
                    let texts = node.attributes().map(|one| one.value()).chain(node.text());
                    texts.for_each(|text| assert!(hidden(text).is_empty(), "{format}: {text:?}"));
                }
            }
            if format == Format::Github {
                let commands = out.lines().filter(|line| line.starts_with("::"));
                for command in commands {
                    let kind = ["::error file=", "::warning file=", "::notice file="];
                    assert!(kind.iter().any(|kind| command.starts_with(kind)), "{command}");
                }
            }
            if format == Format::Azure {
                let issues = out.lines().filter(|line| line.contains("##"));
                issues.for_each(|line| assert!(line.starts_with("##vso[task.logissue type="), "{line}"));
            }
        }
    }
}

#[test]
fn a_report_in_markdown_has_no_links_and_mentions_no_one() {
    let (folder, names) = folder();
    let names: Vec<String> = names.iter().map(|name| format!("./{name}")).collect();
    let (out, _) = run(folder.path(), &check("markdown", &names, &[]), "");
    let mut in_code = false;
    for event in Parser::new_ext(&out, Options::ENABLE_TABLES | Options::ENABLE_GFM) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                panic!("links to {dest_url}")
            }
            Event::Html(html) | Event::InlineHtml(html) => assert_eq!(&*html, "<br>"),
            Event::Text(text) if !in_code => {
                let lower = text.to_lowercase();
                for active in ["@", "://", "www.", "<img"] {
                    assert!(!lower.contains(active) || lower.contains("&lt;"), "{text}");
                }
                let is_issue = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
                assert!(!text.split('#').skip(1).any(is_issue), "{text}");
            }
            _ => {}
        }
    }
}

#[test]
fn no_other_output_has_hidden_characters_of_a_document() {
    let (folder, names) = folder();
    let named = |command: &[&str], endings: &[&str]| -> String {
        let names = names.iter().filter(|name| endings.iter().any(|ending| name.ends_with(ending)));
        let names: Vec<String> = names.map(|name| format!("./{name}")).collect();
        let arguments: Vec<&str> = command.iter().copied().chain(names.iter().map(String::as_str)).collect();
        let (out, error) = run(folder.path(), &arguments, "");
        assert!(out.len() + error.len() > 1_000, "{command:?} writes nothing: {error}");
        out + &error
    };
    let all = &[""][..];
    for (command, endings) in [
        (&["fix", "--isolated", "--unsafe", "--diff"][..], all),
        (&["fix", "--isolated", "--unsafe", "--diff", "--color", "always"], all),
        (&["check", "--isolated", "--format", "mermaid-report"], &[".md", ".mmd"]),
        (&["check", "--isolated", "--select", "all", "--statistics"], all),
        (&["org", "todos", "--isolated"], &[]),
        (&["org", "todos", "--isolated", "--format", "json"], &[]),
    ] {
        // A diff keeps tabs and the line ends of the file.
        let out = named(command, endings).replace('\t', "").replace("\r\n", "\n");
        assert!(hidden(&out).is_empty(), "{command:?}: {:?}", hidden(&out));
    }
    let records: String = HIDDEN
        .iter()
        .flat_map(|c| documents(&format!("x{c}y")))
        .map(|(name, text)| {
            format!(
                "{}\n",
                serde_json::json!({"id": name, "text": text, "name": name, "emit": ["tree", "fixed"]})
            )
        })
        .collect();
    let (out, _) = run(folder.path(), &["batch", "--isolated"], &records);
    assert!(out.lines().count() > 100);
    assert!(hidden(&out).is_empty());
}
