use std::{borrow::Cow, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::tree::{JsonPath, Node};

/// The value is one of these: a list, or a mapping with more options.
///
/// ```yaml
/// check: {one_of: {values: [red, green], from: '$.palette[*]', fold: true}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum OneOf {
    /// The allowed values.
    Values(Vec<Value>),
    /// The allowed values, written here or selected in the document.
    Detailed {
        /// The allowed values.
        #[serde(default)]
        values: Vec<Value>,
        /// JSONPath to nodes whose values are allowed, too.
        from: Option<String>,
        /// Whether uppercase and lowercase letters are the same.
        #[serde(default)]
        fold: bool,
    },
}

impl CheckKind for OneOf {
    const NAME: &'static str = "one_of";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let (values, from, fold) = match self {
            Self::Values(values) => (values, None, false),
            Self::Detailed { values, from, fold } => (values, from, fold),
        };
        let from = from.and_then(|from| compiler.path(&from, &at.key("from")));
        let values = values.into_iter().map(text).collect();
        Some(Arc::new(Allowed { values, from, fold }))
    }
}

#[derive(Debug)]
struct Allowed {
    /// Written in the rule.
    values: Vec<String>,
    /// Where further ones are in the document.
    from: Option<JsonPath>,
    /// Whether case is ignored.
    fold: bool,
}

impl Allowed {
    fn finding<'t>(&self, node: Node<'t>) -> Option<Finding<'t>> {
        let selected = self.from.iter().flat_map(|path| path.select(node));
        let mut expected = self.values.clone();
        expected.extend(selected.filter_map(|found| found.scalar_text().map(Cow::into_owned)));
        let Some(value) = node.scalar_text() else { return Some(Finding { expected, ..Finding::at(node) }) };
        let same = |candidate: &String| {
            if self.fold { candidate.to_lowercase() == value.to_lowercase() } else { *candidate == value }
        };
        if expected.iter().any(same) {
            return None;
        }
        Some(Finding::at(node).among(&value, expected))
    }
}

impl Evaluate for Allowed {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().filter_map(|node| self.finding(*node)))
    }
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn values_are_written_in_the_rule_or_selected() {
        let text = "palette: [Blue]\ncolors: [red, blue, gren]\n";
        let check = "{one_of: {values: [red, green], from: '$.palette[*]', fold: true}}";
        assert_eq!(findings(check, "$.colors[*]", text), ["/colors/2 gren (green?)"]);
        assert_eq!(findings("{one_of: [red]}", "$.palette", text), ["/palette [Blue]"]);
    }
}
