//! Code asks for a kind of documents by name only in the folder of that kind: what differs between kinds is what they say of
//! themselves. The same holds for the options of a kind.

use std::sync::LazyLock;

use proofmark::Ruleset;
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
    ("proofmark_core/rules/raw/example.rs", "the form of an example sets options of kinds"),
    ("proofmark_lsp/editor/selected.rs", "shows what the path of a rule selects in its examples"),
    ("proofmark_mcp/mcp/core.rs", "only Markdown documents have a quill"),
    ("proofmark_mcp/mcp/tools/frontmatter.rs", "the tool is about metadata of Markdown documents"),
    ("proofmark_mcp/mcp/tools/mermaid.rs", "the tool reads diagrams of Markdown and Quarto documents"),
    ("proofmark_org/files.rs", "finds and changes Org files"),
    ("proofmark_project/diagrams/", "the report on Mermaid diagrams, and Mermaid's own tool"),
    (
        "proofmark_project/project/config/checked.rs",
        "`[kinds.markdown] dialect` and `[org] inline_tasks` are settings of kinds",
    ),
    ("proofmark_project/project/environment.rs", "whether variables must be set is a setting of a kind"),
    ("proofmark_renderer/renderer.rs", "pages are set from Markdown documents"),
];

/// The name of a kind, compared or looked up.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    let (kinds, name) = (KINDS.join("|"), format!("\"(?:{}|rule)\"", KINDS.join("|")));
    let ruleset = Ruleset::builtin();
    let options: Vec<&str> =
        ruleset.kinds().iter().flat_map(|kind| kind.options()).map(|option| option.name).collect();
    let options = options.join("|");
    let patterns = [
        format!(r"\b(?:{})\b", options.to_uppercase()),
        format!(r"\boptions\.(?:{options})\b"),
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

/// Whether a file is in the folder of a kind.
fn is_of_kind(name: &str) -> bool {
    let own = name.strip_prefix("proofmark_formats/").and_then(|name| name.split('/').next());
    own.is_some_and(|own| KINDS.contains(&own.trim_end_matches(".rs")))
}

#[test]
fn only_listed_files_ask_for_a_kind_by_name() {
    let mut found = Vec::new();
    for package in packages().iter().filter(|package| package.name != "proofmark_render") {
        for (name, text) in package.code().into_iter().filter(|(name, _)| !is_of_kind(name)) {
            let lines = text.lines().map(str::trim).filter(|line| asks(line));
            found.extend(lines.map(|line| (name.clone(), line.to_owned())));
        }
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
        "let stars = options.inline_tasks;",
        "let strict = options.option(&STRICT_ENVIRONMENT);",
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
        "outline.settings.inline_tasks",
        "path.extension().is_some_and(|extension| extension == \"json\")",
        "if kind == \"fig\" {",
    ] {
        assert!(!asks(line), "{line}");
    }
}
