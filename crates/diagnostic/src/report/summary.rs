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
    if !options.fix_command.is_empty() {
        remarks.extend(totals.fixable.sentence(&options.fix_command));
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
