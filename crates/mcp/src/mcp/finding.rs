//! Findings as agents see them: compact, paged, and with what a model needs to fix them at the first try.

use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use crate::{
    Limits,
    diagnostic::{Applicability, Diagnostic, Severity},
    engine::{Outcome, Secrets},
    rules::Ruleset,
    text::{Fingerprint, LineIndex, SourceId, clip, plural, visible},
};

/// How much detail each finding has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Detail {
    #[default]
    Concise,
    Full,
}

/// Number of findings.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Summary {
    /// The counts in words.
    verdict: String,
    pub(super) errors: usize,
    warnings: usize,
    notes: usize,
    /// Findings by rule id.
    by_rule: BTreeMap<String, usize>,
}

/// One finding.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Finding {
    id: String,
    name: String,
    severity: Severity,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix_hint: Option<String>,
    location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expected: Vec<String>,
    /// The line; with `detail: full`, also the lines around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<OfferedFix>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Note>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    fingerprint: String,
}

/// Lines and columns count from 1, columns in code points.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Location {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    /// JSON Pointer to the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_start: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_end: Option<u32>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Note {
    label: String,
    line: u32,
    column: u32,
}

/// A fix that can be applied by the fingerprint of its finding.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct OfferedFix {
    /// Names this fix in `fixes`.
    id: String,
    title: String,
    applicability: Applicability,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edits: Vec<ShownEdit>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ShownEdit {
    line: u32,
    old: String,
    new: String,
}

/// A page of findings.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) summary: Summary,
    pub(super) valid: bool,
    pub(super) diagnostics: Vec<Finding>,
    pub(super) total: usize,
    /// Number of the first finding that is listed, from 1.
    pub(super) first: usize,
    pub(super) next_cursor: Option<String>,
}

/// Options for listing findings.
pub(super) struct View<'v> {
    pub(super) detail: Detail,
    /// Position of the first finding that is listed.
    pub(super) cursor: usize,
    /// Handle of the result that the findings are of.
    pub(super) result: &'v str,
    pub(super) limits: &'v Limits,
    pub(super) ruleset: &'v Ruleset,
}

/// The findings that no comment suppresses.
pub(super) fn unsuppressed(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    diagnostics.iter().filter(|diagnostic| diagnostic.suppressed.is_none()).collect()
}

/// The position that a cursor encodes in the list `list` of a number of entries.
pub(super) fn read_cursor(cursor: Option<&str>, list: &str, total: usize) -> Result<usize, Refusal> {
    let Some(cursor) = cursor else { return Ok(0) };
    let position = cursor.strip_prefix('o').and_then(|rest| rest.split_once('.'));
    let position = position.and_then(|(number, key)| Some((number.parse().ok()?, key)));
    let problem = match position {
        None => "which is not a `next_cursor` of any answer".to_owned(),
        Some((_, key)) if key != list_key(list) => {
            "which is the `next_cursor` of another result; begin without a cursor".to_owned()
        }
        Some((position, _)) if position >= total => format!("but there are only {total} entries"),
        Some((position, _)) => return Ok(position),
    };
    Err(Refusal::arguments(vec![format!("`cursor` is `{}`, {problem}", visible(&clip(cursor, 40)))]))
}

/// The cursor of a position in the list `list`.
pub(super) fn cursor_at(position: usize, list: &str) -> String {
    format!("o{position}.{}", list_key(list))
}

/// What distinguishes the cursors of lists.
fn list_key(list: &str) -> String {
    Fingerprint::new().add(list).hex()[..8].to_owned()
}

impl Summary {
    /// Counts findings.
    pub(super) fn of(diagnostics: &[&Diagnostic]) -> Self {
        let mut summary = Self::default();
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => summary.errors += 1,
                Severity::Warning => summary.warnings += 1,
                Severity::Note => summary.notes += 1,
            }
            *summary.by_rule.entry(diagnostic.id.clone()).or_default() += 1;
        }
        summary.verdict = summary.in_words();
        summary
    }

    /// `INVALID: 2 errors, 1 warning`
    pub(super) fn in_words(&self) -> String {
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let counted: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| plural(*count, name)).collect();
        let verdict = if self.errors > 0 { "INVALID" } else { "VALID" };
        if counted.is_empty() {
            format!("{verdict}: no findings")
        } else {
            format!("{verdict}: {}", counted.join(", "))
        }
    }
}

impl Listing {
    /// A page of some findings of a document. If they do not fit on one page, errors come first.
    pub(super) fn new(document: &Outcome, found: &[&Diagnostic], view: &View<'_>) -> Self {
        let summary = Summary::of(found);
        let mut ordered: Vec<&Diagnostic> = found.to_vec();
        if ordered.len() > view.limits.diagnostics {
            ordered.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.severity));
        }
        let secrets = document.secrets(view.ruleset.kinds());
        let source = secrets.masked(SourceId(0), document.document.source());
        let text = source.text();
        let lines = LineIndex::new(text);
        let mut diagnostics = Vec::new();
        let mut bytes = 0;
        for diagnostic in ordered.iter().skip(view.cursor).take(view.limits.diagnostics) {
            let finding = Finding::new(diagnostic, text, &lines, &secrets, view);
            bytes += serde_json::to_vec(&finding).map_or(0, |json| json.len());
            if bytes > view.limits.answer_bytes && !diagnostics.is_empty() {
                break;
            }
            diagnostics.push(finding);
        }
        let end = view.cursor + diagnostics.len();
        Self {
            valid: summary.errors == 0,
            total: ordered.len(),
            next_cursor: (end < ordered.len()).then(|| cursor_at(end, view.result)),
            first: view.cursor + 1,
            summary,
            diagnostics,
        }
    }

    /// The findings as text, without a verdict.
    pub(super) fn text(
        findings: &[Finding],
        first: usize,
        total: usize,
        next_cursor: Option<&str>,
    ) -> String {
        let mut text = String::new();
        for finding in findings {
            finding.write(&mut text);
        }
        let last = first + findings.len() - 1;
        match next_cursor {
            Some(cursor) => {
                let _ = writeln!(
                    text,
                    "Showing findings {first} to {last} of {total}; for more, call again with \"cursor\": \"{cursor}\"."
                );
            }
            None if first > 1 => {
                let _ = writeln!(text, "Showing findings {first} to {last} of {total}: these are the last.");
            }
            None => {}
        }
        text
    }
}

impl Finding {
    fn new(
        diagnostic: &Diagnostic,
        text: &str,
        lines: &LineIndex,
        secrets: &Secrets,
        view: &View<'_>,
    ) -> Self {
        let full = view.detail == Detail::Full;
        let location = &diagnostic.location;
        let own = location.source.0 == 0;
        Self {
            id: diagnostic.id.clone(),
            name: diagnostic.name.clone(),
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            fix_hint: diagnostic.fix_hint.clone(),
            location: Location {
                file: visible(&location.file).into_owned(),
                line: location.line,
                column: location.column,
                end_line: location.end_line,
                end_column: location.end_column,
                path: location.path.as_deref().map(|path| visible(path).into_owned()),
                byte_start: full.then_some(location.byte_start),
                byte_end: full.then_some(location.byte_end),
            },
            found: diagnostic.found.clone(),
            expected: diagnostic.expected.iter().take(if full { 40 } else { 8 }).cloned().collect(),
            context: if full && own {
                Some(block(text, lines, location.line, location.end_line))
            } else {
                diagnostic.context.clone()
            },
            fixes: diagnostic.fixes.iter().map(|fix| offered(fix, text, lines, secrets, full)).collect(),
            related: diagnostic.related.iter().map(Note::of).collect(),
            why: if full { why(view.ruleset, &diagnostic.id) } else { None },
            fingerprint: diagnostic.fingerprint.clone(),
        }
    }

    /// Writes the finding in two to five lines.
    fn write(&self, text: &mut String) {
        let Location { line, column, .. } = self.location;
        let (severity, id, name) = (self.severity, &self.id, &self.name);
        let _ = writeln!(text, "{line}:{column} {severity} {id} {name}: {}", self.message);
        for line in self.context.iter().flat_map(|context| context.lines()) {
            let _ = writeln!(text, "    {line}");
        }
        if let Some(hint) = &self.fix_hint {
            let _ = writeln!(text, "  hint: {hint}");
        }
        for note in &self.related {
            let _ = writeln!(text, "  see {}:{}: {}", note.line, note.column, note.label);
        }
        for fix in &self.fixes {
            let _ = writeln!(text, "  fix ({}) {}: {}", fix.applicability.name(), fix.id, fix.title);
            for edit in &fix.edits {
                let _ = writeln!(text, "    line {}: {:?} -> {:?}", edit.line, edit.old, edit.new);
            }
        }
        if let Some(why) = &self.why {
            let _ = writeln!(text, "  why: {why}");
        }
    }
}

impl Note {
    fn of(related: &crate::diagnostic::Related) -> Self {
        let label = related.label.clone();
        Self { label, line: related.location.line, column: related.location.column }
    }
}

/// Maximum number of characters shown of an edit.
const EDIT: usize = 400;

fn offered(
    fix: &crate::diagnostic::Fix,
    text: &str,
    lines: &LineIndex,
    secrets: &Secrets,
    full: bool,
) -> OfferedFix {
    let shown = |text: &str| {
        let mut text = text.to_owned();
        secrets.hide_in(&mut text);
        displayed(&clip(&text, EDIT))
    };
    let edits = fix.edits.iter().filter(|_| full).map(|edit| ShownEdit {
        line: lines.position(text, edit.byte_start).line,
        old: shown(&edit.old),
        new: shown(&edit.new),
    });
    OfferedFix {
        id: fix.id.clone(),
        title: fix.title.clone(),
        applicability: fix.applicability,
        edits: edits.collect(),
    }
}

/// Text of a document with its line endings and tabs; characters that hide or reorder text are escaped.
pub(super) fn displayed(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        for (index, cell) in line.split('\t').enumerate() {
            if index > 0 {
                shown.push('\t');
            }
            shown.push_str(&visible(cell));
        }
        shown.push_str(end);
    }
    shown
}

/// Number of lines that `context` shows before and after a finding.
const AROUND: u32 = 3;

/// The lines of a finding and some around them; `>` marks the lines of the finding.
fn block(text: &str, lines: &LineIndex, first: u32, last: u32) -> String {
    let last = last.min(first + 2 * AROUND);
    let end = (last + AROUND).min(lines.count() as u32);
    let mut block = String::new();
    for line in first.saturating_sub(AROUND).max(1)..=end {
        let mark = if (first..=last).contains(&line) { '>' } else { ' ' };
        let shown = displayed(&clip(lines.span(text, line).of(text), 120));
        let _ = writeln!(block, "{mark}{line:4} | {shown}");
    }
    block.trim_end().to_owned()
}

/// Why a rule exists: the second paragraph of its explanation.
fn why(ruleset: &Ruleset, id: &str) -> Option<String> {
    let rule = ruleset.find(id)?.rule;
    Some(Explanation::of(&ruleset.help(rule).explain).why).filter(|why| !why.is_empty())
}

/// A rule's explanation in its three parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Explanation {
    pub(super) what: String,
    pub(super) why: String,
    pub(super) how: String,
}

impl Explanation {
    /// Rule files have three paragraphs: what is checked, why, how to fix it. Further paragraphs belong to
    /// the last part; parts without a paragraph are empty.
    pub(super) fn of(explain: &str) -> Self {
        let mut paragraphs = explain.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
        let mut next = || paragraphs.next().unwrap_or_default().to_owned();
        let (what, why) = (next(), next());
        let how = paragraphs.collect::<Vec<_>>().join("\n\n");
        Self { what, why, how }
    }

    /// The first sentence of what is checked.
    pub(super) fn one_line(&self) -> String {
        let line = self.what.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = line.find(". ").map_or(line.len(), |at| at + 1);
        clip(&line[..end], 160).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        engine::{Settings, Validator},
        kinds::ParseOptions,
        text::Source,
    };

    #[test]
    fn hidden_characters_are_escaped_and_line_endings_kept() {
        assert_eq!(displayed("a\t\u{202e}b\r\nc\n"), "a\t\\u{202e}b\\r\nc\n");
    }

    #[test]
    fn an_explanation_has_three_parts() {
        let explanation =
            Explanation::of("Names are unique. Or else.\n\nTwo are one too many.\n\nRename.\n\nAlways.\n");
        assert_eq!(explanation.one_line(), "Names are unique.");
        assert_eq!(explanation.how, "Rename.\n\nAlways.");
    }

    #[test]
    fn a_page_ends_at_the_limit_and_the_next_page_continues() {
        let diagnostics: Vec<Diagnostic> = (0..5)
            .map(|index| {
                let mut diagnostic = Diagnostic::default();
                diagnostic.severity = if index == 4 { Severity::Error } else { Severity::Warning };
                diagnostic.fingerprint = index.to_string();
                diagnostic
            })
            .collect();
        let limits = Limits { diagnostics: 3, ..Limits::default() };
        let ruleset = Ruleset::builtin();
        let kind = Arc::clone(ruleset.kind("yaml").unwrap());
        let source = Arc::new(Source::new("a.yaml", ""));
        let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
        let document = validator.validate(&source, kind.as_ref(), &ParseOptions::default());
        let mut view =
            View { detail: Detail::Concise, cursor: 0, result: "r1", limits: &limits, ruleset: &ruleset };
        let first = Listing::new(&document, &unsuppressed(&diagnostics), &view);
        assert_eq!(first.diagnostics[0].fingerprint, "4", "the error is on the first page");
        view.cursor = read_cursor(first.next_cursor.as_deref(), "r1", 5).unwrap();
        let second = Listing::new(&document, &unsuppressed(&diagnostics), &view);
        assert_eq!((second.first, second.diagnostics.len(), second.total), (4, 2, 5));
        assert_eq!(second.next_cursor, None);
    }

    #[test]
    fn a_cursor_of_another_list_or_after_its_end_is_refused() {
        let cursor = cursor_at(3, "r1");
        assert_eq!(read_cursor(Some(&cursor), "r1", 4).unwrap(), 3);
        for (cursor, list, total) in
            [(&*cursor, "r2", 4), (&*cursor, "r1", 3), ("o3", "r1", 4), ("3", "r1", 4)]
        {
            assert!(read_cursor(Some(cursor), list, total).is_err(), "{cursor} {list} {total}");
        }
    }
}
