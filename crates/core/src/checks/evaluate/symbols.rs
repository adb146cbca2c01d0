#![expect(clippy::disallowed_types, reason = "these cells belong to one document, which its budget pays for")]

use std::{borrow::Cow, collections::BTreeMap, sync::OnceLock};

use cel::common::types::CelNull;
use foldhash::HashMap;

use super::{
    cel::{Boxed, Lazy, Record, node_value},
    finding::SHORT,
    words::{Word, Words},
};
use crate::{
    budget,
    checks::compile::{Symbol, Vocabulary},
    expressions::LazyRegex,
    text::{SourceId, Span, around},
    tree::{
        Node, NodeId,
        jsonpath::{PathSet, Selected},
    },
};

/// Most declarations of one name in a table that are known at the same nodes. Each use of a name looks at
/// its declarations, so that a document which declares a name on every line must not keep them all.
const SAME_NAME: usize = 64;

/// Declarations of a name from which on they are found by where they are known.
const MANY: usize = 8;

/// The symbol tables of a document.
#[derive(Debug, Default)]
pub struct Symbols<'t> {
    /// The declarations of each name.
    names: Vec<(Cow<'t, str>, Declared<'t>)>,
    /// Positions in `names` by the numbers of the names, counted from 1. Names with greater numbers are not declared.
    positions: Vec<u32>,
    /// Names of the tables.
    tables: Vec<&'t str>,
    /// The names of each table, by the node within which they are known; made when first asked for.
    by_table: OnceLock<HashMap<&'t str, NamesWithin<'t>>>,
}

/// Names by the node within which they are known; those without one are known everywhere.
type NamesWithin<'t> = BTreeMap<Option<NodeId>, Vec<Cow<'t, str>>>;

/// The declarations of a name.
#[derive(Debug, Default)]
struct Declared<'t> {
    all: Vec<Declaration<'t>>,
    /// Positions by the node within which they are known, where there are many.
    by_scope: Vec<(Option<NodeId>, u32)>,
}

/// A declared name.
#[derive(Debug, Clone)]
pub struct Declaration<'t> {
    /// The symbol table.
    pub table: &'t str,
    /// What the pack says of the table.
    pub symbol: &'t Symbol,
    /// The declaring node; absent for names that are always known.
    pub node: Option<Node<'t>>,
    /// The node that holds the name.
    pub name: Option<Node<'t>>,
    /// The part of its text that is the name, where that is not all of it.
    pub part: Option<Span>,
    /// The node within which the name is known.
    within: Option<NodeId>,
}

impl<'t> Symbols<'t> {
    /// The tables that a pack declares, filled from a document whose names have numbers; `ancestor` gives the ancestor
    /// of a node that the pack has a name for.
    pub(super) fn of(
        vocabulary: &'t Vocabulary,
        root: Node<'t>,
        words: &Words<'t>,
        ancestor: impl Fn(Node<'t>, &str) -> Option<Node<'t>>,
    ) -> Self {
        let mut symbols = Self::default();
        let mut selected = Selected::default();
        let given = || PathSet::new(vocabulary.symbols.values().flat_map(|symbol| &symbol.given));
        vocabulary.declarations.get_or_init(given).select(root, &mut selected);
        let builtin: usize = vocabulary.symbols.values().map(|symbol| symbol.builtin.len()).sum();
        let most = builtin + selected.len();
        words.reserve(most);
        symbols.names.reserve(most);
        symbols.positions.reserve(most);
        let mut end = 0;
        for (table, symbol) in &vocabulary.symbols {
            symbols.tables.push(table);
            for name in &symbol.builtin {
                let declaration =
                    Declaration { table, symbol, node: None, name: None, part: None, within: None };
                let text = Cow::Borrowed(name.as_str());
                symbols.of_name(words.number(&text), text).all.push(declaration);
            }
            let first = end;
            end += symbol.given.len();
            for node in selected.of(first..end).iter().copied() {
                let within = symbol.within.as_ref().and_then(|name| ancestor(node, name));
                let within = within.map(|node| node.id());
                named(symbol, node, &mut |text, name, part| {
                    let declaration = Declaration { table, symbol, node: Some(node), name, part, within };
                    let word = match name {
                        Some(name) if part.is_none() && symbol.name.is_some() => {
                            words.of_node(name, || Some(text.clone()))
                        }
                        _ => None,
                    };
                    let word = word.unwrap_or_else(|| words.number(&text));
                    symbols.of_name(word, text).add(declaration);
                });
            }
        }
        symbols.names.iter_mut().for_each(|(_, declared)| declared.index());
        symbols
    }

    /// The declarations of a name with this number.
    fn of_name(&mut self, word: Word, text: Cow<'t, str>) -> &mut Declared<'t> {
        if self.positions.len() <= word.index() {
            self.positions.resize(word.index() + 1, 0);
        }
        let position = &mut self.positions[word.index()];
        if *position == 0 {
            self.names.push((text, Declared::default()));
            *position = self.names.len() as u32;
        }
        &mut self.names[*position as usize - 1].1
    }

    /// The declarations of a name that are known at `from`, in the order in which they were added.
    pub(super) fn find<'s>(
        &'s self,
        name: Option<Word>,
        from: Node<'t>,
    ) -> impl Iterator<Item = &'s Declaration<'t>> + Clone + use<'s, 't> {
        let position = name.and_then(|word| self.positions.get(word.index())?.checked_sub(1));
        let declared = position.map(|position| &self.names[position as usize].1);
        let all = declared.map_or(&[][..], |declared| &declared.all);
        let scoped = declared.filter(|declared| !declared.by_scope.is_empty());
        let few = if scoped.is_some() { &[][..] } else { all };
        let many = scoped.map(|declared| declared.positions_at(from)).unwrap_or_default();
        let many = many.into_iter().map(move |at| &all[at as usize]);
        few.iter().filter(move |declaration| declaration.known_at(from)).chain(many)
    }

    /// Everything that is declared in the document, with its name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Declaration<'t>)> {
        let all = self.names.iter().flat_map(|(name, declared)| declarations(name, declared));
        all.filter(|(_, one)| one.node.is_some())
    }

    /// The declarations of a table that are known everywhere in the document, with their names.
    pub fn declared_in(&self, table: &str) -> impl Iterator<Item = (&str, &Declaration<'t>)> {
        self.all().filter(move |(_, one)| one.table == table && one.within.is_none())
    }

    /// The names of some tables that are known at `from`, sorted; where there are many, those that `word` is
    /// among in the alphabet, and few of them once no more suggestions are made.
    pub fn names(&self, tables: &[String], from: Node<'t>, word: &str) -> Vec<&str> {
        let by_table = self.by_table.get_or_init(|| self.names_by_table());
        let most = if budget::may_suggest() { usize::MAX } else { SHORT };
        let mut names: Vec<&str> = Vec::new();
        let mut lists = 0;
        for scopes in tables.iter().filter_map(|table| by_table.get(table.as_str())) {
            let within = from.ancestors().filter_map(|node| scopes.get(&Some(node.id())));
            for scope in scopes.get(&None).into_iter().chain(within) {
                names.extend(around(scope, word).iter().map(AsRef::as_ref).take(most));
                lists += 1;
            }
        }
        if lists > 1 {
            #[expect(clippy::stable_sort_primitive, reason = "it merges lists that are sorted already")]
            names.sort();
            names.dedup();
        }
        names
    }

    /// The names by table and scope, sorted.
    fn names_by_table(&self) -> HashMap<&'t str, BTreeMap<Option<NodeId>, Vec<Cow<'t, str>>>> {
        let mut tables: HashMap<&'t str, BTreeMap<Option<NodeId>, Vec<Cow<'t, str>>>> = HashMap::default();
        for (name, declared) in &self.names {
            for Declaration { table, within, .. } in &declared.all {
                tables.entry(table).or_default().entry(*within).or_default().push(name.clone());
            }
        }
        for names in tables.values_mut().flat_map(BTreeMap::values_mut) {
            names.sort_unstable();
            names.dedup();
        }
        tables
    }
}

fn declarations<'s, 't>(
    name: &'s str,
    declared: &'s Declared<'t>,
) -> impl Iterator<Item = (&'s str, &'s Declaration<'t>)> {
    declared.all.iter().map(move |one| (name, one))
}

/// Calls `add` with the names of a declaration: each with the node that holds it, and the part of it that is the name.
fn named<'t>(
    symbol: &Symbol,
    node: Node<'t>,
    add: &mut dyn FnMut(Cow<'t, str>, Option<Node<'t>>, Option<Span>),
) {
    let held = match &symbol.name {
        Some(path) => path.first(node),
        None => Some(node),
    };
    let text = match (symbol.file, &symbol.name, held) {
        (Some(part), ..) => {
            let key = node.tree().source(SourceId(0)).key();
            (!key.is_empty()).then(|| Cow::Borrowed(part.in_path(key)))
        }
        (None, _, Some(mapping)) if symbol.pairs => {
            for entry in mapping.entries() {
                let Some(value) = entry.value().scalar_text().filter(|_| budget::charge(1)) else { continue };
                add(
                    format!("{}={value}", entry.key()).into(),
                    Some(entry.value()),
                    Some(entry.key_span().cover(entry.value().span())),
                );
            }
            return;
        }
        (None, Some(_), Some(held)) => held.scalar_text(),
        (None, None, Some(node)) => node.key().map(Cow::Borrowed),
        _ => None,
    };
    let name = held.filter(|_| symbol.file.is_none());
    match (text, &symbol.pattern) {
        (Some(text), None) => add(text, name, None),
        (Some(text), Some(pattern)) => {
            for (found, span) in matched(pattern, &text) {
                add(found.to_owned().into(), name, name.map(|name| name.part(span)));
            }
        }
        (None, _) => {}
    }
}

/// What a regular expression matches in text, or its first group does, with where it is.
pub fn matched<'x>(pattern: &LazyRegex, text: &'x str) -> Vec<(&'x str, Span)> {
    let mut found = Vec::new();
    let Some(regex) = pattern.get().filter(|_| budget::charge(1 + text.len() as u64 / 16)) else {
        return found;
    };
    for groups in regex.captures_iter(text) {
        let group = if groups.len() > 1 { groups.get(1) } else { groups.get(0) };
        if let Some(group) = group.filter(|_| budget::charge(1)) {
            found.push((group.as_str(), Span::new(group.start(), group.end())));
        }
    }
    found
}

/// The symbol tables as they are known at a node: a map of CEL for each table, from names to the nodes that
/// declare them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables<'s, 't> {
    pub(super) symbols: &'s Symbols<'t>,
    /// The numbers of the names.
    pub(super) words: &'s Words<'t>,
    pub(super) from: Node<'t>,
}

/// One of the symbol tables of [`Tables`].
#[derive(Debug, Clone, Copy)]
struct Table<'s, 't> {
    name: &'t str,
    tables: Tables<'s, 't>,
}

impl<'s, 't: 's> Tables<'s, 't> {
    /// The declarations that are known, with their names.
    fn known(self) -> impl Iterator<Item = (&'s str, &'s Declaration<'t>)> {
        let all = self.symbols.names.iter();
        let all = all.flat_map(|(name, declared)| declared.all.iter().map(move |d| (name.as_ref(), d)));
        all.take_while(|_| budget::charge(1)).filter(move |(_, declaration)| declaration.known_at(self.from))
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
        let Tables { symbols, words, from } = self.tables;
        let known = symbols.find(words.find(name), from);
        let declaration = known.filter(|declaration| declaration.table == self.name).last()?;
        Some(declaration.node.map_or_else(|| Box::new(CelNull) as Boxed<'s>, node_value))
    }

    fn names(&self) -> Vec<Cow<'s, str>> {
        let known = self.tables.known().filter(|(_, declaration)| declaration.table == self.name);
        known.map(|(name, _)| Cow::Borrowed(name)).collect()
    }
}

impl<'t> Declared<'t> {
    fn add(&mut self, declaration: Declaration<'t>) {
        let place = |declared: &Declaration<'t>| (declared.table, declared.within);
        let before = self.all.len().checked_sub(SAME_NAME).map(|at| place(&self.all[at]));
        if before != Some(place(&declaration)) {
            self.all.push(declaration);
        }
    }

    fn index(&mut self) {
        if self.all.len() > MANY {
            self.by_scope = self.all.iter().map(|declaration| declaration.within).zip(0..).collect();
            self.by_scope.sort_unstable();
        }
    }

    /// Positions of the declarations that are known at a node, where there are many.
    fn positions_at(&self, from: Node<'t>) -> Vec<u32> {
        let scopes = from.ancestors().map(|node| Some(node.id())).chain([None]);
        let mut positions: Vec<u32> = scopes.flat_map(|scope| self.of_scope(scope)).collect();
        positions.sort_unstable();
        positions
    }

    fn of_scope(&self, scope: Option<NodeId>) -> impl Iterator<Item = u32> {
        let start = self.by_scope.partition_point(|(other, _)| *other < scope);
        self.by_scope[start..].iter().take_while(move |(other, _)| *other == scope).map(|(_, at)| *at)
    }
}

impl<'t> Declaration<'t> {
    /// Where the name is; the start of the declaration where the name is not in the document.
    pub fn span(&self) -> Option<Span> {
        let name = self.part.or(self.name.map(Node::span));
        name.or_else(|| self.node.map(Node::start))
    }

    fn known_at(&self, from: Node<'t>) -> bool {
        self.within.is_none_or(|within| from.ancestors().any(|ancestor| ancestor.id() == within))
    }
}
