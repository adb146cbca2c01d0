//! Looking up what the documents of a project declare, with the values that the pack makes known.

use std::{borrow::Cow, fmt};

use cel::common::types::CelList;
use serde_json::{Map, Value};

use super::{
    cel::{Boxed, Lazy, Record, json_value},
    state::State,
};
use crate::{
    budget,
    checks::{compile::Symbol, scope::table_slot},
    kinds::{Entry, SharedNames},
    tree::Node,
};

/// Most bytes of a value that other documents can look up.
const LARGEST: usize = 64 * 1024;

/// What can be looked up of a declaration: the values that the symbol table names, and the file with the path `file`.
pub fn values_of(symbol: &Symbol, node: Node<'_>, file: &str) -> Value {
    let mut values = Map::new();
    let json = |node: Node<'_>| {
        let bytes = node.span().len();
        (bytes <= LARGEST && budget::allocate(bytes)).then(|| node.to_json())
    };
    for (name, paths) in &symbol.values {
        match paths.as_slice() {
            [path] if path.is_singular() => {
                if let Some(value) = path.first(node).and_then(json) {
                    values.insert(name.clone(), value);
                }
            }
            paths => {
                let all = paths.iter().flat_map(|path| path.select(node));
                values.insert(name.clone(), all.filter_map(json).collect());
            }
        }
    }
    values.insert("file".to_owned(), file.into());
    Value::Object(values)
}

/// What the documents of the project declare, the document itself included.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'t> {
    project: &'t SharedNames,
    own: Option<&'t SharedNames>,
    /// The file of the document.
    file: &'t str,
    pack: &'t str,
}

impl<'t> Lookup<'t> {
    /// The lookup of a state; nothing where the other documents are not known.
    pub fn of(state: &State<'t>) -> Option<Self> {
        let document = state.document;
        Some(Self {
            project: document.project.as_deref()?,
            own: document.own_names.as_deref(),
            file: document.source().key(),
            pack: &state.vocabulary.pack,
        })
    }

    /// The declarations of a name: first those of other files, in the order of their paths.
    pub fn entries(self, table: &str, name: &str) -> Vec<Entry<'t>> {
        let slot = table_slot(self.pack, table);
        let own = self.own.map_or(0, |own| own.count(&slot, name));
        if !budget::charge((1 + self.project.count(&slot, name) + own) as u64) {
            return Vec::new();
        }
        let others = self.project.others(&slot, name, self.file);
        others.chain(self.own.into_iter().flat_map(|own| own.all(&slot, name))).collect()
    }

    /// The names of a table.
    pub fn names(self, table: &str) -> Vec<&'t str> {
        let slot = table_slot(self.pack, table);
        let own = self.own.into_iter().flat_map(|own| own.names(&slot));
        let mut names: Vec<&str> =
            self.project.names(&slot).chain(own).take_while(|_| budget::charge(1)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The names that the document itself declares.
    pub fn own_names(self, table: &str) -> impl Iterator<Item = &'t str> {
        let slot = table_slot(self.pack, table);
        self.own.into_iter().flat_map(move |own| own.names(&slot).collect::<Vec<_>>())
    }
}

/// What `lookup` is in conditions.
#[derive(Clone, Copy)]
pub(super) struct Tables<'s, 't> {
    pub(super) lookup: Lookup<'t>,
    pub(super) state: &'s State<'t>,
}

impl fmt::Debug for Tables<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tables").field(&self.lookup.pack).finish()
    }
}

/// A symbol table: the declarations by name.
#[derive(Debug, Clone, Copy)]
struct Table<'t> {
    lookup: Lookup<'t>,
    name: &'t str,
}

impl<'s, 't: 's> Record<'s> for Tables<'s, 't> {
    fn member(&self, name: &str) -> Option<Boxed<'s>> {
        let (name, _) = self.state.vocabulary.symbols.get_key_value(name)?;
        Some(Box::new(Lazy::new(Table { lookup: self.lookup, name })))
    }

    fn names(&self) -> Vec<Cow<'s, str>> {
        self.state.vocabulary.symbols.keys().map(|name| Cow::Borrowed(name.as_str())).collect()
    }
}

impl<'t> Record<'t> for Table<'t> {
    fn member(&self, name: &str) -> Option<Boxed<'t>> {
        let entries = self.lookup.entries(self.name, name);
        let values: Vec<Boxed<'t>> = entries.into_iter().map(|entry| json_value(entry.values())).collect();
        (!values.is_empty()).then(|| Box::new(CelList::from(values)) as Boxed<'t>)
    }

    fn names(&self) -> Vec<Cow<'t, str>> {
        self.lookup.names(self.name).into_iter().map(Cow::Borrowed).collect()
    }
}
