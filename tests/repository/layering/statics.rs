//! What a process keeps: values that are made once from what is built in, and a few listed ones. What is known of files or
//! depends on a configuration belongs to a project or to the session that its client owns, so that several of them can be open
//! side by side and one can be opened again.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use crate::modules::{packages, without_tests};

/// Values that are made once, from patterns, tables, schemas, rules and fonts that are compiled in.
const BUILT_IN: &[&str] = &[
    "proofmark/cli/names.rs IDS",
    "proofmark/cli/render.rs NO_ASSETS",
    "proofmark_convert/dates.rs LANGUAGES",
    "proofmark_convert/effects.rs EFFECTS",
    "proofmark_convert/formats.rs FORMATS",
    "proofmark_convert/html/formula.rs CONVERTER",
    "proofmark_convert/language.rs LANGUAGES",
    "proofmark_convert/reader/entities.rs ENTITIES",
    "proofmark_convert/reveal.rs CONTENT",
    "proofmark_core/checks/all.rs KIND",
    "proofmark_core/engine/suppression.rs EXPIRY",
    "proofmark_core/engine/suppression.rs FORM",
    "proofmark_core/rules/embedded.rs RULES",
    "proofmark_core/rules/loader/prune.rs SCHEMA",
    "proofmark_core/rules/mutants.rs SCHEMA",
    "proofmark_core/rules/ruleset.rs BUILTIN",
    "proofmark_core/rules/ruleset.rs HELP",
    "proofmark_core/rules/schemas.rs STRUCTURE",
    "proofmark_formats/builtin.rs BUILTIN",
    "proofmark_formats/config/mod.rs OBSERVABLES",
    "proofmark_formats/config/mod.rs SCHEMA",
    "proofmark_formats/config/mod.rs STRUCTURE",
    "proofmark_formats/config/mod.rs TEXT",
    "proofmark_formats/markdown/diagrams.rs EDGE",
    "proofmark_formats/markdown/observables.rs ALL",
    "proofmark_formats/markdown/unrendered.rs MARKUP",
    "proofmark_formats/markdown/unrendered.rs SIGNS",
    "proofmark_formats/mermaid/assembly.rs NEWER",
    "proofmark_formats/mermaid/observables.rs ALL",
    "proofmark_formats/mermaid/prepare.rs ATTRIBUTE",
    "proofmark_formats/mermaid/prepare.rs STYLE",
    "proofmark_formats/mermaid/prepare.rs TAG",
    "proofmark_formats/mermaid/schema.rs TEXT",
    "proofmark_formats/openapi/mod.rs OBSERVABLES",
    "proofmark_formats/org/outline.rs NONE",
    "proofmark_formats/org/settings.rs NONE",
    "proofmark_formats/qtype/environment.rs COMPILED",
    "proofmark_formats/quarto/bibliography.rs BIB",
    "proofmark_formats/quarto/bibliography.rs CSL",
    "proofmark_formats/quarto/observables.rs ALL",
    "proofmark_formats/quill/mod.rs STRUCTURE",
    "proofmark_formats/quill/observables.rs ALL",
    "proofmark_formats/quill/set.rs QUILLS",
    "proofmark_formats/rulefile/mod.rs OBSERVABLES",
    "proofmark_formats/run.rs OBSERVABLES",
    "proofmark_formats/shared.rs NOTHING",
    "proofmark_peg/compile.rs LETTERS",
    "proofmark_render/diagram.rs ADVANCES",
    "proofmark_render/diagram.rs FACE",
    "proofmark_render/fonts.rs FACES",
    "proofmark_renderer/renderer.rs NO_ASSETS",
    "proofmark_tree/expressions/condition.rs MACROS",
    "proofmark_tree/expressions/condition.rs ROOT",
    "proofmark_tree/expressions/template.rs FORM",
    "proofmark_tree/expressions/template.rs LENIENT",
    "proofmark_tree/expressions/template.rs STRICT",
    "proofmark_tree/schema/format/mod.rs SEMVER",
];

/// The others, each with the reason. None of them makes a result depend on another project.
const OTHERS: &[(&str, &str)] = &[
    ("proofmark/main.rs ALLOCATOR", "the allocator"),
    ("proofmark_rules/live.rs PACKS", "the packs of the repository, in the profile `dev`"),
    ("proofmark_render/main.rs ALLOCATOR", "the allocator"),
    ("proofmark/cli/panics.rs LAST", "the message of a panic, for the thread that reports it"),
    ("proofmark_renderer/preview.rs SLOTS", "how many programs the process runs at the same time"),
    ("proofmark_python/panics.rs CATCHING", "the same for callers from Python"),
    ("proofmark_python/panics.rs LAST", "the same for callers from Python"),
    ("proofmark_python/origin.rs REOPENED", "unpickling has no object that could own the project"),
    ("proofmark_base/budget/mod.rs", "what the validation of this thread may still use"),
    ("proofmark_core/fix/guard.rs KNOWN", "words of schemas by the text of the schema, of a thread"),
    ("proofmark_syntax/yaml/read.rs MEMORY", "empty buffers that a thread uses again"),
    ("proofmark_tree/expressions/condition.rs SHARED", "compiled conditions by their text, while in use"),
    ("proofmark_tree/expressions/regex.rs SHARED", "compiled patterns by their text, while in use"),
    ("proofmark_tree/expressions/metered.rs PATTERNS_KNOWN", "compiled patterns by their text"),
    ("proofmark_render/classic.rs DEPTH", "how deep this thread is"),
    ("proofmark_files/late.rs", "files that the process has replaced, until all writers are done"),
    ("proofmark_files/steps.rs", "interruptions that tests ask for"),
    (
        "proofmark_project/diagrams/mermaid_cli.rs RUNNING",
        "how many programs the process runs at the same time",
    ),
    ("proofmark_renderer/bundle.rs NEXT", "numbers of bundles"),
    ("proofmark_mcp/refusals.rs SEEN", "how often refused connections are logged"),
    ("proofmark_mcp/requests.rs", "numbers of requests in the log"),
];

/// The declaration of a static, with its type.
static STATIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))? )?static ([A-Z][A-Z0-9_]*):\s*([^=;]+)").unwrap()
});

/// Whether a value of this type is only what is written there: strings, numbers, and slices of them.
fn is_literal(written: &str) -> bool {
    let written = written.trim();
    let simple = written.trim_start_matches(['&', '[', '(']);
    let cells = ["Mutex", "RwLock", "Once", "Lazy", "Cell", "Atomic", "Shared", "Remembered"];
    simple.len() < written.len() && !cells.iter().any(|cell| written.contains(cell))
}

/// The statics of a file without its tests.
fn statics_of(text: &str) -> BTreeSet<String> {
    let found = STATIC.captures_iter(without_tests(text));
    found.filter(|found| !is_literal(&found[2])).map(|found| found[1].to_owned()).collect()
}

#[test]
fn only_listed_statics_exist() {
    let mut found = BTreeSet::new();
    for package in packages() {
        for (name, text) in package.code() {
            found.extend(statics_of(&text).into_iter().map(|own| format!("{name} {own}")));
        }
    }
    let is_listed = |name: &String| {
        BUILT_IN.contains(&name.as_str()) || OTHERS.iter().any(|(known, _)| name.starts_with(known))
    };
    let unknown: Vec<_> = found.iter().filter(|name| !is_listed(name)).collect();
    assert!(
        unknown.is_empty(),
        "what is known of files or depends on a configuration belongs to a project or a session: {unknown:#?}"
    );
    let known = BUILT_IN.iter().chain(OTHERS.iter().map(|(known, _)| known));
    let unused: Vec<_> = known.filter(|known| !found.iter().any(|name| name.starts_with(**known))).collect();
    assert!(unused.is_empty(), "these are gone, so take them off the list: {unused:#?}");
}

#[test]
fn a_static_is_seen_in_every_form() {
    for text in [
        "static KNOWN: Mutex<Vec<u8>> = Mutex::new(Vec::new());\n",
        "    pub(super) static KNOWN: Once<String> = Once::new();\n",
        "pub static KNOWN: Remembered<Option<u8>> =\n    Remembered::new();\n",
        "static KNOWN: [Mutex<u8>; 3] = [const { Mutex::new(0) }; 3];\n",
    ] {
        assert_eq!(statics_of(text).len(), 1, "{text}");
    }
    for text in [
        "static WORDS: &[&str] = &[\"a\"];\n",
        "fn f(text: &'static str) {}\n",
        "// static KNOWN: u8\n",
        "mod a;\n\n#[cfg(test)]\nmod tests {\n    static KNOWN: Mutex<u8> = Mutex::new(0);\n",
    ] {
        assert!(statics_of(text).is_empty(), "{text}");
    }
}
