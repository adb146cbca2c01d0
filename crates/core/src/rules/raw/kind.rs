//! What `kind.yaml` says.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::syntax::mapping::{RawNames, RawTree};

/// A kind of document: the grammar that reads it, and what its tree has.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawKind {
    /// Name: lower case, one word.
    #[schemars(regex(pattern = "^[a-z][a-z0-9-]*$"))]
    pub name: String,
    /// One line on what it is.
    pub description: String,
    /// Names of its files, with at most one `*` each: `*.sku`.
    #[serde(default)]
    pub globs: Vec<String>,
    /// Languages of Markdown fences whose content is of this kind.
    #[serde(default)]
    pub fences: Vec<String>,
    /// How a comment is written, with `{}` for its text: `# {}` or `/* {} */`. Suppressions are found in such
    /// comments (default: `# {}`).
    pub comment: Option<String>,
    /// Path of the `.pest` grammar, relative to the pack. Its rules named `err_…` are syntax errors.
    pub grammar: Option<String>,
    /// Instead of a grammar: the documents are YAML or JSON, and a mapping with `$ref` means what `$ref` leads to,
    /// in the document or in a file beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub references: bool,
    /// The rule that reads a whole text (default: `document`).
    #[serde(default = "document")]
    pub start: String,
    /// What the tree has (default: a node for each rule of the grammar).
    pub tree: Option<RawTree>,
    /// The names in documents, for editors: what they are names of, and the rules of the grammar that match them.
    pub names: Option<RawNames>,
    /// Path of the JSON Schema of the tree, relative to the pack (default: generated from `tree`).
    pub schema: Option<String>,
}

fn document() -> String {
    "document".to_owned()
}
