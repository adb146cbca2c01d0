use std::{borrow::Cow, collections::HashMap as StdMap};

use cel::{Value as CelValue, objects::Key};
use foldhash::{HashMap, HashMapExt};

use super::cel::{map_value, to_cel};
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

    pub(super) fn to_cel(&self, from: Node<'t>) -> CelValue {
        let mut tables: HashMap<&str, StdMap<Key, CelValue>> = HashMap::new();
        for (name, declarations) in &self.by_name {
            for declaration in declarations.iter().filter(|declaration| declaration.known_at(from)) {
                let value = declaration.node.map_or(CelValue::Null, to_cel);
                tables
                    .entry(declaration.table)
                    .or_default()
                    .insert(Key::from(name.clone().into_owned()), value);
            }
        }
        let tables: StdMap<Key, CelValue> = tables
            .into_iter()
            .map(|(table, names)| (Key::from(table.to_owned()), map_value(names)))
            .collect();
        map_value(tables)
    }
}

impl<'t> Declaration<'t> {
    fn known_at(&self, from: Node<'t>) -> bool {
        self.within.is_none_or(|within| from.ancestors().any(|ancestor| ancestor.id() == within))
    }
}
