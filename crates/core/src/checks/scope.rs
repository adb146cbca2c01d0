use schemars::JsonSchema;
use serde::Deserialize;

/// What is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// The document.
    #[default]
    Document,
    /// All documents of the project: those below the folder of the configuration, or below the working directory
    /// where there is none.
    Project,
}

/// What declares the names of a symbol table that documents share.
pub fn table_slot(pack: &str, table: &str) -> String {
    format!("{pack}/{table}")
}
