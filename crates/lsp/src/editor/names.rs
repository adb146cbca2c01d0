//! Where a name is declared, and where it is used.

use serde::Serialize;

use crate::{
    engine::Occurrence,
    protocol::{Location, Position, Range},
    text::{EditorLines, SourceId},
};

use super::{
    diagnostics::uri_of_name,
    reading::{Reading, written},
    selected,
    snapshot::{Snapshot, range_in},
};

/// Where the name at a position is declared.
pub(crate) fn definition(snapshot: &Snapshot, position: Position) -> Vec<Location> {
    let Some(reading) = snapshot.reading() else { return Vec::new() };
    let Some(name) = reading.name_at(snapshot.offset(position)) else { return Vec::new() };
    reading.same(name).filter(|one| one.declares).map(|one| location(snapshot, reading, one)).collect()
}

/// Where the name at a position is used, and declared if that is asked for; of a rule in a rule file, the places in open
/// documents that it looks at.
pub(crate) fn references(snapshot: &Snapshot, position: Position, declarations: bool) -> Vec<Location> {
    let Some(reading) = snapshot.reading() else { return Vec::new() };
    if let Some(rule) = selected::rule_at(&reading.document, snapshot.offset(position)) {
        return selected::places(snapshot, rule);
    }
    let Some(name) = reading.name_at(snapshot.offset(position)) else { return Vec::new() };
    let wanted = reading.same(name).filter(|one| declarations || !one.declares);
    wanted.map(|one| location(snapshot, reading, one)).collect()
}

/// A place where the name under the cursor is: 3 where it is declared, 2 where it is used.
#[derive(Debug, Serialize)]
pub(crate) struct Highlight {
    range: Range,
    kind: u8,
}

/// The places in the document where the name at a position is.
pub(crate) fn highlights(snapshot: &Snapshot, position: Position) -> Vec<Highlight> {
    let Some(reading) = snapshot.reading() else { return Vec::new() };
    let Some(name) = reading.name_at(snapshot.offset(position)) else { return Vec::new() };
    let own = reading.same(name).filter(|one| one.source == SourceId(0));
    let highlight = |one: &Occurrence| {
        let span = written(&snapshot.text, one).unwrap_or(one.span);
        Highlight { range: snapshot.range(span), kind: if one.declares { 3 } else { 2 } }
    };
    own.map(highlight).collect()
}

/// A name in the document or in a file that it includes.
fn location(snapshot: &Snapshot, reading: &Reading, one: &Occurrence) -> Location {
    if one.source == SourceId(0) {
        let span = written(&snapshot.text, one).unwrap_or(one.span);
        return Location { uri: snapshot.uri.clone(), range: snapshot.range(span) };
    }
    let source = reading.document.tree.source(one.source);
    let lines = EditorLines::new(source.text(), snapshot.client.unit);
    let span = written(source.text(), one).unwrap_or(one.span);
    Location {
        uri: uri_of_name(snapshot.owner(), source.name()),
        range: range_in(&lines, source.text(), span),
    }
}
