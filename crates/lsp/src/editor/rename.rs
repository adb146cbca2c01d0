//! Giving a thing another name, wherever it is named.

use crate::{
    diagnostic::Severity,
    engine::{Occurrence, Outcome},
    protocol::{Position, Range, TextEdit, WorkspaceEdit},
    text::{Edit, EditorLines, SourceId, apply_edits},
};

use super::{
    diagnostics::uri_of_name,
    fixes::workspace_edit,
    reading::{Reading, written},
    snapshot::{Snapshot, range_in},
};

/// The name at a position, if it can be changed: a name of the language itself, such as that of the first branch of a git
/// graph, cannot.
pub(crate) fn renamable(snapshot: &Snapshot, position: Position) -> Option<Range> {
    let reading = snapshot.reading()?;
    let name = reading.name_at(snapshot.offset(position))?;
    let span = written(&snapshot.text, name)?;
    let all: Vec<&Occurrence> = reading.same(name).collect();
    let is_free = |other: &String| reading.survey.names.iter().all(|one| one.name != *other);
    // One more than there are names: one of these is free.
    let numbers = 1..=reading.survey.names.len() + 1;
    // Some names are numbers, and others need quotes unless they are plain words.
    let mut others = [name.name.as_str(), "name"]
        .into_iter()
        .filter_map(|begin| numbers.clone().map(|number| format!("{begin}{number}")).find(is_free));
    others.any(|other| check(snapshot, reading, &all, &other).is_ok()).then(|| snapshot.range(span))
}

/// The edits that give the thing at a position another name.
///
/// # Errors
/// Why there are none.
pub(crate) fn rename(snapshot: &Snapshot, position: Position, new: &str) -> Result<WorkspaceEdit, String> {
    let nothing = || "there is no name at this position".to_owned();
    let reading = snapshot.reading().ok_or_else(nothing)?;
    let name = reading.name_at(snapshot.offset(position)).ok_or_else(nothing)?;
    let all: Vec<&Occurrence> = reading.same(name).collect();
    check(snapshot, reading, &all, new)?;
    let mut files: Vec<(SourceId, Vec<TextEdit>)> = Vec::new();
    for one in all {
        let source = reading.document.tree.source(one.source);
        let span = written(source.text(), one)
            .ok_or_else(|| format!("`{}` is written in another way in `{}`", one.name, source.name()))?;
        let range = if one.source == SourceId(0) {
            snapshot.range(span)
        } else {
            range_in(&EditorLines::new(source.text(), snapshot.client.unit), source.text(), span)
        };
        let edit = TextEdit { range, new_text: new.to_owned() };
        match files.iter_mut().find(|(file, _)| *file == one.source) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((one.source, vec![edit])),
        }
    }
    let uri = |source: SourceId| match source {
        SourceId(0) => snapshot.uri.clone(),
        _ => uri_of_name(snapshot.owner(), reading.document.tree.source(source).name()),
    };
    let files = files.into_iter().map(|(source, edits)| (uri(source), edits)).collect();
    Ok(workspace_edit(snapshot, files))
}

/// Refuses a name that something else has, and one that makes the document invalid.
fn check(snapshot: &Snapshot, reading: &Reading, all: &[&Occurrence], new: &str) -> Result<(), String> {
    let first = all.first().ok_or("there is no name at this position")?;
    let is_taken = |one: &Occurrence| one.symbol != first.symbol && one.of == first.of && one.name == new;
    if reading.survey.names.iter().any(is_taken) {
        return Err(format!("`{new}` exists already"));
    }
    let own = all.iter().filter(|one| one.source == SourceId(0));
    let edits: Option<Vec<Edit>> =
        own.map(|one| Some(Edit { span: written(&snapshot.text, one)?, new: new.to_owned() })).collect();
    let renamed = edits.and_then(|edits| apply_edits(&snapshot.text, &edits).ok());
    let renamed = renamed.ok_or_else(|| format!("`{}` is written in several ways", first.name))?;
    let subject = snapshot.subject().ok_or("the kind of the document is not known")?;
    // Files that the document includes are not changed yet, so that references into them seem wrong.
    let leads_outside = all.iter().any(|one| one.source != SourceId(0));
    let errors = |outcome: &Outcome| {
        let findings = outcome.diagnostics.iter().filter(|found| found.suppressed.is_none());
        findings.filter(|found| found.severity == Severity::Error).count()
    };
    let (before, after) = (subject.try_text(&snapshot.text), subject.try_text(&renamed));
    match after.diagnostics.iter().find(|found| found.severity == Severity::Error) {
        Some(found) if !leads_outside && errors(&after) > errors(&before) => {
            Err(format!("`{new}` cannot be the name: {}", found.message))
        }
        _ => Ok(()),
    }
}
