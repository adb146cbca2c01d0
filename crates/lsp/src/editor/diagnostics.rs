//! Findings as the protocol has them.

use std::collections::HashMap;

use serde_json::json;

use crate::{
    diagnostic::{self, Severity},
    engine::Outcome,
    project::Project,
    protocol::{
        Code, CodeDescription, Diagnostic, DiagnosticMessage, DiagnosticRelatedInformation,
        DiagnosticSeverity, Location, Position, Range, Uri,
    },
    text::{EditorLines, SourceId, Span},
    uri::uri_of,
};

use super::snapshot::{Snapshot, range_in};

/// All findings that count, in the order of the report.
pub(super) fn all(snapshot: &Snapshot, outcome: &Outcome) -> Vec<Diagnostic> {
    let shown = outcome.shown(snapshot.owner().kinds());
    let counting = shown.diagnostics.iter().filter(|found| found.suppressed.is_none());
    // Many findings are of a few rules.
    let mut pages: HashMap<&str, Option<Uri>> = HashMap::new();
    let with_page = counting.map(|found| {
        let page = pages.entry(&found.id).or_insert_with(|| page_uri(snapshot, &found.id));
        (found, page.clone())
    });
    with_page.map(|(found, page)| written(snapshot, outcome, found, page)).collect()
}

/// A finding.
pub(super) fn one(snapshot: &Snapshot, outcome: &Outcome, found: &diagnostic::Diagnostic) -> Diagnostic {
    written(snapshot, outcome, found, page_uri(snapshot, &found.id))
}

/// A finding, with the page on its rule.
fn written(
    snapshot: &Snapshot,
    outcome: &Outcome,
    found: &diagnostic::Diagnostic,
    page: Option<Uri>,
) -> Diagnostic {
    let related = found.related.iter().map(|related| DiagnosticRelatedInformation {
        location: location(snapshot, outcome, &related.location),
        message: related.label.clone(),
    });
    let mut related: Vec<DiagnosticRelatedInformation> = related.collect();
    if !is_here(&found.location) {
        let location = location(snapshot, outcome, &found.location);
        related.insert(0, DiagnosticRelatedInformation { location, message: "it is here".to_owned() });
    }
    let message = match &found.fix_hint {
        Some(hint) => format!("{}\n{hint}", found.message),
        None => found.message.clone(),
    };
    Diagnostic {
        range: range(snapshot, found),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::Note => DiagnosticSeverity::Information,
        }),
        code: Some(Code::String(found.id.clone())),
        code_description: page.map(|href| CodeDescription { href }),
        source: Some("proofmark".to_owned()),
        message: DiagnosticMessage::String(message),
        tags: None,
        related_information: (snapshot.client.related && !related.is_empty()).then_some(related),
        data: Some(json!({
            "name": found.name,
            "fingerprint": found.fingerprint,
            "fixes": found.fixes.iter().map(|fix| &fix.id).collect::<Vec<_>>(),
        })),
    }
}

/// Whether a location is in the document itself.
pub(super) fn is_here(location: &diagnostic::Location) -> bool {
    location.source == SourceId(0)
}

/// The part of the document that a finding is about. What is wrong in a file that the document includes is at the
/// position that refers to it, if the finding names one, or at the beginning.
pub(super) fn range(snapshot: &Snapshot, found: &diagnostic::Diagnostic) -> Range {
    let related = found.related.iter().map(|related| &related.location);
    let here = std::iter::once(&found.location).chain(related).find(|location| is_here(location));
    snapshot.range(here.map(span).unwrap_or_default())
}

/// The bytes of a location.
pub(super) fn span(location: &diagnostic::Location) -> Span {
    Span { start: location.byte_start, end: location.byte_end }
}

/// A location in the document or in a file that it includes or refers to.
fn location(snapshot: &Snapshot, outcome: &Outcome, location: &diagnostic::Location) -> Location {
    if is_here(location) {
        return Location { uri: snapshot.uri.clone(), range: snapshot.range(span(location)) };
    }
    let source = outcome.document.tree.sources().get(usize::from(location.source.0));
    let range = match source {
        Some(source) => {
            let lines = EditorLines::new(source.text(), snapshot.client.unit);
            range_in(&lines, source.text(), span(location))
        }
        // Its text is not at hand; in most lines all units count the same.
        None => {
            let position = |line: u32, column: u32| Position {
                line: line.saturating_sub(1),
                character: column.saturating_sub(1),
            };
            Range {
                start: position(location.line, location.column),
                end: position(location.end_line, location.end_column),
            }
        }
    };
    Location { uri: uri_of_name(snapshot.owner(), &location.file), range }
}

/// The URI of the file that reports call so.
pub(super) fn uri_of_name(project: &Project, name: &str) -> Uri {
    uri_of(&crate::files::plain(&project.folder().join(name)))
}

/// The page on a rule.
pub(super) fn page_uri(snapshot: &Snapshot, rule: &str) -> Option<Uri> {
    let found = snapshot.owner().ruleset().find(rule)?;
    Some(match &snapshot.client.rule_pages {
        Some(base) => {
            let anchor = format!("{}-{}", found.rule.id, found.rule.name).to_lowercase();
            Uri(format!("{base}/{}.html#{anchor}", found.rule.pack))
        }
        None => Uri(format!("proofmark:/rules/{}.md", found.rule.id)),
    })
}
