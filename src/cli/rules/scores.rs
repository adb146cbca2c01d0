//! How much of rules their examples exercise, and which changes of rules they notice: `rules test --coverage` and
//! `--mutate`.

use std::{collections::BTreeMap, convert::Infallible, fmt::Write as _, sync::Arc};

use serde_json::{Value, json};

use crate::{
    engine::{coverage, try_mutants},
    rules::{Rule, Ruleset, Status},
};

use super::{Console, Exit, Fault, Style};
use crate::cli::{
    in_order::{default_jobs, in_order},
    progress::Progress,
};

/// How rules are measured by their examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Which branches examples exercise.
    Coverage,
    /// Which changes examples notice.
    Mutation,
}

/// How a measure is reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct Report {
    pub(super) measure: Measure,
    pub(super) json: bool,
    /// The percentage of every pack below which the run fails.
    pub(super) at_least: Option<f64>,
}

/// What was measured of a pack.
#[derive(Debug, Default)]
struct Score {
    rules: usize,
    counted: usize,
    total: usize,
    /// What does not count: rule, JSON Pointer, what about it.
    missing: Vec<(Option<String>, String, String)>,
}

impl Score {
    fn add(&mut self, counts: bool, missing: impl FnOnce() -> (Option<String>, String, String)) {
        self.total += 1;
        if counts {
            self.counted += 1;
        } else {
            self.missing.push(missing());
        }
    }

    /// Rounded down to a tenth, so that only all is 100.
    fn percent(&self) -> f64 {
        let tenths = (self.counted * 1000).checked_div(self.total).unwrap_or(1000);
        f64::from(u32::try_from(tenths).unwrap_or(1000)) / 10.0
    }
}

impl Measure {
    /// What is counted, what counts, and the heading of what does not.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Coverage => ("branches", "covered", "no example shows that"),
            Self::Mutation => ("mutants", "noticed", "no example notices"),
        }
    }
}

impl Report {
    /// Measures rules and prints the report. With the option, a pack below the percentage is a finding.
    pub(super) fn run(
        self,
        ruleset: &Arc<Ruleset>,
        rules: &[&Arc<Rule>],
        console: Console,
    ) -> Result<Exit, Fault> {
        let scores = match self.measure {
            Measure::Coverage => covered(ruleset, rules),
            Measure::Mutation => mutated(ruleset, rules),
        };
        Console::print(&if self.json { self.json(&scores) } else { self.text(&scores, console) })?;
        let below = |score: &Score| self.at_least.is_some_and(|least| score.percent() < least);
        Ok(Exit::findings(scores.values().any(below)))
    }

    fn text(self, scores: &BTreeMap<String, Score>, console: Console) -> String {
        let style = Style::new(console.color());
        let (things, counted, heading) = self.measure.words();
        let mut text = format!("{:<16} {:>5}  {things:>8}  {counted:>8}       %\n", "pack", "rules");
        for (pack, Score { rules, counted, total, .. }) in scores {
            let percent = scores[pack].percent();
            let _ = writeln!(text, "{pack:<16} {rules:>5}  {total:>8}  {counted:>8}  {percent:>6.1}");
        }
        for (pack, score) in scores.iter().filter(|(_, score)| !score.missing.is_empty()) {
            let _ = writeln!(text, "\n{heading} ({pack}):");
            for (rule, at, what) in &score.missing {
                let name = style.bold(rule.as_deref().unwrap_or("pack.yaml"));
                let _ = writeln!(text, "  {name} {at}: {what}");
            }
        }
        text
    }

    fn json(self, scores: &BTreeMap<String, Score>) -> String {
        let (things, counted, _) = self.measure.words();
        let packs = scores.iter().map(|(pack, score)| {
            let missing = score.missing.iter().map(|(rule, at, what)| {
                let mut entry = json!({"at": at});
                let field = if self.measure == Measure::Coverage { "result" } else { "change" };
                entry[field] = what.as_str().into();
                if let Some(rule) = rule {
                    entry["rule"] = rule.as_str().into();
                }
                entry
            });
            let mut entry = json!({"pack": pack, "rules": score.rules, "percent": score.percent()});
            entry[things] = score.total.into();
            entry[counted] = score.counted.into();
            entry[&format!("not_{counted}")] = missing.collect();
            entry
        });
        format!("{:#}\n", json!({"version": 1, "packs": packs.collect::<Value>()}))
    }
}

fn covered(ruleset: &Arc<Ruleset>, rules: &[&Arc<Rule>]) -> BTreeMap<String, Score> {
    let mut packs: BTreeMap<String, Vec<&Rule>> = BTreeMap::new();
    for rule in rules {
        packs.entry(rule.pack.clone()).or_default().push(rule);
    }
    let progress = Progress::of_rules(rules.len());
    let mut scores = BTreeMap::new();
    let measure = |(pack, rules): (String, Vec<&Rule>)| {
        let score = Score { rules: rules.len(), ..Score::default() };
        let branches = coverage(ruleset, &pack, &rules);
        (pack, score, branches)
    };
    let result: Result<(), Infallible> =
        in_order(default_jobs(), packs.into_iter(), measure, |(pack, mut score, branches)| {
            progress.advance_by(score.rules as u64);
            for branch in branches {
                score.add(branch.covered, || (branch.rule, branch.at, branch.result.words().to_owned()));
            }
            scores.insert(pack, score);
            Ok(())
        });
    let Ok(()) = result;
    progress.finish();
    scores
}

fn mutated(ruleset: &Arc<Ruleset>, rules: &[&Arc<Rule>]) -> BTreeMap<String, Score> {
    let progress = Progress::of_rules(rules.len());
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let rules = rules.iter().copied().filter(|rule| rule.status != Status::Removed);
    let measure = |rule: &Arc<Rule>| (rule.pack.clone(), try_mutants(ruleset, rule));
    let result: Result<(), Infallible> = in_order(default_jobs(), rules, measure, |(pack, mutations)| {
        progress.advance();
        let score = scores.entry(pack).or_default();
        score.rules += 1;
        for mutation in mutations {
            score.add(mutation.noticed, || (Some(mutation.rule), mutation.at, mutation.change));
        }
        Ok(())
    });
    let Ok(()) = result;
    progress.finish();
    scores
}
