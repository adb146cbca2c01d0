//! What a document declares for the rules that compare the documents of a project.

use std::sync::Arc;

use super::{
    plan::{Plan, Planned},
    validator::Validator,
};
use crate::{
    checks::{State, table_slot},
    kinds::{Document, Kind, ParseOptions, SharedName, SharedNames},
    text::{Fragment, Source, SourceId},
    tree::Node,
};

impl Validator {
    /// Whether a rule that is on compares the documents of a project.
    #[doc(hidden)]
    pub fn compares_documents(&self) -> bool {
        let mut rules = self.ruleset().rules().iter();
        rules.any(|rule| rule.compares_documents && self.settings().selects(rule))
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
        let document = kind.parse(source, &fragment, &options.with_fences(self.ruleset().kinds()));
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
        let comparing = plan.rules.iter().filter(|planned| planned.rule.compares_documents);
        let mut collector = Collector { validator: self, document, tables: Vec::new(), names };
        for planned in comparing {
            collector.add_tables(planned, &planned.rule.check.shared_tables());
            collector.add_declared(planned);
        }
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
        let document = kind.parse(source, &fragment, options);
        let mut names = Vec::new();
        let mut collector =
            Collector { validator: self, document: &document, tables: Vec::new(), names: &mut names };
        for planned in plan.linking() {
            collector.add_tables(planned, &planned.rule.check.linked_tables());
        }
        Some(names)
    }
}

/// Collects the names that a document declares.
struct Collector<'c> {
    validator: &'c Validator,
    document: &'c Document,
    /// The tables that were added.
    tables: Vec<Arc<str>>,
    names: &'c mut Vec<SharedName>,
}

impl Collector<'_> {
    /// Adds the names of symbol tables, each table once.
    fn add_tables(&mut self, planned: &Planned, tables: &[&str]) {
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
                state.symbols().declared_in(table).for_each(|(name, node)| self.add(slot, name, node));
            }
        });
        self.tables.extend(new.into_iter().map(|(_, slot)| slot));
    }

    /// Adds what the nodes that a rule selects declare.
    fn add_declared(&mut self, planned: &Planned) {
        let Some(pack) = self.validator.ruleset().packs().get(planned.pack) else { return };
        let slot: Arc<str> = planned.rule.id.as_str().into();
        self.document.visit(planned.rule.by_parts, |document| {
            let state = State::new(document, &pack.vocabulary, self.validator.ruleset().kinds());
            let context = planned.context(&state);
            for (name, node) in planned.rule.check.declared(&planned.selected(&context), &context) {
                self.add(&slot, &name, node);
            }
        });
    }

    fn add(&mut self, slot: &Arc<str>, name: &str, node: Node<'_>) {
        if node.source_id() == SourceId(0) {
            self.names.push(SharedName::new(slot, name, self.document.source(), node.span()));
        }
    }
}
