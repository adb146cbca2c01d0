use std::{
    borrow::Cow,
    collections::HashMap as StdMap,
    sync::{Arc, Mutex, OnceLock},
};

use foldhash::{HashMap, HashMapExt, HashSet};

use cel::{Value as CelValue, objects::Key};
use serde_json::Value;

use super::finding::Finding;
use crate::{
    kinds::{self, Document, TypeExpression},
    rules::{Bindings, Pack},
    text::{SourceId, Span},
    tree::{Node, NodeId, Scalar, Tree},
};

/// What the rules of a pack share while one document is looked at; each part is made when a rule
/// first asks for it.
pub(super) struct State<'t> {
    pub(super) document: &'t Document,
    pub(super) pack: &'t Pack,
    symbols: OnceLock<Symbols<'t>>,
    ancestors: Mutex<HashMap<String, Arc<HashSet<NodeId>>>>,
    root: OnceLock<CelValue>,
    secrets: OnceLock<Vec<(SourceId, Span)>>,
    structures: Mutex<HashMap<StructureKey, Arc<StructureFaults<'t>>>>,
}

/// Address of the schema, and the node it was evaluated at.
pub(super) type StructureKey = (usize, NodeId);

/// Findings with the names that rules know them by.
pub(super) type StructureFaults<'t> = Vec<(String, Finding<'t>)>;

/// The symbol tables of a document.
#[derive(Debug, Default)]
pub(super) struct Symbols<'t> {
    by_name: HashMap<Cow<'t, str>, Vec<Declaration<'t>>>,
}

/// A declared name.
#[derive(Debug, Clone)]
pub(super) struct Declaration<'t> {
    /// The symbol table.
    pub(super) table: &'t str,
    /// The declaring node; absent for names that are always known.
    pub(super) node: Option<Node<'t>>,
    /// The node that holds the name.
    pub(super) name: Option<Node<'t>>,
    /// The node within which the name is known.
    within: Option<NodeId>,
}

impl<'t> State<'t> {
    pub(super) fn new(document: &'t Document, pack: &'t Pack) -> Self {
        Self {
            document,
            pack,
            symbols: OnceLock::new(),
            ancestors: Mutex::default(),
            root: OnceLock::new(),
            secrets: OnceLock::new(),
            structures: Mutex::default(),
        }
    }

    pub(super) fn tree(&self) -> &'t Tree {
        &self.document.tree
    }

    /// The nearest ancestor of `node`, itself included, that the pack calls `name`.
    pub(super) fn ancestor(&self, node: Node<'t>, name: &str) -> Option<Node<'t>> {
        let members = self.members(name)?;
        node.ancestors().find(|ancestor| members.contains(&ancestor.id()))
    }

    fn members(&self, name: &str) -> Option<Arc<HashSet<NodeId>>> {
        let path = self.pack.ancestors.get(name)?;
        let mut ancestors = self.ancestors.lock().ok()?;
        if let Some(members) = ancestors.get(name) {
            return Some(Arc::clone(members));
        }
        let members: HashSet<NodeId> =
            path.select(self.tree().root()).into_iter().map(|node| node.id()).collect();
        let members = Arc::new(members);
        ancestors.insert(name.to_owned(), Arc::clone(&members));
        Some(members)
    }

    pub(super) fn symbols(&self) -> &Symbols<'t> {
        self.symbols.get_or_init(|| {
            let mut symbols = Symbols::default();
            let root = self.tree().root();
            for (table, symbol) in &self.pack.symbols {
                for name in &symbol.builtin {
                    let declaration = Declaration { table, node: None, name: None, within: None };
                    symbols.by_name.entry(name.as_str().into()).or_default().push(declaration);
                }
                for node in symbol.given.iter().flat_map(|path| path.select(root)) {
                    let within = symbol.within.as_ref().and_then(|name| self.ancestor(node, name));
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
                        symbols.by_name.entry(text).or_default().push(declaration);
                    }
                }
            }
            symbols
        })
    }

    /// What a schema with variants finds at a node, evaluated once for all rules.
    pub(super) fn structure(
        &self,
        key: StructureKey,
        evaluate: impl FnOnce() -> StructureFaults<'t>,
    ) -> Arc<StructureFaults<'t>> {
        let Ok(mut structures) = self.structures.lock() else { return Arc::default() };
        Arc::clone(structures.entry(key).or_insert_with(|| Arc::new(evaluate())))
    }

    /// Where secrets stand, which nothing may show.
    pub(super) fn secrets(&self) -> &[(SourceId, Span)] {
        self.secrets.get_or_init(|| {
            let mut found = Vec::new();
            if let Some(kind) = kinds::by_name(self.document.kind).filter(|kind| kind.has_secrets()) {
                collect_secrets(kind, self.tree().root(), &mut found);
            }
            found
        })
    }

    /// The type that a node expresses, as the document's kind reads it.
    pub(super) fn type_of(&self, node: Node<'t>) -> Option<TypeExpression> {
        kinds::by_name(self.document.kind)?.type_expression(node)
    }

    /// The declared type of a name, with the node that declares it.
    pub(super) fn declared_type(&self, name: &str, from: Node<'t>) -> Option<(Node<'t>, TypeExpression)> {
        let declarations = self.symbols().find(name, from);
        let (path, node) = declarations.into_iter().find_map(|declaration| {
            Some((self.pack.symbols.get(declaration.table)?.value_type.as_ref()?, declaration.node?))
        })?;
        let declared = path.first(node)?;
        Some((declared, self.type_of(declared)?))
    }

    /// The whole document for CEL, converted once.
    fn root(&self) -> CelValue {
        self.root.get_or_init(|| to_cel(self.tree().root())).clone()
    }
}

impl<'t> Symbols<'t> {
    /// The declarations of a name that are known at `from`.
    pub(super) fn find(&self, name: &str, from: Node<'t>) -> Vec<&Declaration<'t>> {
        let all = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|declaration| declaration.known_at(from)).collect()
    }

    /// The names of some tables that are known at `from`, sorted.
    pub(super) fn names(&self, tables: &[String], from: Node<'t>) -> Vec<&str> {
        let known = self.by_name.iter().filter(|(_, declarations)| {
            let mut fitting = declarations.iter().filter(|d| tables.iter().any(|table| table == d.table));
            fitting.any(|declaration| declaration.known_at(from))
        });
        let mut names: Vec<&str> = known.map(|(name, _)| name.as_ref()).collect();
        names.sort_unstable();
        names
    }

    fn to_cel(&self, from: Node<'t>) -> CelValue {
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

fn collect_secrets(kind: &dyn kinds::Kind, node: Node<'_>, found: &mut Vec<(SourceId, Span)>) {
    if kind.disclosure(node) == kinds::Disclosure::Nothing {
        found.push((node.source_id(), node.span()));
    }
    for child in node.children() {
        collect_secrets(kind, child, found);
    }
}

fn map_value(map: StdMap<Key, CelValue>) -> CelValue {
    CelValue::Map(cel::objects::Map { map: Arc::new(map) })
}

/// A node as a CEL value.
pub(super) fn to_cel(node: Node<'_>) -> CelValue {
    match node.scalar() {
        Some(Scalar::Null) => CelValue::Null,
        Some(Scalar::Bool(value)) => CelValue::Bool(value),
        Some(Scalar::Integer(value)) => CelValue::Int(value),
        Some(Scalar::Unsigned(value)) => CelValue::UInt(value),
        Some(Scalar::Float(value)) => CelValue::Float(value),
        Some(Scalar::Text(text) | Scalar::Static(text)) => CelValue::String(Arc::new(text.to_owned())),
        Some(Scalar::Slice) => CelValue::String(Arc::new(node.raw().to_owned())),
        None if node.is_sequence() => CelValue::List(Arc::new(node.items().map(to_cel).collect())),
        None => map_value(
            node.entries().map(|entry| (Key::from(entry.key().to_owned()), to_cel(entry.value()))).collect(),
        ),
    }
}

/// JSON as a CEL value.
pub(super) fn json_to_cel(value: &Value) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(value) => CelValue::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => CelValue::Int(value),
            (None, Some(value)) => CelValue::UInt(value),
            _ => CelValue::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => CelValue::String(Arc::new(text.clone())),
        Value::Array(items) => CelValue::List(Arc::new(items.iter().map(json_to_cel).collect())),
        Value::Object(entries) => map_value(
            entries.iter().map(|(key, value)| (Key::from(key.clone()), json_to_cel(value))).collect(),
        ),
    }
}

/// What an expression of a rule sees at a node.
pub(super) struct NodeBindings<'s, 't> {
    pub(super) state: &'s State<'t>,
    pub(super) node: Option<Node<'t>>,
    pub(super) options: &'s Value,
    /// Values of an observation.
    pub(super) values: &'s [(&'static str, Value)],
}

impl Bindings for NodeBindings<'_, '_> {
    fn value(&self, name: &str) -> Option<CelValue> {
        let text = |text: &str| CelValue::String(Arc::new(text.to_owned()));
        match name {
            "self" => Some(self.node.map_or(CelValue::Null, to_cel)),
            "key" => Some(self.node.and_then(Node::key).map_or(CelValue::Null, text)),
            "path" => Some(self.node.map_or(CelValue::Null, |node| text(&node.pointer()))),
            "parent" => Some(self.node.and_then(Node::parent).map_or(CelValue::Null, to_cel)),
            "root" => Some(self.state.root()),
            "options" => Some(json_to_cel(self.options)),
            "values" => Some(map_value(
                self.values
                    .iter()
                    .map(|(name, value)| (Key::from((*name).to_owned()), json_to_cel(value)))
                    .collect(),
            )),
            "ancestor" => {
                let node = self.node?;
                let names = self.state.pack.ancestors.keys();
                let found = names.filter_map(|name| Some((name, self.state.ancestor(node, name)?)));
                Some(map_value(found.map(|(name, node)| (Key::from(name.clone()), to_cel(node))).collect()))
            }
            "symbols" => {
                let from = self.node.unwrap_or_else(|| self.state.tree().root());
                Some(self.state.symbols().to_cel(from))
            }
            _ => None,
        }
    }
}
