//! Files are opened by one layer, which refuses what is not a regular file and limits what is read.

use crate::modules::packages;

/// The layer that opens files, and the files outside of it that do, each with the reason.
const OPENING: &[(&str, &str)] = &[
    ("proofmark_files/", "the layer itself"),
    ("proofmark_rules/live.rs", "the packs of the repository, in the profile `dev`"),
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

#[test]
fn only_listed_modules_open_files() {
    let mut found = Vec::new();
    // The render worker, the Python module and build scripts are not part of the validator.
    let others = ["proofmark_render", "proofmark_python", "proofmark_build"];
    for package in packages().iter().filter(|package| !others.contains(&package.name.as_str())) {
        for (name, text) in package.code() {
            let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
            let calls = lines.filter(|line| CALLS.iter().any(|call| line.contains(call)));
            found.extend(calls.map(|line| (name.clone(), line.to_owned())));
        }
    }
    let unknown: Vec<_> =
        found.iter().filter(|(name, _)| !OPENING.iter().any(|(known, _)| name.starts_with(known))).collect();
    assert!(unknown.is_empty(), "read and write files with `crate::files` here: {unknown:#?}");
    let unused: Vec<_> =
        OPENING.iter().filter(|(known, _)| !found.iter().any(|(name, _)| name.starts_with(known))).collect();
    assert!(unused.is_empty(), "these open no file any more, so take them off the list: {unused:#?}");
}
