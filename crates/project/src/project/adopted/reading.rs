//! The files of a folder that say how another tool is to check the documents below it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use super::super::error::Findings;
use crate::{
    diagnostic::Severity,
    engine::{Settings, Validator, adopt},
    files,
    kinds::{Document, Limits, ParseOptions},
    rules::Ruleset,
    syntax::Observation,
    text::{Fragment, Source, SourceId, Span},
    tree::Node,
};

/// Most configurations that extend each other in turn.
const DEEPEST: usize = 8;

/// Keys of a tool that say how it runs or what it prints, not what it finds.
const BESIDE: [&str; 7] =
    ["$schema", "fix", "gitignore", "noBanner", "noProgress", "outputFormatters", "showFound"];

/// What the files of one folder say.
#[derive(Debug, Clone, Default)]
pub(super) struct Folder {
    /// The configuration of rules.
    pub(super) rules: Option<Map<String, Value>>,
    /// The configuration of rules in the file with more than that. The other one replaces it.
    pub(super) base: Option<Map<String, Value>>,
    /// Globs of files that are not checked.
    pub(super) ignored: Vec<String>,
    /// Globs of the files that are checked; all files if empty.
    pub(super) globs: Vec<String>,
    /// The patterns of files that are not checked, in the form that Git has.
    pub(super) patterns: Vec<String>,
    /// The files, the one with the rules first.
    pub(super) files: Vec<PathBuf>,
    /// What there is to say about the files.
    pub(super) findings: Vec<Findings>,
}

/// A file that was read.
struct Read {
    path: PathBuf,
    document: Document,
}

impl Read {
    fn root(&self) -> Node<'_> {
        self.document.tree.root()
    }

    fn value(&self) -> Map<String, Value> {
        self.root().to_json().as_object().cloned().unwrap_or_default()
    }
}

/// Reads the files of folders.
pub(super) struct Reader<'r> {
    /// The outermost folder.
    pub(super) root: &'r Path,
    /// The word that the files are called by.
    pub(super) word: &'r str,
    pub(super) ruleset: &'r Arc<Ruleset>,
    /// What reports what there is to say about files.
    pub(super) validator: &'r Validator,
}

impl Reader<'_> {
    /// What the files in a folder say; `outermost` is the one of the project.
    pub(super) fn folder(&self, path: &Path, outermost: bool) -> Folder {
        let mut folder = Folder::default();
        self.rules(path, outermost, &mut folder);
        self.more(path, outermost, &mut folder);
        if outermost {
            let ignoring = path.join(format!(".{}ignore", self.word));
            let text = files::read_small(&ignoring, Limits::default().text_bytes).unwrap_or_default();
            folder.patterns = text.lines().map(str::to_owned).collect();
        }
        folder
    }

    /// The file that has only rules: the first one that there is.
    fn rules(&self, path: &Path, outermost: bool, folder: &mut Folder) {
        let word = self.word;
        let mut names: Vec<String> =
            ["jsonc", "json", "yaml", "yml", "cjs", "mjs"].map(|kind| format!(".{word}.{kind}")).into();
        names.extend(outermost.then(|| format!(".{word}rc")));
        let Some(read) = self.first(path, &names, folder) else { return };
        let rules = self.with_base(&read, read.root(), &[], folder);
        folder.rules = Some(rules);
        folder.files.push(read.path);
    }

    /// The file that has more than rules: the first one that there is, or a part of `package.json`.
    fn more(&self, path: &Path, outermost: bool, folder: &mut Folder) {
        let word = self.word;
        let names = ["jsonc", "yaml", "cjs", "mjs"].map(|kind| format!(".{word}-cli2.{kind}"));
        if let Some(read) = self.first(path, &names, folder) {
            self.options(&read, read.root(), &[], folder);
            folder.files.push(read.path);
            return;
        }
        if !outermost {
            return;
        }
        // A package with errors has nothing to say.
        let Ok(Some(read)) = self.read(&path.join("package.json")) else { return };
        let key = format!("{word}-cli2");
        if let Some(options) = read.root().get(&key) {
            self.options(&read, options, &[key], folder);
        } else if let Some(rules) = read.root().get(word).filter(|_| folder.rules.is_none()) {
            let rules = self.with_base(&read, rules, &[word.to_owned()], folder);
            folder.rules = Some(rules);
        } else {
            return;
        }
        folder.files.push(read.path);
    }

    /// The first of these files that there is, as far as it can be read.
    fn first(&self, path: &Path, names: &[String], folder: &mut Folder) -> Option<Read> {
        let file = names.iter().map(|name| path.join(name)).find(|file| file.is_file())?;
        if file.extension().is_some_and(|extension| extension == "cjs" || extension == "mjs") {
            let source = Arc::new(Source::new(self.shown(&file), ""));
            self.note(&source, vec![Observation::about_file("script-not-adopted")], folder);
            return None;
        }
        match self.read(&file) {
            Ok(read) => read,
            Err(findings) => {
                folder.findings.push(findings);
                None
            }
        }
    }

    /// A JSON or YAML file; the first error of one that has errors.
    fn read(&self, path: &Path) -> Result<Option<Read>, Findings> {
        let Ok(text) = files::read_small(path, Limits::default().text_bytes) else { return Ok(None) };
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let is_json = match extension {
            "yaml" | "yml" => false,
            "json" | "jsonc" => true,
            _ => text.trim_start().starts_with('{'),
        };
        let Some(kind) = self.ruleset.kinds().get(if is_json { "json" } else { "yaml" }) else {
            return Ok(None);
        };
        // These tools accept comments and trailing commas in JSON, whatever the name of the file is.
        let read_as = Arc::new(Source::new(if is_json { "adopted.jsonc" } else { "adopted.yaml" }, text));
        let fragment = Fragment::contiguous(read_as.text(), read_as.span());
        let document = kind.parse(&read_as, &fragment, &ParseOptions::default());
        // Of two keys of JSON, these tools take the last one.
        let settings = Settings {
            ignore: ["json-duplicate-key", "json-trailing-comma"].map(str::to_owned).into(),
            ..Settings::default()
        };
        let found = Validator::new(Arc::clone(self.ruleset), settings).validate_document(&document);
        if let Some(mut first) = found.into_iter().find(|found| found.severity == Severity::Error) {
            let source = Arc::new(Source::new(self.shown(path), read_as.text()));
            source.name().clone_into(&mut first.location.file);
            return Err(Findings { diagnostics: vec![first], sources: vec![source] });
        }
        Ok(Some(Read { path: path.to_owned(), document }))
    }

    /// The rules in a part of a file, with those of the file that it extends; what they have no meaning for is noted.
    fn with_base(
        &self,
        read: &Read,
        part: Node<'_>,
        below: &[String],
        folder: &mut Folder,
    ) -> Map<String, Value> {
        let mut rules = part.to_json().as_object().cloned().unwrap_or_default();
        rules.remove("$schema");
        let extended = rules.remove("extends").and_then(|name| name.as_str().map(str::to_owned));
        self.look_at(read, part, &rules, folder);
        let Some(name) = extended else { return rules };
        let Some(mut base) = self.extended(&read.path, &name, DEEPEST) else {
            let key = ["extends".to_owned()];
            let fact = not_adopted(part, &key, &[below, &key].concat());
            self.note(&self.source(read), vec![fact], folder);
            return rules;
        };
        base.extend(rules);
        base
    }

    /// The rules of a file that another one extends.
    fn extended(&self, from: &Path, name: &str, depth: usize) -> Option<Map<String, Value>> {
        let path = from.parent()?.join(name);
        let read = self.read(&path).ok().flatten().filter(|_| depth > 0)?;
        let mut rules = read.value();
        rules.remove("$schema");
        let above = rules.remove("extends");
        let above = above.as_ref().and_then(Value::as_str);
        let mut base = above.and_then(|name| self.extended(&path, name, depth - 1)).unwrap_or_default();
        base.extend(rules);
        Some(base)
    }

    /// The file with more than rules.
    fn options(&self, read: &Read, part: Node<'_>, below: &[String], folder: &mut Folder) {
        let strings = |key: &str| -> Vec<String> {
            let items = part.get(key).into_iter().flat_map(Node::items);
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        folder.ignored = strings("ignores");
        folder.globs = strings("globs");
        if let Some(rules) = part.get("config") {
            let below = [below, &["config".to_owned()]].concat();
            folder.base = Some(self.with_base(read, rules, &below, folder));
        }
        let known = |key: &str| BESIDE.contains(&key) || ["config", "globs", "ignores"].contains(&key);
        let unknown = part.entries().map(|entry| entry.key()).filter(|key| !known(key));
        let facts = unknown.map(|key| {
            let key = [key.to_owned()];
            not_adopted(part, &key, &key)
        });
        self.note(&self.source(read), facts.collect(), folder);
    }

    /// Notes what rules of the file have no meaning here, or no possible value.
    fn look_at(&self, read: &Read, part: Node<'_>, rules: &Map<String, Value>, folder: &mut Folder) {
        let adopted = adopt(self.ruleset, self.word, rules);
        let mut facts: Vec<Observation> =
            adopted.unknown.iter().map(|path| not_adopted(part, path, path)).collect();
        for refused in &adopted.refused {
            if refused.allowed.is_empty() {
                facts.push(not_adopted(part, &refused.path, &refused.path));
                continue;
            }
            let [rule, option] = &refused.path;
            let value = part.get(rule).and_then(|rule| rule.get(option));
            let fact = Observation::new("adopted-value", value.map_or_else(Span::default, Node::span));
            let fact = fact.with("rule", rule.as_str()).with("option", option.as_str());
            facts.push(fact.with("allowed", refused.allowed.clone()));
        }
        self.note(&self.source(read), facts, folder);
    }

    /// The file as reports name it.
    fn source(&self, read: &Read) -> Arc<Source> {
        let text = read.document.tree.source(SourceId(0)).text();
        Arc::new(Source::new(self.shown(&read.path), text))
    }

    /// The path of a file in reports.
    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }

    fn note(&self, source: &Arc<Source>, facts: Vec<Observation>, folder: &mut Folder) {
        if facts.is_empty() {
            return;
        }
        let diagnostics = self.validator.run_facts(source, facts);
        if !diagnostics.is_empty() {
            folder.findings.push(Findings { diagnostics, sources: vec![Arc::clone(source)] });
        }
    }
}

/// A key that has no meaning here, at its place.
fn not_adopted(part: Node<'_>, path: &[String], named: &[String]) -> Observation {
    let mut at = part;
    let mut span = part.span();
    for key in path {
        let Some(entry) = at.entry(key) else { break };
        span = entry.key_span();
        at = entry.value();
    }
    Observation::new("setting-not-adopted", span).with("names", vec![named.join(".")])
}
