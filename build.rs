//! Embeds the built-in packs: every YAML file of `rules/` becomes JSON, which loads in a fraction of
//! the time, with what only explanations need kept apart. Compiles the grammars to tables, with the
//! compiler of the library.

#[path = "src/budget/mod.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "grammars are only compiled here")]
mod budget;
#[path = "build/diagrams/mod.rs"]
mod diagrams;
#[path = "src/syntax/mapping/compile/mod.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "the library runs what is only compiled here")]
mod mapping;
#[path = "src/text/nesting.rs"]
#[allow(dead_code, unreachable_pub, reason = "the library uses all of it")]
mod nesting;
#[path = "src/peg/mod.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "the library runs what is only compiled here")]
mod peg;
#[path = "src/text/span.rs"]
#[allow(dead_code, unreachable_pub, reason = "the library uses all of it")]
mod span;
#[path = "build/tables.rs"]
mod tables;
#[path = "build/yaml.rs"]
mod yaml;

mod text {
    pub(crate) use crate::{nesting::Notation, span::Span};
}

use std::{
    collections::HashMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

fn main() {
    // What this program includes from the library leaves out what only the library needs.
    println!("cargo:rustc-cfg=library");
    println!("cargo:rerun-if-changed=rules");
    println!("cargo:rerun-if-changed=quills");
    println!("cargo:rerun-if-changed=templates");
    println!("cargo:rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("rules");
    let mut packs: Vec<Value> = folders(&root).iter().map(|folder| pack(folder)).collect();
    packs.sort_by_key(|pack| pack["pack"]["name"].to_string());
    let mut help = Map::new();
    let mut texts = String::new();
    for pack in &mut packs {
        for file in pack["files"].as_array_mut().into_iter().flatten() {
            for rule in file["rules"].as_array_mut().into_iter().flatten() {
                let Some(rule) = rule.as_object_mut() else { continue };
                let explain = rule.insert("explain".into(), "".into()).unwrap_or_default();
                let examples = rule.remove("examples").unwrap_or_else(|| json!([]));
                if let Some(id) = rule.get("id").and_then(Value::as_str) {
                    help.insert(id.to_owned(), json!({"explain": explain, "examples": examples}));
                }
            }
        }
        *pack = embedded(pack, &mut texts);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    write(&out.join("packs.json"), &Value::Array(packs).to_string());
    write(&out.join("packs.txt"), &texts);
    write(&out.join("help.json"), &Value::Object(help).to_string());
    grammars(&out);
    write(&out.join("examples.json"), &Value::Object(examples()).to_string());
    write(&out.join("quills.rs"), &compiled_in("quills"));
    write(&out.join("templates.rs"), &compiled_in("templates"));
}

/// The texts of `examples/` by path, for those who learn; what is broken on purpose is found out when
/// they are read.
fn examples() -> Map<String, Value> {
    println!("cargo:rerun-if-changed=examples");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("examples");
    let mut found = Map::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                found.insert(name, text.into());
            }
        }
    }
    found
}

/// The grammars that are not of diagrams: path below `grammars/`, and the rules that texts are read with.
const GRAMMARS: &[(&str, &[&str])] = &[
    ("jsonpath.pest", &["path"]),
    (
        "markdown/metadata.pest",
        &[
            "block",
            "block_at_end",
            "contiguous_block",
            "contiguous_block_at_end",
            "would_be_block",
            "key_line",
        ],
    ),
    ("qtype/type.pest", &["expression"]),
    ("surroundings.pest", &["fence_line", "language_line", "entity"]),
];

/// Writes the tables of all grammars, a file for each folder of `grammars/`.
fn grammars(out: &Path) {
    println!("cargo:rerun-if-changed=grammars");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/peg");
    println!("cargo:rerun-if-changed=src/syntax/mapping/compile");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("grammars");
    for (file, starts) in GRAMMARS {
        let path = folder.join(file);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = tables::source(&name, &grammar(&[&path], starts));
        write(&out.join(format!("{name}_grammar.rs")), &source);
    }
    write(&out.join("mermaid_grammars.rs"), &diagram_grammars(&folder.join("mermaid")));
}

/// The tables of all diagram types: their grammars, each with what `common.pest` says as well, and their
/// descriptions.
fn diagram_grammars(folder: &Path) -> String {
    let common = folder.join("common.pest");
    let mut source = String::new();
    let mut list = String::new();
    let mut grammars = HashMap::new();
    for path in diagrams::files(folder, "pest") {
        let (name, compiled) =
            (diagrams::stem(&path), grammar(&[&common, &path], &["document", "statement"]));
        source += &tables::source(&name, &compiled);
        let _ = write!(list, "({name:?}, &{}), ", name.to_uppercase());
        grammars.insert(name, compiled);
    }
    source += &diagrams::source(folder, &grammars).unwrap_or_else(|problems| {
        for problem in problems {
            println!("cargo:warning={problem}");
        }
        std::process::exit(1)
    });
    format!("{source}#[cfg(test)]\npub(crate) static ALL: &[(&str, &Grammar)] = &[{list}];\n")
}

/// Compiles a grammar that is written in one file or several.
fn grammar(files: &[&Path], starts: &[&str]) -> peg::Grammar {
    let texts: Vec<String> = files.iter().map(|path| read(path) + "\n").collect();
    let options = peg::Options { starts, errors: &["err_", "raw_"] };
    peg::compile(&texts.concat(), options).unwrap_or_else(|faults| {
        for fault in &faults {
            let mut at = fault.span.start as usize;
            let file = texts.iter().position(|text| {
                let inside = at < text.len();
                at -= if inside { 0 } else { text.len() };
                inside
            });
            let file = file.unwrap_or_default();
            let before = texts[file].get(..at).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            println!("cargo:warning={}:{line}: {}", files[file].display(), fault.problem);
        }
        std::process::exit(1)
    })
}

/// A table of the files below a folder, to be compiled in: path and bytes.
fn compiled_in(folder: &str) -> String {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    files_below(&root.join(folder), "", &mut files);
    let rows: String = files
        .iter()
        .map(|(name, path)| format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string()))
        .collect();
    format!("&[\n{rows}]\n")
}

fn files_below(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    for path in entries(folder) {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = if name.is_empty() { file.into_owned() } else { format!("{name}/{file}") };
        if path.is_dir() {
            files_below(&path, &name, files);
        } else {
            files.push((name, path));
        }
    }
}

fn write(path: &Path, text: &str) {
    if let Err(error) = fs::write(path, text) {
        fail(path, &error.to_string());
    }
}

fn fail(path: &Path, why: &str) -> ! {
    println!("cargo:warning={}: {why}", path.display());
    std::process::exit(1);
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        entries(root).into_iter().filter(|path| path.join("pack.yaml").is_file()).collect();
    found.sort();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| fail(path, &error.to_string()))
}

fn yaml(path: &Path) -> Value {
    yaml::read(&read(path)).unwrap_or_else(|error| fail(path, &error)).value
}

fn pack(folder: &Path) -> Value {
    let pack = yaml(&folder.join("pack.yaml"));
    let mut assets = Map::new();
    for name in ["schemas", "grammars"] {
        for entry in pack[name].as_object().into_iter().flat_map(Map::values) {
            let file = entry.as_str().or_else(|| entry["file"].as_str()).unwrap_or_default();
            if file.starts_with("kind:") {
                continue;
            }
            // A generated schema may not be there yet; the test that generates it needs a program first.
            let text = fs::read_to_string(folder.join(file)).unwrap_or_else(|_| {
                println!("cargo:warning={file} is missing: run `cargo run -- rules schema`");
                "{}".to_owned()
            });
            assets.insert(file.to_owned(), text.into());
        }
    }
    let files: Vec<Value> = entries(folder)
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "yaml") && !path.ends_with("pack.yaml"))
        .map(|path| {
            let mut file = yaml(path);
            inline_samples(&mut file, folder);
            file["path"] = path.file_name().unwrap_or_default().to_string_lossy().into();
            file
        })
        .collect();
    json!({"pack": pack, "files": files, "assets": assets})
}

/// A pack as every start of the program reads it: of rules what selects them. The rest of rules, and the files of the
/// pack, are in `texts`, and in their place is where.
fn embedded(pack: &Value, texts: &mut String) -> Value {
    let mut put = |text: &str| {
        let start = texts.len();
        texts.push_str(text);
        json!([start, texts.len()])
    };
    let assets = pack["assets"].as_object().into_iter().flatten();
    let assets: Map<String, Value> =
        assets.map(|(file, text)| (file.clone(), put(text.as_str().unwrap_or_default()))).collect();
    let written = pack["files"].as_array().into_iter().flatten();
    let written = written.flat_map(|file| file["rules"].as_array().into_iter().flatten());
    let mut rules = Vec::new();
    for rule in written {
        let mut head = Map::new();
        for field in
            ["id", "name", "files", "exclude", "severity", "since", "status", "enabled", "tags", "options"]
        {
            if let Some(value) = rule.get(field) {
                head.insert(field.to_owned(), value.clone());
            }
        }
        head.insert("kind".to_owned(), rule.get("kind").unwrap_or(&pack["pack"]["kinds"]).clone());
        head.insert("compares_documents".to_owned(), names_project(&rule["check"]).into());
        head.insert("text".to_owned(), put(&rule.to_string()));
        rules.push(Value::Object(head));
    }
    json!({"pack": pack["pack"], "rules": rules, "assets": assets})
}

/// Whether a check, or one inside it, has `scope: project`.
fn names_project(check: &Value) -> bool {
    let inner: Vec<&Value> = match check {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    check.get("scope").is_some_and(|scope| scope == "project") || inner.into_iter().any(names_project)
}

/// Puts the text of `file:` samples in their place, since the folder is gone at run time.
fn inline_samples(value: &mut Value, folder: &Path) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| inline_samples(item, folder)),
        Value::Object(object) => {
            for key in ["invalid", "valid", "fixed"] {
                let Some(sample) = object.get_mut(key).and_then(Value::as_object_mut) else { continue };
                if let Some(Value::String(file)) = sample.remove("file") {
                    sample.insert("source".into(), read(&folder.join(&file)).into());
                    let name =
                        Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
                    sample.entry("name").or_insert(name.into());
                }
            }
            object.values_mut().for_each(|value| inline_samples(value, folder));
        }
        _ => {}
    }
}
