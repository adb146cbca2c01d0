use std::sync::Arc;

use serde_json::Value;

use super::{settings::Settings, validator::Validator};
use crate::{
    checks::{Context, NodeBindings, State},
    expressions::Condition,
    kinds::Document,
    rules::Rule,
    text::{SourceId, Span, clip},
    tree::Node,
};

/// Why a rule did or did not fire on a document.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Whether the rule looks at documents of this kind.
    pub for_kind: bool,
    /// Whether the settings have it on.
    pub enabled: bool,
    /// What happened at every node or observation it looked at.
    pub steps: Vec<Step>,
}

/// What happened at one node.
#[derive(Debug, Clone)]
pub struct Step {
    /// Line of the node.
    pub line: u32,
    /// The file of the node: the document or one that it includes.
    pub source: SourceId,
    /// Where the node is.
    pub span: Span,
    /// JSON Pointer of the node, or the name of the observation.
    pub place: String,
    /// The text there.
    pub text: String,
    /// What the guard said: nothing when there is none.
    pub guard: Option<Result<bool, String>>,
    /// Whether the check found something; nothing when the guard kept it away.
    pub fired: Option<bool>,
    /// Why the rule could not be evaluated here.
    pub failure: Option<String>,
}

impl Validator {
    /// Runs one rule and returns what it saw.
    #[doc(hidden)]
    pub fn trace(&self, rule: &Arc<Rule>, document: &Document) -> Trace {
        let mut trace = Trace { for_kind: false, enabled: self.settings().enables(rule), steps: Vec::new() };
        self.trace_into(rule, document, &mut trace);
        trace
    }

    fn trace_into(&self, rule: &Arc<Rule>, document: &Document, trace: &mut Trace) {
        if rule.kinds.iter().any(|kind| *kind == document.kind) {
            trace.for_kind = true;
            let options = Settings::options_of(self.settings(), rule);
            if let Some(pack) = self.ruleset().pack(&rule.pack) {
                let by_parts = rule.by_parts && rule.check.observed().is_none();
                document.visit(by_parts, |document| {
                    let state = State::new(document, &pack.vocabulary, self.ruleset().kinds());
                    let context =
                        Context { rule: &rule.id, state: &state, options: &options, most: usize::MAX };
                    match rule.check.observed() {
                        Some((_, name)) => trace.steps.extend(observed(rule, name, document, &context)),
                        None => trace.steps.extend(selected(rule, document, &context)),
                    }
                });
            }
        }
        for embedded in &document.embedded {
            self.trace_into(rule, embedded, trace);
        }
    }
}

fn observed(rule: &Rule, name: &str, document: &Document, context: &Context<'_, '_>) -> Vec<Step> {
    let found = document.observations.iter().filter(|observation| observation.name == name);
    found
        .map(|observation| {
            let source = document.tree.source(observation.source);
            let node = observation.node.map(|id| context.state.tree().node(id));
            let (state, options) = (context.state, context.options);
            let values: Vec<(&str, Value)> =
                observation.values.iter().map(|(name, value)| (name.as_ref(), value.clone())).collect();
            let bindings = NodeBindings { state, node, options, values: &values, other: None };
            let guard = rule.when.as_ref().map(|when| holds(when, &bindings));
            Step {
                line: source.lines().line(observation.span.start),
                source: observation.source,
                span: observation.span,
                place: name.to_owned(),
                text: clip(source.slice(observation.span), 60).into_owned(),
                fired: passes(guard.as_ref()).then_some(true),
                guard,
                failure: None,
            }
        })
        .collect()
}

/// What a guard says at a node.
fn holds(when: &Condition, bindings: &NodeBindings<'_, '_>) -> Result<bool, String> {
    when.explain(bindings).map(|value| value == cel::Value::Bool(true))
}

fn passes(guard: Option<&Result<bool, String>>) -> bool {
    guard.is_none_or(|guard| guard == &Ok(true))
}

fn selected<'t>(rule: &Rule, document: &'t Document, context: &Context<'_, 't>) -> Vec<Step> {
    let root = document.tree.root();
    let nodes: Vec<Node<'t>> = rule.given.iter().flat_map(|path| path.select(root)).collect();
    let guard = |node: Node<'t>| Some(holds(rule.when.as_ref()?, &context.bindings(node)));
    let guards: Vec<Option<Result<bool, String>>> = nodes.iter().map(|node| guard(*node)).collect();
    let kept: Vec<Node<'t>> = nodes
        .iter()
        .zip(&guards)
        .filter(|(_, guard)| passes(guard.as_ref()))
        .map(|(node, _)| *node)
        .collect();
    let findings = rule.check.run(&kept, context);
    let failed = context.state.take_failure().is_some();
    let steps = nodes.iter().zip(guards).map(|(node, guard)| {
        let fired = passes(guard.as_ref()).then(|| {
            findings.iter().any(|finding| {
                finding.node.is_some_and(|found| found.ancestors().any(|ancestor| ancestor.id() == node.id()))
            })
        });
        let asked = failed && passes(guard.as_ref());
        let failure = asked.then(|| {
            rule.check.run(&[*node], context);
            context.state.take_failure().map(|failure| failure.detail)
        });
        Step {
            failure: failure.flatten(),
            line: node.source().lines().line(node.span().start),
            source: node.source_id(),
            span: node.span(),
            place: node.pointer(),
            text: clip(node.raw().lines().next().unwrap_or_default(), 60).into_owned(),
            guard,
            fired,
        }
    });
    steps.collect()
}
