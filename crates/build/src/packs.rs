//! Rule packs as data.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use proofmark_base::text::Fingerprint;
use serde_json::{Map, Value, json};

use crate::{entries, input, output, repository, stop, yaml};

/// The packs of a folder as data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packs {
    /// What every start of the program reads, as JSON.
    pub packs: String,
    /// Rules and files as they are written, one after the other.
    pub texts: String,
    /// The fingerprint of the version and of these two.
    pub fingerprint: String,
    /// What only explanations need, as JSON.
    pub help: String,
}

impl Packs {
    /// Compiles the packs of a folder, for a version of the program.
    ///
    /// # Errors
    ///
    /// The file that cannot be used, and why.
    pub fn of(folder: &Path, version: &str) -> Result<Self, String> {
        let mut packs: Vec<Value> =
            folders(folder).iter().map(|folder| pack(folder)).collect::<Result<_, _>>()?;
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
        }
        let mut heads: Vec<[String; 2]> = Vec::new();
        for (position, pack) in packs.iter_mut().enumerate() {
            *pack = embedded(pack, position, &mut texts, &mut heads)?;
        }
        // A start takes them in this order.
        heads.sort();
        let heads: Vec<String> = heads.into_iter().map(|[_, line]| line).collect();
        let rules = put(&heads.join("\n"), &mut texts);
        let packs = json!({"packs": packs, "rules": rules}).to_string();
        let fingerprint = Fingerprint::new().add(version).add(&packs).add(&texts).hex();
        Ok(Self { packs, texts, fingerprint, help: Value::Object(help).to_string() })
    }
}

/// Writes the packs of `rules/` to `packs.json`, `packs.txt`, `fingerprint.txt` and `help.json`, and the state that the folder had to
/// `state.txt`.
///
/// Where `is_live`, Cargo does not run the build script again when a rule changes: the program compares the state itself.
pub fn packs(is_live: bool) {
    let folder = if is_live { repository("rules") } else { input("rules") };
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    output("state.txt", &state(&folder));
    match Packs::of(&folder, &version) {
        Ok(Packs { packs, texts, fingerprint, help }) => {
            output("packs.json", &packs);
            output("packs.txt", &texts);
            output("fingerprint.txt", &fingerprint);
            output("help.json", &help);
        }
        Err(why) => stop(&why),
    }
}

/// The state of a folder as sixteen hexadecimal digits: the paths of the files in it, how long they are and when each was written.
pub fn state(folder: &Path) -> String {
    let mut state = Fingerprint::new();
    add_state(folder, &mut state);
    state.hex()
}

fn add_state(folder: &Path, state: &mut Fingerprint) {
    for path in entries(folder) {
        let Ok(found) = fs::metadata(&path) else { continue };
        if found.is_dir() {
            add_state(&path, state);
            continue;
        }
        let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map_or(0, |time| time.as_nanos());
        state.add(&path.to_string_lossy()).add(&format!("{} {changed}", found.len()));
    }
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        entries(root).into_iter().filter(|path| path.join("pack.yaml").is_file()).collect();
    found.sort();
    found
}

fn document(path: &Path) -> Result<Value, String> {
    Ok(yaml::read(&text(path)?).map_err(|why| about(path, &why))?.value)
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|why| about(path, &why.to_string()))
}

fn about(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

fn pack(folder: &Path) -> Result<Value, String> {
    let pack = document(&folder.join("pack.yaml"))?;
    let mut assets = Map::new();
    for name in ["schemas", "grammars"] {
        for entry in pack[name].as_object().into_iter().flat_map(Map::values) {
            let file = entry.as_str().or_else(|| entry["file"].as_str()).unwrap_or_default();
            if file.starts_with("kind:") {
                continue;
            }
            assets.insert(file.to_owned(), text(&folder.join(file))?.into());
        }
    }
    let files: Vec<Value> = entries(folder)
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "yaml") && !path.ends_with("pack.yaml"))
        .map(|path| {
            let mut file = document(path)?;
            inline_samples(&mut file, folder)?;
            file["path"] = path.file_name().unwrap_or_default().to_string_lossy().into();
            Ok(file)
        })
        .collect::<Result<_, String>>()?;
    Ok(json!({"pack": pack, "files": files, "assets": assets}))
}

/// A pack as every start of the program reads it. Its fix groups, its rules and its files are in `texts`, and in their place is
/// where. What selects its rules goes into `heads`, a line for each, with its id.
fn embedded(
    pack: &Value,
    position: usize,
    texts: &mut String,
    heads: &mut Vec<[String; 2]>,
) -> Result<Value, String> {
    let assets = pack["assets"].as_object().into_iter().flatten();
    let assets: Map<String, Value> = assets
        .map(|(file, text)| (file.clone(), json!(put(text.as_str().unwrap_or_default(), texts))))
        .collect();
    let mut shared = pack["pack"].clone();
    let groups = shared.as_object_mut().and_then(|pack| pack.remove("fix_groups"));
    let groups = groups.map(|groups| put(&groups.to_string(), texts));
    let written = pack["files"].as_array().into_iter().flatten();
    for rule in written.flat_map(|file| file["rules"].as_array().into_iter().flatten()) {
        let id = rule["id"].as_str().unwrap_or_default().to_owned();
        let text = put(&rule.to_string(), texts);
        heads.push([id, head(rule, (position, &pack["pack"]), text)?]);
    }
    Ok(json!({"pack": shared, "fix_groups": groups, "assets": assets}))
}

/// Adds a part to `texts`, and says where it is.
fn put(text: &str, texts: &mut String) -> [usize; 2] {
    let start = texts.len();
    texts.push_str(text);
    [start, texts.len()]
}

/// What selects a rule, as a line of fields with tabs between them: every start looks at the first three of a thousand lines, and
/// JSON takes ten times as long. The last field has, as JSON, what few rules have.
fn head(rule: &Value, (position, pack): (usize, &Value), text: [usize; 2]) -> Result<String, String> {
    let word = |field: &str| rule[field].as_str().unwrap_or_default().to_owned();
    let words = |value: &Value| match value {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        word => word.as_str().unwrap_or_default().to_owned(),
    };
    let mut more = Map::new();
    for field in ["files", "exclude", "status", "options"] {
        if let Some(value) = rule.get(field) {
            more.insert(field.to_owned(), value.clone());
        }
    }
    let is_for_some_files = [rule, pack].iter().any(|of| of.get("files").or(of.get("exclude")).is_some());
    let marks = [(compares_documents(rule), "compares"), (is_for_some_files, "files")];
    let marks: Vec<&str> = marks.into_iter().filter(|(holds, _)| *holds).map(|(_, mark)| mark).collect();
    let fields = [
        position.to_string(),
        words(rule.get("kind").unwrap_or(&pack["kinds"])),
        marks.join(" "),
        word("id"),
        word("name"),
        word("severity"),
        word("since"),
        rule.get("enabled").and_then(Value::as_bool).unwrap_or(true).to_string(),
        words(&rule["tags"]),
        text[0].to_string(),
        text[1].to_string(),
        waits(rule, pack).unwrap_or_default(),
        words(&rule["follows"]),
        words(&rule["yields_to"]["rules"]),
        if more.is_empty() { String::new() } else { Value::Object(more).to_string() },
    ];
    if fields.iter().any(|field| field.contains(['\t', '\n'])) {
        return Err(format!("a field of the rule {} has a tab or a line end", fields[3]));
    }
    Ok(fields.join("\t"))
}

/// What a rule waits for that looks at nothing but the observations of one name, `fact NAME` or `syntax NAME`, or but what paths select in
/// the document, `nodes PATHS`, or in each of the documents of a file, `parts PATHS`; before the paths is the expression that is sought in
/// these nodes, if it is written in one line. A rule needs no more to be planned, unless it looks at other documents, or may mention a part
/// of the tree that is made on demand.
fn waits(rule: &Value, pack: &Value) -> Option<String> {
    let check = rule["check"].as_object().filter(|check| check.len() == 1)?;
    if compares_documents(rule) {
        return None;
    }
    let (kind, name) = check.iter().next()?;
    if let Some(name) = name.as_str().filter(|_| ["fact", "syntax"].contains(&kind.as_str())) {
        return (!names_root(rule)).then(|| format!("{kind} {name}"));
    }
    if names_link(&rule["check"]) || names_sections(rule) {
        return None;
    }
    let given = match rule.get("given")? {
        Value::Array(paths) => paths.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(PATH_END),
        path => path.as_str()?.to_owned(),
    };
    let by_parts =
        rule.get("documents").or(pack.get("documents")).is_some_and(|documents| documents == "each");
    let pattern = rule["check"]["search"]["pattern"].as_str().filter(|pattern| !pattern.contains('\n'));
    let sought = pattern.map(|pattern| format!("{pattern}{PATTERN_END}"));
    let what = if by_parts { "parts" } else { "nodes" };
    Some(format!("{what} {}{given}", sought.unwrap_or_default()))
}

/// What is between the paths of a rule; no path has it.
const PATH_END: &str = "\u{1F}";

/// What is between the expression that is sought and the paths.
const PATTERN_END: &str = "\u{1E}";

/// Whether a check, or one inside it, follows links.
fn names_link(check: &Value) -> bool {
    check.get("link").is_some() || parts(check).into_iter().any(names_link)
}

/// Whether a rule may mention `$.sections`.
fn names_sections(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains("sections"))
        || parts(value).into_iter().any(names_sections)
}

fn names_root(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains("$.") || text.contains("root."))
        || parts(value).into_iter().any(names_root)
}

/// Whether a rule compares the documents of a project: its check, or one inside it, has `scope: project` or is a `lookup`, or
/// an expression or a template looks up values.
fn compares_documents(rule: &Value) -> bool {
    let looks_up = ["when", "check", "message", "hint", "related"];
    names_project(&rule["check"]) || looks_up.iter().any(|part| looks_up_values(&rule[*part]))
}

fn names_project(check: &Value) -> bool {
    let is_lookup = check.get("lookup").is_some_and(Value::is_object);
    is_lookup
        || check.get("scope").is_some_and(|scope| scope == "project")
        || parts(check).into_iter().any(names_project)
}

fn looks_up_values(value: &Value) -> bool {
    let is_used = |text: &str| text.match_indices("lookup.").any(|(at, _)| !text[..at].ends_with(['.', '_']));
    value.as_str().is_some_and(is_used) || parts(value).into_iter().any(looks_up_values)
}

fn parts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    }
}

/// Puts the text of `file:` samples in their place, since the folder is gone at run time.
fn inline_samples(value: &mut Value, folder: &Path) -> Result<(), String> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| inline_samples(item, folder)),
        Value::Object(object) => {
            for key in ["invalid", "valid", "fixed"] {
                let Some(sample) = object.get_mut(key).and_then(Value::as_object_mut) else { continue };
                if let Some(Value::String(file)) = sample.remove("file") {
                    sample.insert("source".into(), text(&folder.join(&file))?.into());
                    let name =
                        Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
                    sample.entry("name").or_insert(name.into());
                }
            }
            object.values_mut().try_for_each(|value| inline_samples(value, folder))
        }
        _ => Ok(()),
    }
}
