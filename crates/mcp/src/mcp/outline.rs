//! A compact outline of a JSON Schema: one block per object type, with its fields.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::text::clip;

/// The object types, values and choices of a schema.
#[derive(Debug, Default)]
pub(super) struct Outline<'s> {
    /// The object types; that of the document comes first.
    pub(super) objects: Vec<Object<'s>>,
    /// Described value types: name and description.
    pub(super) scalars: BTreeMap<&'s str, String>,
    /// Choices between object types.
    pub(super) unions: Vec<Union<'s>>,
}

/// An object type.
#[derive(Debug)]
pub(super) struct Object<'s> {
    pub(super) name: &'s str,
    /// Description in one line; may be empty.
    pub(super) about: String,
    pub(super) fields: Vec<Field<'s>>,
    schema: &'s Value,
}

/// A field of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field<'s> {
    pub(super) name: &'s str,
    pub(super) required: bool,
    /// Type, such as `list of flow`.
    pub(super) type_name: String,
    /// Description in one line; may be empty.
    pub(super) about: String,
}

/// A choice between object types.
#[derive(Debug)]
pub(super) struct Union<'s> {
    pub(super) name: &'s str,
    /// Names of its members, in the order of the schema.
    pub(super) members: Vec<&'s str>,
}

/// Maximum number of object types.
const OBJECTS: usize = 120;

/// Maximum number of characters of a description.
const ABOUT: usize = 120;

impl<'s> Outline<'s> {
    /// Reads a schema. The outline of a schema without fields is empty.
    pub(super) fn of(root: &'s Value) -> Self {
        let mut outline = Self::default();
        let reader = Reader { root };
        let mut starts = Vec::new();
        reader.starts(root["title"].as_str().unwrap_or("document"), root, 0, &mut starts);
        for (name, start) in starts {
            outline.add(name, start);
        }
        let mut next = 0;
        while let Some(object) = outline.objects.get(next) {
            let schema = object.schema;
            let fields = reader.fields(schema, &mut outline);
            outline.objects[next].fields = fields;
            next += 1;
        }
        outline
    }

    /// The object type of this name.
    pub(super) fn object(&self, name: &str) -> Option<&Object<'s>> {
        self.objects.iter().find(|object| object.name.eq_ignore_ascii_case(name))
    }

    /// The choice with the most members, if it has more than [`MANY`].
    pub(super) fn largest_union(&self) -> Option<&Union<'s>> {
        self.unions.iter().filter(|union| union.members.len() > MANY).max_by_key(|union| union.members.len())
    }

    fn add(&mut self, name: &'s str, schema: &'s Value) {
        if self.objects.len() < OBJECTS && !self.objects.iter().any(|object| object.name == name) {
            self.objects.push(Object { name, about: about(schema), fields: Vec::new(), schema });
        }
    }
}

/// A choice with more members than this gets a separate section.
const MANY: usize = 6;

impl Object<'_> {
    /// The object type as a block of lines: its name, then one line per field.
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

/// Maximum number of references and conditions followed in a row.
const DEPTH: usize = 8;

impl<'s> Reader<'s> {
    /// The objects that can be at the root of a document, with their names: a schema can be for several forms of it.
    fn starts(self, name: &'s str, schema: &'s Value, depth: usize, found: &mut Vec<(&'s str, &'s Value)>) {
        if schema.get("properties").is_some() {
            found.push((name, schema));
        } else if depth <= DEPTH {
            for next in ["$ref", "then", "else"].iter().filter_map(|key| schema.get(*key)) {
                match next.as_str() {
                    Some(pointer) => {
                        let own = pointer.rsplit('/').next().and_then(|own| self.key_of(own)).unwrap_or(name);
                        self.starts(own, self.at(pointer), depth + 1, found);
                    }
                    None => self.starts(name, next, depth + 1, found),
                }
            }
        }
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

    /// The type of a value in a few words. Adds the objects and choices it refers to to the outline;
    /// `name` is the name for those without a title.
    fn type_name(self, name: &'s str, schema: &'s Value, outline: &mut Outline<'s>, depth: usize) -> String {
        if depth > DEPTH {
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
            Value::Array(several) if present(several).len() == 1 => present(several).join(""),
            Value::Array(_) if !about(schema).is_empty() => {
                let name = schema["title"].as_str().unwrap_or(name);
                outline.scalars.insert(name, about(schema));
                name.to_owned()
            }
            Value::Array(several) => present(several).join(" | "),
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

    /// The key of this name in the schema's definitions.
    fn key_of(self, name: &str) -> Option<&'s str> {
        let definitions = self.root["$defs"].as_object()?;
        definitions.keys().map(String::as_str).find(|key| *key == name)
    }
}

/// The types of a list without `null`.
fn present(types: &[Value]) -> Vec<&str> {
    types.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect()
}

/// The schema of the value if it is not null, for conditions and choices that only add null.
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

/// The branches of a choice: of the schema itself, or of a branch of its conditions.
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

/// The values of an enumeration: `error | warning | note`.
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
                "count": {"$ref": "#/$defs/whole"},
                "limit": {"type": ["integer", "null"], "description": "A bound."}
            },
            "$defs": {
                "whole": {"type": ["integer", "string"], "description": "An integer."},
                "step": {"if": {"required": ["$ref"]}, "else": {"oneOf": [{"$ref": "#/$defs/Ask"}, {"$ref": "#/$defs/Say"}]}},
                "Ask": {"type": "object", "properties": {"type": {"const": "Ask"}}},
                "Say": {"type": "object", "description": "Says.", "properties": {}}
            }
        });
        let outline = Outline::of(&schema);
        let lines: Vec<String> = outline.objects[0].fields.iter().map(Field::line).collect();
        assert_eq!(
            lines,
            [
                "id*: string – Name of it.",
                "level: a | b",
                "steps: list of step",
                "count: whole",
                "limit: integer – A bound."
            ]
        );
        assert_eq!(outline.unions[0].members, ["Ask", "Say"]);
        assert_eq!(outline.object("say").unwrap().block(), "Say – Says.");
        assert_eq!(outline.scalars["whole"], "An integer.");
    }

    #[test]
    fn the_outline_of_a_schema_without_fields_is_empty() {
        assert!(Outline::of(&json!({"type": "object"})).objects.is_empty());
        assert!(Outline::of(&json!(true)).objects.is_empty());
    }
}
