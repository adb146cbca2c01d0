//! One page for each rule: what `explain` says, and what a user reads of its first invalid example.

use std::{path::PathBuf, sync::Arc};

use crate::{
    diagnostic::report::{self, FileReport, Format, ReportOptions, Run},
    engine::run_example,
    rules::{Pack, Rule, Ruleset},
};

use super::{Explained, NOTICE, index, rules_of};
use crate::cli::explain::fenced;

/// Width of the reports on the pages, in columns.
const WIDTH: usize = 100;

/// The pages below one folder, and their index.
pub(super) fn pages(packs: &[&Pack], ruleset: &Arc<Ruleset>) -> Vec<(PathBuf, String)> {
    let name = |rule: &Rule| format!("{}/{}.md", rule.pack, rule.id);
    let mut pages = vec![(PathBuf::from("README.md"), index(packs, ruleset, &name))];
    for pack in packs {
        pages.extend(rules_of(pack, ruleset).map(|rule| (name(rule).into(), page(rule, ruleset))));
    }
    pages
}

fn page(rule: &Rule, ruleset: &Arc<Ruleset>) -> String {
    let mut text = Explained::new(rule, ruleset).markdown("#");
    if let Some(report) = reported(rule, ruleset) {
        text = format!("{text}\nThe report on the wrong example:\n\n{}", fenced("text", &report));
    }
    format!("{text}\n[All rules](../README.md)\n\n{NOTICE}")
}

/// What the terminal shows of the rule's findings in its first invalid example.
fn reported(rule: &Rule, ruleset: &Arc<Ruleset>) -> Option<String> {
    let help = ruleset.help(rule);
    let example = help.examples.iter().find(|example| example.invalid)?;
    let mut outcome = run_example(ruleset, rule, &example.sample)?;
    outcome.diagnostics.retain(|diagnostic| diagnostic.id == rule.id);
    let sources = outcome.document.tree.sources();
    let file = FileReport { name: sources[0].name(), sources, diagnostics: &outcome.diagnostics };
    let options = ReportOptions { width: Some(WIDTH), show_caused: true, ..ReportOptions::default() };
    let run = Run { options, ..Run::default() };
    let mut out = Vec::new();
    report::write(Format::Pretty, &run, &[file], &report::Outcome::default(), &mut out).ok()?;
    let shown = String::from_utf8(out).ok()?;
    // The last paragraph counts findings.
    shown.trim_end().rsplit_once("\n\n").map(|(findings, _)| findings.to_owned())
}
