//! The page on a rule.

use std::fmt::Write as _;

use serde_json::Value;

use crate::project::Project;

/// Everything about a rule, as Markdown; `brief` leaves out the examples but the first.
pub(crate) fn rule_page(project: &Project, rule: &str, brief: bool) -> Option<String> {
    let explained = project.explain(rule)?;
    let word = |name: &str| explained[name].as_str().unwrap_or_default();
    let heading = if brief { "###" } else { "#" };
    let mut text = format!("{heading} {} {}\n\n", word("id"), word("name"));
    if !brief {
        let _ = writeln!(
            text,
            "severity: {} · pack: {} · since: {} · fix: {}\n",
            word("severity"),
            word("pack"),
            word("since"),
            explained["fix"].as_str().unwrap_or("none")
        );
    }
    let _ = writeln!(text, "{}", word("explain"));
    let examples = explained["examples"].as_array().map(Vec::as_slice).unwrap_or_default();
    for invalid in [true, false] {
        let shown = examples.iter().filter(|example| example["invalid"].as_bool() == Some(invalid));
        let shown = shown.filter(|example| example["text"].as_str().is_some_and(|text| !text.is_empty()));
        for example in shown.take(if brief { usize::from(invalid) } else { usize::MAX }) {
            add_example(&mut text, example, invalid);
        }
    }
    Some(text)
}

fn add_example(text: &mut String, example: &Value, invalid: bool) {
    let sample = example["text"].as_str().unwrap_or_default();
    let _ = write!(text, "\n{}:\n\n{}", if invalid { "Wrong" } else { "Right" }, fenced(sample));
    if let Some(fixed) = example["fixed"].as_str() {
        let _ = write!(text, "\nFixed:\n\n{}", fenced(fixed));
    }
}

/// A fence that is longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.lines().map(|line| line.chars().take_while(|c| *c == '`').count()).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}
