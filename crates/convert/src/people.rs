//! Authors and their affiliations, in the ways in which headers write them.

use serde_json::Value;

use super::{
    metadata::{Metadata, scalar},
    model::plain,
    reader,
};

/// An author.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Author {
    pub name: String,
    pub email: Option<String>,
    pub orcid: Option<String>,
    pub url: Option<String>,
    /// Names of affiliations.
    pub affiliations: Vec<String>,
}

impl Author {
    /// The name with what is known besides it, for formats that have no place for that.
    pub(crate) fn described(&self) -> String {
        let more: Vec<&str> = self.affiliations.iter().chain(&self.email).map(String::as_str).collect();
        if more.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, more.join(", ")) }
    }
}

/// The authors of a document.
pub(crate) fn authors(metadata: &Metadata) -> Vec<Author> {
    let listed = metadata.at("author").or_else(|| metadata.at("authors"));
    let known = metadata.at("affiliations");
    let list = match listed {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(value) => vec![value],
        None => vec![],
    };
    list.into_iter().filter_map(|value| author(value, known)).collect()
}

fn author(value: &Value, known: Option<&Value>) -> Option<Author> {
    if let Some(name) = scalar(value) {
        return Some(Author { name: unmarked(&name), ..Author::default() });
    }
    let field = |key: &str| value.get(key).and_then(scalar);
    let name =
        value.get("name").map_or_else(|| name_of(value), |name| scalar(name).or_else(|| name_of(name)));
    let affiliation = value.get("affiliations").or_else(|| value.get("affiliation"));
    let affiliations = match affiliation {
        Some(Value::Array(items)) => items.iter().filter_map(|item| affiliation_name(item, known)).collect(),
        Some(item) => affiliation_name(item, known).into_iter().collect(),
        None => vec![],
    };
    Some(Author {
        name: unmarked(&name?),
        email: field("email"),
        orcid: field("orcid"),
        url: field("url"),
        affiliations,
    })
}

/// A name without the marks of Markdown.
fn unmarked(name: &str) -> String {
    if name.contains(['*', '_', '`', '[', '^', '~', '\\']) {
        plain(&reader::read_inlines(name, true))
    } else {
        name.to_owned()
    }
}

fn name_of(value: &Value) -> Option<String> {
    let field = |key: &str| value.get(key).and_then(scalar);
    field("literal").or_else(|| {
        let parts: Vec<String> =
            [field("given"), field("dropping-particle"), field("non-dropping-particle"), field("family")]
                .into_iter()
                .flatten()
                .collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    })
}

fn affiliation_name(value: &Value, known: Option<&Value>) -> Option<String> {
    let reference = value.get("ref").and_then(scalar);
    let text = scalar(value);
    if let Some(id) = reference.or_else(|| text.clone())
        && let Some(found) = known.and_then(Value::as_array).and_then(|list| {
            list.iter().find(|item| item.get("id").and_then(scalar).as_deref() == Some(id.as_str()))
        })
    {
        return found.get("name").and_then(scalar);
    }
    text.or_else(|| value.get("name").and_then(scalar))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    fn names(header: Value) -> Vec<String> {
        let metadata = Metadata::new(Value::Null, header, &[], &formats::all()[0]);
        let show = |author: Author| format!("{} ({})", author.name, author.affiliations.join("; "));
        authors(&metadata).into_iter().map(show).collect()
    }

    #[test]
    fn authors_are_written_in_many_ways() {
        assert_eq!(names(json!({"author": "Ada"})), ["Ada ()"]);
        assert_eq!(
            names(json!({"author": ["Ada", {"name": "Bob", "affiliations": "MIT"}]})),
            ["Ada ()", "Bob (MIT)"]
        );
        let header = json!({
            "author": [{"name": {"given": "Ada", "family": "L"}, "affiliations": [{"ref": "x"}]}],
            "affiliations": [{"id": "x", "name": "Uni"}],
        });
        assert_eq!(names(header), ["Ada L (Uni)"]);
    }
}
