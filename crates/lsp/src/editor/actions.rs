//! What a client offers where the cursor is: the fixes of a finding, all fixes of its rule, a comment that suppresses
//! it, the page on its rule; and all safe fixes of the document.

use serde_json::{Value, json};

use crate::{
    diagnostic::{Applicability, Diagnostic},
    engine::Outcome,
    protocol::{self, CodeAction, CodeActionKind, Command, WorkspaceEdit},
    text::Span,
};

use super::{
    diagnostics::{is_here, one, span},
    fixes::{edit_of, edit_to, fixed, fixed_of_rule},
    snapshot::Snapshot,
    suppress::suppression,
};

/// The kind of the action that applies all safe fixes.
pub(crate) const FIX_ALL: &str = "source.fixAll.proofmark";

/// The command that shows the page on a rule.
pub(crate) const EXPLAIN: &str = "proofmark.explain";

/// The actions for a part of the document. `only` names the kinds that are asked for; without it, all are.
pub(crate) fn actions(
    snapshot: &Snapshot,
    range: protocol::Range,
    only: Option<&[String]>,
) -> Vec<CodeAction> {
    let Some(outcome) = snapshot.outcome_of_version() else { return Vec::new() };
    let mut actions = Vec::new();
    if is_wanted(only, "quickfix") {
        let here = snapshot.span(range);
        let findings: Vec<&Diagnostic> =
            outcome.diagnostics.iter().filter(|found| touches(found, here)).collect();
        for found in &findings {
            actions.extend(fixes(snapshot, outcome, found));
        }
        let mut rules: Vec<&str> = Vec::new();
        for found in &findings {
            if !rules.contains(&found.id.as_str()) {
                rules.push(&found.id);
                actions.extend(all_of_rule(snapshot, outcome, found));
            }
        }
        for found in &findings {
            let title = format!("Suppress {} here", found.id);
            let data = json!({"suppress": found.fingerprint});
            actions.extend(deferred(
                snapshot,
                title,
                CodeActionKind::QuickFix,
                &data,
                Some((outcome, found)),
            ));
        }
        for rule in rules {
            actions.extend(page(snapshot, outcome, rule));
        }
    }
    let any_safe = outcome.diagnostics.iter().any(has_safe_fix);
    if is_wanted(only, FIX_ALL) && any_safe {
        let title = "Apply all safe fixes of Proofmark".to_owned();
        actions.extend(deferred(snapshot, title, CodeActionKind::new(FIX_ALL), &json!({"all": true}), None));
    }
    actions
}

/// Whether a kind of actions is asked for: by its own name, or by that of a kind that includes it.
fn is_wanted(only: Option<&[String]>, kind: &str) -> bool {
    let includes = |asked: &String| {
        let rest = kind.strip_prefix(asked.as_str());
        asked.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    only.is_none_or(|only| only.is_empty() || only.iter().any(includes))
}

fn touches(found: &Diagnostic, here: Span) -> bool {
    let at = span(&found.location);
    found.suppressed.is_none() && is_here(&found.location) && at.start <= here.end && here.start <= at.end
}

fn has_safe_fix(found: &Diagnostic) -> bool {
    let is_safe = |fix: &crate::diagnostic::Fix| fix.applicability == Applicability::Safe;
    found.suppressed.is_none() && found.fixes.iter().any(is_safe)
}

/// The fixes of a finding. One that is safe and the only one is preferred: editors apply it without a question.
fn fixes(snapshot: &Snapshot, outcome: &Outcome, found: &Diagnostic) -> Vec<CodeAction> {
    let is_only_one = found.fixes.len() == 1;
    let actions = found.fixes.iter().filter_map(|fix| {
        let edit = edit_of(snapshot, fix)?;
        let is_safe = fix.applicability == Applicability::Safe;
        let title =
            if is_safe { fix.title.clone() } else { format!("{} ({})", fix.title, fix.applicability.name()) };
        Some(CodeAction {
            is_preferred: Some(is_safe && is_only_one),
            edit: Some(edit),
            data: Some(json!({"fix": fix.id})),
            ..action(title, CodeActionKind::QuickFix, Some(one(snapshot, outcome, found)))
        })
    });
    actions.collect()
}

/// The safe fixes of all findings of a rule, where there are several.
fn all_of_rule(snapshot: &Snapshot, outcome: &Outcome, found: &Diagnostic) -> Option<CodeAction> {
    let same = outcome.diagnostics.iter().filter(|other| other.id == found.id && has_safe_fix(other));
    let count = same.count();
    let title = format!("Fix all {count} findings of {} ({})", found.id, found.name);
    let data = json!({"rule": found.id});
    (count > 1).then(|| deferred(snapshot, title, CodeActionKind::QuickFix, &data, Some((outcome, found))))?
}

fn page(snapshot: &Snapshot, outcome: &Outcome, rule: &str) -> Option<CodeAction> {
    let found = outcome.diagnostics.iter().find(|found| found.id == rule)?;
    let title = format!("Explain {} ({})", found.id, found.name);
    let command = Command {
        title: title.clone(),
        tooltip: None,
        command: EXPLAIN.to_owned(),
        arguments: Some(vec![found.id.clone().into()]),
    };
    let action = action(title, CodeActionKind::QuickFix, Some(one(snapshot, outcome, found)));
    Some(CodeAction { command: Some(command), ..action })
}

/// An action whose edits take validations: they are made when it is chosen, if the client can ask then. Nothing where
/// the client cannot, and there are no such edits.
fn deferred(
    snapshot: &Snapshot,
    title: String,
    kind: CodeActionKind,
    data: &Value,
    found: Option<(&Outcome, &Diagnostic)>,
) -> Option<CodeAction> {
    let mut action = action(title, kind, found.map(|(outcome, found)| one(snapshot, outcome, found)));
    let mut data = data.clone();
    data["uri"] = snapshot.uri.0.clone().into();
    data["version"] = snapshot.version.into();
    if !snapshot.client.resolves_edits {
        action.edit = Some(edit_for(snapshot, &data)?);
    }
    action.data = Some(data);
    Some(action)
}

fn action(title: String, kind: CodeActionKind, diagnostic: Option<protocol::Diagnostic>) -> CodeAction {
    CodeAction {
        title,
        kind: Some(kind),
        diagnostics: diagnostic.map(|diagnostic| vec![diagnostic]),
        is_preferred: None,
        disabled: None,
        edit: None,
        command: None,
        data: None,
        tags: None,
    }
}

/// An action with its edits.
///
/// # Errors
/// Why there are none.
pub(crate) fn resolve(snapshot: &Snapshot, mut action: Value) -> Result<Value, &'static str> {
    if action.get("edit").is_some() || action.get("command").is_some() {
        return Ok(action);
    }
    let data = action.get("data").cloned().unwrap_or_default();
    let edit =
        edit_for(snapshot, &data).ok_or("this line cannot have a comment that suppresses the finding")?;
    action["edit"] = serde_json::to_value(edit).unwrap_or_default();
    Ok(action)
}

/// The edits that the data of an action stand for.
fn edit_for(snapshot: &Snapshot, data: &Value) -> Option<WorkspaceEdit> {
    if let Some(rule) = data["rule"].as_str() {
        return Some(edit_to(snapshot, &fixed_of_rule(snapshot, rule)?));
    }
    if let Some(fingerprint) = data["suppress"].as_str() {
        let findings = &snapshot.outcome_of_version()?.diagnostics;
        return suppression(snapshot, findings.iter().find(|found| found.fingerprint == fingerprint)?);
    }
    Some(edit_to(snapshot, &fixed(snapshot)?))
}
