//! Configurations that extend others.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::kinds::config::{RawConfig, RawRules};

/// What one file says.
#[derive(Debug)]
pub struct Layer {
    /// The file as JSON, in the form of [`RawConfig`].
    pub value: Value,
    /// Its folder.
    pub folder: PathBuf,
}

/// Where paths are that are relative to the folder of the file; `*` is any item of a list.
const PATHS: [&[&str]; 9] = [
    &["packs", "paths", "*"],
    &["quills", "path"],
    &["quills", "manual", "*", "path"],
    &["templates", "path"],
    &["render", "worker"],
    &["render", "fonts", "*"],
    &["render", "cache_folder"],
    &["convert", "pandoc"],
    &["convert", "templates"],
];

/// Lists that are added to those of the configuration that is extended.
const ADDED: [&str; 2] = ["paths", "manual"];

/// What files say together, the one that extends the others last; and what each says about rules, where
/// `RawConfig::rules` is empty. Nothing where a file does not have the form of a configuration.
pub(super) fn merged(layers: Vec<Layer>) -> Option<(RawConfig, Vec<RawRules>)> {
    let (mut whole, mut rules) = (Map::new(), Vec::new());
    let last = layers.len().checked_sub(1)?;
    for (index, Layer { value, folder }) in layers.into_iter().enumerate() {
        let Value::Object(mut said) = value else { return None };
        let mut own: RawRules =
            serde_json::from_value(said.remove("rules").unwrap_or_else(|| Map::new().into())).ok()?;
        if index < last {
            own.baseline = None;
            said.retain(|key, _| key != "server" && key != "extends");
            let mut value = Value::Object(said);
            for path in PATHS {
                rebase(&mut value, path, &folder);
            }
            let Value::Object(rebased) = value else { return None };
            said = rebased;
        }
        rules.push(own);
        merge(&mut whole, said);
    }
    Some((serde_json::from_value(Value::Object(whole)).ok()?, rules))
}

/// Joins the paths at a place to a folder.
fn rebase(value: &mut Value, place: &[&str], folder: &std::path::Path) {
    match (place.split_first(), value) {
        (None, Value::String(path)) => *path = folder.join(&*path).to_string_lossy().into_owned(),
        (Some((&"*", rest)), Value::Array(items)) => {
            for item in items {
                rebase(item, rest, folder);
            }
        }
        (Some((key, rest)), Value::Object(map)) => {
            map.get_mut(*key).into_iter().for_each(|value| rebase(value, rest, folder));
        }
        _ => {}
    }
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(further)) => merge(known, further),
            (Some(Value::Array(known)), Value::Array(further)) if ADDED.contains(&key.as_str()) => {
                known.extend(further);
            }
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}
