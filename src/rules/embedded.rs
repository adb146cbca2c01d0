use serde_json::Value;

/// The built-in packs: `[{pack, files: [{version, rules, path}], assets: {path: text}}]`, made from
/// `rules/` at build time. Explanations and examples are left out.
pub(super) fn packs() -> Vec<Value> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/packs.json"))).unwrap_or_default()
}

/// Explanations and examples of the built-in rules: `{id: {explain, examples}}`.
pub(super) fn help() -> Value {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/help.json"))).unwrap_or_default()
}
