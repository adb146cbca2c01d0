//! Code asks for a kind of documents by name only in the folder of that kind: what differs between kinds is what they say of
//! themselves.

use std::{fs, path::Path, sync::LazyLock};

use regex::Regex;

use crate::modules::packages;

/// The kinds with a folder of their own.
const KINDS: &[&str] = &[
    "config", "json", "markdown", "mermaid", "openapi", "org", "qtype", "quarto", "quill", "rulefile",
    "toml", "yaml",
];

/// The files outside of those folders that ask for a kind by name, each with the reason.
const ASKING: &[(&str, &str)] = &[
    ("proofmark/cli/rules/test.rs", "validates rule files"),
    ("proofmark_convert/run.rs", "converts Quarto documents"),
    ("proofmark_convert/website/mod.rs", "reads the configuration of a website, which is YAML"),
    ("proofmark_core/edits/literal.rs", "writes values in the language of a document"),
    ("proofmark_core/engine/examples.rs", "examples of rules of the engine are YAML files"),
    ("proofmark_core/engine/passes/", "each pass says which kind of documents it is for"),
    ("proofmark_lsp/editor/selected.rs", "shows what the path of a rule selects in its examples"),
    ("proofmark_mcp/mcp/core.rs", "only Markdown documents have a quill"),
    ("proofmark_mcp/mcp/tools/frontmatter.rs", "the tool is about metadata of Markdown documents"),
    ("proofmark_mcp/mcp/tools/mermaid.rs", "the tool reads diagrams of Markdown and Quarto documents"),
    ("proofmark_org/files.rs", "finds and changes Org files"),
    ("proofmark_project/diagrams/", "the report on Mermaid diagrams, and Mermaid's own tool"),
    ("proofmark_project/project/config/checked.rs", "`[kinds.markdown] dialect` is a setting of the kind"),
    ("proofmark_renderer/renderer.rs", "pages are set from Markdown documents"),
];

/// The name of a kind, compared or looked up.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    let (kinds, name) = (KINDS.join("|"), format!("\"(?:{}|rule)\"", KINDS.join("|")));
    let patterns = [
        format!(r"\b(?:{kinds})::NAME\b"),
        r"\b(?:Org|Mermaid|Markdown|Quarto)\.name\(\)".to_owned(),
        format!(r"\bkinds\(\)\s*\.get\({name}"),
        format!(r"\.kind\([^)]*{name}"),
        format!(r"\bkind\b[^,;{{]*[!=]= {name}"),
        format!(r"{name} [!=]= [^,;{{]*\bkind\b"),
        format!(r"^\({name}(?: \| {name})*, .* => "),
    ];
    Regex::new(&patterns.join("|")).unwrap()
});

/// Whether a line of code asks for a kind by name.
fn asks(line: &str) -> bool {
    !line.starts_with("//") && ASKS.is_match(line)
}

fn asking(top: &Path, package: &str, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_of_kind = package == "proofmark_formats" && folder == top && KINDS.contains(&stem.as_str());
        if path.is_dir() && stem != "tests" && !is_of_kind {
            asking(top, package, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "tests" {
            let text = fs::read_to_string(&path).unwrap();
            let end = text.find("\nmod tests {").unwrap_or(text.len());
            let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let lines = text[..end].lines().map(str::trim).filter(|line| asks(line));
            found.extend(lines.map(|line| (format!("{package}/{name}"), line.to_owned())));
        }
    }
}

#[test]
fn only_listed_files_ask_for_a_kind_by_name() {
    let mut found = Vec::new();
    for package in packages().iter().filter(|package| package.name != "proofmark_render") {
        let source = package.folder.join("src");
        asking(&source, &package.name, &source, &mut found);
    }
    let unknown: Vec<_> =
        found.iter().filter(|(name, _)| !ASKING.iter().any(|(known, _)| name.starts_with(known))).collect();
    assert!(unknown.is_empty(), "let the kind say what differs, in its folder: {unknown:#?}");
    let unused: Vec<_> =
        ASKING.iter().filter(|(known, _)| !found.iter().any(|(name, _)| name.starts_with(known))).collect();
    assert!(unused.is_empty(), "these ask for no kind any more, so take them off the list: {unused:#?}");
}

#[test]
fn a_name_is_seen_in_every_form() {
    for line in [
        "if document.kind == \"mermaid\" {",
        "let quarto = project.kinds().get(\"quarto\").cloned();",
        "let kind = core.kind(\"quarto\")?.clone();",
        "(outcome.document.kind == markdown::NAME).then(|| fields(document))",
        "if subject.kind().name() != \"org\" {",
        "(\"toml\" | \"config\", _) | (_, Some(\"toml\")) => Language::Toml,",
    ] {
        assert!(asks(line), "{line}");
    }
    for line in [
        "// if kind == \"org\" {",
        "(\"rule\", name),",
        "path.extension().is_some_and(|extension| extension == \"json\")",
        "if kind == \"fig\" {",
    ] {
        assert!(!asks(line), "{line}");
    }
}
