//! The layers of `ARCHITECTURE.md`: stages import towards the leaves, and no folder imports in a circle.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

#[expect(dead_code, reason = "the test of the public API needs more of it")]
mod modules;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use self::modules::{Modules, Name};

/// The stages from the leaves to the clients. A stage imports those before it; stages of one level do not
/// know each other.
const STAGES: &[&[&str]] = &[
    &["budget", "programs"],
    &["text"],
    &["peg"],
    &["tree"],
    &["expressions"],
    &["schema"],
    &["diagnostic"],
    &["syntax"],
    &["kinds", "files"],
    &["checks"],
    &["edits"],
    &["rules"],
    &["engine"],
    &["diagrams"],
    &["fix"],
    &["project"],
    &["org", "convert"],
    &["render"],
    &["service"],
    &["cli"],
];

/// Submodules that still import in a circle: the folder and those of the circle.
const CIRCLES: &[(&str, &[&str])] = &[];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn level(stage: &str) -> Option<usize> {
    STAGES.iter().position(|level| level.contains(&stage))
}

/// Imports of stages that are not before the importing one.
fn upward(modules: &Modules) -> Vec<String> {
    let wrong = |from: &Name, to: &Name| {
        let (from, to) = (from.first()?, to.first()?);
        Some(from != to && level(to)? >= level(from)?)
    };
    let imports = modules.imports();
    let imports = imports.iter().filter(|(from, to)| wrong(from, to).unwrap_or(false));
    imports.map(|(from, to)| format!("{} imports {}", from.join("/"), to.join("/"))).collect()
}

/// The circles among the submodules of each folder. A folder's own `mod.rs` represents the folder: it may
/// hold what its files share and put them together.
fn circles(modules: &Modules) -> Vec<(String, BTreeSet<String>)> {
    let imports = modules.imports();
    let folders: BTreeSet<&[String]> =
        modules.names().flat_map(|name| (0..name.len()).map(move |length| &name[..length])).collect();
    let mut found = Vec::new();
    for folder in folders {
        let child = |name: &Name| name.strip_prefix(folder).and_then(|rest| rest.first().cloned());
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in &imports {
            if let (Some(from), Some(to)) = (child(from), child(to))
                && from != to
            {
                graph.entry(from).or_default().insert(to);
            }
        }
        found.extend(cycles(&graph).into_iter().map(|circle| (folder.join("/"), circle)));
    }
    found
}

/// The groups of nodes that reach each other.
fn cycles(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<BTreeSet<String>> {
    let reachable = |start: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(node) = open.pop() {
            for next in graph.get(node).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|node| (node, reachable(node))).collect();
    let group = |node: &String| -> BTreeSet<String> {
        let back = |other: &&String| reach.get(*other).is_some_and(|reach| reach.contains(node));
        reach[node].iter().filter(back).cloned().collect()
    };
    graph.keys().map(group).filter(|group| !group.is_empty()).collect()
}

#[test]
fn a_stage_imports_only_stages_before_it() {
    let modules = Modules::below(&source());
    assert!(
        modules.imports().len() > 400,
        "the test must see the imports, and saw {}",
        modules.imports().len()
    );
    let wrong = upward(&modules);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_folder_imports_in_a_circle() {
    let known: BTreeSet<(String, BTreeSet<String>)> = CIRCLES
        .iter()
        .map(|(folder, members)| ((*folder).to_owned(), members.iter().map(ToString::to_string).collect()))
        .collect();
    let found: BTreeSet<(String, BTreeSet<String>)> =
        circles(&Modules::below(&source())).into_iter().collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "modules that import each other:\n{new:#?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "these circles are gone, so take them off the list:\n{gone:#?}");
}

#[test]
fn every_folder_of_the_source_is_a_stage() {
    for entry in fs::read_dir(source()).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(level(&name).is_some(), "`{name}` is in no layer: add it to ARCHITECTURE.md and here");
    }
}

#[test]
fn an_import_of_a_later_stage_is_seen_in_every_form() {
    for import in [
        "use crate::rules::Rule;",
        "use crate::{\n    text::Span,\n    rules::{self, Rule},\n};",
        "fn f() { crate::rules::load(); }",
        "use super::super::rules::Rule;",
    ] {
        let modules = Modules::of(&[
            ("", "mod text; mod tree; mod rules;"),
            ("text", ""),
            ("rules", "pub struct Rule;"),
            ("tree", "mod node;"),
            ("tree/node", import),
        ]);
        assert_eq!(upward(&modules), ["tree/node imports rules"], "{import}");
    }
    let facade = [("text", "pub use crate::rules::Rule;"), ("tree", "use crate::text::Rule;"), ("rules", "")];
    assert_eq!(upward(&Modules::of(&facade)), ["text imports rules", "tree imports rules"]);
    let modules =
        Modules::of(&[("text", "// crate::rules\nconst A: &str = \"crate::rules::A\";"), ("rules", "")]);
    assert_eq!(upward(&modules), Vec::<String>::new());
}

#[test]
fn circles_are_seen_through_facades_and_folders() {
    let modules = Modules::of(&[
        ("", "mod a;"),
        ("a", "mod b;\nmod c;\nmod d;\npub use b::B;"),
        ("a/b", "use super::c::inner::C;"),
        ("a/c", "mod inner;"),
        ("a/c/inner", "use super::super::B;\nuse super::super::d;"),
        ("a/d", "use std::fmt;"),
    ]);
    let expected: BTreeSet<String> = ["b", "c"].map(str::to_owned).into();
    assert_eq!(circles(&modules), [("a".to_owned(), expected)]);
}
