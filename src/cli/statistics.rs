//! Findings counted by rule.

use std::fmt::Write as _;

use crate::{diagnostic::Summary, rules::Ruleset};

/// A line a rule, the most frequent first.
pub(super) fn table(summary: &Summary, ruleset: &Ruleset) -> String {
    let mut counts: Vec<(&String, &usize)> = summary.by_rule.iter().collect();
    counts.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then(a.cmp(b)));
    let width = counts.first().map_or(1, |(_, count)| count.to_string().len());
    let mut text = String::new();
    for (id, count) in counts {
        let name = ruleset.find(id).map_or("", |found| found.rule.name.as_str());
        let _ = writeln!(text, "{count:>width$}  {id:<6} {name}");
    }
    text
}
