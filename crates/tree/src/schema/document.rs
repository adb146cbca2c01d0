//! JSON Schemas of packs and rules, compiled once for all rules that use them.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use super::{definitions::Definitions, error::SchemaError, structure::Structure};
use crate::budget::{Lazy, Once};

type Json = Lazy<Value, Box<dyn FnOnce() -> Value + Send>>;

type Divided = Lazy<Arc<Definitions>, Box<dyn FnOnce() -> Arc<Definitions> + Send>>;

/// A schema document, read when it is first used.
pub struct SchemaDocument {
    written: Arc<Written>,
    /// Its subschemas that rules start from, by JSON Pointer.
    parts: Mutex<BTreeMap<String, Arc<Subschema>>>,
}

/// A document as JSON, and what it is compiled from where it comes with the program.
struct Written {
    json: Json,
    divided: Option<Divided>,
}

/// A schema, or a part of one, compiled on first use.
pub struct Subschema {
    document: Arc<Written>,
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
        Self::of(Written { json: Lazy::new(Box::new(read)), divided: None })
    }

    /// A document that comes with the program: what documents do not reach of it is neither read nor compiled.
    pub fn builtin(text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        let text = Arc::new(text);
        let whole = Arc::clone(&text);
        let json = move || serde_json::from_str(&whole()).unwrap_or_default();
        let divided = move || Arc::new(Definitions::read(&text()));
        Self::of(Written { json: Lazy::new(Box::new(json)), divided: Some(Lazy::new(Box::new(divided))) })
    }

    fn of(written: Written) -> Self {
        Self { written: Arc::new(written), parts: Mutex::default() }
    }

    /// The document as it is written.
    pub fn json(&self) -> &Value {
        &self.written.json
    }

    /// The subschema at a JSON Pointer; the whole when it is empty.
    pub fn part(&self, pointer: &str) -> Arc<Subschema> {
        let mut parts = self.parts.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let part = parts.entry(pointer.to_owned()).or_insert_with(|| {
            Arc::new(Subschema {
                document: Arc::clone(&self.written),
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
        let structure = self.structure.get_or_init(|| match &self.document.divided {
            Some(divided) => Structure::of_parts(divided, &self.pointer),
            None => Structure::new(&self.document.json, &self.pointer),
        });
        structure.as_ref().map_err(Vec::as_slice)
    }
}
