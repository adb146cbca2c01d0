//! Suppressing a finding by a comment where it is.

use crate::{
    diagnostic::{Diagnostic, Severity},
    engine::Outcome,
    kinds::Document,
    protocol::{TextEdit, WorkspaceEdit},
    text::{Edit, Span, apply_edits},
};

use super::{fixes::workspace_edit, snapshot::Snapshot};

/// The edit that suppresses a finding: a comment on the line before it, as the document's kind writes comments, or the
/// kind of the part that the finding is in. Nothing where no such comment has that effect.
pub(super) fn suppression(snapshot: &Snapshot, found: &Diagnostic) -> Option<WorkspaceEdit> {
    let subject = snapshot.subject()?;
    let outcome = snapshot.outcome_of_version()?;
    let text = snapshot.text.as_str();
    let line = snapshot.lines.position(text, found.location.byte_start).line;
    let span = snapshot.lines.line(text, line);
    let body = span.of(text);
    let indent = &body[..body.len() - body.trim_start().len()];
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let words = format!("proofmark-ignore {}: reason", found.id);
    let mut comments: Vec<String> = Vec::new();
    for kind in kinds_around(&outcome.document, found) {
        comments.extend(snapshot.owner().kinds().get(&kind).map(|kind| kind.comment(&words)));
    }
    // Metadata blocks are YAML, whatever the document around them is.
    comments.push(format!("# {words}"));
    comments.into_iter().find_map(|comment| {
        let new = format!("{indent}{comment}{ending}");
        let at = Span { start: span.start, end: span.start };
        let candidate = apply_edits(text, &[Edit { span: at, new: new.clone() }]).ok()?;
        let after = subject.validate_text(&candidate);
        suppresses(outcome, &after, found).then(|| {
            let edit = TextEdit { range: snapshot.range(at), new_text: new };
            workspace_edit(snapshot, vec![(snapshot.uri.clone(), vec![edit])])
        })
    })
}

/// The kinds of the documents that a finding is in, the innermost first.
fn kinds_around(document: &Document, found: &Diagnostic) -> Vec<String> {
    let contains = |inner: &&Document| {
        let span = inner.tree.root().span();
        span.start <= found.location.byte_start && found.location.byte_end <= span.end
    };
    let inner = document.embedded.iter().find(contains).map(|inner| inner.kind.to_string());
    inner.into_iter().chain([document.kind.to_string()]).collect()
}

/// Whether the finding counts no more, and nothing else is wrong because of the comment.
fn suppresses(before: &Outcome, after: &Outcome, found: &Diagnostic) -> bool {
    let counting = |outcome: &Outcome| {
        let findings = outcome.diagnostics.iter().filter(|one| one.suppressed.is_none());
        let errors = findings.clone().filter(|one| one.severity == Severity::Error).count();
        (findings.clone().filter(|one| one.id == found.id).count(), errors, findings.count())
    };
    let (own, errors, all) = counting(before);
    let (own_after, errors_after, all_after) = counting(after);
    own_after < own && errors_after <= errors && all_after < all
}
