use std::{borrow::Cow, sync::Arc};

use foldhash::HashSet;
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
        let values: Vec<String> = values.into_iter().map(text).collect();
        let compared = values.iter().map(|value| compared(value, fold).into_owned()).collect();
        Some(Arc::new(Allowed { values, compared, from, fold }))
    }
}

#[derive(Debug)]
struct Allowed {
    /// Written in the rule.
    values: Vec<String>,
    /// The same values as they are compared.
    compared: HashSet<String>,
    /// Where further ones are in the document.
    from: Option<JsonPath>,
    /// Whether case is ignored.
    fold: bool,
}

impl Allowed {
    /// Whether the value is one of the allowed ones. Most are, or are only asked about, so this makes no finding.
    fn allows(&self, node: Node<'_>) -> bool {
        let Some(value) = node.scalar_text() else { return false };
        let value = compared(&value, self.fold);
        if self.compared.contains(value.as_ref()) {
            return true;
        }
        let mut selected = self.from.iter().flat_map(|path| path.select(node));
        selected.any(|found| found.scalar_text().is_some_and(|text| compared(&text, self.fold) == value))
    }

    fn finding<'t>(&self, node: Node<'t>) -> Finding<'t> {
        let selected = self.from.iter().flat_map(|path| path.select(node));
        let mut expected = self.values.clone();
        expected.extend(selected.filter_map(|found| found.scalar_text().map(Cow::into_owned)));
        match node.scalar_text() {
            Some(value) => Finding::at(node).among(&value, expected),
            None => Finding { expected, ..Finding::at(node) },
        }
    }
}

impl Evaluate for Allowed {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let others = nodes.iter().filter(|node| !self.allows(**node));
        context.kept(others.map(|node| self.finding(*node)))
    }

    fn holds<'t>(&self, node: Node<'t>, _: &Context<'_, 't>) -> bool {
        self.allows(node)
    }
}

/// A value as it is compared with others.
fn compared(value: &str, fold: bool) -> Cow<'_, str> {
    if fold { value.to_lowercase().into() } else { value.into() }
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
