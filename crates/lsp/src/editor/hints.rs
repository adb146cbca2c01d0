//! The declared types of names, shown where the names are used.

use serde::Serialize;

use crate::protocol::{Position, Range};

use super::snapshot::Snapshot;

/// Text that an editor shows between the characters of a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hint {
    position: Position,
    label: String,
    kind: u8,
    padding_left: bool,
}

/// Hints for types, by its number in the protocol.
const TYPE: u8 = 1;

/// The types of the names that a part of the document uses.
pub(crate) fn hints(snapshot: &Snapshot, range: Range) -> Vec<Hint> {
    let Some(reading) = snapshot.reading() else { return Vec::new() };
    let here = snapshot.span(range);
    let used = reading.own_names().filter(|one| !one.declares);
    let used = used.filter(|one| here.start <= one.span.end && one.span.start <= here.end);
    let hint = |one: &crate::engine::Occurrence| {
        let position = snapshot.range(one.span).end;
        let label = format!(": {}", one.value_type.as_ref()?);
        Some(Hint { position, label, kind: TYPE, padding_left: false })
    };
    used.filter_map(hint).collect()
}
