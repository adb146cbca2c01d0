//! What there is to say about parts of a document that are not wrong, such as how many examples of a rule pass.

use serde::Serialize;

use crate::{
    kinds::EditorQuestions,
    protocol::{Command, Range},
};

use super::snapshot::Snapshot;

/// A line of text above a part.
#[derive(Debug, Serialize)]
pub(crate) struct Lens {
    range: Range,
    command: Command,
}

/// The remarks on a document and on those inside it.
pub(crate) fn lenses(snapshot: &Snapshot) -> Vec<Lens> {
    let Some(subject) = snapshot.subject() else { return Vec::new() };
    let questions = EditorQuestions { remarks: true, ..EditorQuestions::default() };
    let document = subject.read_text(&snapshot.text, questions);
    let all = document.embedded.iter().chain([&document]).flat_map(|document| &document.remarks);
    let lens = |remark: &crate::kinds::Remark| {
        let command =
            Command { title: remark.text.clone(), tooltip: None, command: String::new(), arguments: None };
        Lens { range: snapshot.range(remark.span), command }
    };
    all.map(lens).collect()
}
