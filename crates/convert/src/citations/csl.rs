//! Works in CSL JSON, or the same in YAML: <https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html>.

use serde_json::Value;

use super::reference::{Name, Reference};
use crate::metadata::scalar;

/// The works of a list, or of the list `references` of a mapping.
pub(super) fn references(value: &Value) -> Vec<Reference> {
    let list = value.get("references").unwrap_or(value);
    list.as_array().into_iter().flatten().filter_map(reference).collect()
}

fn reference(value: &Value) -> Option<Reference> {
    let text = |key: &str| value.get(key).and_then(scalar).unwrap_or_default();
    Some(Reference {
        id: value.get("id").and_then(scalar)?,
        kind: text("type"),
        authors: names(value.get("author")),
        editors: names(value.get("editor")),
        year: value.get("issued").and_then(year),
        title: text("title"),
        container: text("container-title"),
        volume: text("volume"),
        issue: text("issue"),
        pages: text("page"),
        publisher: text("publisher"),
        edition: text("edition"),
        genre: text("genre"),
        number: text("number"),
        doi: text("DOI"),
        url: text("URL"),
    })
}

fn names(value: Option<&Value>) -> Vec<Name> {
    let one = |name: &Value| {
        let text = |key: &str| name.get(key).and_then(scalar).unwrap_or_default();
        let literal = name.get("literal").and_then(scalar).or_else(|| scalar(name));
        let prefix = text("non-dropping-particle");
        let family = literal.unwrap_or_else(|| format!("{prefix} {}", text("family")).trim().to_owned());
        let name = Name { family, given: text("given"), particle: text("dropping-particle") };
        (!name.family.is_empty()).then_some(name)
    };
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(one).collect(),
        Some(other) => one(other).into_iter().collect(),
        None => Vec::new(),
    }
}

/// The year of a date: `{"date-parts": [[1968, 1]]}`, `[{"year": 1968}]`, or a date as text.
fn year(value: &Value) -> Option<String> {
    let parts = value.get("date-parts").and_then(|parts| parts.get(0)?.get(0)).and_then(scalar);
    let own = || value.get("year").or_else(|| value.get(0)?.get("year")).and_then(scalar);
    let text = || {
        let text =
            scalar(value).or_else(|| value.get("raw").or_else(|| value.get("literal")).and_then(scalar))?;
        super::year_of(&text)
    };
    parts.or_else(own).or_else(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dates_and_names_are_read_in_all_their_forms() {
        let found = references(&json!({"references": [
            {"id": "a", "author": [{"family": "Berg", "given": "Jan", "dropping-particle": "van"}, {"literal": "WHO"}],
             "issued": {"date-parts": [[1968, 5]]}},
            {"id": "b", "issued": [{"year": 1999}]},
            {"id": 3, "issued": "2001-02-03"},
            {"title": "without an id"},
        ]}));
        let years: Vec<_> = found.iter().map(|found| (found.id.as_str(), found.year.as_deref())).collect();
        assert_eq!(years, [("a", Some("1968")), ("b", Some("1999")), ("3", Some("2001"))]);
        assert_eq!(found[0].authors[0].inverted(), "Berg, Jan van");
        assert_eq!(found[0].authors[1].inverted(), "WHO");
    }
}
