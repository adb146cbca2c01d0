use std::{borrow::Cow, sync::Arc};

use foldhash::HashSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding, similar::Similar};
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
        /// Whether only misspelled allowed values are reported: other values may be written, too.
        #[serde(default)]
        similar: bool,
    },
}

impl CheckKind for OneOf {
    const NAME: &'static str = "one_of";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let (values, from, fold, similar) = match self {
            Self::Values(values) => (values, None, false, false),
            Self::Detailed { values, from, fold, similar } => (values, from, fold, similar),
        };
        let from = from.and_then(|from| compiler.path(&from, &at.key("from")));
        let values: Vec<String> = values.into_iter().map(text).collect();
        let compared = values.iter().map(|value| folded(value, fold).into_owned()).collect();
        let misspelled =
            similar.then(|| values.iter().map(|value| folded(value, fold).into_owned()).collect());
        Some(Arc::new(Allowed { values, compared, from, fold, misspelled }))
    }
}

#[derive(Debug)]
struct Allowed {
    /// The values that the rule lists.
    values: Vec<String>,
    /// The listed values in the form in which they are compared.
    compared: HashSet<String>,
    /// Where the document has further allowed values.
    from: Option<JsonPath>,
    /// Whether case is ignored.
    fold: bool,
    /// The listed values, where other values are allowed too unless they are nearly one of them.
    misspelled: Option<Similar>,
}

impl Allowed {
    /// Whether the value is allowed. Most are, or are only asked about, so this makes no finding.
    fn allows(&self, node: Node<'_>) -> bool {
        self.lists(node) || self.misspelled.as_ref().is_some_and(|known| !self.misspells(node, known))
    }

    /// Whether the value was likely meant to be an allowed one.
    fn misspells(&self, node: Node<'_>, known: &Similar) -> bool {
        let Some(value) = node.scalar_text() else { return false };
        let value = folded(&value, self.fold);
        let selected: Similar =
            self.selected(node).map(|text| folded(&text, self.fold).into_owned()).collect();
        known.meant(&value).is_some() || selected.meant(&value).is_some()
    }

    /// Whether the value is one of the list, or of those in the document.
    fn lists(&self, node: Node<'_>) -> bool {
        let Some(value) = node.scalar_text() else { return false };
        let value = folded(&value, self.fold);
        if self.compared.contains(value.as_ref()) {
            return true;
        }
        self.selected(node).any(|text| folded(&text, self.fold) == value)
    }

    /// The values of the document that are allowed.
    fn selected<'t>(&self, node: Node<'t>) -> impl Iterator<Item = Cow<'t, str>> {
        self.from.iter().flat_map(move |path| path.select(node)).filter_map(|found| found.scalar_text())
    }

    fn finding<'t>(&self, node: Node<'t>) -> Finding<'t> {
        let mut expected = self.values.clone();
        expected.extend(self.selected(node).map(Cow::into_owned));
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
fn folded(value: &str, fold: bool) -> Cow<'_, str> {
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
        let check = "{one_of: {values: [Scenario, Background], similar: true}}";
        assert_eq!(
            findings(check, "$.words[*]", "words: [Scenaro, Note, Scenario]\n"),
            ["/words/0 Scenaro (Scenario?)"]
        );
        assert_eq!(findings("{one_of: [red]}", "$.palette", text), ["/palette [Blue]"]);
    }
}
