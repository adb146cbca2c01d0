//! Descriptions of diagram types as Rust source.

use std::fmt::Write as _;

use super::raw::{RawDiagram, RawEnd, RawHeader};
use proofmark_peg::{
    Grammar,
    mapping::{Field, Items, Mapping, NameRule, Ordered, Source},
};

/// A `Diagram`.
pub(super) fn diagram(
    file: &str,
    raw: &RawDiagram,
    grammar: &Grammar,
    tree: &Mapping,
    names: &[NameRule],
) -> String {
    let is_error = |rule: &str| rule.starts_with("err_") || rule == "unread";
    let errors: Vec<bool> = grammar.names().map(is_error).collect();
    let names: String = names.iter().map(|name| format!("{}, ", name_rule(name))).collect();
    let statements: String = raw
        .statements
        .iter()
        .flat_map(Ordered::iter)
        .map(|(word, form)| format!("({word:?}, {form:?}), "))
        .collect();
    format!(
        "    Diagram {{\n        name: {:?},\n        about: {:?},\n        grammar: &{},\n        \
         spellings: &{:?},\n        statements: &[{statements}],\n        arrows: &{:?},\n        \
         recursive: {},\n        tree: Mapping {{ fields: Borrowed(&{}), roots: Borrowed(&{:?}) }},\n        names: &[{names}],\n        \
         errors: &{errors:?},\n    }},\n",
        raw.name,
        raw.description,
        file.to_uppercase(),
        raw.spellings,
        raw.arrows,
        raw.recursive,
        list(&tree.fields),
        tree.roots,
    )
}

/// A `Header`; `diagram` is the position of its type, where the type is read.
pub(super) fn header(raw: &RawHeader, diagram: Option<usize>) -> String {
    let others: Vec<char> = raw.or_before.chars().collect();
    let ends = match raw.ends {
        None => "Ends::Anywhere".to_owned(),
        Some(RawEnd::Word) => "Ends::Word".to_owned(),
        Some(RawEnd::Space) => format!("Ends::Space(&{others:?})"),
    };
    format!(
        "    Header {{ word: {:?}, any_case: {}, ends: {ends}, elsewhere: &{:?}, diagram: {diagram:?} }},\n",
        raw.word, raw.any_case, raw.elsewhere
    )
}

fn name_rule(name: &NameRule) -> String {
    let NameRule { of, rule, within, separator } = name;
    format!("NameRule {{ of: Borrowed({of:?}), rule: {rule}, within: {within:?}, separator: {separator:?} }}")
}

fn list(fields: &[Field]) -> String {
    let fields: String = fields.iter().map(|field| format!("{}, ", self::field(field))).collect();
    format!("[{fields}]")
}

fn field(field: &Field) -> String {
    let mut source = String::new();
    let _ = match &field.source {
        Source::Scalar { rules, scalar } => {
            write!(source, "Scalar {{ rules: Borrowed(&{rules:?}), scalar: Scalar::{scalar:?} }}")
        }
        Source::Object { rules, fields } => {
            write!(source, "Object {{ rules: Borrowed(&{rules:?}), fields: Borrowed(&{}) }}", list(fields))
        }
        Source::List { rules, items } => {
            let items = match items {
                Items::Scalars(scalar) => format!("Scalars(Scalar::{scalar:?})"),
                Items::Objects(fields) => format!("Objects(Borrowed(&{}))", list(fields)),
            };
            write!(source, "List {{ rules: Borrowed(&{rules:?}), items: Items::{items} }}")
        }
        Source::Has { rules } => write!(source, "Has {{ rules: Borrowed(&{rules:?}) }}"),
        Source::Rule => write!(source, "Rule"),
        Source::Indent => write!(source, "Indent"),
    };
    format!(
        "Field {{ key: Borrowed({:?}), about: Borrowed({:?}), source: Source::{source} }}",
        field.key, field.about
    )
}
