use foldhash::HashMap;

use super::event::Text;
use crate::text::Span;

/// Mappings with more keys than this use a hash table.
const LINEAR: usize = 16;

/// What identifies a key; strings never equal other values.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyIdentity<'k> {
    pub(super) string: bool,
    pub(super) text: &'k str,
}

/// The keys of all open mappings; those of the innermost come last.
#[derive(Debug, Default)]
pub(super) struct Keys {
    seen: Vec<Seen>,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Seen {
    string: bool,
    text: Text,
    place: Span,
}

#[derive(Debug)]
struct Open {
    first: usize,
    table: Option<HashMap<(bool, String), Span>>,
}

impl Keys {
    pub(super) fn open(&mut self) {
        self.open.push(Open { first: self.seen.len(), table: None });
    }

    pub(super) fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            self.seen.truncate(open.first);
        }
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.seen.clear();
    }

    /// The position of this key in the innermost mapping.
    pub(super) fn find(&self, key: KeyIdentity<'_>, fragment: &str) -> Option<Span> {
        let open = self.open.last()?;
        if let Some(table) = &open.table {
            return table.get(&(key.string, key.text.to_owned())).copied();
        }
        let same = |seen: &&Seen| seen.string == key.string && seen.text.is(key.text, fragment);
        self.seen[open.first..].iter().find(same).map(|seen| seen.place)
    }

    /// Adds a key that the innermost mapping does not have yet. No copy is kept if the text at `span` of
    /// the fragment equals the key.
    pub(super) fn add(&mut self, key: KeyIdentity<'_>, span: Span, place: Span, fragment: &str) {
        let KeyIdentity { string, text } = key;
        let Some(open) = self.open.last_mut() else { return };
        if let Some(table) = &mut open.table {
            table.insert((string, text.to_owned()), place);
            return;
        }
        let text = if span.of(fragment) == text { Text::Slice(span) } else { Text::Copy(text.to_owned()) };
        self.seen.push(Seen { string, text, place });
        if self.seen.len() - open.first > LINEAR {
            let table = self.seen.drain(open.first..);
            open.table = Some(
                table.map(|seen| ((seen.string, seen.text.of(fragment).to_owned()), seen.place)).collect(),
            );
        }
    }
}
