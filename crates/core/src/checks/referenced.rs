use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::tree::{Node, NodeId};

/// A reference of the document (`$ref`) leads to each member of the mapping, or into it. For kinds of documents whose
/// references are followed. Every member that nothing refers to is a finding.
///
/// ```yaml
/// check: {referenced: {}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Referenced {}

impl CheckKind for Referenced {
    const NAME: &'static str = "referenced";
    const READS_TEXT: bool = false;

    fn compile(self, _: &Field<'_>, _: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(Target))
    }
}

#[derive(Debug)]
struct Target;

impl Evaluate for Target {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut used: HashSet<NodeId> = HashSet::new();
        for target in context.state.tree().link_targets() {
            for node in target.ancestors() {
                // What is around a node that is known is known, too.
                if !used.insert(node.id()) {
                    break;
                }
            }
        }
        let members = nodes.iter().flat_map(|node| node.children());
        let unused = members.filter(|member| !used.contains(&member.id()));
        context.kept(unused.map(Finding::at_key))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{
        checks::trial::found_in,
        kinds::{Kind, ParseOptions, openapi::OpenApi},
        text::{Fragment, Source},
    };

    #[test]
    fn members_that_nothing_refers_to_are_reported() {
        let text =
            "parts: {a: {}, b: {c: {}}, d: {$ref: '#/parts/a'}, e: {}}\nuses: [{$ref: '#/parts/b/c'}]\n";
        let source = Arc::new(Source::new("test.yaml", text));
        let fragment = Fragment::contiguous(source.text(), source.span());
        let document = OpenApi.parse(&source, &fragment, &ParseOptions::default());
        assert_eq!(found_in("{referenced: {}}", "$.parts", &document), ["/parts/d d", "/parts/e e"]);
    }
}
