//! What is wrong with a rule file or a `pack.yaml`, as observations on its document.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

use super::{
    loader::{self, LoadedFile},
    rule::Pack,
    ruleset::Ruleset,
    schemas::shape_errors,
};
use crate::{
    budget,
    checks::Fault,
    kinds::{Document, Kinds, Observation},
    text::Source,
};

/// A rule file with what was made of it.
#[derive(Debug, Default)]
pub struct LintedFile {
    /// The pack it belongs to.
    pub pack: Pack,
    /// The rules that can run, with their faults taken out.
    pub file: LoadedFile,
    /// What is wrong, besides what the JSON Schema of the file says.
    pub observations: Vec<Observation>,
    /// Other files of the pack that observations are in: their sources go after those of the document.
    pub sources: Vec<Arc<Source>>,
    /// Whether the file conforms to that schema, and the pack has no errors that its rules depend on.
    pub conforms: bool,
}

impl LintedFile {
    /// Whether the rules can be tried out: what is wrong does not change what they do.
    pub fn is_runnable(&self) -> bool {
        self.conforms && self.observations.iter().all(|observation| observation.name == "missing-pack")
    }
}

/// Faults of names that packs declare.
const NAMES_OF_PACKS: &[&str] = &[
    "unknown-kind",
    "unknown-symbol",
    "unknown-ancestor",
    "unknown-fix-group",
    "bad-schema",
    "unknown-member",
];

/// Bytes of a node of a document as JSON.
const VALUE: usize = 96;

/// Compiles the rule file or pack that `document` is; `read` gives the `pack.yaml` beside it and the
/// files it names.
pub fn lint(
    document: &Document,
    read: &dyn Fn(&str) -> std::io::Result<String>,
    ruleset: &Ruleset,
) -> LintedFile {
    let root = document.tree.root();
    if !budget::allocate(document.tree.len() * VALUE) {
        return LintedFile::default();
    }
    let json = root.to_json();
    let is_kind = root.get("grammar").is_some() || root.get("references").is_some();
    if root.get("rules").is_none() && is_kind {
        let pack = read("pack.yaml").map(|text| loader::yaml_to_json("pack.yaml", &text)).unwrap_or_default();
        let others = ruleset.kinds_besides(pack["name"].as_str().unwrap_or_default());
        let (_, mut faults) = loader::compile_kind(&json, &others, read);
        faults.extend(taken_files(&json, &others));
        let (observations, sources) = observed(faults, document);
        return LintedFile { observations, sources, ..LintedFile::default() };
    }
    if root.get("rules").is_none() && root.get("kinds").is_some() {
        let others = ruleset.kinds_besides(json["name"].as_str().unwrap_or_default());
        let (pack, mut faults) = loader::compile_pack(&json, &others, read);
        if faults.is_empty() {
            faults.extend(loader::misspelled_keywords(&json, read));
        }
        let (observations, sources) = observed(faults, document);
        let conforms = shape_errors(root).is_empty();
        return LintedFile { pack, observations, sources, conforms, ..LintedFile::default() };
    }
    let mut faults = Vec::new();
    let mut is_sound = true;
    let mut names_are_known = true;
    let (pack, others) = match read("pack.yaml") {
        Ok(text) => {
            let json = loader::yaml_to_json("pack.yaml", &text);
            let others = ruleset.kinds_besides(json["name"].as_str().unwrap_or_default());
            let (pack, faults) = loader::compile_pack(&json, &others, read);
            is_sound = faults.is_empty();
            names_are_known = !faults.iter().any(|fault| fault.name == "undecodable-rule");
            (pack, others)
        }
        Err(_) => {
            faults.push(Fault::new("missing-pack", ""));
            (Pack::default(), ruleset.kinds().clone())
        }
    };
    let mut file = loader::compile_file(&json, &pack, &others.with(&pack.defines), read);
    // What the pack says of names is not known where it cannot be read.
    if !names_are_known {
        file.faults.retain(|fault| !NAMES_OF_PACKS.contains(&fault.name));
    }
    if !pack.broken_kinds.is_empty() {
        file.faults.retain(|fault| fault.name != "unknown-kind");
    }
    faults.append(&mut file.faults);
    faults.extend(clashes(&json, &pack, ruleset));
    faults.extend(unknown_rules(&json, ruleset));
    let (observations, sources) = observed(faults, document);
    let conforms = is_sound && shape_errors(root).is_empty();
    LintedFile { pack, file, observations, sources, conforms }
}

/// Faults as observations, with the other files of the pack that they are in.
fn observed(faults: Vec<Fault>, document: &Document) -> (Vec<Observation>, Vec<Arc<Source>>) {
    let mut sources = Vec::new();
    let observe = |fault: Fault| fault.observation(&document.tree, &mut sources);
    let observations = faults.into_iter().map(observe).collect();
    // Packs name their files relative to their folder, reports relative to the working directory.
    let folder = document.source().name().rfind('/').map(|end| &document.source().name()[..=end]);
    let named = |file: &Arc<Source>| match folder {
        Some(folder) => Arc::new(Source::new(format!("{folder}{}", file.name()), file.text())),
        None => Arc::clone(file),
    };
    (observations, sources.iter().map(named).collect())
}

/// File names of a kind by which files of another kind are known.
fn taken_files(json: &Value, others: &Kinds) -> Vec<Fault> {
    let globs = json["globs"].as_array().into_iter().flatten().enumerate();
    let taken = |(index, glob): (usize, &Value)| {
        let glob = glob.as_str()?;
        let kind =
            others.iter().find(|kind| kind.globs().iter().any(|other| other.eq_ignore_ascii_case(glob)))?;
        let fault = Fault::new("kind-takes-files", format!("/globs/{index}"));
        Some(fault.with("glob", glob).with("kind", kind.name()))
    };
    globs.filter_map(taken).collect()
}

/// Ids and names that appear twice in the file or belong to a rule of another pack.
fn clashes(json: &Value, pack: &Pack, ruleset: &Ruleset) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, rule) in json["rules"].as_array().into_iter().flatten().enumerate() {
        for (field, fault) in [("id", "duplicate-id"), ("name", "duplicate-name")] {
            let Some(value) = rule[field].as_str() else { continue };
            let at = format!("/rules/{index}/{field}");
            let first = match seen.get(value) {
                Some(first) => Some(format!("rule {} of this file", first + 1)),
                None => ruleset
                    .find(value)
                    .filter(|found| found.rule.pack != pack.name)
                    .map(|found| format!("pack `{}`", found.rule.pack)),
            };
            match first {
                Some(first) => faults.push(Fault::new(fault, at).with(field, value).with("first", first)),
                None => {
                    seen.insert(value.to_owned(), index);
                }
            }
        }
    }
    faults
}

/// `follows` and `replaced_by` that lead nowhere.
fn unknown_rules(json: &Value, ruleset: &Ruleset) -> Vec<Fault> {
    let rules = json["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own: Vec<&str> =
        rules.iter().flat_map(|rule| [&rule["id"], &rule["name"]]).filter_map(Value::as_str).collect();
    let is_tag = |name: &str| ruleset.rules().iter().any(|rule| rule.tags.iter().any(|tag| tag == name));
    let mut faults = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let followed = rule["follows"].as_array().into_iter().flatten().enumerate();
        let named = followed.map(|(at, name)| (format!("/rules/{index}/follows/{at}"), name));
        let replaced = &rule["status"]["deprecated"]["replaced_by"];
        let replaced = (format!("/rules/{index}/status/deprecated/replaced_by"), replaced);
        for (at, name) in named.chain([replaced]) {
            let Some(name) = name.as_str() else { continue };
            if !own.contains(&name) && ruleset.find(name).is_none() && !is_tag(name) {
                let near = crate::text::nearest(name, own.iter().copied()).or_else(|| ruleset.nearest(name));
                let near = near.map_or(Value::Null, Value::from);
                faults.push(Fault::new("unknown-rule", at).with("rule", name).with("nearest", near));
            }
        }
    }
    faults
}
