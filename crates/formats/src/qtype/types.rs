//! Type expressions, by the grammar `grammars/qtype/type.pest`.

use super::grammar::TYPE;
use crate::{
    TypeExpression,
    peg::{Part, Reading},
    tree::Node,
};

/// The type that a node expresses: a string such as `list[text]?`, or a mapping `{element_type: text}`.
pub(super) fn type_expression(node: Node<'_>) -> Option<TypeExpression> {
    if let Some(element) = node.get("element_type") {
        let element = read(element.as_str()?)?;
        return Some(TypeExpression { lists: element.lists.checked_add(1)?, ..element });
    }
    read(node.as_str()?)
}

fn read(text: &str) -> Option<TypeExpression> {
    let word = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if word {
        let base = text.to_owned();
        return Some(TypeExpression { base, lists: 0, optional: false, optional_elements: false });
    }
    let expression = Reading::fitting(&TYPE, "expression", text)?;
    annotated(expression.children().next()?)
}

/// A list or a name with its `?`. The nesting of lists is limited by the length of the string.
fn annotated(part: Part<'_, '_>) -> Option<TypeExpression> {
    let mut inner = part.children();
    let core = inner.next()?;
    let optional = inner.next().is_some();
    if core.is("name") {
        let base = core.text().to_owned();
        return Some(TypeExpression { base, lists: 0, optional, optional_elements: false });
    }
    let element = annotated(core.children().next()?)?;
    let optional_elements = element.optional || element.optional_elements;
    Some(TypeExpression { lists: element.lists.checked_add(1)?, optional, optional_elements, ..element })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_expressions_are_parsed() {
        let of = |text| read(text).map(|t| (t.to_string(), t.optional, t.optional_elements));
        assert_eq!(of("text"), Some(("text".into(), false, false)));
        assert_eq!(of("list[Chat-Message]?"), Some(("list[Chat-Message]".into(), true, false)));
        assert_eq!(of("list[list[text?]]"), Some(("list[list[text]]".into(), false, true)));
        for wrong in ["", "list[", "text??", "list of text", "list[]", "a]"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
