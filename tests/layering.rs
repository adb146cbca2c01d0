//! The layers of `ARCHITECTURE.md`: a stage imports only what stands left of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// The stages from left to right. `diagnostic` and `tree` do not know each other.
const STAGES: &[&str] = &[
    "text",
    "diagnostic",
    "tree",
    "syntax",
    "kinds",
    "rules",
    "engine",
    "diagrams",
    "files",
    "fix",
    "config",
    "render",
    "service",
    "cli",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The stages that a file names, by `crate::stage` or inside `use crate::{stage, …}`.
fn imports(text: &str) -> Vec<String> {
    let direct = Regex::new(r"\bcrate::([a-z_]+)").unwrap();
    let group = Regex::new(r"(?s)use crate::\{(.*?)\n?\};").unwrap();
    let member = Regex::new(r"(?m)(?:^|,)\s*([a-z_]+)(?:::|,|\s*$)").unwrap();
    let mut found: Vec<String> = direct.captures_iter(text).map(|c| c[1].to_owned()).collect();
    for block in group.captures_iter(text) {
        // What stands in inner braces belongs to the stage before them.
        let mut depth = 0;
        let outer: String = block[1]
            .chars()
            .filter(|c| {
                depth += i32::from(*c == '{') - i32::from(*c == '}');
                depth == 0 && *c != '}'
            })
            .collect();
        found.extend(member.captures_iter(&outer).map(|c| c[1].to_owned()));
    }
    found
}

#[test]
fn a_stage_imports_only_what_stands_left_of_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let position = |name: &str| STAGES.iter().position(|stage| *stage == name);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (index, stage) in STAGES.iter().enumerate() {
        for path in sources(&root.join(stage)) {
            for import in imports(&fs::read_to_string(&path).unwrap()) {
                seen += 1;
                let sideways = (*stage == "tree" && import == "diagnostic") || import == "main";
                if position(&import).is_some_and(|there| there > index) || sideways {
                    wrong.push(format!("{} imports {import}", path.strip_prefix(&root).unwrap().display()));
                }
            }
        }
    }
    assert!(seen > 50, "the test must see the imports, and saw {seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_of_the_source_is_a_stage() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(root).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(
            STAGES.contains(&name.as_str()),
            "`{name}` is in no layer: add it to ARCHITECTURE.md and here"
        );
    }
}

#[test]
fn grouped_imports_are_seen() {
    let text =
        "use crate::{\n    diagnostic::{Diagnostic, Fix},\n    text::Span,\n};\nlet x = crate::tree::Node;";
    let mut found = imports(text);
    found.sort();
    assert_eq!(found, ["diagnostic", "text", "tree"]);
}
