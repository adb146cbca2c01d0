//! A JSON Schema in few lines: one for each kind of object, with its fields.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::text::clip;

/// What a schema says of the documents that it allows.
#[derive(Debug, Default)]
pub(super) struct Outline<'s> {
    /// The kinds of object, those that the document begins with first.
    pub(super) objects: Vec<Object<'s>>,
    /// Values that are more than their type: name and what they are.
    pub(super) scalars: BTreeMap<&'s str, String>,
    /// Names of the choices between kinds of object, with their members.
    pub(super) unions: Vec<Union<'s>>,
}

/// A kind of object.
#[derive(Debug)]
pub(super) struct Object<'s> {
    pub(super) name: &'s str,
    /// What it is, in one line; may be empty.
    pub(super) about: String,
    pub(super) fields: Vec<Field<'s>>,
    schema: &'s Value,
}

/// A field of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field<'s> {
    pub(super) name: &'s str,
    pub(super) required: bool,
    /// Its type, such as `list of flow`.
    pub(super) type_name: String,
    /// What it is, in one line; may be empty.
    pub(super) about: String,
}

/// A choice between kinds of object.
#[derive(Debug)]
pub(super) struct Union<'s> {
    pub(super) name: &'s str,
    /// The names of its members, in the order of the schema.
    pub(super) members: Vec<&'s str>,
}

/// Most kinds of object that are read.
const OBJECTS: usize = 120;

/// Most characters of a description that are shown.
const ABOUT: usize = 120;

impl<'s> Outline<'s> {
    /// Reads a schema. One that says nothing of fields gives an empty outline.
    pub(super) fn of(root: &'s Value) -> Self {
        let mut outline = Self::default();
        let reader = Reader { root };
        let Some(start) = reader.start(root, 0) else { return outline };
        let name = start["title"].as_str().unwrap_or("document");
        outline.add(name, start);
        let mut next = 0;
        while let Some(object) = outline.objects.get(next) {
            let schema = object.schema;
            let fields = reader.fields(schema, &mut outline);
            outline.objects[next].fields = fields;
            next += 1;
        }
        outline
    }

    /// The kind of object of this name.
    pub(super) fn object(&self, name: &str) -> Option<&Object<'s>> {
        self.objects.iter().find(|object| object.name.eq_ignore_ascii_case(name))
    }

    /// The choice with the most members, where there is one between many.
    pub(super) fn largest_union(&self) -> Option<&Union<'s>> {
        self.unions.iter().filter(|union| union.members.len() > MANY).max_by_key(|union| union.members.len())
    }

    fn add(&mut self, name: &'s str, schema: &'s Value) {
        if self.objects.len() < OBJECTS && !self.objects.iter().any(|object| object.name == name) {
            self.objects.push(Object { name, about: about(schema), fields: Vec::new(), schema });
        }
    }
}

/// A choice between more kinds of object than these has a table of its own.
const MANY: usize = 6;

impl Object<'_> {
    /// The object as a block of lines: its name, then one line for each field.
    pub(super) fn block(&self) -> String {
        let mut block = self.name.to_owned();
        if !self.about.is_empty() {
            block += " – ";
            block += &self.about;
        }
        for field in &self.fields {
            block += "\n  ";
            block += &field.line();
        }
        block
    }
}

impl Field<'_> {
    /// `steps*: list of step – The steps, in order.`
    pub(super) fn line(&self) -> String {
        let mark = if self.required { "*" } else { "" };
        let about = if self.about.is_empty() { String::new() } else { format!(" – {}", self.about) };
        format!("{}{mark}: {}{about}", self.name, self.type_name)
    }
}

/// Reads the parts of a schema.
#[derive(Clone, Copy)]
struct Reader<'s> {
    root: &'s Value,
}

/// Longest way that is followed through references and conditions.
const WAY: usize = 8;

impl<'s> Reader<'s> {
    /// The schema of the object that a document is.
    fn start(self, schema: &'s Value, depth: usize) -> Option<&'s Value> {
        if schema.get("properties").is_some() {
            return Some(schema);
        }
        if depth > WAY {
            return None;
        }
        let next = ["$ref", "else", "then"].iter().filter_map(|key| schema.get(*key));
        next.map(|next| next.as_str().map_or(next, |pointer| self.at(pointer)))
            .find_map(|next| self.start(next, depth + 1))
    }

    fn at(self, pointer: &str) -> &'s Value {
        pointer.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)).unwrap_or(&Value::Null)
    }

    fn fields(self, schema: &'s Value, outline: &mut Outline<'s>) -> Vec<Field<'s>> {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let field = |(name, property): (&'s String, &'s Value)| Field {
            name,
            required: required.contains(&name.as_str()),
            type_name: self.type_name(name, property, outline, 0),
            about: about(property),
        };
        properties.map(field).collect()
    }

    /// What a value is, in a few words. Objects and choices on the way are added to the outline;
    /// `name` is what they are called when the schema does not name them.
    fn type_name(self, name: &'s str, schema: &'s Value, outline: &mut Outline<'s>, depth: usize) -> String {
        if depth > WAY {
            return "any".into();
        }
        if let Some(pointer) = schema["$ref"].as_str() {
            let own = pointer.rsplit('/').next().and_then(|own| self.key_of(own)).unwrap_or(name);
            return self.type_name(own, self.at(pointer), outline, depth + 1);
        }
        if let Some(present) = without_null(schema) {
            return self.type_name(name, present, outline, depth + 1);
        }
        if let Some(values) = values(schema) {
            return values;
        }
        if let Some(branches) = choice(schema, 0) {
            return self.union(name, branches, outline, depth);
        }
        if schema.get("properties").is_some() && schema["type"] == "object" {
            let name = schema["title"].as_str().unwrap_or(name);
            outline.add(name, schema);
            return name.to_owned();
        }
        match &schema["type"] {
            Value::String(one) if one == "array" && schema.get("items").is_some() => {
                format!("list of {}", self.type_name(name, &schema["items"], outline, depth + 1))
            }
            Value::String(one) if one == "object" => match schema.get("additionalProperties") {
                Some(values) if values.is_object() => {
                    format!("mapping to {}", self.type_name(name, values, outline, depth + 1))
                }
                _ => "mapping".into(),
            },
            Value::String(one) => one.clone(),
            Value::Array(_) if !about(schema).is_empty() => {
                let name = schema["title"].as_str().unwrap_or(name);
                outline.scalars.insert(name, about(schema));
                name.to_owned()
            }
            Value::Array(several) => {
                let present = several.iter().filter_map(Value::as_str).filter(|one| *one != "null");
                present.collect::<Vec<_>>().join(" | ")
            }
            _ if !about(schema).is_empty() && schema.get("anyOf").is_some() => {
                outline.scalars.insert(name, about(schema));
                name.to_owned()
            }
            _ => "any".into(),
        }
    }

    fn union(self, name: &'s str, branches: &'s [Value], outline: &mut Outline<'s>, depth: usize) -> String {
        let before = outline.objects.len();
        let names: Vec<String> =
            branches.iter().map(|branch| self.type_name(name, branch, outline, depth + 1)).collect();
        let known = |name: &String| outline.objects.iter().find(|object| object.name == name);
        let members: Vec<&'s str> = names.iter().filter_map(known).map(|object| object.name).collect();
        if members.len() == branches.len() && members.len() > 1 {
            if !outline.unions.iter().any(|union| union.members == members) && outline.objects.len() > before
            {
                outline.unions.push(Union { name, members });
            }
            if let Some(union) = outline.unions.iter().find(|union| {
                union.members.len() == names.len() && union.members.iter().zip(&names).all(|(a, b)| a == b)
            }) {
                return union.name.to_owned();
            }
        }
        let mut distinct: Vec<String> = Vec::new();
        for one in names {
            if !distinct.contains(&one) {
                distinct.push(one);
            }
        }
        distinct.join(" | ")
    }

    /// The key of the schema's definitions that is this name.
    fn key_of(self, name: &str) -> Option<&'s str> {
        let definitions = self.root["$defs"].as_object()?;
        definitions.keys().map(String::as_str).find(|key| *key == name)
    }
}

/// What a value is when it is there: conditions and choices that only let null pass besides.
fn without_null(schema: &Value) -> Option<&Value> {
    if schema["if"]["type"] == "null" {
        return schema.get("else");
    }
    let branches = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array())?;
    match branches.as_slice() {
        [one, null] | [null, one] if null["type"] == "null" => Some(one),
        _ => None,
    }
}

/// The branches of a choice, where it is the schema itself or the way it takes on a condition.
fn choice(schema: &Value, depth: usize) -> Option<&[Value]> {
    if depth > 3 {
        return None;
    }
    let own = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
    let own = own.filter(|branches| {
        branches.iter().all(|branch| branch.get("required").is_none() || branch.get("properties").is_some())
    });
    own.map(Vec::as_slice).or_else(|| {
        ["else", "then"].iter().filter_map(|key| schema.get(*key)).find_map(|next| choice(next, depth + 1))
    })
}

/// The values, where they can be counted: `error | warning | note`.
fn values(schema: &Value) -> Option<String> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(one) = schema.get("const") {
        return Some(shown(one));
    }
    let constants = |branches: &Value| -> Option<Vec<String>> {
        branches.as_array()?.iter().map(|branch| branch.get("const").map(shown)).collect()
    };
    let listed = schema["enum"].as_array().map(|values| values.iter().map(shown).collect());
    let values = listed.or_else(|| constants(&schema["oneOf"]))?;
    Some(values.join(" | "))
}

fn about(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    clip(&line[..end], ABOUT).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_listed_with_their_fields_and_choices() {
        let schema = json!({
            "title": "application",
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "string", "description": "Name of\n it. More."},
                "level": {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
                "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
                "count": {"$ref": "#/$defs/whole"}
            },
            "$defs": {
                "whole": {"type": ["integer", "string"], "description": "A whole number."},
                "step": {"if": {"required": ["$ref"]}, "else": {"oneOf": [{"$ref": "#/$defs/Ask"}, {"$ref": "#/$defs/Tell"}]}},
                "Ask": {"type": "object", "properties": {"type": {"const": "Ask"}}},
                "Tell": {"type": "object", "description": "Tells.", "properties": {}}
            }
        });
        let outline = Outline::of(&schema);
        let lines: Vec<String> = outline.objects[0].fields.iter().map(Field::line).collect();
        assert_eq!(
            lines,
            ["id*: string – Name of it.", "level: a | b", "steps: list of step", "count: whole"]
        );
        assert_eq!(outline.unions[0].members, ["Ask", "Tell"]);
        assert_eq!(outline.object("tell").unwrap().block(), "Tell – Tells.");
        assert_eq!(outline.scalars["whole"], "A whole number.");
    }

    #[test]
    fn a_schema_that_says_nothing_gives_nothing() {
        assert!(Outline::of(&json!({"type": "object"})).objects.is_empty());
        assert!(Outline::of(&json!(true)).objects.is_empty());
    }
}
