use std::{collections::HashMap, sync::OnceLock};

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

/// A built-in rule as its file says it, without explanation and examples.
pub(super) fn written(id: &str) -> Option<&'static Value> {
    static RULES: OnceLock<HashMap<String, Value>> = OnceLock::new();
    let read = || {
        let packs: Value = serde_json::from_str(PACKS).unwrap_or_default();
        let files = packs.as_array().into_iter().flatten().filter_map(|pack| pack["files"].as_array());
        let rules = files.flatten().filter_map(|file| file["rules"].as_array()).flatten();
        rules.filter_map(|rule| Some((rule["id"].as_str()?.to_owned(), rule.clone()))).collect()
    };
    RULES.get_or_init(read).get(id)
}
