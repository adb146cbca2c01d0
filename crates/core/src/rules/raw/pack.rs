//! What packs say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{RawDocuments, RawFix};
use crate::checks::OneOrMany;

/// A pack: rules that belong together, and what they share.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawPack {
    /// Version of the rule language: `1`.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Name, the folder's.
    pub name: String,
    /// One line on what it is for.
    pub description: String,
    /// Versions of Proofmark that it is for, as Cargo writes ranges: `>=0.1, <0.3` (default: all).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<String>,
    /// Prefix of its rule ids, or several: two to four capital letters.
    pub prefix: Option<OneOrMany<String>>,
    /// Kinds of document its rules are for.
    pub kinds: Vec<String>,
    /// Globs of the files that its rules are for, relative to the folder of the configuration
    /// (default: all files, and text that is not in a file).
    pub files: Option<OneOrMany<String>>,
    /// Globs of files and folders that its rules are not for.
    pub exclude: Option<OneOrMany<String>>,
    /// What `$` means in a YAML file with several documents: the list of them (`together`), or each of them (`each`),
    /// so that a rule for one document holds for all. Default: `together`.
    #[serde(default)]
    pub documents: RawDocuments,
    /// Names for nodes that messages and scopes speak of: JSONPath to them.
    #[serde(default)]
    pub ancestors: BTreeMap<String, String>,
    /// Symbol tables.
    #[serde(default)]
    pub symbols: BTreeMap<String, RawSymbol>,
    /// Key of mappings that are replaced by the name it holds: `$ref` where `{$ref: x}` means `x`.
    pub reference_key: Option<String>,
    /// JSON Schemas by name: path of the file, relative to the pack, or `kind:NAME` for the schema of
    /// a kind's tree.
    #[serde(default)]
    pub schemas: BTreeMap<String, String>,
    /// Files that define kinds of document (default: `kind.yaml`, if it exists). Their names are
    /// `kind.yaml` or end with `.kind.yaml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kind_files: Vec<String>,
    /// Grammars by name, for fence languages of the pack's own.
    #[serde(default)]
    pub grammars: BTreeMap<String, RawGrammar>,
    /// Fixes that several rules offer, by the name that `{group: NAME}` calls them by in the fixes of a rule.
    #[serde(default)]
    pub fix_groups: BTreeMap<String, Vec<RawFix>>,
    /// Word that begins comments which turn rules of the pack off and on: with `markdownlint`, these are
    /// `<!-- markdownlint-disable ID -->` and its relatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_comments: Option<String>,
    /// Old ids and names, and what they are now.
    #[serde(default)]
    pub redirects: BTreeMap<String, String>,
}

/// Where the names of a symbol table are declared.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Symbol")]
pub struct RawSymbol {
    /// JSONPath to the declarations, or several.
    pub given: Option<OneOrMany<String>>,
    /// Path from a declaration to its name (default: its key), or a part of the document's file: `file.path`, `file.name`,
    /// `file.stem` or `file.folder`.
    pub name: Option<String>,
    /// Regular expression (of the linear-time engine) for names in longer text: the first group of each match is a name,
    /// or all of the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    pub pattern: Option<String>,
    /// Whether the names are the pairs of the mapping that `name` leads to, or of the declaration itself: `app=web`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pairs: bool,
    /// What rules of other documents can look up of a declaration, by name: a path from the declaration, or several, whose
    /// values are a list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, OneOrMany<String>>,
    /// Path from a declaration to its type.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// Names that are always known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builtin: Vec<String>,
    /// Ancestor within which a declaration is known (default: everywhere).
    pub within: Option<String>,
}

/// A grammar of a pack.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Grammar")]
pub struct RawGrammar {
    /// Path of the `.pest` file, relative to the pack.
    pub file: String,
    /// The rule that reads a whole text.
    pub start: String,
    /// Fence languages it reads.
    pub languages: Vec<String>,
}
