use std::{collections::BTreeMap, fmt::Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::{Core, Subject},
    finding::{Detail, Finding, Listing, Summary, View, displayed, standing},
    patch::{self, AnchoredEdit},
    tool::{AgentTool, Effect, Needs, Refusal, Spoken},
};
use super::validate::{Delta, next_step};
use crate::{
    diagnostic::{Applicability, Diagnostic, Severity},
    engine::Outcome,
    fix::{Applied, Fixer},
    kinds::Layer,
    rules::Ruleset,
    service::{
        Toolset,
        results::{self, Known},
    },
    text::{Edit, Fingerprint, Span, apply_edits, clip, visible},
};

/// `fix_text`
pub(super) struct FixText;

#[derive(Deserialize, JsonSchema)]
pub(super) struct FixArguments {
    /// The document.
    text: String,
    /// Kind of document; told from the text when absent.
    kind: Option<String>,
    /// Also apply fixes that are likely right but may change the meaning.
    #[serde(default)]
    r#unsafe: bool,
    /// Apply the fixes of these findings only (fingerprints).
    fixes: Option<Vec<String>>,
    /// Apply these edits instead.
    edits: Option<Vec<AnchoredEdit>>,
    /// Apply this unified diff instead.
    patch: Option<String>,
    /// Apply edits or diff even if they add errors.
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FixAnswer {
    summary: Summary,
    /// Whether no finding is an error now.
    valid: bool,
    /// False when the change was refused because it would add errors; `text` is unchanged then.
    ok: bool,
    /// The text after the change.
    text: String,
    /// Fixes that were applied.
    applied: Vec<AppliedFix>,
    /// Fixes that were left out because they would add errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<AppliedFix>,
    delta: Delta,
    /// Findings that remain, or that the refused change would have brought.
    diagnostics: Vec<Finding>,
    total: usize,
    /// Handle for `previous` of `validate`.
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
}

impl From<Applied> for AppliedFix {
    fn from(fix: Applied) -> Self {
        let Applied { id, name, title, applicability, line, .. } = fix;
        Self { id, name, title, applicability, line }
    }
}

impl AgentTool for FixText {
    type Arguments = FixArguments;
    type Answer = FixAnswer;
    const NAME: &'static str = "fix_text";
    const TITLE: &'static str = "Fix a text";
    const DESCRIPTION: &'static str = "Applies the safe fixes that the findings of a text offer, in rounds, and gives the text back with what remains. `unsafe` adds the likely fixes; `fixes`, `edits` or `patch` apply just those.";
    const TOOLSET: Toolset = Toolset::Repair;
    const EXAMPLE: &'static str =
        r#"{"text": "---\ntitle: Hello\n---\n", "kind": "markdown", "unsafe": true}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("yaml_text", "text"), ("markdown", "text"), ("content", "text")];

    fn call(core: &Core, arguments: FixArguments) -> Result<FixAnswer, Refusal> {
        let change = Change::read(arguments.fixes, arguments.edits, arguments.patch)?;
        let subject = core.subject(Some(arguments.text), None, arguments.kind.as_deref())?;
        let least = if arguments.r#unsafe { Applicability::Unsafe } else { Applicability::Safe };
        let changed = change.apply(core, &subject, least, arguments.force)?;
        let told = changed.tell(core, &subject);
        let text = if told.ok { changed.text } else { subject.text };
        Ok(FixAnswer {
            summary: told.listing.summary,
            valid: told.listing.valid,
            ok: told.ok,
            text,
            applied: changed.applied.into_iter().map(AppliedFix::from).collect(),
            refused: changed.refused.into_iter().map(AppliedFix::from).collect(),
            delta: told.delta,
            diagnostics: told.listing.diagnostics,
            total: told.listing.total,
            result: told.result,
            next: told.next,
        })
    }
}

impl Spoken for FixAnswer {
    fn text(&self) -> String {
        let verdict = self.summary.in_words();
        let mut text = format!("{verdict}; {}\n", changed_words(self.ok, self.applied.len(), &self.delta));
        list_fixes(&mut text, "applied", &self.applied);
        list_fixes(&mut text, "left out, it would add errors", &self.refused);
        text += &Listing::text(&self.diagnostics, self.total, None);
        let _ = writeln!(text, "The text now:\n````\n{}\n````", self.text.trim_end_matches('\n'));
        text + &format!("Next: {}\n{verdict}", self.next)
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
    /// Or the fixes of these findings (fingerprints).
    fixes: Option<Vec<String>>,
    /// `hash` of an earlier answer: refused when the file has changed since.
    expect_hash: Option<String>,
    /// Show what would be done, write nothing.
    #[serde(default)]
    dry_run: bool,
    /// Write even if the change adds errors.
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PatchAnswer {
    summary: Summary,
    /// Whether no finding is an error now.
    valid: bool,
    /// False when the change was refused because it would add errors.
    ok: bool,
    /// Whether the file was written.
    written: bool,
    path: String,
    /// Hash of the file's text now, for `expect_hash`.
    hash: String,
    /// The change.
    diff: String,
    applied: Vec<AppliedFix>,
    delta: Delta,
    /// Findings that remain, or that the refused change would have brought.
    diagnostics: Vec<Finding>,
    total: usize,
    /// Handle for `previous` of `validate`.
    result: String,
    next: String,
}

impl AgentTool for ApplyPatch {
    type Arguments = PatchArguments;
    type Answer = PatchAnswer;
    const NAME: &'static str = "apply_patch";
    const TITLE: &'static str = "Patch a file";
    const DESCRIPTION: &'static str = "Changes a file by a unified diff, by edits or by offered fixes, atomically, and shows the diff. Refused when it would add errors, or when the file is not the expected one.";
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
        let subject = core.file(&arguments.path, None)?;
        expect(arguments.expect_hash.as_deref(), &hash(&subject.text))?;
        let changed = change.apply(core, &subject, Applicability::Unsafe, arguments.force)?;
        let told = changed.tell(core, &subject);
        let writes = told.ok && !arguments.dry_run && changed.text != subject.text;
        if writes {
            subject.write(&changed.text)?;
        }
        Ok(PatchAnswer {
            summary: told.listing.summary,
            valid: told.listing.valid,
            ok: told.ok,
            written: writes,
            path: visible(&subject.name).into_owned(),
            hash: hash(if writes { &changed.text } else { &subject.text }),
            diff: diff(&subject.name, &subject.text, &changed.text),
            applied: changed.applied.into_iter().map(AppliedFix::from).collect(),
            delta: told.delta,
            diagnostics: told.listing.diagnostics,
            total: told.listing.total,
            result: told.result,
            next: told.next,
        })
    }
}

impl Spoken for PatchAnswer {
    fn text(&self) -> String {
        let verdict = self.summary.in_words();
        let written = if self.written { "written" } else { "not written" };
        let changed = changed_words(self.ok, self.applied.len(), &self.delta);
        let mut text = format!("{verdict}; {} {written}, hash {}; {changed}\n", self.path, self.hash);
        list_fixes(&mut text, "applied", &self.applied);
        text += &self.diff;
        text += &Listing::text(&self.diagnostics, self.total, None);
        text + &format!("Next: {}\n{verdict}", self.next)
    }
}

fn changed_words(ok: bool, applied: usize, delta: &Delta) -> String {
    if !ok {
        return "REFUSED: the change would add errors; nothing was changed (force: true does it all the same)".into();
    }
    format!("{applied} fixes applied; {}", delta.in_words())
}

fn list_fixes(text: &mut String, heading: &str, fixes: &[AppliedFix]) {
    for fix in fixes {
        let AppliedFix { id, name, title, applicability, line } = fix;
        let _ = writeln!(text, "{heading}: line {line} {id} {name}: {title} ({})", applicability.name());
    }
}

/// What is to be done to a text.
enum Change {
    /// All fixes that may be applied.
    Safe,
    /// The fixes of these findings.
    Fixes(Vec<String>),
    Edits(Vec<AnchoredEdit>),
    Patch(String),
}

/// A text after a change.
struct Changed {
    before: Outcome,
    after: Outcome,
    text: String,
    applied: Vec<Applied>,
    refused: Vec<Applied>,
    /// Ids of the errors for which the change is refused.
    added: Vec<String>,
}

/// What is told of a change.
struct Told {
    ok: bool,
    listing: Listing,
    delta: Delta,
    result: String,
    next: String,
}

impl Change {
    fn read(
        fixes: Option<Vec<String>>,
        edits: Option<Vec<AnchoredEdit>>,
        patch: Option<String>,
    ) -> Result<Self, Refusal> {
        match (fixes, edits, patch) {
            (None, None, None) => Ok(Self::Safe),
            (Some(fixes), None, None) => Ok(Self::Fixes(fixes)),
            (None, Some(edits), None) => Ok(Self::Edits(edits)),
            (None, None, Some(patch)) => Ok(Self::Patch(patch)),
            _ => Err(Refusal::arguments(vec!["give only one of `fixes`, `edits` and `patch`".into()])),
        }
    }

    fn apply(
        self,
        core: &Core,
        subject: &Subject<'_>,
        least: Applicability,
        force: bool,
    ) -> Result<Changed, Refusal> {
        let text = subject.text.as_str();
        let before = subject.judge(text);
        let (edits, applied) = match self {
            Self::Safe => return Ok(mend(core, subject, before, least)),
            Self::Fixes(fingerprints) => chosen(text, &before.diagnostics, &fingerprints)?,
            Self::Edits(edits) => (patch::anchored(text, &edits).map_err(Refusal::arguments)?, Vec::new()),
            Self::Patch(patch) => (patch::unified(text, &patch).map_err(Refusal::arguments)?, Vec::new()),
        };
        let edited =
            apply_edits(text, &edits).map_err(|error| Refusal::arguments(vec![error.to_string()]))?;
        let after = subject.judge(&edited);
        let added = if force { Vec::new() } else { added(&before, &after, core.validator.ruleset()) };
        Ok(Changed { before, after, text: edited, applied, refused: Vec::new(), added })
    }
}

/// Applies all fixes that may be applied, in rounds.
fn mend(core: &Core, subject: &Subject<'_>, before: Outcome, least: Applicability) -> Changed {
    let fixer = Fixer { judge: &|text| subject.judge(text), ruleset: core.validator.ruleset(), least };
    let mended = fixer.mend(&subject.text);
    Changed {
        before,
        after: mended.outcome,
        text: mended.text,
        applied: mended.applied,
        refused: mended.refused,
        added: Vec::new(),
    }
}

/// The edits of the first fix of each of these findings, or every fault.
fn chosen(
    text: &str,
    diagnostics: &[Diagnostic],
    fingerprints: &[String],
) -> Result<(Vec<Edit>, Vec<Applied>), Refusal> {
    let (mut edits, mut applied, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for fingerprint in fingerprints {
        let shown = visible(&clip(fingerprint, 40)).into_owned();
        let Some(diagnostic) = diagnostics.iter().find(|d| d.fingerprint == *fingerprint) else {
            faults.push(format!("no finding of this text has the fingerprint `{shown}`: validate it again"));
            continue;
        };
        let fix = diagnostic.fixes.iter().find(|fix| fix.applicability > Applicability::Display);
        let fitting = fix.filter(|fix| fix.edits.iter().all(|edit| fits(text, edit)));
        let Some(fix) = fitting else {
            faults.push(format!(
                "the finding `{shown}` ({}) has no fix that can be applied here",
                diagnostic.id
            ));
            continue;
        };
        edits.extend(fix.edits.iter().map(|edit| Edit { span: span(edit), new: edit.new.clone() }));
        applied.push(Applied {
            id: diagnostic.id.clone(),
            name: diagnostic.name.clone(),
            title: fix.title.clone(),
            applicability: fix.applicability,
            line: diagnostic.location.line,
            fingerprint: diagnostic.fingerprint.clone(),
        });
    }
    edits.sort();
    edits.dedup();
    if faults.is_empty() { Ok((edits, applied)) } else { Err(Refusal::arguments(faults)) }
}

fn span(edit: &crate::diagnostic::FixEdit) -> Span {
    Span { start: edit.byte_start, end: edit.byte_end }
}

fn fits(text: &str, edit: &crate::diagnostic::FixEdit) -> bool {
    edit.file.is_none() && text.get(span(edit).range()) == Some(edit.old.as_str())
}

/// Ids of errors that there are more of than before. A mended fault of the syntax uncovers what stood
/// behind it; then only further faults of the syntax count as added.
fn added(before: &Outcome, after: &Outcome, ruleset: &Ruleset) -> Vec<String> {
    let syntax = |id: &str| {
        let observed = ruleset.find(id).and_then(|found| found.rule.check.observed());
        observed.is_some_and(|(layer, _)| layer == Layer::Syntax)
    };
    let (known, now) = (errors(before), errors(after));
    let faults = |counts: &BTreeMap<&str, usize>| -> usize {
        counts.iter().filter(|(id, _)| syntax(id)).map(|(_, count)| *count).sum()
    };
    let uncovered = faults(&now) < faults(&known);
    let more = |id: &&str| now[id] > known.get(id).copied().unwrap_or_default();
    now.keys().copied().filter(more).filter(|id| !uncovered || syntax(id)).map(str::to_owned).collect()
}

/// Errors that stand, by id.
fn errors(outcome: &Outcome) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for diagnostic in standing(&outcome.diagnostics) {
        if diagnostic.severity == Severity::Error {
            *counts.entry(diagnostic.id.as_str()).or_default() += 1;
        }
    }
    counts
}

impl Changed {
    fn tell(&self, core: &Core, subject: &Subject<'_>) -> Told {
        let ok = self.added.is_empty();
        let found = standing(&self.after.diagnostics);
        let before: Vec<Known> = standing(&self.before.diagnostics).into_iter().map(Known::of).collect();
        let delta = Delta::from(results::Delta::between(&before, &found));
        let told: Vec<&Diagnostic> = if ok {
            found
        } else {
            found.into_iter().filter(|diagnostic| self.added.contains(&diagnostic.id)).collect()
        };
        let kept: (&str, &Outcome) =
            if ok { (&self.text, &self.after) } else { (&subject.text, &self.before) };
        let result =
            core.results.keep(&subject.name, subject.kind.name(), kept.0, &standing(&kept.1.diagnostics));
        let view = View {
            detail: Detail::Concise,
            cursor: 0,
            limits: &core.limits,
            ruleset: core.validator.ruleset(),
        };
        let next = if ok {
            next_step(&told, &result)
        } else {
            format!("the change would add {}: mend it and try again", self.added.join(", "))
        };
        Told { ok, listing: Listing::new(&self.text, &told, &view), delta, result, next }
    }
}

fn expect(expected: Option<&str>, actual: &str) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != actual => {
            let fault = format!(
                "the file has changed: its hash is {actual}, expected was {}",
                visible(&clip(expected, 40))
            );
            Err(Refusal::because(fault).next("validate the file again and make the change anew"))
        }
        _ => Ok(()),
    }
}

fn hash(text: &str) -> String {
    Fingerprint::new().add(text).hex()
}

/// Most lines of a diff that are shown.
const DIFF_LINES: usize = 200;

fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = similar::TextDiff::from_lines(before, after);
    let shown =
        diff.unified_diff().context_radius(2).header(&format!("a/{name}"), &format!("b/{name}")).to_string();
    let total = shown.lines().count();
    let mut cut: String = shown.split_inclusive('\n').take(DIFF_LINES).collect();
    if total > DIFF_LINES {
        let _ = writeln!(cut, "… {} more lines", total - DIFF_LINES);
    }
    displayed(&cut.replace("\r\n", "\n"))
}
