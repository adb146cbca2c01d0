use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Source, SourceId, Span};

/// The severity of a finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, Default,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information.
    Note,
    /// Likely a mistake.
    Warning,
    /// The document is not valid.
    #[default]
    Error,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a fix can be applied without review.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, Default,
)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// One of several options, or it discards text: applied only when it is chosen by its own id.
    Manual,
    /// Likely correct, but may change the meaning of the document.
    #[default]
    Unsafe,
    /// Keeps the meaning, or restores the only possible one.
    Safe,
}

impl Applicability {
    /// `safe`, `unsafe` or `manual`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Unsafe => "unsafe",
            Self::Safe => "safe",
        }
    }
}

/// A location in a file. Lines and columns count from 1, columns in Unicode code points; bytes count
/// from 0 and the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[non_exhaustive]
pub struct Location {
    /// Path relative to the working directory with `/`, or `<stdin>`.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
    /// Offset of the first byte.
    pub byte_start: u32,
    /// Offset after the last byte.
    pub byte_end: u32,
    /// JSON Pointer to the node in the document's tree, if the location is a node.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// The source of the document that the bytes belong to.
    #[serde(skip)]
    pub source: SourceId,
}

impl Location {
    /// A place in a file whose text is not at hand: line and column of its start and of its end, from 1.
    #[doc(hidden)]
    pub fn elsewhere(file: String, start: [u32; 2], end: [u32; 2], span: Span) -> Self {
        let ([line, column], [end_line, end_column]) = (start, end);
        let source = SourceId(u16::MAX);
        Self {
            file,
            line,
            column,
            end_line,
            end_column,
            byte_start: span.start,
            byte_end: span.end,
            path: None,
            source,
        }
    }

    /// The location of a span of the source with the number `id`.
    pub fn of(source: &Source, id: SourceId, span: Span) -> Self {
        let (start, end) = (source.position(span.start), source.position(span.end));
        Self {
            file: source.name().to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            byte_start: span.start,
            byte_end: span.end,
            path: None,
            source: id,
        }
    }
}

/// Another location that explains a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Related {
    /// How this location is related.
    pub label: String,
    /// The location.
    pub location: Location,
}

impl Related {
    /// A location with what it has to do with the finding.
    pub fn new(label: impl Into<String>, location: Location) -> Self {
        Self { label: label.into(), location }
    }
}

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FixEdit {
    /// Offset of the first replaced byte.
    pub byte_start: u32,
    /// Offset after the last replaced byte.
    pub byte_end: u32,
    /// The replaced text, so that an edit is never applied to text that it was not made for.
    pub old: String,
    /// The replacement.
    pub new: String,
    /// File, if it is not the file of the diagnostic.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
}

impl FixEdit {
    /// The replacement of the bytes of `span`, which are `old`, in the file of the diagnostic.
    pub fn new(span: Span, old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { byte_start: span.start, byte_end: span.end, old: old.into(), new: new.into(), file: None }
    }
}

/// A way to fix a finding: edits that are applied together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Fix {
    /// Its id: the fingerprint of its finding, a dot, and its number among the finding's fixes.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub id: String,
    /// What it does, in the imperative.
    pub title: String,
    /// Whether it can be applied without review.
    pub applicability: Applicability,
    /// The edits, ordered by position, without overlap.
    pub edits: Vec<FixEdit>,
}

impl Fix {
    /// A fix without an id.
    pub fn new(title: impl Into<String>, applicability: Applicability, edits: Vec<FixEdit>) -> Self {
        Self { id: String::new(), title: title.into(), applicability, edits }
    }
}

/// One finding: what is wrong, where, why and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Stable id of the rule, such as `FM101`.
    pub id: String,
    /// The rule's name, such as `unclosed-frontmatter`.
    pub name: String,
    /// Severity.
    pub severity: Severity,
    /// What is wrong, with the actual value.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fix_hint: Option<String>,
    /// The smallest part that is wrong.
    pub location: Location,
    /// The text at the location.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub found: Option<String>,
    /// What is expected there, the most likely first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub expected: Vec<String>,
    /// Related locations that explain it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related: Vec<Related>,
    /// Ways to fix it, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fixes: Vec<Fix>,
    /// The source line with its number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context: Option<String>,
    /// Key that stays the same when other lines of the file change: sixteen hexadecimal digits.
    pub fingerprint: String,
    /// Fingerprint of the finding that causes this one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caused_by: Option<String>,
    /// Why it does not count, if a comment or a baseline suppresses it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suppressed: Option<String>,
}

impl Diagnostic {
    /// A finding of a rule at a place, with nothing else said about it.
    #[doc(hidden)]
    pub fn new(id: String, name: String, severity: Severity, message: String, location: Location) -> Self {
        Self {
            id,
            name,
            severity,
            message,
            fix_hint: None,
            location,
            found: None,
            expected: Vec::new(),
            related: Vec::new(),
            fixes: Vec::new(),
            context: None,
            fingerprint: String::new(),
            caused_by: None,
            suppressed: None,
        }
    }
}

/// Number of findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Findings of severity `error`.
    pub errors: usize,
    /// Findings of severity `warning`.
    pub warnings: usize,
    /// Findings of severity `note`.
    pub notes: usize,
    /// Checked files.
    pub files: usize,
    /// Findings by rule id.
    pub by_rule: std::collections::BTreeMap<String, usize>,
}

/// Present if not all findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Truncated {
    /// Number of findings in the list.
    pub shown: usize,
    /// Total number of findings.
    pub total: usize,
}

/// The result of a run, never an empty body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    /// `proofmark`.
    pub tool: String,
    /// Version of the program.
    pub version: String,
    /// Fingerprint of the enabled rules: equal rulesets give equal results.
    pub ruleset: String,
    /// Whether there are no errors.
    pub valid: bool,
    /// Totals.
    pub summary: Summary,
    /// The findings, ordered by file, location and id.
    pub diagnostics: Vec<Diagnostic>,
    /// Present if the list is shorter than the total.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub truncated: Option<Truncated>,
}

impl Summary {
    /// Counts the findings of a file.
    pub fn count<'d>(&mut self, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
            match self.by_rule.get_mut(&diagnostic.id) {
                Some(count) => *count += 1,
                None => {
                    self.by_rule.insert(diagnostic.id.clone(), 1);
                }
            }
        }
    }
}

impl Envelope {
    /// The name in every envelope.
    pub const TOOL: &'static str = "proofmark";
}
