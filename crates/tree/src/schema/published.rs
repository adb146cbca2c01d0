use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};

/// The JSON Schema, draft 2020-12, of what a type is written as.
pub fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(without_integer_formats));
    settings.into_generator().into_root_schema_for::<T>()
}

/// `"format": "uint32"` is not a format of JSON Schema, and validators warn about it.
fn without_integer_formats(schema: &mut Schema) {
    let format = schema.get("format").and_then(serde_json::Value::as_str);
    if format.is_some_and(|format| format.contains("int")) {
        schema.remove("format");
    }
}
