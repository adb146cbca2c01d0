use std::{borrow::Cow, collections::HashMap};

use crate::text::Span;

/// Mappings with more keys than this look them up in a table.
const LINEAR: usize = 16;

/// What makes a key the same as another one: strings are never the same as other values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct KeyIdentity<'t> {
    pub(super) string: bool,
    pub(super) text: Cow<'t, str>,
}

/// The keys of all open mappings, the innermost one's last.
#[derive(Default)]
pub(super) struct Keys<'t> {
    seen: Vec<(KeyIdentity<'t>, Span)>,
    open: Vec<Open<'t>>,
}

struct Open<'t> {
    first: usize,
    table: Option<HashMap<KeyIdentity<'t>, Span>>,
}

impl<'t> Keys<'t> {
    pub(super) fn open(&mut self) {
        self.open.push(Open { first: self.seen.len(), table: None });
    }

    pub(super) fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            self.seen.truncate(open.first);
        }
    }

    /// Whether the innermost mapping has this key.
    pub(super) fn has(&self, key: &KeyIdentity<'t>) -> bool {
        self.open.last().is_some_and(|open| match &open.table {
            Some(table) => table.contains_key(key),
            None => self.seen[open.first..].iter().any(|(other, _)| other == key),
        })
    }

    /// Adds a key to the innermost mapping, and gives the place where it stands already.
    pub(super) fn add(&mut self, key: KeyIdentity<'t>, span: Span) -> Option<Span> {
        let open = self.open.last_mut()?;
        if let Some(table) = &mut open.table {
            return match table.get(&key) {
                Some(first) => Some(*first),
                None => table.insert(key, span),
            };
        }
        let seen = &self.seen[open.first..];
        if let Some((_, first)) = seen.iter().find(|(other, _)| *other == key) {
            return Some(*first);
        }
        self.seen.push((key, span));
        if self.seen.len() - open.first > LINEAR {
            open.table = Some(self.seen.drain(open.first..).collect());
        }
        None
    }
}
