//! The properties of headlines in columns.

use std::{hash::BuildHasher as _, ops::Range};

use foldhash::fast::FixedState;

use super::symbols::Symbols;

/// Own properties of the headlines of a table, by row. Values are known by hashes of 64 bits: nearly all values of an ID
/// are different, and their strings are in the digests.
#[derive(Debug, Clone, Default)]
pub(super) struct Properties {
    /// Where the properties of each row end.
    ends: Vec<u32>,
    /// Numbers of their names.
    names: Vec<u32>,
    /// Hashes of their values.
    values: Vec<u64>,
}

/// A property to look for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    name: u32,
    /// Hash of the value; nothing for any value.
    value: Option<u64>,
}

impl Wanted {
    /// A property with a value, or with any for `*`; none where no headline has a property of this name.
    pub(super) fn new(name: &str, value: &str, names: &Symbols) -> Option<Self> {
        let name = names.find(&name.to_ascii_lowercase())?;
        Some(Self { name, value: (value != "*").then(|| hash(value)) })
    }
}

impl Properties {
    /// Adds the properties of the next row.
    pub(super) fn add<'p>(
        &mut self,
        properties: impl Iterator<Item = (&'p str, &'p str)>,
        names: &mut Symbols,
    ) {
        for (name, value) in properties {
            self.names.push(names.number(&name.to_ascii_lowercase()));
            self.values.push(hash(value));
        }
        self.ends.push(self.names.len() as u32);
    }

    /// Whether the last property of a row with the name has the value; nothing where there is no property of this name.
    pub(super) fn has(&self, row: u32, wanted: Wanted) -> Option<bool> {
        let range = self.range(row as usize..row as usize + 1);
        let at = range.start + self.names[range.clone()].iter().rposition(|name| *name == wanted.name)?;
        Some(wanted.value.is_none_or(|value| self.values[at] == value))
    }

    fn range(&self, rows: Range<usize>) -> Range<usize> {
        let end_of = |rows: usize| rows.checked_sub(1).map_or(0, |last| self.ends[last] as usize);
        end_of(rows.start)..end_of(rows.end)
    }

    /// Puts other rows in the place of these.
    pub(super) fn splice(&mut self, rows: Range<usize>, new: Self) {
        let range = self.range(rows.clone());
        let (start, old, length) = (range.start as u32, range.len() as u32, new.names.len() as u32);
        for end in &mut self.ends[rows.end..] {
            *end = *end - old + length;
        }
        self.ends.splice(rows, new.ends.into_iter().map(|end| end + start));
        self.names.splice(range.clone(), new.names);
        self.values.splice(range, new.values);
    }
}

/// A hash that differs when the value differs.
fn hash(value: &str) -> u64 {
    FixedState::default().hash_one(value)
}
