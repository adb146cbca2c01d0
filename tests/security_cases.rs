//! The table of attacks: every cause has a test or says why not, and every test that is named exists.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{collections::BTreeSet, fs, path::Path};

const TABLE: &str = include_str!("data/security.md");

/// The causes that the review has found.
const CAUSES: &[&str] = &[
    "C1", "H1", "H2", "H3", "H4", "H5", "B1", "M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10",
    "M11", "M12", "L",
];

fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| cause"));
    lines.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

#[test]
fn every_cause_has_a_test_or_a_reason() {
    let found: BTreeSet<&str> = rows().map(|row| row[0]).collect();
    assert_eq!(found, CAUSES.iter().copied().collect());
}

#[test]
fn every_test_of_the_table_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests: Vec<&str> = rows().filter(|row| row.len() == 4).map(|row| row[3]).collect();
    assert!(tests.len() > 30);
    for test in tests {
        let (file, name) = test.split_once(' ').unwrap();
        let text = fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("{file} does not exist"));
        let function = format!("fn {}(", name.trim_matches('`'));
        let (before, _) = text.split_once(&function).unwrap_or_else(|| panic!("{file} has no {function}"));
        let line_above = before.trim_end_matches(|c: char| c.is_alphabetic() || c == ' ').trim_end();
        assert!(line_above.ends_with(']'), "{function} of {file} is not a test");
    }
}
