//! The crates of `ARCHITECTURE.md`: they build on each other as it says, and no folder imports in a circle.

mod named;
mod opened;
mod statics;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::modules::{Modules, Name, packages};

/// Submodules that still import in a circle: the folder and those of the circle.
const CIRCLES: &[(&str, &[&str])] = &[];

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

/// The table of crates in `ARCHITECTURE.md`: each with those that it builds on.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `proofmark")).map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let names = |cell: &str| -> BTreeSet<String> {
            let names = cell.split(", ").map(|name| name.trim_matches('`').replace('-', "_"));
            names.filter(|name| !name.is_empty()).collect()
        };
        (names(cells[1]).pop_first().unwrap(), names(cells[3]))
    });
    rows.collect()
}

/// Everything that a package builds on, also by others.
fn below(graph: &BTreeMap<String, BTreeSet<String>>, package: &str) -> BTreeSet<String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![package]);
    while let Some(package) = open.pop() {
        for next in graph.get(package).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn the_documented_graph_of_crates_is_that_of_the_manifests() {
    let documented = documented();
    let written: BTreeMap<String, BTreeSet<String>> =
        packages().into_iter().map(|package| (package.name, package.dependencies)).collect();
    for package in written.keys().chain(documented.keys()) {
        let (documented, written) = (below(&documented, package), below(&written, package));
        assert_eq!(documented, written, "`{package}`: ARCHITECTURE.md, and Cargo.toml");
    }
}

#[test]
fn crates_import_what_they_depend_on() {
    let imports = Modules::of_workspace().imports();
    assert!(imports.len() > 400, "the test must see the imports, and saw {}", imports.len());
    for package in packages() {
        let used: BTreeSet<&String> =
            imports.iter().filter(|(from, _)| from[0] == package.name).map(|(_, to)| &to[0]).collect();
        let unused: Vec<_> = package.dependencies.iter().filter(|name| !used.contains(name)).collect();
        assert!(unused.is_empty(), "`{}` depends on {unused:?} and does not use them", package.name);
    }
}

#[test]
fn no_folder_imports_in_a_circle() {
    let known: BTreeSet<(String, BTreeSet<String>)> = CIRCLES
        .iter()
        .map(|(folder, members)| ((*folder).to_owned(), members.iter().map(ToString::to_string).collect()))
        .collect();
    let found: BTreeSet<(String, BTreeSet<String>)> = circles(&Modules::of_workspace()).into_iter().collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "modules that import each other:\n{new:#?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "these circles are gone, so take them off the list:\n{gone:#?}");
}

#[test]
fn an_import_is_seen_in_every_form() {
    let wanted: (Name, Name) = (
        vec!["app".to_owned(), "tree".to_owned(), "node".to_owned()],
        vec!["low".to_owned(), "rules".to_owned()],
    );
    for import in [
        "use crate::rules::Rule;",
        "use low::rules::Rule;",
        "use crate::{\n    text::Span,\n    rules::{self, Rule},\n};",
        "fn f() { crate::rules::load(); }",
        "use super::super::rules::Rule;",
        "use crate::facade::Rule;",
    ] {
        let modules = Modules::of(&[
            ("app", "use low::rules;\nmod text;\nmod tree;\nmod facade;"),
            ("app/text", ""),
            ("app/facade", "pub use crate::rules::Rule;"),
            ("app/tree", "mod node;"),
            ("app/tree/node", import),
            ("low", "mod rules;"),
            ("low/rules", "pub struct Rule;"),
        ]);
        assert!(modules.imports().contains(&wanted), "{import}: {:?}", modules.imports());
    }
    let comment = "// crate::rules\nconst A: &str = \"crate::rules::A\";";
    let modules = Modules::of(&[("app", "mod text; mod rules;"), ("app/text", comment), ("app/rules", "")]);
    assert!(modules.imports().is_empty());
}

#[test]
fn circles_are_seen_through_facades_and_folders() {
    let modules = Modules::of(&[
        ("app", "mod a;"),
        ("app/a", "mod b;\nmod c;\nmod d;\npub use b::B;"),
        ("app/a/b", "use super::c::inner::C;"),
        ("app/a/c", "mod inner;"),
        ("app/a/c/inner", "use super::super::B;\nuse super::super::d;"),
        ("app/a/d", "use std::fmt;"),
    ]);
    let expected: BTreeSet<String> = ["b", "c"].map(str::to_owned).into();
    assert_eq!(circles(&modules), [("app/a".to_owned(), expected)]);
}
