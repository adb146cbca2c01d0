//! Documents that are edited: those of this folder, and those of a file of test cases.

use std::{env, fs};

use serde_json::Value;

const OWN: &[&str] = &[
    include_str!("documents/tasks.org"),
    include_str!("documents/habits.org"),
    include_str!("documents/log.org"),
    include_str!("documents/indented.org"),
    include_str!("documents/plain.org"),
    include_str!("documents/lists.org"),
];

pub(crate) fn all() -> Vec<String> {
    let mut documents: Vec<String> = OWN.iter().map(|&text| text.to_owned()).collect();
    documents.push(OWN[0].replace('\n', "\r\n"));
    if let Ok(cases) = env::var("PROOFMARK_ORG_CASES") {
        for line in fs::read_to_string(cases).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            documents.push(case["text"].as_str().unwrap().to_owned());
        }
    }
    // JSON in Emacs has no null character.
    documents.retain(|text| text.lines().any(|line| line.starts_with('*')) && !text.contains('\0'));
    documents
}
