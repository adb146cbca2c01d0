use std::{collections::BTreeMap, sync::Arc};

use crate::{schema::SchemaDocument, tree::JsonPath};

/// The names that a pack gives its rules: ancestors, symbol tables, schemas.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Name of the pack.
    pub pack: String,
    /// Names for nodes: the path to the nodes of each name.
    pub ancestors: BTreeMap<String, JsonPath>,
    /// Symbol tables.
    pub symbols: BTreeMap<String, Symbol>,
    /// Key of mappings that are replaced by the name it holds: `$ref` where `{$ref: x}` means `x`.
    pub reference_key: Option<String>,
    /// JSON Schemas by name.
    pub schemas: BTreeMap<String, Arc<SchemaDocument>>,
}

/// Where the names of a symbol table are declared.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Paths to the declarations.
    pub given: Vec<JsonPath>,
    /// Path from a declaration to its name (default: its key).
    pub name: Option<JsonPath>,
    /// Path from a declaration to its type.
    pub value_type: Option<JsonPath>,
    /// Names that are always known.
    pub builtin: Vec<String>,
    /// Name of the ancestor within which a declaration is known.
    pub within: Option<String>,
}
