//! What fixing makes of a document, and edits as the protocol has them.

use std::collections::HashMap;

use crate::{
    diagnostic::{Applicability, Fix},
    fix::Fixer,
    protocol::{
        DocumentChange, Edit, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit,
        TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
    },
    text::{EditorLines, Span, changed_lines},
};

use super::{
    diagnostics::uri_of_name,
    snapshot::{Snapshot, range_in},
};

/// The text with all safe fixes, as `proofmark fix` writes it.
pub(super) fn fixed(snapshot: &Snapshot) -> Option<String> {
    Some(snapshot.subject()?.fix(Applicability::Safe).text)
}

/// The text with all safe fixes of one rule.
pub(super) fn fixed_of_rule(snapshot: &Snapshot, rule: &str) -> Option<String> {
    let subject = snapshot.subject()?;
    let validate = |text: &str| {
        let mut outcome = subject.validate_text(text);
        outcome.diagnostics.iter_mut().filter(|found| found.id != rule).for_each(|found| found.fixes.clear());
        outcome
    };
    let ruleset = subject.validator().ruleset();
    let fixer = Fixer::new(&validate, ruleset, Applicability::Safe);
    Some(fixer.fix_validated(&snapshot.text, validate(&snapshot.text)).text)
}

/// The edits of a fix. Nothing when it changes a file that is not at hand.
pub(super) fn edit_of(snapshot: &Snapshot, fix: &Fix) -> Option<WorkspaceEdit> {
    let mut files: Vec<(Option<&str>, Vec<TextEdit>)> = Vec::new();
    for edit in &fix.edits {
        let span = Span { start: edit.byte_start, end: edit.byte_end };
        let range = match edit.file.as_deref() {
            None => snapshot.range(span),
            Some(name) => {
                let source = snapshot.tree()?.sources().iter().find(|source| source.name() == name)?;
                range_in(&EditorLines::new(source.text(), snapshot.client.unit), source.text(), span)
            }
        };
        let edit_of_file = TextEdit { range, new_text: edit.new.clone() };
        match files.iter_mut().find(|(file, _)| *file == edit.file.as_deref()) {
            Some((_, edits)) => edits.push(edit_of_file),
            None => files.push((edit.file.as_deref(), vec![edit_of_file])),
        }
    }
    let uri = |name: Option<&str>| {
        name.map_or_else(|| snapshot.uri.clone(), |name| uri_of_name(snapshot.owner(), name))
    };
    Some(workspace_edit(snapshot, files.into_iter().map(|(name, edits)| (uri(name), edits)).collect()))
}

/// The edits that make this of the document.
pub(super) fn edit_to(snapshot: &Snapshot, new: &str) -> WorkspaceEdit {
    let edits = changed_lines(&snapshot.text, new).into_iter().map(|(before, after)| TextEdit {
        range: snapshot.range(Span::new(before.start, before.end)),
        new_text: new[after].to_owned(),
    });
    workspace_edit(snapshot, vec![(snapshot.uri.clone(), edits.collect())])
}

/// Edits for this version of the document, in the form that the client reads.
pub(super) fn workspace_edit(snapshot: &Snapshot, files: Vec<(Uri, Vec<TextEdit>)>) -> WorkspaceEdit {
    if !snapshot.client.versioned_edits {
        let changes: HashMap<Uri, Vec<TextEdit>> = files.into_iter().collect();
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let changes = files.into_iter().map(|(uri, edits)| {
        let version = (uri == snapshot.uri).then_some(snapshot.version);
        let text_document = OptionalVersionedTextDocumentIdentifier {
            version,
            text_document_identifier: TextDocumentIdentifier { uri },
        };
        let edits = edits.into_iter().map(Edit::TextEdit).collect();
        DocumentChange::TextDocumentEdit(TextDocumentEdit { text_document, edits })
    });
    WorkspaceEdit { document_changes: Some(changes.collect()), ..WorkspaceEdit::default() }
}
