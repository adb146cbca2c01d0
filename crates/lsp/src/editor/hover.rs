//! What is known about a position: the rules whose findings are there, what a name means, and what the schema says about a
//! value.

use crate::protocol::{Contents, Hover, MarkupContent, MarkupKind, Position};

use super::{
    diagnostics::{is_here, span},
    page::rule_page,
    snapshot::Snapshot,
    words::words,
};

/// The rules of the findings at a position, the name there, and what the schema says about the value there.
pub(crate) fn hover(snapshot: &Snapshot, position: Position) -> Option<Hover> {
    let at = snapshot.offset(position);
    let outcome = snapshot.outcome_of_version()?;
    let findings =
        outcome.diagnostics.iter().filter(|found| found.suppressed.is_none() && is_here(&found.location));
    let mut sections: Vec<String> = Vec::new();
    let mut range = None;
    for found in findings.filter(|found| span(&found.location).start <= at && at <= span(&found.location).end)
    {
        let Some(page) = rule_page(snapshot.owner(), &found.id, true) else { continue };
        if !sections.contains(&page) {
            sections.push(page);
        }
        range.get_or_insert(snapshot.range(span(&found.location)));
    }
    if let Some(name) = snapshot.reading().and_then(|reading| reading.name_at(snapshot.offset(position))) {
        let what = [name.of.as_deref(), name.value_type.as_deref()];
        if what.iter().any(Option::is_some) {
            let [of, value_type] = what.map(Option::unwrap_or_default);
            let of = of.replace('_', " ");
            let value_type = if value_type.is_empty() { String::new() } else { format!(": `{value_type}`") };
            sections.push(format!("`{}`{value_type} {of}", name.name).trim_end().to_owned());
            range.get_or_insert(snapshot.range(name.span));
        }
    }
    if let Some((text, key)) = words(&outcome.document, snapshot.owner().kinds(), at) {
        sections.push(text);
        range.get_or_insert(snapshot.range(key));
    }
    (!sections.is_empty()).then(|| Hover { contents: contents(snapshot, &sections.join("\n---\n\n")), range })
}

/// Markdown, or the same as plain text for clients that show only that.
fn contents(snapshot: &Snapshot, text: &str) -> Contents {
    let kind = if snapshot.client.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    Contents::MarkupContent(MarkupContent { kind, value: text.to_owned() })
}
