//! Every construct of Markdown reaches the page or is reported: `features.jsonl` has one per line, with the rules
//! that report it, each occurrence. `looks/features.html` has what becomes of each, and `docs/markdown-on-the-page.md` is
//! the table of them; `PROOFMARK_BLESS=1` rewrites both.

use std::{fmt::Write as _, fs, path::Path};

use proofmark::internals::render::Format;
use serde::Deserialize;

use super::{ROOT, builtin, render, render_as};

#[derive(Deserialize)]
struct Feature {
    #[serde(rename = "feature")]
    name: String,
    markdown: String,
    reported: Vec<String>,
}

impl Feature {
    fn document(&self) -> String {
        format!("---\nQUILL: memo\nto: [All]\nfrom: Me\nsubject: Subject\n---\n\n{}", self.markdown)
    }
}

fn features() -> Vec<Feature> {
    include_str!("features.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Compares a generated file with the one that is kept, or keeps it.
fn compare(path: &Path, text: &str) {
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        fs::write(path, text).unwrap();
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    let differing = kept.lines().zip(text.lines()).find(|(kept, now)| kept != now);
    assert!(kept == text, "{} differs: {differing:?}; bless with PROOFMARK_BLESS=1", path.display());
}

#[test]
fn every_construct_is_rendered_or_reported() {
    let renderer = builtin();
    let mut wrong = Vec::new();
    for mut feature in features() {
        let rendered = render(&renderer, &feature.document());
        let mut found: Vec<String> = rendered
            .diagnostics
            .iter()
            .map(|found| found.id.clone())
            // Rules on the text are not about pages, but a link to a missing file is reported once: as that.
            .filter(|id| id.starts_with("FM6") || id.starts_with("RN") || id == "MD137")
            .collect();
        found.sort();
        feature.reported.sort();
        if found != feature.reported || rendered.artifacts.is_empty() {
            wrong.push(format!("{}: {found:?}, expected {:?}", feature.name, feature.reported));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_becomes_of_every_construct_is_as_it_was() {
    let renderer = builtin();
    let mut all = String::new();
    for feature in features() {
        let rendered = render_as(&renderer, &feature.document(), Format::Html);
        let html = String::from_utf8(rendered.artifacts[0].bytes.to_vec()).unwrap();
        let main = html.split_once("<main").and_then(|(_, rest)| rest.split_once("</main>"));
        let mut main =
            main.map_or("", |(main, _)| main.split_once('>').map_or("", |(_, rest)| rest)).trim().to_owned();
        // Pictures are as long as their bytes.
        while let Some(at) = main.find(";base64,") {
            let end = at + main[at..].find('"').unwrap_or(main.len() - at);
            main.replace_range(at..end, ";…");
        }
        let _ = writeln!(all, "<!-- {} -->\n{main}\n", feature.name);
    }
    compare(&Path::new(ROOT).join("render-worker/tests/looks/features.html"), &all);
}

#[test]
fn the_table_of_constructs_is_up_to_date() {
    let mut table = "# Markdown on the page\n\nWhat becomes of each construct of Markdown when a document is rendered. \
                     `check` and `validate` report what does not reach the page, each occurrence, before anything is rendered. \
                     A test renders every row; it also writes this page.\n\n\
                     | construct | Markdown | on the page |\n|---|---|---|\n"
        .to_owned();
    for feature in features() {
        let code = |line: &str| {
            let line = line.replace('|', "\\|");
            if line.contains('`') { format!("`` {line} ``") } else { format!("`{line}`") }
        };
        let shortened = |line: &str| -> String {
            if line.chars().count() > 60 {
                line.chars().take(59).chain(['…']).collect()
            } else {
                line.to_owned()
            }
        };
        let lines = feature.markdown.lines().filter(|line| !line.trim().is_empty());
        let markdown: Vec<String> = lines.take(4).map(|line| code(&shortened(line))).collect();
        let mut reported = feature.reported.clone();
        reported.dedup();
        let outcome = if reported.is_empty() {
            "rendered".to_owned()
        } else {
            let ids: Vec<String> = reported.iter().map(|id| format!("`{id}`")).collect();
            format!("reported: {}", ids.join(", "))
        };
        let _ = writeln!(table, "| {} | {} | {outcome} |", feature.name, markdown.join("<br>"));
    }
    compare(&Path::new(ROOT).join("docs/markdown-on-the-page.md"), &table);
}
