use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, Site,
    literal::{self, Literal},
};
use crate::{
    checks::{Compiler, Field},
    expressions::{Place, Template},
};

/// Gives a value of a JSON, TOML or YAML document another value. A string gets the quotes that the language needs, in the style of
/// the old value or of those beside it.
///
/// ```yaml
/// fix: {applicability: safe, value: '{{ nearest }}'}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the field has the name that rule files use")]
pub(super) struct Assign {
    /// The new value: a template for its text, a number, or a boolean.
    value: NewValue,
    /// What the text of a template is: `string` (the default), `number` or `boolean`.
    value_type: Option<WrittenType>,
    /// The place of the value (default: `self`).
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    at: Option<String>,
}

/// A new value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum NewValue {
    Boolean(bool),
    Number(serde_json::Number),
    Text(#[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))] String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum WrittenType {
    String,
    Number,
    Boolean,
}

impl EditKind for Assign {
    const NAME: &'static str = "value";
    const FIELDS: &'static [&'static str] = &["value", "value_type", "at"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let (text, kind) = match &self.value {
            NewValue::Boolean(value) => (value.to_string(), WrittenType::Boolean),
            NewValue::Number(value) => (value.to_string(), WrittenType::Number),
            NewValue::Text(text) => (text.clone(), self.value_type.unwrap_or(WrittenType::String)),
        };
        let text = compiler.template(&text, &at.key("value"));
        let place = compiler.place(self.at.as_deref().unwrap_or("self"), &at.key("at"))?;
        Some(Arc::new(Assignment { place, text, kind }))
    }
}

#[derive(Debug)]
struct Assignment {
    place: Place,
    text: Template,
    kind: WrittenType,
}

impl Apply for Assignment {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let text = site.render(&self.text)?;
        let node = site.node(&self.place)?;
        if node.is_mapping() || node.is_sequence() {
            return None;
        }
        let literal = match self.kind {
            WrittenType::String => Literal::Text(&text),
            WrittenType::Number if text.parse::<f64>().is_ok_and(f64::is_finite) => Literal::Word(&text),
            WrittenType::Boolean if matches!(text.as_str(), "true" | "false") => Literal::Word(&text),
            WrittenType::Number | WrittenType::Boolean => return None,
        };
        let document = site.state.document;
        Some(vec![(node.span(), literal::written(literal, node, literal::language(document))?)])
    }

    fn text(&self) -> Option<&Template> {
        Some(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use crate::edits::tests::edited;

    #[test]
    fn a_string_is_quoted_as_the_old_value_and_where_it_needs_quotes() {
        let text = "a: 'of'\nb: of\nc: \"of\"\nd: 1\n";
        assert_eq!(edited("{value: 'off'}", "$.a", text), "a: 'off'\nb: of\nc: \"of\"\nd: 1\n");
        assert_eq!(edited("{value: 'off'}", "$.b", text), "a: 'of'\nb: 'off'\nc: \"of\"\nd: 1\n");
        assert_eq!(edited("{value: warning}", "$.b", text), "a: 'of'\nb: warning\nc: \"of\"\nd: 1\n");
        assert_eq!(edited("{value: \"it's\"}", "$.a", text), "a: 'it''s'\nb: of\nc: \"of\"\nd: 1\n");
        assert_eq!(edited("{value: 'a: b'}", "$.c", text), "a: 'of'\nb: of\nc: \"a: b\"\nd: 1\n");
        assert_eq!(edited("{value: '2'}", "$.b", "b: of\n"), "b: \"2\"\n");
    }

    #[test]
    fn numbers_and_booleans_have_no_quotes() {
        assert_eq!(edited("{value: true}", "$.a", "a: 'yes'\n"), "a: true\n");
        assert_eq!(edited("{value: 12}", "$.a", "a: 'yes'\n"), "a: 12\n");
        assert_eq!(edited("{value: '12', value_type: number}", "$.a", "a: 'yes'\n"), "a: 12\n");
    }

    #[test]
    fn replace_in_data_writes_a_string_where_one_was() {
        assert_eq!(edited("{replace: '{{ \"off\" }}'}", "$.a", "a: of\n"), "a: \"off\"\n");
        assert_eq!(edited("{replace: '{{ \"\\\"off\\\"\" }}'}", "$.a", "a: of\n"), "a: \"off\"\n");
        assert_eq!(edited("{replace: 'true'}", "$.a", "a: of\n"), "a: true\n");
    }
}
