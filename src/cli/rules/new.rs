use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::Value;

use crate::{project::Project, rules::Ruleset};

use super::{Console, Exit, Fault, shown};

/// Write a rule to start from, and its pack if there is none
///
/// The rule passes `rules test` as it is; its comments say what to change.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  proofmark rules new packs/catalogue PC001 --name unique-sku
  proofmark rules test packs/catalogue
and then name the folder under [packs] in proofmark.toml")]
pub(super) struct Arguments {
    /// Folder of the pack
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Id of the rule: two to four capital letters and at least three digits
    #[arg(value_name = "ID")]
    id: String,
    /// Name of the rule, in kebab-case
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Kind of document that the rule is for
    #[arg(long, value_name = "KIND", default_value = "markdown")]
    kind: String,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    Project::builtin().kind_named(&arguments.kind)?;
    let prefix = prefix(&arguments.id)?;
    let name = arguments.name.clone().unwrap_or_else(|| format!("new-{}", arguments.id.to_lowercase()));
    if !is_kebab(&name) {
        return Err(Fault::with_hint(
            format!("`{name}` is not a valid name for a rule"),
            "write it like `unique-sku`",
        ));
    }
    is_free(arguments, prefix, &name)?;
    let rule_file = arguments.folder.join(format!("{name}.yaml"));
    let fill = |text: &str| {
        let pack = pack_name(&arguments.folder);
        let pairs = [
            ("@ID@", arguments.id.as_str()),
            ("@NAME@", &name),
            ("@PREFIX@", prefix),
            ("@PACK@", &pack),
            ("@KIND@", &arguments.kind),
        ];
        pairs.iter().fold(text.to_owned(), |text, (mark, value)| text.replace(mark, value))
    };
    let mut files = vec![(rule_file, fill(&template(&arguments.kind)))];
    let pack_file = arguments.folder.join("pack.yaml");
    if !pack_file.exists() {
        files.insert(0, (pack_file, fill(include_str!("new/pack.yaml"))));
    }
    fs::create_dir_all(&arguments.folder).map_err(|error| Fault::write(&arguments.folder, error))?;
    for (path, text) in &files {
        if path.exists() {
            return Err(Fault::usage(format!("`{}` already exists", shown(path))));
        }
        fs::write(path, text).map_err(|error| Fault::write(path, error))?;
        Console::note(&format!("wrote {}", shown(path)));
    }
    Console::note(&format!("next: `proofmark rules test {}`", shown(&arguments.folder)));
    Ok(Exit::Clean)
}

/// The rule file to start from.
fn template(kind: &str) -> String {
    let starts: BTreeMap<String, Start> =
        serde_json::from_str(include_str!("new/kinds.json")).unwrap_or_default();
    let Some(start) = starts.get(kind) else { return include_str!("new/markdown.yaml").to_owned() };
    let quoted = |text: &str| Value::from(text).to_string();
    let pairs = [
        ("@GIVEN@", start.given.clone()),
        ("@FIELD@", start.field.clone()),
        ("@INVALID@", quoted(&start.invalid)),
        ("@VALID@", quoted(&start.valid)),
    ];
    let text = include_str!("new/other.yaml").to_owned();
    pairs.iter().fold(text, |text, (mark, value)| text.replace(mark, value))
}

/// What the first rule for a kind of document is about.
#[derive(Deserialize)]
struct Start {
    /// JSONPath to mappings.
    given: String,
    /// A key that they must have.
    field: String,
    /// A document in which it is missing.
    invalid: String,
    /// One in which it is not.
    valid: String,
}

/// The letters of an id.
fn prefix(id: &str) -> Result<&str, Fault> {
    let digits = id.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let prefix = &id[..id.len() - digits.len()];
    let right = (2..=4).contains(&prefix.len())
        && digits.len() >= 3
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    if right {
        return Ok(prefix);
    }
    let what = format!("`{id}` is not a valid id for a rule");
    Err(Fault::with_hint(what, "it is two to four capital letters and at least three digits, such as PC001"))
}

/// Refuses ids, prefixes and names that are taken.
fn is_free(arguments: &Arguments, prefix: &str, name: &str) -> Result<(), Fault> {
    let ruleset = Ruleset::builtin();
    if let Some(pack) = ruleset.packs().iter().find(|pack| pack.prefixes.iter().any(|own| own == prefix)) {
        let what = format!("ids that start with {prefix} belong to the built-in pack `{}`", pack.name);
        return Err(Fault::with_hint(what, "choose a prefix of your own"));
    }
    if let Some(found) = ruleset.find(name) {
        return Err(Fault::usage(format!(
            "the name `{name}` belongs to the built-in rule {}",
            found.rule.id
        )));
    }
    let own = Ruleset::with_packs(std::slice::from_ref(&arguments.folder)).ok();
    if let Some(own) = own.filter(|_| arguments.folder.join("pack.yaml").is_file()) {
        for taken in [arguments.id.as_str(), name] {
            if own.find(taken).is_some() {
                let folder = shown(&arguments.folder);
                return Err(Fault::usage(format!("the pack in `{folder}` has a rule `{taken}` already")));
            }
        }
        let pack = own.packs().iter().find(|pack| !pack.builtin);
        if let Some(pack) = pack.filter(|pack| !pack.prefixes.iter().any(|known| known == prefix)) {
            let what = format!("ids of the pack `{}` start with {}", pack.name, pack.prefixes.join(" or "));
            return Err(Fault::with_hint(what, "add the prefix to its `pack.yaml`, or choose another id"));
        }
    }
    Ok(())
}

fn is_kebab(name: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.split('-').all(word)
}

/// The folder's name, made fit for a pack.
fn pack_name(folder: &Path) -> String {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = absolute.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name = name.trim_matches('-').to_owned();
    if name.is_empty() { "pack".to_owned() } else { name }
}
