use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::raw::{RawPack, RawRule};

/// A built-in pack, made from its folder in `rules/` at build time.
#[derive(Debug, Deserialize)]
pub(super) struct EmbeddedPack {
    pub(super) pack: RawPack,
    pub(super) files: Vec<EmbeddedFile>,
    /// The files that the pack names, by path.
    pub(super) assets: HashMap<String, String>,
}

/// A rule file of a built-in pack, without explanations and examples.
#[derive(Debug, Deserialize)]
pub(super) struct EmbeddedFile {
    pub(super) rules: Vec<RawRule>,
}

/// The built-in packs, as JSON.
pub(super) const PACKS: &str = include_str!(concat!(env!("OUT_DIR"), "/packs.json"));

/// The built-in packs.
pub(super) fn packs() -> Vec<EmbeddedPack> {
    serde_json::from_str(PACKS).unwrap_or_default()
}

/// Explanations and examples of the built-in rules: `{id: {explain, examples}}`.
pub(super) fn help() -> Value {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/help.json"))).unwrap_or_default()
}
