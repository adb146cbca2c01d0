//! `$ref`, `$id` and `$anchor`: where references lead.

use foldhash::{HashMap, HashMapExt};
use serde_json::{Map, Value};

use super::Compiler;
use crate::{
    schema::{error::SchemaProblem, shape::ShapeId},
    text::percent_decoded,
    tree::pointer::escape,
};

impl Compiler<'_> {
    pub(super) fn reference(&mut self, value: &Value, here: &str) -> Option<ShapeId> {
        let Some(target) = value.as_str() else {
            return self.error(here, SchemaProblem::Expected("a string"));
        };
        let Some(pointer) = self.target(target) else {
            return self.error(here, SchemaProblem::Remote(target.to_owned()));
        };
        if self.document.part(&pointer).is_none() && self.document.at(&pointer).is_none() {
            return self.error(here, SchemaProblem::Unresolved(pointer));
        }
        Some(self.at(&pointer))
    }

    /// The JSON Pointer that a reference stands for; nothing where it leads to another schema.
    pub(super) fn target(&self, reference: &str) -> Option<String> {
        let own = self.document.root()["$id"].as_str().unwrap_or_default().trim_end_matches('#');
        let fragment = match reference.strip_prefix(own).unwrap_or(reference) {
            "" => "",
            rest => rest.strip_prefix('#')?,
        };
        let fragment = percent_decoded(fragment).into_owned();
        Some(self.anchors.get(&fragment).cloned().unwrap_or(fragment))
    }
}

/// The JSON Pointers of the subschemas that have a name of their own.
pub(super) fn anchors(document: &Value) -> HashMap<String, String> {
    let mut found = HashMap::new();
    if !has_names(document) {
        return found;
    }
    let mut waiting = vec![(String::new(), document)];
    while let Some((pointer, value)) = waiting.pop() {
        match value {
            Value::Object(object) => {
                for anchor in names(object) {
                    found.insert(anchor.to_owned(), pointer.clone());
                }
                let below = |key: &str| format!("{pointer}/{}", escape(key));
                waiting.extend(object.iter().map(|(key, value)| (below(key), value)));
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                waiting.extend(items.map(|(index, value)| (format!("{pointer}/{index}"), value)));
            }
            _ => {}
        }
    }
    found
}

/// The names of a subschema of its own.
fn names(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let name = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    // Drafts 06 and 07 write `$id: "#name"`.
    let early = name("$id").and_then(|id| id.strip_prefix('#')).filter(|name| !name.is_empty());
    [name("$anchor"), name("$dynamicAnchor"), early].into_iter().flatten()
}

/// Whether a subschema may have a name of its own, as few do.
fn has_names(document: &Value) -> bool {
    let mut waiting = vec![document];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(object) => {
                // These are the keywords of names.
                if object.keys().any(|key| matches!(key.as_str(), "$id" | "$anchor" | "$dynamicAnchor"))
                    && names(object).next().is_some()
                {
                    return true;
                }
                waiting.extend(object.values().filter(|value| value.is_object() || value.is_array()));
            }
            Value::Array(items) => waiting.extend(items),
            _ => {}
        }
    }
    false
}

/// Whether `$schema` names a draft in which keywords beside a `$ref` have no effect.
pub(super) fn is_early_draft(document: &Value) -> bool {
    let draft = document["$schema"].as_str().unwrap_or_default();
    ["/draft-04/", "/draft-06/", "/draft-07/"].iter().any(|early| draft.contains(early))
}
