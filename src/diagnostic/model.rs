use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Source, SourceId, Span};

/// How bad a finding is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, Default,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Likely not what was meant.
    Warning,
    /// The document is not right.
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

/// Whether a fix may be applied without a person looking at it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, Default,
)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// Only to be shown: it is incomplete or a matter of taste.
    Display,
    /// Likely right, but it may change what the document means.
    #[default]
    Unsafe,
    /// Keeps the meaning, or restores the only one there can be.
    Safe,
}

impl Applicability {
    /// `safe`, `unsafe` or `display`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Unsafe => "unsafe",
            Self::Safe => "safe",
        }
    }
}

/// A place in a file. Lines and columns count from 1, columns in Unicode code points; bytes count
/// from 0 and the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
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
    /// JSON Pointer to the node in the document's tree, where the place is a node.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Which source of the document the bytes belong to.
    #[serde(skip)]
    pub source: SourceId,
}

impl Location {
    /// The place of a span of a source that has the number `id` in its document.
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

/// A second place that explains the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Related {
    /// What the place has to do with it.
    pub label: String,
    /// The place.
    pub location: Location,
}

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixEdit {
    /// Offset of the first byte that goes.
    pub byte_start: u32,
    /// Offset after the last byte that goes.
    pub byte_end: u32,
    /// The text that goes, so that an edit is never applied to a text it was not made for.
    pub old: String,
    /// The text that comes.
    pub new: String,
    /// File, where it is another one than that of the diagnostic.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
}

/// A way to mend a finding: edits that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    /// What it does, in the imperative.
    pub title: String,
    /// Whether it may be applied unseen.
    pub applicability: Applicability,
    /// The edits, ordered by place, without overlap.
    pub edits: Vec<FixEdit>,
}

/// One finding: what is wrong, where, why and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
pub struct Diagnostic {
    /// Stable id of the rule, such as `FM101`.
    pub id: String,
    /// The rule's name, such as `unclosed-frontmatter`.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with the actual value.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fix_hint: Option<String>,
    /// The smallest wrong part.
    pub location: Location,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub found: Option<String>,
    /// What may stand there, the likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub expected: Vec<String>,
    /// Further places that explain it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub related: Vec<Related>,
    /// Ways to mend it, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fixes: Vec<Fix>,
    /// The line it stands in, with its number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub context: Option<String>,
    /// Key that stays the same when other lines of the file change: sixteen hexadecimal digits.
    pub fingerprint: String,
    /// Fingerprint of the finding this one follows from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caused_by: Option<String>,
    /// Why it is left out of the verdict, where a comment or a baseline says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suppressed: Option<String>,
}

/// How many findings there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
pub struct Summary {
    /// Findings of severity `error`.
    pub errors: usize,
    /// Findings of severity `warning`.
    pub warnings: usize,
    /// Findings of severity `note`.
    pub notes: usize,
    /// Files looked at.
    pub files: usize,
    /// Findings by rule id.
    pub by_rule: std::collections::BTreeMap<String, usize>,
}

/// That not all findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Truncated {
    /// Findings in the list.
    pub shown: usize,
    /// Findings there are.
    pub total: usize,
}

/// The whole result of a run, never an empty body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    /// `proofmark`.
    pub tool: String,
    /// Version of the program.
    pub version: String,
    /// Fingerprint of the rules that were on: equal rulesets give equal verdicts.
    pub ruleset: String,
    /// Whether no finding is an error.
    pub valid: bool,
    /// Totals.
    pub summary: Summary,
    /// The findings, ordered by file, place and id.
    pub diagnostics: Vec<Diagnostic>,
    /// Present when the list is shorter than the total.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub truncated: Option<Truncated>,
}

impl Summary {
    /// Counts one file's findings.
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
    /// The name that every envelope carries.
    pub const TOOL: &'static str = "proofmark";
}
