//! What a rule of a rule file looks at in the documents that are open.

use std::{path::Path, sync::Arc};

use crate::{
    engine::Step,
    kinds::{Document, rulefile},
    project::Input,
    protocol::Location,
    text::{EditorLines, SourceId, Span},
    uri::uri_of,
};

use super::{
    diagnostics::uri_of_name,
    snapshot::{Snapshot, range_in},
};

/// The id of the rule whose id, name or selectors are at an offset of a rule file.
pub(super) fn rule_at(document: &Document, at: u32) -> Option<&str> {
    if document.kind != rulefile::NAME {
        return None;
    }
    let rules = document.tree.root().get("rules")?;
    let is_here = |span: Span| span.start <= at && at <= span.end;
    let rule = rules.items().find(|rule| is_here(rule.span()))?;
    let parts = ["id", "name", "given"].into_iter().filter_map(|key| rule.entry(key));
    let mut spans = parts.flat_map(|entry| [entry.key_span(), entry.value().span()]);
    spans.any(is_here).then(|| rule.get("id")?.as_str()).flatten()
}

/// The places that the rule, as it is saved, selects in open documents, in the order of their files and lines.
pub(super) fn places(snapshot: &Snapshot, id: &str) -> Vec<Location> {
    let files = snapshot.project.open_files();
    files.iter().flat_map(|(path, text)| in_file(snapshot, id, path, text)).collect()
}

fn in_file(snapshot: &Snapshot, id: &str, path: &Path, text: &str) -> Vec<Location> {
    let Ok(project) = snapshot.project.owner(path) else { return Vec::new() };
    if text.len() > project.limits().text_bytes {
        return Vec::new();
    }
    let Ok(subject) = project.subject(Input::text(text).at(path)) else { return Vec::new() };
    let subject = subject.cancelled_by(Arc::clone(&snapshot.cancelled));
    let ruleset = Arc::clone(subject.validator().ruleset());
    let Some(found) = ruleset.find(id) else { return Vec::new() };
    let (document, trace) = subject.trace_text(found.rule, text);
    let location = |step: &Step| {
        let source = document.tree.source(step.source);
        let uri = match step.source {
            SourceId(0) => uri_of(path),
            _ => uri_of_name(project, source.name()),
        };
        let lines = EditorLines::new(source.text(), snapshot.client.unit);
        Location { uri, range: range_in(&lines, source.text(), step.span) }
    };
    trace.steps.iter().map(location).collect()
}
