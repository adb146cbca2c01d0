use std::{collections::BTreeMap, sync::Arc};

use crate::{
    budget::Once,
    expressions::LazyRegex,
    schema::SchemaDocument,
    tree::{JsonPath, jsonpath::PathSet},
};

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
    /// The paths to the declarations of all symbol tables, in the order of the tables; made when a document is first
    /// read with them.
    pub declarations: Once<PathSet>,
}

/// Where the names of a symbol table are declared.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Paths to the declarations.
    pub given: Vec<JsonPath>,
    /// Path from a declaration to its name (default: its key).
    pub name: Option<JsonPath>,
    /// The part of `file` that is the name of all declarations, instead of one in the document.
    pub file: Option<FilePart>,
    /// What of the text is a name: the first group of each match.
    pub pattern: Option<LazyRegex>,
    /// Whether the names are the pairs of a mapping, such as `app=web`.
    pub pairs: bool,
    /// What other documents can look up of a declaration: paths from it.
    pub values: BTreeMap<String, Vec<JsonPath>>,
    /// Path from a declaration to its type.
    pub value_type: Option<JsonPath>,
    /// Names that are always known.
    pub builtin: Vec<String>,
    /// Name of the ancestor within which a declaration is known.
    pub within: Option<String>,
}

/// A part of the file of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePart {
    /// Its path, relative to the folder of the configuration.
    Path,
    /// Its name.
    Name,
    /// Its name without the extension.
    Stem,
    /// The path of its folder.
    Folder,
}

impl FilePart {
    /// The part by its name in rule files, such as `file.stem`.
    pub fn of(written: &str) -> Option<Self> {
        match written {
            "file.path" => Some(Self::Path),
            "file.name" => Some(Self::Name),
            "file.stem" => Some(Self::Stem),
            "file.folder" => Some(Self::Folder),
            _ => None,
        }
    }

    /// This part of a path.
    pub fn in_path(self, path: &str) -> &str {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self {
            Self::Path => path,
            Self::Name => name,
            Self::Stem => {
                name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
            }
            Self::Folder => folder,
        }
    }
}
