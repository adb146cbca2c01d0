//! JSON Schemas of packs and rules, compiled once for all rules that use them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock},
};

use serde_json::Value;

use super::shape::Structure;

/// A schema document.
#[derive(Debug, Default)]
pub struct SchemaDocument {
    json: Arc<Value>,
    /// Its subschemas that rules start from, by JSON Pointer.
    parts: Mutex<BTreeMap<String, Arc<Subschema>>>,
}

/// A schema, or a part of one, built on first use.
#[derive(Debug)]
pub struct Subschema {
    document: Arc<Value>,
    pointer: String,
    validator: OnceLock<Result<jsonschema::Validator, String>>,
    structure: OnceLock<Option<Result<Structure, String>>>,
}

impl SchemaDocument {
    /// The document.
    pub fn new(json: Value) -> Self {
        Self { json: Arc::new(json), parts: Mutex::default() }
    }

    /// As it is written.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// The subschema at a JSON Pointer; the whole when it is empty.
    pub fn part(&self, pointer: &str) -> Arc<Subschema> {
        let mut parts = self.parts.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let part = parts.entry(pointer.to_owned()).or_insert_with(|| {
            Arc::new(Subschema {
                document: Arc::clone(&self.json),
                pointer: pointer.to_owned(),
                validator: OnceLock::new(),
                structure: OnceLock::new(),
            })
        });
        Arc::clone(part)
    }
}

impl Subschema {
    /// The document it is a part of.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// For a schema with `discriminator`, what the engine evaluates on the tree itself.
    pub fn structure(&self) -> Option<&Result<Structure, String>> {
        self.structure.get_or_init(|| Structure::new(&self.document, &self.pointer)).as_ref()
    }

    /// The validator: no network, no files, linear-time patterns.
    ///
    /// # Errors
    /// Why there is none.
    pub fn validator(&self) -> Result<&jsonschema::Validator, &String> {
        self.validator.get_or_init(|| self.build()).as_ref()
    }

    fn build(&self) -> Result<jsonschema::Validator, String> {
        let mut document = (*self.document).clone();
        if !self.pointer.is_empty() {
            if document.pointer(&self.pointer).is_none() {
                return Err(format!("the schema has nothing at `{}`", self.pointer));
            }
            let defs = document.get("$defs").cloned().unwrap_or_default();
            document = serde_json::json!({"$ref": format!("#{}", self.pointer), "$defs": defs});
        }
        jsonschema::options()
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .should_validate_formats(true)
            .build(&document)
            .map_err(|error| error.to_string())
    }
}
