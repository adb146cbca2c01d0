use std::{fmt::Debug, ops::AddAssign, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::{
    compile::{Compiler, Field},
    evaluate::{Context, Finding, Recorder},
};
use crate::{
    budget,
    expressions::LazyRegex,
    kinds::{Layer, LinkRequest},
    text::Span,
    tree::Node,
};

/// A check kind: the form that rule files have, which its doc comment explains to readers of the
/// reference and to editors.
pub trait CheckKind: DeserializeOwned + JsonSchema + Debug + Clone {
    /// Its name in rule files.
    const NAME: &'static str;
    /// The values that its findings add to messages, with what each one is.
    const VALUES: &'static [(&'static str, &'static str)] = &[];
    /// The places that its findings add, with what each one is.
    const PLACES: &'static [(&'static str, &'static str)] = &[];

    /// Whether it looks at what a string says. Such a check passes where that is not known.
    const READS_TEXT: bool = true;

    /// What runs; every fault is reported to the compiler. `at` is where the form is written.
    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>>;
}

/// A compiled check.
pub trait Evaluate: Debug + Send + Sync {
    /// Everything that is wrong with the nodes that a rule selects.
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>>;

    /// Whether a node passes. Overridden where a finding costs more to make than to know of.
    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        self.run(&[node], &context.deciding()).is_empty()
    }

    /// Whether it looks at each node by itself, so that it finds the same in several nodes together.
    fn looks_at_each(&self) -> bool {
        false
    }

    /// The checks whose findings it passes on.
    fn inner(&self) -> Vec<&Check> {
        Vec::new()
    }

    /// Whether a node can pass. Where being selected is what is wrong, none can.
    fn can_pass(&self) -> bool {
        true
    }

    /// The checks that it consists of, with where each is written in its form: a part of a JSON Pointer.
    fn parts(&self) -> Vec<(String, &Check)> {
        Vec::new()
    }

    /// The observation that it reports, for a check that does not look at nodes.
    fn observed(&self) -> Option<(Layer, &str)> {
        None
    }

    /// The expression that it looks for: where the text of a document has no match, it finds nothing.
    fn sought(&self) -> Option<&LazyRegex> {
        None
    }

    /// Whether it compares the document with others of the project.
    fn compares_documents(&self) -> bool {
        false
    }

    /// What the nodes declare for the other documents of the project: names, with the nodes that have them and where they are.
    fn declared<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<(String, Node<'t>, Span)> {
        let _ = (nodes, context);
        Vec::new()
    }

    /// The symbol tables of the pack that other documents of the project add names to.
    fn shared_tables(&self) -> &[String] {
        &[]
    }

    /// Whether it asks for files that strings of the document lead to.
    fn follows_links(&self) -> bool {
        false
    }

    /// Whether it finds nothing in a document whose links were not followed.
    fn needs_links(&self) -> bool {
        false
    }

    /// The files that it asks for.
    fn links(&self, nodes: &[Node<'_>], context: &Context<'_, '_>) -> Vec<LinkRequest> {
        let _ = (nodes, context);
        Vec::new()
    }

    /// The symbol tables of the pack whose names it asks for in these files.
    fn linked_tables(&self) -> &[String] {
        &[]
    }

    /// What it says of the list of names whose items `items` selects, such as `@.inputs[`.
    fn arity(&self, items: &str) -> Arity {
        let _ = items;
        Arity::default()
    }
}

/// What checks say of a list of names: how many it takes, and of which types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arity {
    /// Least number of names.
    pub least: Option<u64>,
    /// Greatest number of names.
    pub most: Option<u64>,
    /// Types that the names may have.
    pub types: Vec<String>,
}

impl AddAssign for Arity {
    fn add_assign(&mut self, other: Self) {
        self.least = other.least.or(self.least);
        self.most = other.most.or(self.most);
        for one in other.types {
            if !self.types.contains(&one) {
                self.types.push(one);
            }
        }
    }
}

/// Checks that look at nothing but the node that they are about.
const LOCAL: &[&str] = &[
    "fact",
    "forbidden",
    "format",
    "one_of",
    "pattern",
    "range",
    "required",
    "schema",
    "spelled",
    "syntax",
    "type",
    "value_type",
];

/// What the reference says of a check kind.
#[derive(Debug)]
pub struct KindInfo {
    /// Its name in rule files.
    pub name: &'static str,
    /// The values that its findings add to messages, with what each one is.
    pub values: &'static [(&'static str, &'static str)],
    /// The places that its findings add, with what each one is.
    pub places: &'static [(&'static str, &'static str)],
    /// Whether it looks at what a string says.
    pub reads_text: bool,
    /// Schema of its form in rule files.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl KindInfo {
    pub(super) const fn of<K: CheckKind>() -> Self {
        Self {
            name: K::NAME,
            values: K::VALUES,
            places: K::PLACES,
            reads_text: K::READS_TEXT,
            schema: |g| g.subschema_for::<K>(),
        }
    }
}

/// What must hold at the nodes that a rule selects.
#[derive(Debug, Clone)]
pub struct Check {
    kind: &'static KindInfo,
    evaluate: Arc<dyn Evaluate>,
}

impl Check {
    pub(super) fn new(kind: &'static KindInfo, evaluate: Arc<dyn Evaluate>) -> Self {
        Self { kind, evaluate }
    }

    /// Its kind.
    pub fn kind(&self) -> &'static KindInfo {
        self.kind
    }

    /// Whether it looks at each node by itself, so that it finds the same in several nodes together.
    pub fn looks_at_each(&self) -> bool {
        self.evaluate.looks_at_each()
    }

    /// Names of the values that its findings add to messages.
    pub fn values(&self) -> Vec<&'static str> {
        let own = self.kind.values.iter().map(|(name, _)| *name);
        own.chain(self.evaluate.inner().into_iter().flat_map(Self::values)).collect()
    }

    /// Names of the places that its findings add.
    pub fn places(&self) -> Vec<&'static str> {
        let own = self.kind.places.iter().map(|(name, _)| *name);
        own.chain(self.evaluate.inner().into_iter().flat_map(Self::places)).collect()
    }

    /// Whether a node can pass. Where being selected is what is wrong, none can.
    pub fn can_pass(&self) -> bool {
        self.evaluate.can_pass()
    }

    /// The checks that it consists of, with where each is written in its form: a part of a JSON Pointer.
    pub fn parts(&self) -> Vec<(String, &Self)> {
        self.evaluate.parts()
    }

    /// The observation that it reports, for a check that does not look at nodes.
    pub fn observed(&self) -> Option<(Layer, &str)> {
        self.evaluate.observed()
    }

    /// Whether what it finds depends on nothing but the node that it is about.
    pub fn is_local(&self) -> bool {
        let parts = self.parts();
        if parts.is_empty() {
            LOCAL.contains(&self.kind.name)
        } else {
            parts.iter().all(|(_, part)| part.is_local())
        }
    }

    /// Whether it compares the document with others of the project.
    pub fn compares_documents(&self) -> bool {
        self.evaluate.compares_documents() || self.evaluate.inner().into_iter().any(Self::compares_documents)
    }

    /// What the nodes declare for the other documents of the project: names, with the nodes that have them and where they are.
    pub fn declared<'t>(
        &self,
        nodes: &[Node<'t>],
        context: &Context<'_, 't>,
    ) -> Vec<(String, Node<'t>, Span)> {
        let mut declared = self.evaluate.declared(nodes, context);
        for inner in self.evaluate.inner() {
            declared.extend(inner.declared(nodes, context));
        }
        declared
    }

    /// The symbol tables of the pack that other documents of the project add names to.
    pub fn shared_tables(&self) -> Vec<&str> {
        let own = self.evaluate.shared_tables().iter().map(String::as_str);
        own.chain(self.evaluate.inner().into_iter().flat_map(Self::shared_tables)).collect()
    }

    /// Whether it asks for files that strings of the document lead to.
    pub fn follows_links(&self) -> bool {
        self.evaluate.follows_links() || self.evaluate.inner().into_iter().any(Self::follows_links)
    }

    /// The expression that it looks for: where the text of a document has no match, it finds nothing.
    pub fn sought(&self) -> Option<&LazyRegex> {
        self.evaluate.sought()
    }

    /// Whether it finds nothing in a document whose links were not followed.
    pub fn needs_links(&self) -> bool {
        self.evaluate.needs_links()
    }

    /// The files that it asks for.
    pub fn links(&self, nodes: &[Node<'_>], context: &Context<'_, '_>) -> Vec<LinkRequest> {
        let mut links = self.evaluate.links(nodes, context);
        for inner in self.evaluate.inner() {
            links.extend(inner.links(nodes, context));
        }
        links
    }

    /// The symbol tables of the pack whose names it asks for in these files.
    pub fn linked_tables(&self) -> Vec<&str> {
        let own = self.evaluate.linked_tables().iter().map(String::as_str);
        own.chain(self.evaluate.inner().into_iter().flat_map(Self::linked_tables)).collect()
    }

    /// Whether the rule file says what is wrong, rather than which observation of Rust code to report.
    pub fn is_declarative(&self) -> bool {
        self.observed().is_none()
    }

    /// What it says of the list of names whose items `items` selects, such as `@.inputs[`.
    pub fn arity(&self, items: &str) -> Arity {
        self.evaluate.arity(items)
    }

    /// Everything that is wrong with the nodes that a rule selects.
    pub fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        if !budget::charge(1 + nodes.len() as u64) {
            return Vec::new();
        }
        let mut findings = self.evaluate.run(nodes, context);
        if self.kind.reads_text && !context.state.document.unknown.is_empty() {
            findings.retain(|finding| {
                finding.is_about_type() || !finding.node.is_some_and(|node| context.state.is_unknown(node))
            });
        }
        if let Some(recorder) = context.state.recorder {
            self.record(nodes, &findings, context, recorder);
        }
        findings
    }

    /// Notes whether it found something, and whether it found nothing wrong with one of the nodes.
    fn record<'t>(
        &self,
        nodes: &[Node<'t>],
        findings: &[Finding<'t>],
        context: &Context<'_, 't>,
        recorder: &Recorder,
    ) {
        if !findings.is_empty() {
            recorder.note(self, false);
        }
        let is_below = |node: Node<'t>, top: Node<'t>| node.ancestors().any(|above| above.id() == top.id());
        let fails = |top: Node<'t>| {
            findings.iter().any(|finding| finding.node.is_some_and(|node| is_below(node, top)))
        };
        if nodes.iter().any(|node| !fails(*node) && self.evaluate.holds(*node, context)) {
            recorder.note(self, true);
        }
    }

    /// The first thing that is wrong with a node.
    pub fn first<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        self.run(&[node], &context.deciding()).into_iter().next()
    }

    /// Whether a node passes.
    pub fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        let holds =
            self.evaluate.holds(node, context) || (self.kind.reads_text && context.state.is_unknown(node));
        if let Some(recorder) = context.state.recorder {
            recorder.note(self, holds);
        }
        holds
    }
}
