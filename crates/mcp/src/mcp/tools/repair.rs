use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    super::{
        core::{Asked, Core, not_written},
        finding::{Finding, Listing, Summary, displayed},
        patch::AnchoredEdit,
        refusal::Refusal,
        tool::{AgentTool, AnswerText, Effect, Needs},
    },
    change::Change,
    validate::Delta,
};
use crate::{
    Toolset,
    diagnostic::Applicability,
    fix::Applied,
    text::{Fingerprint, clip, plural, unified, visible},
};

/// `fix_text`
pub(super) struct FixText;

#[derive(Deserialize, JsonSchema)]
pub(super) struct FixArguments {
    /// The document.
    text: String,
    /// File that `text` is for: its rules and kind hold.
    name: Option<String>,
    /// Kind of document (default: detected from the text).
    kind: Option<String>,
    /// Also apply fixes that are likely correct but may change the meaning.
    #[serde(default)]
    r#unsafe: bool,
    /// Apply only these fixes: ids of fixes, or fingerprints of findings.
    fixes: Option<Vec<String>>,
    /// Apply only these edits, together with `fixes`.
    edits: Option<Vec<AnchoredEdit>>,
    /// Apply this unified diff instead.
    patch: Option<String>,
    /// Apply edits or the diff even if they add errors.
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FixAnswer {
    /// Number of findings, as in `validate`.
    #[schemars(with = "Map<String, Value>")]
    summary: Summary,
    /// Whether no finding is an error now.
    valid: bool,
    /// False if the change was refused because it would add errors; `text` is then unchanged.
    ok: bool,
    /// The text after the change.
    text: String,
    /// The change as a unified diff; a refused one is shown as well.
    diff: String,
    /// Number of fixes that were applied.
    applied_total: usize,
    /// The first of these fixes.
    applied: Vec<AppliedFix>,
    /// Fixes that were not applied, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<AppliedFix>,
    /// How the findings changed, as in `validate`.
    #[schemars(with = "Map<String, Value>")]
    delta: Delta,
    /// Remaining findings, or those that the refused change would have introduced; as in `validate`.
    #[schemars(with = "Vec<Map<String, Value>>")]
    diagnostics: Vec<Finding>,
    total: usize,
    /// Handle to pass to `validate` as `previous`.
    result: String,
    next: String,
}

#[derive(Serialize, JsonSchema)]
struct AppliedFix {
    id: String,
    name: String,
    title: String,
    applicability: Applicability,
    line: u32,
    /// Why it was not applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
}

/// Maximum number of fixes that an answer lists.
const FIXES: usize = 50;

impl AppliedFix {
    fn first(fixes: Vec<Applied>) -> Vec<Self> {
        fixes.into_iter().take(FIXES).map(Self::from).collect()
    }
}

impl From<Applied> for AppliedFix {
    fn from(fix: Applied) -> Self {
        let Applied { id, name, title, applicability, line, refused_because: because, .. } = fix;
        Self { id, name, title, applicability, line, because }
    }
}

impl AgentTool for FixText {
    type Arguments = FixArguments;
    type Answer = FixAnswer;
    const NAME: &'static str = "fix_text";
    const TITLE: &'static str = "Fix a document";
    const DESCRIPTION: &'static str = "Applies the safe fixes offered for a document, in rounds, and returns the new text and the remaining findings. `unsafe` adds likely fixes; `fixes`, `edits` or `patch` apply only those.";
    const TOOLSET: Toolset = Toolset::Repair;
    const EXAMPLE: &'static str =
        r#"{"text": "---\ntitle: Hello\n---\n", "kind": "markdown", "unsafe": true}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("yaml_text", "text"), ("markdown", "text"), ("content", "text")];

    fn call(core: &Core, arguments: FixArguments) -> Result<FixAnswer, Refusal> {
        let change = Change::read(arguments.fixes, arguments.edits, arguments.patch)?;
        let subject = core.subject(Asked {
            text: Some(arguments.text),
            name: arguments.name.as_deref(),
            kind: arguments.kind.as_deref(),
            ..Asked::default()
        })?;
        let least = if arguments.r#unsafe { Applicability::Unsafe } else { Applicability::Safe };
        let changed = change.apply(&subject, least, arguments.force)?;
        let report = changed.report(core, &subject);
        let diff = diff(subject.name(), subject.text(), &changed.text);
        let text = if report.ok { changed.text } else { subject.text().to_owned() };
        Ok(FixAnswer {
            summary: report.listing.summary,
            valid: report.listing.valid,
            ok: report.ok,
            text,
            diff,
            applied_total: changed.applied.len(),
            applied: AppliedFix::first(changed.applied),
            refused: AppliedFix::first(changed.refused),
            delta: report.delta,
            diagnostics: report.listing.diagnostics,
            total: report.listing.total,
            result: report.result,
            next: report.next,
        })
    }
}

impl AnswerText for FixAnswer {
    fn text(&self) -> String {
        let verdict = self.summary.in_words();
        let mut text = format!("{verdict}; {}\n", changed_words(self.ok, self.applied_total, &self.delta));
        list_fixes(&mut text, "applied", &self.applied);
        list_fixes(&mut text, "not applied", &self.refused);
        text += &Listing::text(&self.diagnostics, 1, self.total, None);
        let heading = if self.ok { "Text after the change" } else { "Text, unchanged" };
        let _ = writeln!(text, "{heading}:\n````\n{}\n````", self.text.trim_end_matches('\n'));
        text + &format!("Next: {}", self.next)
    }
}

/// `apply_patch`
pub(super) struct ApplyPatch;

#[derive(Deserialize, JsonSchema)]
pub(super) struct PatchArguments {
    /// File below the allowed folders.
    path: String,
    /// Unified diff of this file.
    patch: Option<String>,
    /// Or edits: `old` text, `new` text, `line` where `old` begins.
    edits: Option<Vec<AnchoredEdit>>,
    /// Or these fixes: ids of fixes, or fingerprints of findings; with `edits` in one change.
    fixes: Option<Vec<String>>,
    /// `hash` of an earlier answer; the call is refused if the file has changed since.
    expect_hash: Option<String>,
    /// Show the change without writing it.
    #[serde(default)]
    dry_run: bool,
    /// Write even if the change adds errors.
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PatchAnswer {
    /// Number of findings, as in `validate`.
    #[schemars(with = "Map<String, Value>")]
    summary: Summary,
    /// Whether no finding is an error now.
    valid: bool,
    /// False if the change was refused because it would add errors.
    ok: bool,
    /// Whether the file was written.
    written: bool,
    path: String,
    /// Hash of the file's current text, for `expect_hash`.
    hash: String,
    /// The change as a unified diff.
    diff: String,
    applied_total: usize,
    applied: Vec<AppliedFix>,
    /// Fixes because of which a change was refused, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<AppliedFix>,
    /// How the findings changed, as in `validate`.
    #[schemars(with = "Map<String, Value>")]
    delta: Delta,
    /// Remaining findings, or those that the refused change would have introduced; as in `validate`.
    #[schemars(with = "Vec<Map<String, Value>>")]
    diagnostics: Vec<Finding>,
    total: usize,
    /// Handle to pass to `validate` as `previous`.
    result: String,
    next: String,
}

impl AgentTool for ApplyPatch {
    type Arguments = PatchArguments;
    type Answer = PatchAnswer;
    const NAME: &'static str = "apply_patch";
    const TITLE: &'static str = "Patch a file";
    const DESCRIPTION: &'static str = "Changes a file with a unified diff, edits or offered fixes, atomically, and shows the diff. Refused if the change would add errors or the file changed since `expect_hash`.";
    const TOOLSET: Toolset = Toolset::Repair;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str =
        r#"{"path": "letter.md", "edits": [{"old": "recepient: Ann", "new": "recipient: Ann", "line": 3}]}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("file_path", "path"), ("diff", "patch")];

    fn call(core: &Core, arguments: PatchArguments) -> Result<PatchAnswer, Refusal> {
        let change = Change::read(arguments.fixes, arguments.edits, arguments.patch)?;
        if matches!(change, Change::Safe) {
            return Err(Refusal::arguments(vec!["give the change as `patch`, `edits` or `fixes`".into()]));
        }
        let subject = core.subject(Asked { path: Some(&arguments.path), ..Asked::default() })?;
        expect(arguments.expect_hash.as_deref(), &hash(subject.text()))?;
        let changed = change.apply(&subject, Applicability::Unsafe, arguments.force)?;
        let report = changed.report(core, &subject);
        let writes = report.ok && !arguments.dry_run && changed.text != subject.text();
        if writes {
            subject.write(&changed.text).map_err(|error| not_written(&error))?;
        }
        Ok(PatchAnswer {
            summary: report.listing.summary,
            valid: report.listing.valid,
            ok: report.ok,
            written: writes,
            path: visible(subject.name()).into_owned(),
            hash: hash(if writes { &changed.text } else { subject.text() }),
            diff: diff(subject.name(), subject.text(), &changed.text),
            applied_total: changed.applied.len(),
            applied: AppliedFix::first(changed.applied),
            refused: AppliedFix::first(changed.refused),
            delta: report.delta,
            diagnostics: report.listing.diagnostics,
            total: report.listing.total,
            result: report.result,
            next: report.next,
        })
    }
}

impl AnswerText for PatchAnswer {
    fn text(&self) -> String {
        let verdict = self.summary.in_words();
        let written = if self.written { "written" } else { "not written" };
        let changed = changed_words(self.ok, self.applied_total, &self.delta);
        let mut text = format!("{verdict}; {} {written}, hash {}; {changed}\n", self.path, self.hash);
        list_fixes(&mut text, "applied", &self.applied);
        list_fixes(&mut text, "refused", &self.refused);
        text += &self.diff;
        text += &Listing::text(&self.diagnostics, 1, self.total, None);
        text + &format!("Next: {}", self.next)
    }
}

fn changed_words(ok: bool, applied: usize, delta: &Delta) -> String {
    if !ok {
        return "REFUSED: nothing was changed (set `force` to apply it anyway)".into();
    }
    format!("{} applied; {}", plural(applied, "fix"), delta.in_words())
}

fn list_fixes(text: &mut String, heading: &str, fixes: &[AppliedFix]) {
    for fix in fixes {
        let AppliedFix { id, name, title, applicability, line, because } = fix;
        let because = because.as_ref().map(|because| format!("; {because}")).unwrap_or_default();
        let _ =
            writeln!(text, "{heading}: line {line} {id} {name}: {title} ({}){because}", applicability.name());
    }
}

fn expect(expected: Option<&str>, actual: &str) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != actual => {
            let reason =
                format!("the file has changed: its hash is {actual}, not {}", visible(&clip(expected, 40)));
            Err(Refusal::because(reason).next("validate the file again and redo the change"))
        }
        _ => Ok(()),
    }
}

fn hash(text: &str) -> String {
    Fingerprint::new().add(text).hex()
}

/// Maximum number of lines shown of a diff.
const DIFF_LINES: usize = 200;

fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let shown = unified(before, after, 2, Some([&format!("a/{name}"), &format!("b/{name}")]));
    let total = shown.lines().count();
    let mut cut: String = shown.split_inclusive('\n').take(DIFF_LINES).collect();
    if total > DIFF_LINES {
        let _ = writeln!(cut, "… {}", plural(total - DIFF_LINES, "more line"));
    }
    displayed(&cut.replace("\r\n", "\n"))
}
