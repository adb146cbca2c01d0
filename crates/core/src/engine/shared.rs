//! What a document declares for the rules that compare the documents of a project.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use super::{
    plan::{Plan, Planned},
    validator::Validator,
};
use crate::{
    budget,
    checks::{POINTERS, State, table_slot, values_of},
    kinds::{Document, Kind, ParseOptions, SharedName, SharedNames},
    text::{Fragment, Source, SourceId, Span},
    tree::{Node, NodeId},
};

impl Validator {
    /// Whether a rule that is on compares the documents of a project.
    #[doc(hidden)]
    pub fn compares_documents(&self) -> bool {
        self.ruleset().comparing_rules().into_iter().any(|rule| self.settings().selects(rule))
    }

    /// The names that a document declares for the others.
    #[doc(hidden)]
    pub fn shared_names(
        &self,
        source: &Arc<Source>,
        kind: &dyn Kind,
        options: &ParseOptions<'_>,
    ) -> Vec<SharedName> {
        let fragment = Fragment::contiguous(source.text(), source.span());
        let keys = self.plan(kind.name()).map(|plan| plan.declaring_keys(kind)).unwrap_or_default();
        let options = ParseOptions { keys: &keys, ..options.with_fences(self.ruleset().kinds()) };
        let document = kind.parse(source, &fragment, &options);
        let mut names = Vec::new();
        self.collect(&document, &mut names);
        names
    }

    /// The names that a document declares for the others, as those of one file.
    pub(super) fn own_names(&self, document: &Document) -> SharedNames {
        let mut names = Vec::new();
        self.collect(document, &mut names);
        let source = document.source();
        SharedNames::of([(source.key().to_owned(), source.name().to_owned(), names.as_slice())])
    }

    fn collect(&self, document: &Document, names: &mut Vec<SharedName>) {
        if let Some(plan) = self.plan(&document.kind) {
            self.collect_own(plan, document, names);
        }
        document.embedded.iter().for_each(|inner| self.collect(inner, names));
    }

    fn collect_own(&self, plan: &Plan, document: &Document, names: &mut Vec<SharedName>) {
        let comparing: Vec<&Planned> =
            plan.rules.iter().filter(|planned| planned.rule.compares_documents).collect();
        let mut collector = Collector { validator: self, document, tables: Vec::new(), names };
        // Tables with values come first, since the names of a table are added once; and of a file with several documents,
        // those of each, where a rule looks at them one by one.
        for by_parts in [true, false] {
            for planned in comparing.iter().filter(|planned| planned.rule.by_parts == by_parts) {
                let tables: Vec<&str> = planned.rule.lookups.iter().map(String::as_str).collect();
                collector.add_tables(planned, &tables, true);
            }
        }
        for planned in comparing {
            collector.add_tables(planned, &planned.rule.check.shared_tables(), false);
            collector.add_declared(planned);
        }
    }

    /// Whether a rule for documents of a kind that is on looks up values of others.
    pub(super) fn looks_up(&self, kind: &str) -> bool {
        self.plan(kind).is_some_and(Plan::looks_up)
    }

    /// The names that a document declares for those that refer to it; nothing where its kind declares none.
    #[doc(hidden)]
    pub fn linked_names(
        &self,
        source: &Arc<Source>,
        kind: &dyn Kind,
        options: &ParseOptions<'_>,
    ) -> Option<Vec<SharedName>> {
        let plan = self.plan(kind.name()).filter(|plan| plan.linking().next().is_some())?;
        let fragment = Fragment::contiguous(source.text(), source.span());
        let keys = plan.declaring_keys(kind);
        let document = kind.parse(source, &fragment, &ParseOptions { keys: &keys, ..*options });
        let mut names = Vec::new();
        let mut collector =
            Collector { validator: self, document: &document, tables: Vec::new(), names: &mut names };
        for planned in plan.linking() {
            collector.add_tables(planned, &planned.rule.check.linked_tables(), false);
        }
        Some(names)
    }
}

/// Bytes of a pointer besides its text.
const POINTER: usize = 96;

/// Collects the names that a document declares.
struct Collector<'c> {
    validator: &'c Validator,
    document: &'c Document,
    /// The tables that were added.
    tables: Vec<Arc<str>>,
    names: &'c mut Vec<SharedName>,
}

impl Collector<'_> {
    /// Adds the names of symbol tables, each table once, with the values that other documents look up.
    fn add_tables(&mut self, planned: &Planned, tables: &[&str], with_values: bool) {
        let Some(pack) = self.validator.ruleset().packs().get(planned.pack) else { return };
        let slot = |table: &&str| Arc::<str>::from(table_slot(&pack.vocabulary.pack, table));
        let new: Vec<(&str, Arc<str>)> = tables
            .iter()
            .map(|table| (*table, slot(table)))
            .filter(|(_, slot)| !self.tables.contains(slot))
            .collect();
        self.document.visit(planned.rule.by_parts, |document| {
            let state = State::new(document, &pack.vocabulary, self.validator.ruleset().kinds());
            for (table, slot) in &new {
                if *table == POINTERS {
                    self.add_pointers(slot);
                }
                let symbol = pack.vocabulary.symbols.get(*table).filter(|_| with_values);
                let mut known: HashMap<NodeId, Arc<Value>> = HashMap::new();
                for (name, declaration) in state.symbols().declared_in(table) {
                    let (Some(node), Some(span)) = (declaration.node, declaration.span()) else { continue };
                    let values = symbol.map(|symbol| {
                        let made = || Arc::new(values_of(symbol, node, document.source().key()));
                        Arc::clone(known.entry(node.id()).or_insert_with(made))
                    });
                    let source = declaration.name.map_or(node.source_id(), Node::source_id);
                    self.add(slot, name, source, span, values.as_ref());
                }
            }
        });
        self.tables.extend(new.into_iter().map(|(_, slot)| slot));
    }

    /// Adds the JSON Pointers to all values. In a file with several documents, a pointer does not say which one it is for.
    fn add_pointers(&mut self, slot: &Arc<str>) {
        let own = self.document.tree.nodes().filter(|node| node.source_id() == SourceId(0));
        for node in own.filter(|_| self.document.parts.is_empty()) {
            let pointer = node.pointer();
            if !budget::charge(1) || !budget::allocate(POINTER + pointer.len()) {
                break;
            }
            self.names.push(SharedName::new(slot, &pointer, self.document.source(), node.span()));
        }
    }

    /// Adds what the nodes that a rule selects declare.
    fn add_declared(&mut self, planned: &Planned) {
        let Some(pack) = self.validator.ruleset().packs().get(planned.pack) else { return };
        let slot: Arc<str> = planned.rule.id.as_str().into();
        self.document.visit(planned.rule.by_parts, |document| {
            let state = State::new(document, &pack.vocabulary, self.validator.ruleset().kinds());
            let context = planned.context(&state);
            for (name, node, span) in planned.rule.check.declared(&planned.selected(&context), &context) {
                self.add(&slot, &name, node.source_id(), span, None);
            }
        });
    }

    fn add(
        &mut self,
        slot: &Arc<str>,
        name: &str,
        source: SourceId,
        span: Span,
        values: Option<&Arc<Value>>,
    ) {
        if source == SourceId(0) {
            let shared = SharedName::new(slot, name, self.document.source(), span);
            self.names.push(shared.with_values(values));
        }
    }
}
