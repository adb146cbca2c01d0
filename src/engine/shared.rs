//! What a document declares for the rules that compare the documents of a project.

use std::sync::Arc;

use super::{plan::Plan, validator::Validator};
use crate::{
    checks::{Context, State, table_slot},
    kinds::{Document, Kind, ParseOptions, SharedName},
    text::{Fragment, Source, SourceId},
    tree::Node,
};

impl Validator {
    /// Whether a rule that is on compares the documents of a project.
    pub(crate) fn compares_documents(&self) -> bool {
        let mut rules = self.ruleset().rules().iter();
        rules.any(|rule| rule.check.compares_documents() && self.settings().enables(rule))
    }

    /// The names that a document declares for the others.
    pub(crate) fn shared_names(
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

    fn collect(&self, document: &Document, names: &mut Vec<SharedName>) {
        if let Some(plan) = self.plan(&document.kind) {
            self.collect_own(plan, document, names);
        }
        document.embedded.iter().for_each(|inner| self.collect(inner, names));
    }

    fn collect_own(&self, plan: &Plan, document: &Document, names: &mut Vec<SharedName>) {
        let comparing = plan.rules.iter().filter(|planned| planned.rule.check.compares_documents());
        let mut tables: Vec<Arc<str>> = Vec::new();
        for planned in comparing {
            let Some(pack) = self.ruleset().packs().get(planned.pack) else { continue };
            let vocabulary = &pack.vocabulary;
            let state = State::new(document, vocabulary, self.ruleset().kinds());
            let context = Context { rule: &planned.rule.id, state: &state, options: &planned.options };
            let mut add = |slot: &Arc<str>, name: &str, node: Node<'_>| {
                if node.source_id() == SourceId(0) {
                    names.push(SharedName::new(slot, name, document.source(), node.span()));
                }
            };
            for table in planned.rule.check.shared_tables() {
                let slot: Arc<str> = table_slot(&vocabulary.pack, table).into();
                if !tables.contains(&slot) {
                    state.symbols().declared_in(table).for_each(|(name, node)| add(&slot, name, node));
                    tables.push(slot);
                }
            }
            let root = document.tree.root();
            let mut nodes: Vec<Node<'_>> =
                planned.rule.given.iter().flat_map(|path| path.select(root)).collect();
            if let Some(when) = &planned.rule.when {
                nodes.retain(|node| context.bindings(*node).hold(when, false));
            }
            let slot: Arc<str> = planned.rule.id.as_str().into();
            for (name, node) in planned.rule.check.declared(&nodes, &context) {
                add(&slot, &name, node);
            }
        }
    }
}
