//! The built-in rule packs as data, made of `rules/` when this crate is built.

/// The packs as JSON. What selects their rules, and everything else, is in [`TEXTS`].
pub const PACKS: &str = include_str!(concat!(env!("OUT_DIR"), "/packs.json"));

/// Heads of rules, rules, fix groups, and the files of packs, one after the other. [`PACKS`] has the first and the last byte of each.
pub const TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/packs.txt"));

/// The fingerprint of the version, [`PACKS`] and [`TEXTS`]: hashing them would take longer than reading them.
pub const FINGERPRINT: &str = include_str!(concat!(env!("OUT_DIR"), "/fingerprint.txt"));

/// Explanations and examples as JSON: `{id: {explain, examples}}`.
pub const HELP: &str = include_str!(concat!(env!("OUT_DIR"), "/help.json"));
