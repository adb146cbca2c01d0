use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::{
    schema::{FORMATS, format_fault},
    tree::Node,
};

/// The string has this format; see [Formats](#formats). Values that are not strings pass.
///
/// ```yaml
/// check: {format: uri}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("enum" = FORMATS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "x-fault" = {"enum": "unknown-format"}))]
pub(super) struct Format(String);

impl CheckKind for Format {
    const NAME: &'static str = "format";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("format", "the format"),
        ("detail", "why the string does not have it, where there is more to say"),
    ];

    fn compile(self, _: &Field<'_>, _: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let (name, _) = FORMATS.iter().find(|(name, _)| *name == self.0)?;
        Some(Arc::new(Formatted(name)))
    }
}

#[derive(Debug)]
struct Formatted(&'static str);

impl Evaluate for Formatted {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let finding = |node: &Node<'t>| {
            let detail = format_fault(self.0, node.as_str()?)?;
            Some(Finding::at(*node).with("format", self.0).with("detail", detail))
        };
        context.kept(nodes.iter().filter_map(finding))
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn strings_without_the_format_are_reported() {
        assert_eq!(findings("{format: semver}", "$[*]", "['1.2.3', '1.2', 12]"), ["/1 '1.2'"]);
    }
}
