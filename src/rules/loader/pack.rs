//! `pack.yaml` with the schemas and grammars it names.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{ReadFile, check_kind, compile_path, compile_paths, escape};
use crate::{
    kinds::{self, grammar::GrammarKind},
    rules::{
        fault::Fault,
        raw::{self, RawPack},
        rule::{Pack, Symbol},
        schema::SchemaDocument,
    },
};

/// Compiles a `pack.yaml` given as JSON.
pub(in crate::rules) fn compile_pack(json: &Value, read: ReadFile<'_>) -> (Pack, Vec<Fault>) {
    match serde_json::from_value::<RawPack>(json.clone()) {
        Ok(raw) => compile_raw_pack(raw, read, false),
        Err(error) => {
            let fault = Fault::new("undecodable-rule", "").with("detail", error.to_string());
            (Pack::default(), vec![fault])
        }
    }
}

/// Compiles a decoded `pack.yaml`.
pub(in crate::rules) fn compile_raw_pack(
    raw: RawPack,
    read: ReadFile<'_>,
    builtin: bool,
) -> (Pack, Vec<Fault>) {
    let mut faults = Vec::new();
    let deep = !builtin;
    let mut pack = Pack {
        reference_key: raw.reference_key,
        name: raw.name,
        description: raw.description,
        prefixes: raw.prefix.map(|prefix| prefix.to_vec()).unwrap_or_default(),
        kinds: raw.kinds,
        builtin,
        ..Pack::default()
    };
    for (name, path) in &raw.ancestors {
        if let Some(path) = compile_path(path, &format!("/ancestors/{}", escape(name)), deep, &mut faults) {
            pack.ancestors.insert(name.clone(), path);
        }
    }
    for (name, symbol) in &raw.symbols {
        let at = format!("/symbols/{}", escape(name));
        let given = compile_paths(symbol.given.as_ref(), &format!("{at}/given"), deep, &mut faults);
        let path =
            symbol.name.as_ref().and_then(|p| compile_path(p, &format!("{at}/name"), deep, &mut faults));
        if let Some(within) = symbol.within.as_ref().filter(|within| !raw.ancestors.contains_key(*within)) {
            let known = raw.ancestors.keys().map(String::as_str);
            let fault = Fault::new("unknown-ancestor", format!("{at}/within"));
            faults.push(fault.with("ancestor", within.as_str()).among(within, known));
        }
        let typed = symbol.value_type.as_ref();
        let symbol = Symbol {
            given,
            name: path,
            value_type: typed.and_then(|path| compile_path(path, &format!("{at}/type"), deep, &mut faults)),
            builtin: symbol.builtin.clone(),
            within: symbol.within.clone(),
        };
        pack.symbols.insert(name.clone(), symbol);
    }
    compile_schemas(&raw.schemas, read, &mut pack, &mut faults);
    compile_grammars(&raw.grammars, read, &mut pack, &mut faults);
    for (index, kind) in pack.kinds.iter().enumerate() {
        check_kind(kind, &pack, &format!("/kinds/{index}"), &mut faults);
    }
    faults.extend(redirect_cycles(&raw.redirects));
    (pack, faults)
}

/// Redirects that lead back to where they started, one fault a circle.
fn redirect_cycles(redirects: &BTreeMap<String, String>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for start in redirects.keys() {
        let mut names = vec![start];
        while let Some(next) = redirects.get(names[names.len() - 1]) {
            names.push(next);
            if next == start || names.len() > redirects.len() + 1 {
                break;
            }
        }
        // The circle is told once, at its first name.
        if names.len() > 1 && names.last() == Some(&start) && names.iter().all(|name| *name >= start) {
            let cycle: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let fault = Fault::new("redirect-cycle", format!("/redirects/{}", escape(start)));
            faults.push(fault.with("cycle", cycle.join(" → ")));
        }
    }
    faults
}

fn compile_schemas(
    schemas: &BTreeMap<String, String>,
    read: ReadFile<'_>,
    pack: &mut Pack,
    faults: &mut Vec<Fault>,
) {
    for (name, file) in schemas {
        let at = format!("/schemas/{}", escape(name));
        let text = match schema_text(file, read) {
            Ok(text) => text,
            Err(error) => {
                let fault = Fault::new("unreadable-file", at).with("file", file.as_str());
                faults.push(fault.with("detail", error.to_string()));
                continue;
            }
        };
        match serde_json::from_str::<Value>(&text) {
            Ok(schema) => {
                pack.schemas.insert(name.clone(), Arc::new(SchemaDocument::new(schema)));
            }
            Err(error) => faults.push(Fault::new("bad-schema", at).with("detail", error.to_string())),
        }
    }
}

/// The text of a schema: a file of the pack, or the schema of a kind's tree.
fn schema_text(file: &str, read: ReadFile<'_>) -> std::io::Result<String> {
    match file.strip_prefix("kind:") {
        Some(kind) => kinds::by_name(kind)
            .map(|kind| kind.tree_schema().to_owned())
            .ok_or_else(|| std::io::Error::other(format!("there is no kind `{kind}`"))),
        None => read(file),
    }
}

fn compile_grammars(
    grammars: &BTreeMap<String, raw::RawGrammar>,
    read: ReadFile<'_>,
    pack: &mut Pack,
    faults: &mut Vec<Fault>,
) {
    for (name, grammar) in grammars {
        let at = format!("/grammars/{}/file", escape(name));
        match read(&grammar.file) {
            Ok(source) => match GrammarKind::compile(name, &source, &grammar.start, &grammar.languages) {
                Ok(kind) => {
                    pack.grammars.insert(name.clone(), kind);
                }
                Err(detail) => {
                    let fault = Fault::new("bad-grammar", at).with("file", grammar.file.as_str());
                    faults.push(fault.with("detail", detail));
                }
            },
            Err(error) => {
                let fault = Fault::new("unreadable-file", at).with("file", grammar.file.as_str());
                faults.push(fault.with("detail", error.to_string()));
            }
        }
    }
}
