use std::fmt::Write as _;

use super::{Outcome, ReportOptions, findings::Totals};
use crate::text::plural;

/// The totals as a sentence without a period: `2 errors, 1 warning in 3 files`.
pub(super) fn counts(totals: &Totals) -> String {
    let files = plural(totals.summary.files, "file");
    if totals.summary.files == 0 {
        return "no files to check".to_owned();
    }
    if totals.total() == 0 {
        return format!("{files} checked, nothing found");
    }
    let summary = &totals.summary;
    let parts = [(summary.errors, "error"), (summary.warnings, "warning"), (summary.notes, "note")];
    let counted: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(count, noun)).collect();
    let found = counted.join(", ");
    if totals.summary.files == totals.files_with_findings {
        format!("{found} in {files}")
    } else {
        format!("{found} in {} of {files}", totals.files_with_findings)
    }
}

/// Remarks about the counts, each a sentence without a period.
pub(super) fn remarks(totals: &Totals, options: &ReportOptions, outcome: &Outcome) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(fixable) = fixable(totals, &options.fix_command) {
        remarks.push(fixable);
    }
    if totals.followers > 0 && !options.show_caused {
        let verb = if totals.followers == 1 { "follows" } else { "follow" };
        remarks.push(format!("{} {verb} from others and only counted", totals.followers));
    }
    if totals.suppressed > 0 && !options.show_suppressed {
        remarks.push(format!("{} suppressed", totals.suppressed));
    }
    if let Some(truncated) = outcome.truncated {
        remarks.push(format!("only {} of {} shown", truncated.shown, truncated.total));
    }
    remarks
}

fn fixable(totals: &Totals, command: &str) -> Option<String> {
    if command.is_empty() {
        return None;
    }
    let mut text = match (totals.safe, totals.unsafe_only) {
        (0, 0) => return None,
        (0, only) => return Some(format!("{only} fixable with `{command} --unsafe`")),
        (safe, _) => format!("{safe} fixable with `{command}`"),
    };
    if totals.unsafe_only > 0 {
        let _ = write!(text, ", {} more with `--unsafe`", totals.unsafe_only);
    }
    Some(text)
}
