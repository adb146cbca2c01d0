//! Files are opened by one layer, which refuses what is not a regular file and limits what is read.

use std::{fs, path::Path};

use crate::modules::packages;

/// The layer that opens files, and the files outside of it that do, each with the reason.
const OPENING: &[(&str, &str)] = &[
    ("proofmark_files/", "the layer itself"),
    ("proofmark_formats/quill/set.rs", "below that layer: checks the type and size itself"),
    ("proofmark_renderer/shelf.rs", "writes documents that the service keeps, to new files"),
    ("proofmark_renderer/bundle.rs", "opens the folder of a quill, and its files by that layer"),
    ("proofmark_convert/pandoc/process.rs", "writes to its temporary folder"),
    ("proofmark_lsp/server/pages.rs", "writes pages on rules to its temporary folder"),
    ("proofmark_mcp/memory.rs", "reads /proc/self/status"),
    ("proofmark/cli/init.rs", "writes a new configuration"),
    ("proofmark/cli/quills.rs", "writes a bundle that the user exports"),
    (
        "proofmark/cli/packs.rs",
        "copies of packs of other repositories, and the configuration that extends them",
    ),
    ("proofmark/cli/rules/", "commands for authors of rules, with files that they name"),
];

/// What opens a file.
const CALLS: &[&str] = &[
    "fs::read(",
    "fs::read_to_string(",
    "fs::write(",
    "fs::copy(",
    "File::open(",
    "File::create",
    "File::options(",
    "OpenOptions::new(",
    "open_ambient",
    "open_with(",
];

/// The files of the source that open files, without their tests.
fn opening(top: &Path, package: &str, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && stem != "tests" {
            opening(top, package, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "tests" {
            let text = fs::read_to_string(&path).unwrap();
            let tests = ["#[cfg(test)]\nmod tests {", "#[cfg(all(test, unix))]\nmod tests {"];
            let end = tests.iter().filter_map(|start| text.find(start)).min().unwrap_or(text.len());
            let lines = text[..end].lines().map(str::trim).filter(|line| !line.starts_with("//"));
            let calls = lines.filter(|line| CALLS.iter().any(|call| line.contains(call)));
            let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            found.extend(calls.map(|line| (format!("{package}/{name}"), line.to_owned())));
        }
    }
}

#[test]
fn only_listed_modules_open_files() {
    let mut found = Vec::new();
    // The render worker, the Python module and build scripts are not part of the validator.
    let others = ["proofmark_render", "proofmark_python", "proofmark_build"];
    for package in packages().iter().filter(|package| !others.contains(&package.name.as_str())) {
        let source = package.folder.join("src");
        opening(&source, &package.name, &source, &mut found);
    }
    let unknown: Vec<_> =
        found.iter().filter(|(name, _)| !OPENING.iter().any(|(known, _)| name.starts_with(known))).collect();
    assert!(unknown.is_empty(), "read and write files with `crate::files` here: {unknown:#?}");
    let unused: Vec<_> =
        OPENING.iter().filter(|(known, _)| !found.iter().any(|(name, _)| name.starts_with(known))).collect();
    assert!(unused.is_empty(), "these open no file any more, so take them off the list: {unused:#?}");
}
