//! JSON Schemas of packs and rules, compiled once for all rules that use them.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use super::{error::SchemaError, structure::Structure};
use crate::budget::{Lazy, Once};

type Json = Lazy<Value, Box<dyn FnOnce() -> Value + Send>>;

/// A schema document, read when it is first used.
pub struct SchemaDocument {
    json: Arc<Json>,
    /// Its subschemas that rules start from, by JSON Pointer.
    parts: Mutex<BTreeMap<String, Arc<Subschema>>>,
}

/// A schema, or a part of one, compiled on first use.
pub struct Subschema {
    document: Arc<Json>,
    pointer: String,
    structure: Once<Result<Structure, Vec<SchemaError>>>,
}

impl SchemaDocument {
    /// A document.
    pub fn new(json: Value) -> Self {
        Self::deferred(move || json)
    }

    /// The document that `read` gives when it is first asked for.
    pub fn deferred(read: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self { json: Arc::new(Lazy::new(Box::new(read))), parts: Mutex::default() }
    }

    /// The document as it is written.
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
                structure: Once::new(),
            })
        });
        Arc::clone(part)
    }
}

impl fmt::Debug for SchemaDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SchemaDocument")
    }
}

impl fmt::Debug for Subschema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subschema({:?})", self.pointer)
    }
}

impl Subschema {
    /// What is evaluated.
    ///
    /// # Errors
    /// Why the schema cannot be used.
    pub fn structure(&self) -> Result<&Structure, &[SchemaError]> {
        let structure = self.structure.get_or_init(|| Structure::new(&self.document, &self.pointer));
        structure.as_ref().map_err(Vec::as_slice)
    }
}
