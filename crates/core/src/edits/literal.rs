//! Values as JSON, TOML and YAML write them, in the style of the values around them.

use crate::{
    kinds::Document,
    syntax::yaml,
    tree::{Node, Scalar},
};

/// A value to write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Literal<'l> {
    /// A string.
    Text(&'l str),
    /// A number or a boolean, as it is written in all three languages.
    Word(&'l str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Json,
    Toml,
    Yaml,
}

/// Kinds of data of any meaning, whose rules speak of values and not of how they are written.
const DATA: &[&str] = &["json", "openapi", "toml", "yaml"];

/// The language of a document of data; nothing for other documents.
pub(super) fn language_of_data(document: &Document) -> Option<Language> {
    DATA.contains(&document.kind.as_ref()).then(|| language(document))
}

/// The language that values of a document are written in.
pub(super) fn language(document: &Document) -> Language {
    let source = document.source();
    let extension = source.name().rsplit_once('.').map(|(_, extension)| extension);
    match (document.kind.as_ref(), extension) {
        ("json", _) | (_, Some("json")) => Language::Json,
        ("toml" | "config", _) | (_, Some("toml")) => Language::Toml,
        ("openapi", None) if source.text().trim_start().starts_with('{') => Language::Json,
        _ => Language::Yaml,
    }
}

/// How a value is written in the place of a scalar; nothing where that cannot be done on a line.
pub(super) fn written(literal: Literal<'_>, node: Node<'_>, language: Language) -> Option<String> {
    let text = match literal {
        Literal::Word(word) => return Some(word.to_owned()),
        Literal::Text(text) => text,
    };
    let quote = own_quote(node);
    match language {
        Language::Json => serde_json::to_string(text).ok(),
        Language::Toml => {
            let quote = quote.or_else(|| around(node)).unwrap_or('"');
            let literal = quote == '\'' && !text.contains('\'') && !text.contains(char::is_control);
            if literal { Some(format!("'{text}'")) } else { serde_json::to_string(text).ok() }
        }
        Language::Yaml => {
            // A block of text is not replaced by a line.
            if node.raw().starts_with(['|', '>']) {
                return None;
            }
            let is_string = matches!(node.scalar(), Some(Scalar::Text(_) | Scalar::Slice));
            let style = quote.or_else(|| around(node).filter(|_| !is_string));
            if style.is_none() && yaml::is_plain_string(text) {
                return Some(text.to_owned());
            }
            Some(yaml::quoted(text, style.or_else(|| around(node)).unwrap_or('"')))
        }
    }
}

/// The quote that a scalar is written with.
fn own_quote(node: Node<'_>) -> Option<char> {
    node.raw().chars().next().filter(|first| matches!(first, '"' | '\''))
}

/// The quote of the strings beside a node, where one has quotes.
fn around(node: Node<'_>) -> Option<char> {
    let parent = node.parent()?;
    let values = parent.entries().map(|entry| entry.value()).chain(parent.items());
    values.filter(|other| other.id() != node.id()).find_map(own_quote)
}
