//! The documentation says what the program does: the commands in its pages are executed.
//!
//! `TRYCMD=overwrite cargo test --test repository docs::` writes the current output into the pages.

use std::{fs, path::PathBuf};

use crate::sandbox::Sandbox;

#[test]
fn commands_in_the_pages_print_what_the_pages_show() {
    let cases = trycmd::TestCases::new();
    cases.case("README.md").case("docs/guide/*.md").case("docs/how-to/*.md");
    cases.env("NO_COLOR", "1").env("COLUMNS", "120");
    cases.run();
}

/// The Markdown files of `docs/` that people have written, and the README.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![PathBuf::from("README.md")];
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("rules") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages
}

#[test]
fn configurations_in_the_pages_can_be_used() {
    let sandbox = Sandbox::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("\n```toml\n").skip(1) {
            let configuration = block.split("\n```").next().unwrap();
            sandbox.write("proofmark.toml", configuration);
            let run = sandbox.run(&["check", "--isolated", "proofmark.toml"]);
            assert_eq!(run.code, 0, "{}:\n{configuration}\n{}", page.display(), run.stdout);
            count += 1;
        }
    }
    assert!(count > 3, "{count} configurations");
}
