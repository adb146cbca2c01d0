//! Every construct of Markdown reaches the page or is reported: `features.jsonl` has one per line, with the rules
//! that report it, each occurrence.

use serde::Deserialize;

use super::{builtin, render};

#[derive(Deserialize)]
struct Feature {
    #[serde(rename = "feature")]
    name: String,
    markdown: String,
    reported: Vec<String>,
}

#[test]
fn every_construct_is_rendered_or_reported() {
    let renderer = builtin();
    let features: Vec<Feature> =
        include_str!("features.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut wrong = Vec::new();
    for Feature { name: feature, markdown, mut reported } in features {
        let head = "---\nQUILL: memo\nto: [All]\nfrom: Me\nsubject: Subject\n---\n\n";
        let rendered = render(&renderer, &format!("{head}{markdown}"));
        let mut found: Vec<String> = rendered
            .diagnostics
            .iter()
            .map(|found| found.id.clone())
            // Rules on the text are not about pages, but a link to a missing file is reported once: as that.
            .filter(|id| id.starts_with("FM6") || id.starts_with("RN") || id == "MD137")
            .collect();
        found.sort();
        reported.sort();
        if found != reported || rendered.artifacts.is_empty() {
            wrong.push(format!("{feature}: {found:?}, expected {reported:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
