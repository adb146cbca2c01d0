use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::{Asked, Core},
    finding::{Detail, Finding, Listing, Summary, View, read_cursor, unsuppressed},
    refusal::Refusal,
    tool::{AgentTool, AnswerText},
};
use crate::{
    Toolset,
    diagnostic::{Applicability, Diagnostic, Severity},
    engine::Outcome,
    results::{self, Identity, Known},
    rules::ENGINE_KIND,
    text::{Fingerprint, clip, plural, visible},
};

/// `validate`
pub(super) struct Validate;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// The document.
    text: Option<String>,
    /// Or a file below the allowed folders.
    path: Option<String>,
    /// File that `text` is for: its rules and kind hold.
    name: Option<String>,
    /// Kind of document (see `about`) (default: detected from the path or text).
    kind: Option<String>,
    /// Quill to validate Markdown against, instead of the one it names.
    quill: Option<String>,
    /// `full` adds edits, surrounding lines and the reason.
    #[serde(default)]
    detail: Detail,
    /// `result` of an earlier answer, or fingerprints: reports what is fixed, remaining and new.
    previous: Option<Previous>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// An earlier result.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(super) enum Previous {
    /// Handle of a result.
    Handle(String),
    /// Fingerprints of its findings.
    Fingerprints(Vec<String>),
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    summary: Summary,
    /// Whether no finding is an error.
    valid: bool,
    /// Kind that the document was read as.
    kind: String,
    /// Handle to pass as `previous` to the next call.
    result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<Delta>,
    diagnostics: Vec<Finding>,
    /// Number of the first of these findings, from 1.
    first: usize,
    /// Number of findings.
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// What to do next.
    next: String,
}

/// How the findings differ from the earlier result: counts, and the first fingerprints.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Delta {
    counts: DeltaCounts,
    fixed: Vec<String>,
    remaining: Vec<String>,
    new: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct DeltaCounts {
    fixed: usize,
    remaining: usize,
    new: usize,
}

/// Maximum number of fingerprints per list.
const LISTED: usize = 100;

impl AgentTool for Validate {
    type Arguments = Arguments;
    type Answer = Answer;
    const NAME: &'static str = "validate";
    const TITLE: &'static str = "Validate a document";
    const DESCRIPTION: &'static str = "Validates a document and lists every finding with location, message, hint and offered fixes. Pass the `result` of the previous answer as `previous` to see which findings are fixed, remaining and new.";
    const TOOLSET: Toolset = Toolset::Core;
    const EXAMPLE: &'static str = r#"{"text": "---\ntitle: Hello\n---\n", "kind": "markdown"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("yaml_text", "text"),
        ("markdown", "text"),
        ("content", "text"),
        ("file_path", "path"),
        ("quill_name", "quill"),
    ];

    fn call(core: &Core, arguments: Arguments) -> Result<Answer, Refusal> {
        let asked = Asked {
            text: arguments.text,
            path: arguments.path.as_deref(),
            name: arguments.name.as_deref(),
            kind: arguments.kind.as_deref(),
            quill: arguments.quill.as_deref(),
        };
        let (outcome, handle, kind, is_file) = match core.open(asked)? {
            Ok(subject) => {
                let outcome = subject.validate();
                core.metrics.findings(&outcome.diagnostics);
                let handle = subject.handle(&outcome);
                (outcome, handle, subject.kind().name().to_owned(), subject.is_file())
            }
            Err(outcome) => {
                let handle = unreadable(&outcome);
                (*outcome, handle, ENGINE_KIND.to_owned(), true)
            }
        };
        let found = unsuppressed(&outcome.diagnostics);
        let source = outcome.document.source();
        let document = Identity::of(source.name(), &kind, source.text());
        let before = arguments.previous.map(|previous| previous.known(core, &document)).transpose()?;
        let delta = before.map(|before| Delta::from(results::Delta::between(&before, &found)));
        let cursor = read_cursor(arguments.cursor.as_deref(), &handle, found.len())?;
        let result = core.results.keep(handle, document, &found);
        let view = View {
            detail: arguments.detail,
            cursor,
            result: &result,
            limits: &core.limits,
            ruleset: core.validator.ruleset(),
        };
        let listing = Listing::new(&outcome, &found, &view);
        Ok(Answer {
            next: next_step(&found, &result, is_file),
            summary: listing.summary,
            valid: listing.valid,
            kind,
            result,
            delta,
            diagnostics: listing.diagnostics,
            first: listing.first,
            total: listing.total,
            next_cursor: listing.next_cursor,
        })
    }
}

/// The handle of a file whose content cannot be used: of what is reported about it.
fn unreadable(outcome: &Outcome) -> String {
    let mut hash = Fingerprint::new();
    hash.add(outcome.document.source().name());
    for one in &outcome.diagnostics {
        hash.add(&one.id).add(&one.message);
    }
    format!("r{}", hash.hex())
}

impl Previous {
    /// The findings of an earlier version of `document`.
    fn known(self, core: &Core, document: &Identity) -> Result<Vec<Known>, Refusal> {
        let shown = |text: &str| visible(&clip(text, 40)).into_owned();
        match self {
            Self::Fingerprints(fingerprints) => {
                let is_one = |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
                if let Some(other) = fingerprints.iter().find(|text| !is_one(text)) {
                    let reason =
                        format!("`previous` contains `{}`, which is not a fingerprint", shown(other));
                    return Err(Refusal::arguments(vec![reason]));
                }
                Ok(fingerprints.into_iter().map(Known::by_fingerprint).collect())
            }
            Self::Handle(handle) => {
                let Some(kept) = core.results.get(&handle) else {
                    let reason =
                        format!("no result `{}` is kept: it has expired or never existed", shown(&handle));
                    return Err(Refusal::because(reason)
                        .next("validate without `previous`, or pass the known fingerprints as a list"));
                };
                if let Some(other) = kept.mismatch(document) {
                    let reason =
                        format!("the result `{}` is of {other}, not of this document", shown(&handle));
                    return Err(Refusal::because(reason)
                        .next("validate without `previous`, or pass a result of this document"));
                }
                Ok(kept.findings)
            }
        }
    }
}

impl Delta {
    /// `2 fixed, 1 remaining, 1 new (…)`
    pub(super) fn in_words(&self) -> String {
        let DeltaCounts { fixed, remaining, new } = self.counts;
        let few = (1..=FEW).contains(&new);
        let which = if few { format!(" ({})", self.new.join(", ")) } else { String::new() };
        format!("{fixed} fixed, {remaining} remaining, {new} new{which}")
    }
}

/// Maximum number of new findings that are named.
const FEW: usize = 8;

impl From<results::Delta> for Delta {
    fn from(delta: results::Delta) -> Self {
        let results::Delta { mut fixed, mut remaining, mut new } = delta;
        let counts = DeltaCounts { fixed: fixed.len(), remaining: remaining.len(), new: new.len() };
        for list in [&mut fixed, &mut remaining, &mut new] {
            list.truncate(LISTED);
        }
        Self { counts, fixed, remaining, new }
    }
}

/// The most useful next call, for a document sent as text or for a file.
pub(super) fn next_step(found: &[&Diagnostic], result: &str, file: bool) -> String {
    if found.is_empty() {
        return "stop, the document has no findings".to_owned();
    }
    let offers = |least: Applicability| {
        let offered = |d: &&&Diagnostic| d.fixes.iter().any(|fix| fix.applicability >= least);
        found.iter().filter(offered).count()
    };
    let (safe, likely) = (offers(Applicability::Safe), offers(Applicability::Unsafe));
    let mut again = format!("then validate again with \"previous\": \"{result}\"");
    // What an error hides is known when it is repaired; fixes may wait for that.
    let is_error = |found: &&&Diagnostic| found.severity == Severity::Error;
    let (with, without): (Vec<&&Diagnostic>, Vec<&&Diagnostic>) =
        found.iter().filter(is_error).partition(|error| !error.fixes.is_empty());
    let rest = match (likely < found.len(), !with.is_empty() && !without.is_empty()) {
        (false, _) => ", ",
        (true, false) => "; fix the rest by hand, ",
        (true, true) => {
            again += ", which may offer fixes for the rest";
            ", "
        }
    };
    match (safe, likely) {
        (0, 0) if found.iter().all(|finding| finding.severity < Severity::Error) => {
            format!("the document is valid; to resolve the remaining findings, edit it, {again}")
        }
        (0, 0) => format!("fix the findings listed above, {again}"),
        (safe, likely) if file => {
            let fixes = match (safe, likely - safe) {
                (safe, 0) => plural(safe, "safe fix"),
                (0, likely) => plural(likely, "likely fix"),
                (safe, likely) => format!("{safe} safe and {}", plural(likely, "likely fix")),
            };
            format!("apply_patch with `fixes` applies {fixes} by fingerprint{rest}{again}")
        }
        (0, likely) => {
            let fixes = plural(likely, "likely fix");
            format!("fix_text with \"unsafe\": true applies {fixes}{rest}{again}")
        }
        (safe, likely) => {
            let more =
                if likely > safe { format!(", or {likely} with \"unsafe\": true") } else { String::new() };
            format!("fix_text applies {}{more}{rest}{again}", plural(safe, "safe fix"))
        }
    }
}

impl AnswerText for Answer {
    fn text(&self) -> String {
        let verdict = self.summary.in_words();
        let mut text = format!("{verdict} (kind {}, result {})\n", self.kind, self.result);
        text += &Listing::text(&self.diagnostics, self.first, self.total, self.next_cursor.as_deref());
        if let Some(delta) = &self.delta {
            let _ = writeln!(text, "Since the previous result: {}", delta.in_words());
        }
        text + &format!("Next: {}", self.next)
    }
}
