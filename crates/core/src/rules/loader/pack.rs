//! `pack.yaml` with the schemas and grammars it names.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use serde_json::Value;

use super::{ReadFile, grammar, kind::compile_kind, schema_file, unknown_kind, yaml::yaml_to_json};
use crate::{
    checks::{
        Fault, Field, FilePart, OneOrMany, Symbol, Vocabulary,
        compile::{compile_path, compile_paths},
    },
    expressions::LazyRegex,
    kinds::{
        Kinds,
        grammar::{CommentPattern, Definition, GrammarKind},
    },
    rules::{
        embedded::Stored,
        files::RuleFiles,
        raw::{self, RawPack, RawSymbol},
        rule::{BrokenKind, Pack},
    },
    schema::SchemaDocument,
    text::io_reason,
};

/// Compiles a `pack.yaml` given as JSON; `kinds` are those that there are besides the pack's own.
pub(in crate::rules) fn compile_pack(json: &Value, kinds: &Kinds, read: ReadFile<'_>) -> (Pack, Vec<Fault>) {
    match serde_json::from_value::<RawPack>(json.clone()) {
        Ok(raw) => compile_raw_pack(raw, kinds, PackFiles::Folder(read)),
        Err(error) => {
            let fault = Fault::new("undecodable-rule", "").with("detail", error.to_string());
            (Pack::default(), vec![fault])
        }
    }
}

/// Where the files of a pack are.
#[derive(Clone, Copy)]
pub(in crate::rules) enum PackFiles<'f> {
    /// In its folder.
    Folder(ReadFile<'f>),
    /// In the program: the pack is a built-in one.
    Embedded(&'f HashMap<String, Stored>),
}

impl PackFiles<'_> {
    fn read(self, path: &str) -> std::io::Result<String> {
        match self {
            Self::Folder(read) => read(path),
            Self::Embedded(_) => self.embedded(path).map(str::to_owned),
        }
    }

    fn embedded(self, path: &str) -> std::io::Result<&'static str> {
        let stored = match self {
            Self::Folder(_) => None,
            Self::Embedded(files) => files.get(path),
        };
        stored.map(|stored| stored.text()).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
    }
}

/// Compiles a decoded `pack.yaml`.
pub(in crate::rules) fn compile_raw_pack(
    raw: RawPack,
    kinds: &Kinds,
    pack_files: PackFiles<'_>,
) -> (Pack, Vec<Fault>) {
    let builtin = matches!(pack_files, PackFiles::Embedded(_));
    let read: ReadFile<'_> = &|path| pack_files.read(path);
    let mut faults = Vec::new();
    faults.extend(raw.requires.as_deref().and_then(other_version));
    let vocabulary = Vocabulary { pack: raw.name.clone(), ..compile_names(&raw, !builtin, &mut faults) };
    let (files, exclude) = (raw.files.as_ref(), raw.exclude.as_ref());
    let files = if builtin {
        RuleFiles::builtin(files, exclude)
    } else {
        RuleFiles::compile(files, exclude, &Field::at(""), &mut faults)
    };
    let mut pack = Pack {
        name: raw.name,
        description: raw.description,
        prefixes: raw.prefix.map(OneOrMany::into_vec).unwrap_or_default(),
        kinds: raw.kinds,
        files,
        documents: raw.documents,
        vocabulary,
        fix_groups: raw.fix_groups.into(),
        control_comments: raw.control_comments,
        builtin,
        ..Pack::default()
    };
    compile_grammars(&raw.grammars, read, &mut pack, &mut faults);
    compile_kinds(&raw.kind_files, kinds, read, &mut pack, &mut faults);
    let kinds = &kinds.with(&pack.defines);
    compile_schemas(&raw.schemas, kinds, pack_files, &mut pack, &mut faults);
    let field = Field::at("/kinds");
    for (index, kind) in pack.kinds.iter().enumerate() {
        faults.extend(unknown_kind(kind, &pack, kinds, &field.index(index)));
    }
    (pack, faults)
}

/// What is wrong with the range of versions that a pack is for.
fn other_version(range: &str) -> Option<Fault> {
    let own = env!("CARGO_PKG_VERSION");
    let fault = || Fault::new("other-version", "/requires").with("range", range).with("version", own);
    match (semver::VersionReq::parse(range), semver::Version::parse(own)) {
        (Err(error), _) => Some(fault().with("detail", error.to_string())),
        (Ok(range), Ok(own)) if !range.matches(&own) => Some(fault().with("detail", "")),
        _ => None,
    }
}

/// The names that a pack gives its rules, without its schemas.
fn compile_names(raw: &RawPack, deep: bool, faults: &mut Vec<Fault>) -> Vocabulary {
    let mut names = Vocabulary { reference_key: raw.reference_key.clone(), ..Vocabulary::default() };
    let ancestors = Field::at("/ancestors");
    for (name, path) in &raw.ancestors {
        if let Some(path) = compile_path(path, &ancestors.key(name), deep, faults) {
            names.ancestors.insert(name.clone(), path);
        }
    }
    let symbols = Field::at("/symbols");
    for (name, symbol) in &raw.symbols {
        let at = symbols.key(name);
        if let Some(within) = symbol.within.as_ref().filter(|within| !raw.ancestors.contains_key(*within)) {
            let known = raw.ancestors.keys().map(String::as_str);
            let fault = Fault::new("unknown-ancestor", &at.key("within"));
            faults.push(fault.with("ancestor", within.as_str()).among(within, known));
        }
        names.symbols.insert(name.clone(), compile_symbol(symbol, &at, deep, faults));
    }
    names
}

fn compile_symbol(raw: &RawSymbol, at: &Field<'_>, deep: bool, faults: &mut Vec<Fault>) -> Symbol {
    let given = compile_paths(raw.given.as_ref(), &at.key("given"), deep, faults);
    let mut path =
        |path: Option<&String>, field| path.and_then(|path| compile_path(path, &at.key(field), deep, faults));
    let file = raw.name.as_deref().and_then(FilePart::of);
    let name = raw.name.as_ref().filter(|_| file.is_none());
    let (name, value_type) = (path(name, "name"), path(raw.value_type.as_ref(), "type"));
    let field = at.key("values");
    let mut values = BTreeMap::new();
    for (name, path) in &raw.values {
        if name == "file" {
            let detail = "`file` is the path of the file: give the value another name";
            faults.push(Fault::new("bad-bounds", &field.key(name)).with("detail", detail));
        } else {
            values.insert(name.clone(), compile_paths(Some(path), &field.key(name), deep, faults));
        }
    }
    let detail = match () {
        () if raw.pairs && file.is_some() => "the pairs are those of a mapping: `name` is a path to it",
        () if raw.pairs && raw.pattern.is_some() => "use either `pairs` or `pattern`",
        () => "",
    };
    if !detail.is_empty() {
        faults.push(Fault::new("bad-bounds", at).with("detail", detail));
    }
    Symbol {
        given,
        name,
        file,
        pattern: raw.pattern.clone().map(LazyRegex::new),
        pairs: raw.pairs,
        values,
        value_type,
        builtin: raw.builtin.clone(),
        within: raw.within.clone(),
    }
}

fn compile_schemas(
    schemas: &BTreeMap<String, String>,
    kinds: &Kinds,
    files: PackFiles<'_>,
    pack: &mut Pack,
    faults: &mut Vec<Fault>,
) {
    for (name, file) in schemas {
        let schemas = Field::at("/schemas");
        let at = schemas.key(name);
        if let Some(schema) = compile_schema(file, &at, kinds, files, faults) {
            pack.vocabulary.schemas.insert(name.clone(), Arc::new(schema));
        }
    }
}

/// A schema: a file of the pack, or the schema of a kind's tree. Those of built-in packs are read when they are
/// first used.
fn compile_schema(
    file: &str,
    at: &Field<'_>,
    kinds: &Kinds,
    files: PackFiles<'_>,
    faults: &mut Vec<Fault>,
) -> Option<SchemaDocument> {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    if let Some(name) = file.strip_prefix("kind:") {
        let Some(kind) = kinds.get(name).cloned() else {
            let fault = Fault::new("unreadable-file", at).with("file", file);
            faults.push(fault.with("detail", format!("there is no kind `{name}`")));
            return None;
        };
        return Some(match files {
            PackFiles::Embedded(_) => SchemaDocument::builtin(move || kind.tree_schema().to_owned()),
            PackFiles::Folder(_) => SchemaDocument::deferred(move || parsed(kind.tree_schema())),
        });
    }
    if let PackFiles::Folder(read) = files {
        return schema_file::read_schema(file, at, read, faults).map(SchemaDocument::new);
    }
    let text = files.embedded(file).ok()?;
    Some(SchemaDocument::builtin(move || text.to_owned()))
}

/// Whether a file of this name defines a kind.
pub(in crate::rules) fn is_kind_file(name: &str) -> bool {
    name == "kind.yaml" || name.ends_with(".kind.yaml")
}

/// The kinds that files of the pack define.
fn compile_kinds(
    files: &[String],
    kinds: &Kinds,
    read: ReadFile<'_>,
    pack: &mut Pack,
    faults: &mut Vec<Fault>,
) {
    let usual = ["kind.yaml".to_owned()];
    let field = Field::at("/kind_files");
    for (index, file) in if files.is_empty() { &usual } else { files }.iter().enumerate() {
        let at = field.index(index);
        let text = match read(file) {
            Ok(text) => text,
            Err(_) if files.is_empty() => return,
            Err(error) => {
                let fault = Fault::new("unreadable-file", &at).with("file", file.as_str());
                faults.push(fault.with("detail", io_reason(&error)));
                continue;
            }
        };
        if !is_kind_file(file) {
            let detail = "a file that defines a kind is called `kind.yaml` or `NAME.kind.yaml`";
            faults.push(Fault::new("bad-kind", &at).with("detail", detail));
        }
        let json = yaml_to_json(file, &text);
        match compile_kind(&json, &kinds.with(&pack.defines), read) {
            (Some(kind), _) => pack.defines.add(kind),
            (None, faults) => {
                let name = json["name"].as_str().unwrap_or_default().to_owned();
                pack.broken_kinds.push(BrokenKind { file: file.clone(), name, faults });
            }
        }
    }
}

/// The kinds of `grammars:`, for fences of some languages.
fn compile_grammars(
    grammars: &BTreeMap<String, raw::RawGrammar>,
    read: ReadFile<'_>,
    pack: &mut Pack,
    faults: &mut Vec<Fault>,
) {
    let field = Field::at("/grammars");
    for (name, raw) in grammars {
        let at = field.key(name);
        let places = (&at.key("file"), &at.key("start"));
        let Some(grammar) = grammar::compile(&raw.file, &raw.start, places, read, faults) else { continue };
        pack.defines.add(Arc::new(GrammarKind::new(Definition {
            name: name.clone(),
            description: format!("fences of {}, read by the pack {}", raw.languages.join(", "), pack.name),
            globs: Vec::new(),
            fences: raw.languages.clone(),
            comment: CommentPattern::default(),
            grammar,
            start: raw.start.clone(),
            tree: None,
            names: Vec::new(),
            schema: None,
        })));
    }
}
