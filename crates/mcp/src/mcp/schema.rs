//! JSON Schemas of tools, in the form that strict clients require.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Schema of a tool's arguments; unknown arguments are not allowed. What it refers to is in its place, which is shorter and
/// which more clients understand.
pub(super) fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12());
    let definitions = schema.remove("$defs").unwrap_or_default();
    schema.values_mut().for_each(|value| put_in_place(value, &definitions));
    schema.insert("additionalProperties".into(), false.into());
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

/// Replaces references to definitions by what they define. A description beside a reference says more than that of the
/// definition.
fn put_in_place(value: &mut Value, definitions: &Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| put_in_place(item, definitions)),
        Value::Object(object) => {
            let target =
                object.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next());
            if let Some(Value::Object(definition)) = target.and_then(|name| definitions.get(name)).cloned() {
                object.remove("$ref");
                for (keyword, value) in definition.into_iter().filter(|(keyword, _)| keyword != "description")
                {
                    object.entry(keyword).or_insert(value);
                }
            }
            object.values_mut().for_each(|value| put_in_place(value, definitions));
        }
        _ => {}
    }
}

/// Schema of a tool's answer: its fields with their types. Models read the list of tools, so it has no descriptions and
/// does not say what is in the objects of an answer: the description of a tool says what it answers, and the name of a
/// field what it holds.
pub(super) fn output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    let definitions = schema.remove("$defs").unwrap_or_default();
    let mut outlined = Map::from_iter([("type".to_owned(), "object".into())]);
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        let typed = |(name, field): (&String, &Value)| (name.clone(), types(field, &definitions));
        outlined.insert("properties".into(), Value::Object(fields.iter().map(typed).collect()));
    }
    if let Some(required) = schema.remove("required") {
        outlined.insert("required".into(), required);
    }
    outlined
}

/// Keywords that say what type a value has.
const TYPES: [&str; 3] = ["type", "enum", "const"];

/// What a schema says of the type of a value and, for a list, of its items.
fn types(schema: &Value, definitions: &Value) -> Value {
    let name = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
    if let Some(definition) = name.and_then(|name| definitions.get(name)) {
        return types(definition, definitions);
    }
    let keyword = |name: &&str| Some(((*name).to_owned(), schema.get(*name)?.clone()));
    let mut outlined: Map<String, Value> = TYPES.iter().filter_map(keyword).collect();
    if let Some(branches) = schema["anyOf"].as_array() {
        let branches = branches.iter().map(|branch| types(branch, definitions));
        outlined.insert("anyOf".into(), branches.collect());
    }
    if let Some(items) = schema.get("items") {
        outlined.insert("items".into(), types(items, definitions));
    }
    Value::Object(outlined)
}

fn generate<T: JsonSchema>(mut settings: SchemaSettings) -> Map<String, Value> {
    settings.meta_schema = None;
    let mut value = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut value);
    match value {
        Value::Object(mut object) => {
            object.remove("title");
            object.remove("description");
            object.insert("type".into(), "object".into());
            object
        }
        _ => Map::new(),
    }
}

/// Removes what clients do not understand or need: formats of Rust's numbers, about which JSON Schema validators
/// warn, null as a second type or value of fields that may be left out, and the default `false`.
fn tidy(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => {
            if object.get("format").is_some_and(is_rust_number) {
                object.remove("format");
            }
            if object.get("default").is_some_and(|default| default.is_null() || *default == false) {
                object.remove("default");
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            without_null(object);
            as_enumeration(object);
            object.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

fn is_rust_number(format: &Value) -> bool {
    format.as_str().is_some_and(|format| {
        format.starts_with("uint") || format.starts_with("int") || format == "double" || format == "float"
    })
}

/// Schema of a value of any type; clients do not accept a bare `true`.
pub(super) fn anything(_: &mut SchemaGenerator) -> Schema {
    let types = ["string", "number", "boolean", "array", "object", "null"];
    let branches: Vec<Value> = types.iter().map(|one| serde_json::json!({ "type": one })).collect();
    let mut schema = Schema::default();
    schema.insert(NULLABLE.to_owned(), true.into());
    schema.insert("anyOf".to_owned(), branches.into());
    schema
}

/// Marks a field that is null, not omitted, when it has no value, as clients of other servers expect.
pub(super) const NULLABLE: &str = "x-nullable";

fn without_null(object: &mut Map<String, Value>) {
    if object.remove(NULLABLE).is_some() {
        if let Some(Value::Array(types)) = object.remove("type") {
            let branches = types.into_iter().map(|one| Value::Object(Map::from_iter([("type".into(), one)])));
            object.insert("anyOf".into(), branches.collect());
        }
        return;
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".into(), one);
        }
    }
    let Some(Value::Array(branches)) = object.get_mut("anyOf") else { return };
    branches.retain(|branch| branch.get("type").is_none_or(|one| one != "null"));
    if branches.len() == 1
        && let Some(Value::Object(only)) = branches.pop()
    {
        object.remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}

/// Turns a choice of constants into an enumeration.
fn as_enumeration(object: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = object.get("oneOf") else { return };
    let constants: Option<Vec<Value>> = branches.iter().map(|branch| branch.get("const").cloned()).collect();
    if let Some(constants) = constants {
        object.remove("oneOf");
        object.insert("type".into(), "string".into());
        object.insert("enum".into(), constants.into());
    }
}
