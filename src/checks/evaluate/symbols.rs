use std::borrow::Cow;

use cel::common::types::CelNull;
use foldhash::HashMap;

use super::cel::{Boxed, Lazy, Record, node_value};
use crate::{
    checks::compile::Vocabulary,
    tree::{Node, NodeId},
};

/// Most declarations of one name in a table whose names are known everywhere. Each use of a name looks at
/// its declarations, so that a document which declares a name on every line must not keep them all.
const SAME_NAME: usize = 64;

/// The symbol tables of a document.
#[derive(Debug, Default)]
pub(crate) struct Symbols<'t> {
    by_name: HashMap<Cow<'t, str>, Vec<Declaration<'t>>>,
    /// Names of the tables.
    tables: Vec<&'t str>,
}

/// A declared name.
#[derive(Debug, Clone)]
pub(crate) struct Declaration<'t> {
    /// The symbol table.
    pub(crate) table: &'t str,
    /// The declaring node; absent for names that are always known.
    pub(crate) node: Option<Node<'t>>,
    /// The node that holds the name.
    pub(crate) name: Option<Node<'t>>,
    /// The node within which the name is known.
    within: Option<NodeId>,
}

impl<'t> Symbols<'t> {
    /// The tables that a pack declares, filled from a document; `ancestor` gives the ancestor of a node that
    /// the pack has a name for.
    pub(super) fn of(
        vocabulary: &'t Vocabulary,
        root: Node<'t>,
        ancestor: impl Fn(Node<'t>, &str) -> Option<Node<'t>>,
    ) -> Self {
        let mut symbols = Self::default();
        for (table, symbol) in &vocabulary.symbols {
            symbols.tables.push(table);
            for name in &symbol.builtin {
                let declaration = Declaration { table, node: None, name: None, within: None };
                symbols.by_name.entry(name.as_str().into()).or_default().push(declaration);
            }
            for node in symbol.given.iter().flat_map(|path| path.select(root)) {
                let within = symbol.within.as_ref().and_then(|name| ancestor(node, name));
                let within = within.map(|node| node.id());
                let named = match &symbol.name {
                    Some(path) => path.first(node),
                    None => Some(node),
                };
                let text = match (&symbol.name, named) {
                    (Some(_), Some(named)) => named.scalar_text(),
                    (None, Some(node)) => node.key().map(Cow::Borrowed),
                    _ => None,
                };
                if let Some(text) = text {
                    let declaration = Declaration { table, node: Some(node), name: named, within };
                    let same = symbols.by_name.entry(text).or_default();
                    let is_surplus = within.is_none()
                        && same.len().checked_sub(SAME_NAME).is_some_and(|at| same[at].table == table);
                    if !is_surplus {
                        same.push(declaration);
                    }
                }
            }
        }
        symbols
    }

    /// The declarations of a name that are known at `from`.
    pub(crate) fn find(&self, name: &str, from: Node<'t>) -> Vec<&Declaration<'t>> {
        let all = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|declaration| declaration.known_at(from)).collect()
    }

    /// The names of a table that are known everywhere in the document, with the nodes that have them.
    pub(crate) fn declared_in(&self, table: &str) -> impl Iterator<Item = (&str, Node<'t>)> {
        self.by_name.iter().flat_map(move |(name, declarations)| {
            let own = declarations.iter().filter(move |one| one.table == table && one.within.is_none());
            own.filter_map(move |one| Some((name.as_ref(), one.name.or(one.node)?)))
        })
    }

    /// The names of some tables that are known at `from`, sorted.
    pub(crate) fn names(&self, tables: &[String], from: Node<'t>) -> Vec<&str> {
        let known = self.by_name.iter().filter(|(_, declarations)| {
            let mut fitting = declarations.iter().filter(|d| tables.iter().any(|table| table == d.table));
            fitting.any(|declaration| declaration.known_at(from))
        });
        let mut names: Vec<&str> = known.map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        names
    }
}

/// The symbol tables as they are known at a node: a map of CEL for each table, from names to the nodes that
/// declare them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables<'s, 't> {
    pub(super) symbols: &'s Symbols<'t>,
    pub(super) from: Node<'t>,
}

/// One of the tables.
#[derive(Debug, Clone, Copy)]
struct Table<'s, 't> {
    name: &'t str,
    tables: Tables<'s, 't>,
}

impl<'s, 't: 's> Tables<'s, 't> {
    /// The declarations that are known, with their names.
    fn known(self) -> impl Iterator<Item = (&'s str, &'s Declaration<'t>)> {
        let all = self.symbols.by_name.iter();
        let all = all.flat_map(|(name, declarations)| declarations.iter().map(move |d| (name.as_ref(), d)));
        all.filter(move |(_, declaration)| declaration.known_at(self.from))
    }
}

impl<'s, 't: 's> Record<'s> for Tables<'s, 't> {
    fn member(&self, name: &str) -> Option<Boxed<'s>> {
        let name = self.symbols.tables.iter().find(|table| **table == name)?;
        Some(Box::new(Lazy::new(Table { name, tables: *self })))
    }

    fn names(&self) -> Vec<Cow<'s, str>> {
        self.symbols.tables.iter().map(|table| Cow::Borrowed(*table)).collect()
    }
}

impl<'s, 't: 's> Record<'s> for Table<'s, 't> {
    fn member(&self, name: &str) -> Option<Boxed<'s>> {
        let known = self.tables.symbols.find(name, self.tables.from);
        let declaration = known.into_iter().rfind(|declaration| declaration.table == self.name)?;
        Some(declaration.node.map_or_else(|| Box::new(CelNull) as Boxed<'s>, node_value))
    }

    fn names(&self) -> Vec<Cow<'s, str>> {
        let known = self.tables.known().filter(|(_, declaration)| declaration.table == self.name);
        known.map(|(name, _)| Cow::Borrowed(name)).collect()
    }
}

impl<'t> Declaration<'t> {
    fn known_at(&self, from: Node<'t>) -> bool {
        self.within.is_none_or(|within| from.ancestors().any(|ancestor| ancestor.id() == within))
    }
}
