//! How far the reading of Org files agrees with Emacs (Org 9.8.9 and 9.5.5) on labeled documents.

use std::collections::BTreeSet;

use proofmark::{Input, Kind, Project, internals::kinds::org::Org};
use serde_json::Value;

use super::corpus;

/// What of a headline is compared.
const FIELDS: [&str; 12] = [
    "line",
    "level",
    "todo",
    "priority",
    "commented",
    "title",
    "tags",
    "scheduled",
    "deadline",
    "closed",
    "properties",
    "id",
];

/// Lower bounds, to be raised and never lowered. Emacs reads a line `scheduled:` in lower case as
/// planning when it runs without a terminal, and with a wrong key; those headlines are left out.
const HEADLINES: f64 = 1.0;
const FINDINGS: f64 = 0.974;

fn rows() -> Option<Vec<Value>> {
    let text = corpus::read("org/cases.jsonl")?;
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect())
}

/// Whether a line of planning in lower case follows the headline on this line.
fn is_quirk(text: &str, line: u64) -> bool {
    let below = text.lines().nth(line as usize).unwrap_or_default().trim_start();
    ["scheduled:", "deadline:", "closed:"].iter().any(|keyword| below.starts_with(keyword))
}

#[test]
fn headlines_agree_with_emacs_in_every_field() {
    let Some(rows) = rows() else { return };
    let (mut total, mut agree) = (0, 0);
    for row in &rows {
        let text = row["text"].as_str().unwrap();
        let outline = Org.outline(text).unwrap();
        let ours = outline["headlines"].as_array().unwrap();
        let wanted = row["headlines"].as_array().unwrap();
        let older = row["headlines_9_5_5"].as_array().filter(|older| !older.is_empty()).unwrap_or(wanted);
        assert_eq!(ours.len(), wanted.len(), "{}: number of headlines", row["id"]);
        for ((ours, wanted), older) in ours.iter().zip(wanted).zip(older) {
            if is_quirk(text, wanted["line"].as_u64().unwrap()) {
                continue;
            }
            let same = FIELDS.iter().all(|field| ours[field] == wanted[field] || ours[field] == older[field]);
            total += 1;
            agree += u32::from(same);
            if !same {
                println!("{}: {ours}\n  wanted {wanted}", row["id"]);
            }
        }
    }
    println!("{agree}/{total} headlines agree");
    assert!(total > 2000, "{total} headlines");
    assert!(f64::from(agree) / f64::from(total) >= HEADLINES, "{agree}/{total}");
}

/// Checkers of org-lint that need Emacs' configuration or other files.
const LEFT_OUT: [&str; 3] = ["error", "suspicious-language-in-src-block", "non-existent-setupfile-parameter"];

#[test]
fn findings_of_org_lint_are_found_on_their_lines() {
    let Some(rows) = rows() else { return };
    let project = Project::builtin();
    let (mut total, mut found) = (0, 0);
    for row in &rows {
        let text = row["text"].as_str().unwrap();
        let kind = project.kinds().get("org").cloned();
        let subject = project.subject(Input::text(text).of_kind(kind)).ok().unwrap();
        let outcome = subject.validate();
        let mut lines: BTreeSet<u64> = BTreeSet::new();
        for diagnostic in &outcome.diagnostics {
            lines.insert(u64::from(diagnostic.location.line));
            lines.extend(diagnostic.related.iter().map(|related| u64::from(related.location.line)));
        }
        for finding in row["lint"].as_array().unwrap() {
            if LEFT_OUT.contains(&finding["checker"].as_str().unwrap()) {
                continue;
            }
            total += 1;
            let line = finding["line"].as_u64().unwrap();
            if lines.contains(&line) {
                found += 1;
            } else {
                println!("{} {finding}", row["id"]);
            }
        }
    }
    println!("{found}/{total} findings of org-lint");
    assert!(f64::from(found) / f64::from(total) >= FINDINGS, "{found}/{total}");
}
