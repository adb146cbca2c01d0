use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Check, CheckKind, Compiler, Context, Evaluate, Field, Finding, NodeBindings, RawCheck};
use crate::{expressions::Condition, tree::Node};

/// The first of several checks whose condition holds. The conditions are about the options of the rule, so the same
/// check is made for all nodes.
///
/// ```yaml
/// check: {choose: [{when: options.strict, check: {pattern: '^[a-z]+$'}}, {check: {type: string}}]}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Choose(Vec<Case>);

/// A check, and when it is made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Case {
    /// CEL expression over `options` (default: always).
    #[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
    when: Option<String>,
    /// What must hold.
    check: RawCheck,
}

impl CheckKind for Choose {
    const NAME: &'static str = "choose";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let mut cases = Vec::with_capacity(self.0.len());
        for (index, case) in self.0.into_iter().enumerate() {
            let at = at.index(index);
            let when = case.when.map(|when| compiler.condition(&when, &at.key("when")));
            let check = case.check.compile(&at.key("check"), compiler);
            cases.extend(check.map(|check| (when, check)));
        }
        Some(Arc::new(Cases(cases)))
    }
}

/// Whether a condition about options holds.
pub(super) fn applies(when: Option<&Condition>, context: &Context<'_, '_>) -> bool {
    let bindings =
        NodeBindings { state: context.state, node: None, options: context.options, values: &[], other: None };
    when.is_none_or(|when| bindings.hold(when, false))
}

#[derive(Debug)]
struct Cases(Vec<(Option<Condition>, Check)>);

impl Cases {
    fn chosen(&self, context: &Context<'_, '_>) -> Option<&Check> {
        self.0.iter().find(|(when, _)| applies(when.as_ref(), context)).map(|(_, check)| check)
    }
}

impl Evaluate for Cases {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        self.chosen(context).map(|check| check.run(nodes, context)).unwrap_or_default()
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        self.chosen(context).is_none_or(|check| check.holds(node, context))
    }

    fn inner(&self) -> Vec<&Check> {
        self.0.iter().map(|(_, check)| check).collect()
    }

    fn parts(&self) -> Vec<(String, &Check)> {
        self.0.iter().enumerate().map(|(index, (_, check))| (format!("/{index}/check"), check)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn options_choose_the_check() {
        let check =
            "{choose: [{when: 'options.most == 3', check: {type: integer}}, {check: {type: string}}]}";
        assert_eq!(findings(check, "$[*]", "[a, 1]"), ["/1 1"]);
        let check =
            "{choose: [{when: 'options.most == 2', check: {type: integer}}, {check: {type: string}}]}";
        assert_eq!(findings(check, "$[*]", "[a, 1]"), ["/0 a"]);
    }
}
