//! What a JSON Schema says about paths: whether a selector can select anything in such a tree.

use serde_json::Value;

use crate::tree::{
    JsonPath,
    jsonpath::{Segment, Selector},
};

/// A name in a path that the schema rules out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The name.
    pub name: String,
    /// The names there are instead.
    pub known: Vec<String>,
}

/// The first name of a path that no tree of this schema can have, or nothing when the path may
/// select something. Only closed objects (`additionalProperties: false`) rule names out.
pub fn impossible_name(schema: &Value, path: &JsonPath) -> Option<Miss> {
    if path.is_relative() {
        return None;
    }
    let mut places = expand(schema, schema);
    for segment in path.segments() {
        let names = names_of(segment)?;
        let mut next = Vec::new();
        let mut known = Vec::new();
        let mut open = false;
        for place in &places {
            match step(schema, place, &names) {
                Step::To(found) => next.extend(found),
                Step::Anywhere => open = true,
                Step::Nowhere(names) => known.extend(names),
            }
        }
        if open {
            return None;
        }
        if next.is_empty() {
            let Steps::Name(name) = names else { return None };
            known.sort();
            known.dedup();
            return Some(Miss { name, known });
        }
        places = next.into_iter().flat_map(|place| expand(schema, place)).collect();
    }
    None
}

/// The first of `names` that no value has which a path leads to, or which contains such a value where `up` is set; nothing
/// where they may have all of them.
pub fn impossible_member(schema: &Value, path: &JsonPath, up: bool, names: &[String]) -> Option<Miss> {
    let segments = path.segments();
    let segments = match segments {
        _ if path.is_relative() => return None,
        segments if !up => segments,
        [segments @ .., last] if !last.descendant => segments,
        _ => return None,
    };
    let steps = segments.iter().map(names_of).collect::<Option<Vec<Steps>>>()?;
    let mut places = expand(schema, schema);
    for step in &steps {
        places = next_places(schema, &places, step).ok()?;
        if places.is_empty() {
            return None;
        }
    }
    for name in names {
        match next_places(schema, &places, &Steps::Name(name.clone())) {
            Err(Open) => return None,
            Ok(next) if next.is_empty() => {
                let mut known: Vec<String> =
                    places.iter().flat_map(|place| properties_of(place)).cloned().collect();
                known.sort();
                known.dedup();
                return Some(Miss { name: name.clone(), known });
            }
            Ok(next) => places = next,
        }
    }
    None
}

/// The schema allows anything there.
struct Open;

fn next_places<'s>(schema: &'s Value, places: &[&'s Value], steps: &Steps) -> Result<Vec<&'s Value>, Open> {
    let mut next = Vec::new();
    for place in places {
        match step(schema, place, steps) {
            Step::To(found) => next.extend(found),
            Step::Anywhere => return Err(Open),
            Step::Nowhere(_) => {}
        }
    }
    Ok(next.into_iter().flat_map(|place| expand(schema, place)).collect())
}

fn properties_of(place: &Value) -> impl Iterator<Item = &String> {
    place.get("properties").and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys)
}

enum Steps {
    Name(String),
    Children,
}

enum Step<'s> {
    To(Vec<&'s Value>),
    Anywhere,
    Nowhere(Vec<String>),
}

/// What a segment asks for; nothing when the walk cannot follow it.
fn names_of(segment: &Segment) -> Option<Steps> {
    match (&segment.descendant, segment.selectors.as_slice()) {
        (false, [Selector::Name(name)]) => Some(Steps::Name(name.to_string())),
        (false, [Selector::Wildcard | Selector::Index(_) | Selector::Slice { .. } | Selector::Filter(_)]) => {
            Some(Steps::Children)
        }
        _ => None,
    }
}

fn step<'s>(root: &'s Value, place: &'s Value, steps: &Steps) -> Step<'s> {
    let Some(object) = place.as_object() else { return Step::Anywhere };
    let properties = object.get("properties").and_then(Value::as_object);
    let additional = object.get("additionalProperties");
    let patterns = object.get("patternProperties").is_some();
    let _ = root;
    match steps {
        Steps::Name(name) => {
            if let Some(found) = properties.and_then(|properties| properties.get(name)) {
                return Step::To(vec![found]);
            }
            match additional {
                _ if patterns => Step::Anywhere,
                Some(Value::Bool(false)) => {
                    Step::Nowhere(properties.map(|p| p.keys().cloned().collect()).unwrap_or_default())
                }
                Some(schema @ Value::Object(_)) => Step::To(vec![schema]),
                // A place that is only ever a sequence or a scalar has no names.
                _ if only_type(object).is_some_and(|only| only != "object") => Step::Nowhere(Vec::new()),
                _ => Step::Anywhere,
            }
        }
        Steps::Children => {
            let mut found: Vec<&Value> = object.get("items").into_iter().collect();
            found.extend(properties.into_iter().flat_map(|properties| properties.values()));
            found.extend(additional.filter(|schema| schema.is_object()));
            let scalar = only_type(object).is_some_and(|only| !matches!(only, "object" | "array"));
            if found.is_empty() && !scalar { Step::Anywhere } else { Step::To(found) }
        }
    }
}

/// The only type that a value of a schema can have.
fn only_type(schema: &serde_json::Map<String, Value>) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

/// The alternatives in a schema, with references and unions resolved.
fn expand<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    let mut found = Vec::new();
    let mut waiting = vec![schema];
    let mut steps = 0;
    while let Some(schema) = waiting.pop() {
        steps += 1;
        if steps > 1000 {
            break;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) {
            waiting.extend(root.pointer(target));
            continue;
        }
        let unions = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(*key)?.as_array());
        let before = waiting.len();
        waiting.extend(unions.flatten());
        if waiting.len() == before || schema.get("properties").is_some() {
            found.push(schema);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_closed_object_rules_out_other_names() {
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {
            "fences": {"type": "array", "items": {"$ref": "#/$defs/fence"}},
            "scopes": {"type": "object", "additionalProperties": true},
        }, "$defs": {"fence": {"type": "object", "additionalProperties": false, "properties": {"language": {}}}}});
        let miss = |path: &str| impossible_name(&schema, &path.parse().unwrap()).map(|miss| miss.name);
        assert_eq!(miss("$.fences[*].language"), None);
        assert_eq!(miss("$.fences[*].langauge"), Some("langauge".into()));
        assert_eq!(miss("$.fence[*]"), Some("fence".into()));
        assert_eq!(miss("$.scopes.products[*].sku"), None);
        assert_eq!(miss("$..nothing"), None);
        assert_eq!(miss("$.fences.language"), Some("language".into()));
        let member = |path: &str, up: bool, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            impossible_member(&schema, &path.parse().unwrap(), up, &names).map(|miss| (miss.name, miss.known))
        };
        assert_eq!(member("$.fences[*]", false, &["language"]), None);
        assert_eq!(
            member("$.fences[*]", false, &["langauge"]),
            Some(("langauge".into(), vec!["language".into()]))
        );
        assert_eq!(member("$.fences[*].language", true, &["lang"]).unwrap().1, ["language"]);
        assert_eq!(member("$.scopes.products[*]", false, &["sku"]), None);
        assert_eq!(member("$..language", true, &["lang"]), None);
    }
}
