//! JSON Schemas of tools, in the form that strict clients require.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Schema of a tool's arguments; unknown arguments are not allowed.
pub(super) fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12());
    schema.insert("additionalProperties".into(), false.into());
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

/// Schema of a tool's answer. Only top-level fields keep their descriptions, and what is obvious from the
/// answer is omitted, because models read the list of tools.
pub(super) fn output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    for (key, value) in &mut schema {
        if key == "$defs" { remove_descriptions(value) } else { remove_nested_descriptions(value) }
    }
    schema.values_mut().for_each(remove_zero_minimum);
    schema
}

/// Removes `minimum: 0`, which all counts have.
fn remove_zero_minimum(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_zero_minimum),
        Value::Object(object) => {
            if object.get("minimum").is_some_and(|least| least == 0) {
                object.remove("minimum");
            }
            object.values_mut().for_each(remove_zero_minimum);
        }
        _ => {}
    }
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

/// Removes what clients do not understand: formats of Rust's numbers, about which JSON Schema validators
/// warn, and null as a second type of fields that are omitted when absent.
fn tidy(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => {
            if object.get("format").is_some_and(is_rust_number) {
                object.remove("format");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
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

/// Removes descriptions below the first level.
fn remove_nested_descriptions(value: &mut Value) {
    let Some(object) = value.as_object_mut() else { return };
    for one in object.values_mut() {
        one.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(remove_descriptions);
    }
}

fn remove_descriptions(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_descriptions),
        Value::Object(object) => {
            if object.get("description").is_some_and(Value::is_string) {
                object.remove("description");
            }
            object.values_mut().for_each(remove_descriptions);
        }
        _ => {}
    }
}
