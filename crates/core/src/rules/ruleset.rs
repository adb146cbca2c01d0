use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use serde_json::Value;

use super::{
    embedded::{self, Embedded, EmbeddedPack},
    list::{EmbeddedRules, RuleList},
    loader::{self, LoadError, ReadFile, compile_examples},
    rule::{Example, Later, Pack, Rule, Status},
    schemas::{conforms, shape_errors},
};
use crate::{
    budget::Once,
    folder::Folder,
    kinds::{Kind, Kinds},
    text::{Fingerprint, nearest},
};

/// All rules there are, with their packs; made once and shared.
#[derive(Debug)]
pub struct Ruleset {
    /// The kinds that no pack defines.
    base_kinds: Kinds,
    kinds: Kinds,
    packs: Vec<Pack>,
    rules: RuleList,
    /// Ids and names to positions, made when a rule is first looked for by one: few runs do that.
    names: Once<HashMap<String, usize>>,
    redirects: BTreeMap<String, String>,
    help: HashMap<String, Help>,
    /// The file of each rule that is not built in, by id.
    files: HashMap<String, String>,
    /// The rules that are not built in as their files say them, by id.
    written: HashMap<String, Value>,
    /// Fingerprint of the files of packs that are not built in.
    sources: Fingerprint,
    fingerprint: Once<String>,
}

/// What only explanations need of a rule.
#[derive(Debug, Clone, Default)]
pub struct Help {
    /// What, why, how (Markdown).
    pub explain: String,
    /// Documents that show it.
    pub examples: Vec<Example>,
}

/// Where a name led.
#[derive(Debug, Clone, Copy)]
pub struct Redirect<'r> {
    /// The rule.
    pub rule: &'r Arc<Rule>,
    /// Whether the name is an old one.
    pub old: bool,
}

impl Ruleset {
    /// The built-in packs.
    pub fn builtin() -> Arc<Self> {
        static BUILTIN: Once<Arc<Ruleset>> = Once::new();
        let made = || Arc::new(Self::embedded(Kinds::clone(&Kinds::builtin())));
        Arc::clone(BUILTIN.get_or_init(made))
    }

    /// The built-in packs, for these kinds.
    pub(super) fn embedded(kinds: Kinds) -> Self {
        let mut ruleset = Self { base_kinds: kinds.clone(), kinds, ..Self::empty() };
        let embedded = embedded::embedded();
        let heads = embedded.heads();
        let Embedded { packs, .. } = embedded;
        let packs: Vec<Arc<Pack>> = packs.into_iter().map(|pack| ruleset.add_embedded(pack)).collect();
        ruleset.rules = RuleList::Embedded(EmbeddedRules::new(packs, heads));
        ruleset
    }

    fn empty() -> Self {
        Self {
            base_kinds: Kinds::default(),
            kinds: Kinds::default(),
            packs: Vec::new(),
            rules: RuleList::Made(Vec::new()),
            names: Once::new(),
            redirects: BTreeMap::new(),
            help: HashMap::new(),
            files: HashMap::new(),
            written: HashMap::new(),
            sources: Fingerprint::new(),
            fingerprint: Once::new(),
        }
    }

    fn add_embedded(&mut self, embedded: EmbeddedPack) -> Arc<Pack> {
        let EmbeddedPack { pack, fix_groups, assets } = embedded;
        self.redirects.extend(pack.redirects.clone());
        let (mut pack, _) = loader::compile_raw_pack(pack, &self.kinds, loader::PackFiles::Embedded(&assets));
        if let Some(written) = fix_groups {
            pack.fix_groups = Later::new(move || serde_json::from_str(written.text()).unwrap_or_default());
        }
        let pack = Arc::new(pack);
        self.packs.push(Pack::clone(&pack));
        pack
    }

    pub(super) fn add_folder(&mut self, opened: &dyn Folder) -> Result<(), Vec<LoadError>> {
        let folder = opened.path();
        let sources = RefCell::new(Fingerprint::new());
        let read = |path: &str| {
            let text = opened.read(path)?;
            sources.borrow_mut().add(path).add(&text);
            Ok(text)
        };
        let text = read("pack.yaml").map_err(|source: std::io::Error| {
            vec![match source.kind() {
                std::io::ErrorKind::NotFound => LoadError::NoPack(show(folder)),
                _ => LoadError::Read { path: show(&folder.join("pack.yaml")), source },
            }]
        })?;
        let tree = loader::yaml_tree("pack.yaml", &text);
        let json = tree.root().to_json();
        let (pack, faults) = loader::compile_pack(&json, &self.kinds, &read);
        self.kinds = self.kinds.with(&pack.defines);
        let mut errors: Vec<LoadError> = Vec::new();
        errors.extend(LoadError::of(&folder.join("pack.yaml"), &faults, &shape_errors(tree.root())));
        for broken in &pack.broken_kinds {
            errors.extend(LoadError::of(&folder.join(&broken.file), &broken.faults, &[]));
        }
        if self.packs.iter().any(|known| !known.builtin && known.name == pack.name) {
            errors.push(LoadError::SameName { path: show(folder), name: pack.name.clone() });
        }
        self.packs.retain(|known| known.name != pack.name);
        self.rules.change(|rules| rules.retain(|rule| rule.pack != pack.name));
        self.add_redirects(&json);
        let mut conform = true;
        let files =
            rule_files(opened).map_err(|source| vec![LoadError::Read { path: show(folder), source }])?;
        for name in files {
            let path = folder.join(&name);
            let text = match read(&name) {
                Ok(text) => text,
                Err(source) => {
                    errors.push(LoadError::Read { path: show(&path), source });
                    continue;
                }
            };
            let tree = loader::yaml_tree(&name, &text);
            let json = tree.root().to_json();
            conform &= conforms(tree.root());
            let loaded = loader::compile_file(&json, &pack, &self.kinds, &read);
            errors.extend(LoadError::of(&path, &loaded.faults, &shape_errors(tree.root())));
            for (rule, pointer) in loaded.rules.iter().zip(&loaded.pointers) {
                errors.extend(self.clashes(rule, &pack.name, (&path, pointer)));
            }
            for (rule, value) in loaded.rules.into_iter().zip(json["rules"].as_array().into_iter().flatten())
            {
                self.files.insert(rule.id.clone(), show(&path));
                self.written.insert(rule.id.clone(), value.clone());
                self.help.insert(rule.id.clone(), help_of(value, &read));
                self.rules.change(|rules| rules.push(Arc::new(rule)));
            }
        }
        // A rule that cannot be read as it is written is not lost.
        let ids = || self.rules().iter().map(|rule| &rule.id);
        let is_readable = ids().collect::<HashSet<_>>().len() == ids().count() && conform;
        if errors.is_empty() && is_readable {
            errors.extend(self.lost_redirects(&json, &folder.join("pack.yaml")));
        }
        self.packs.push(pack);
        self.sources.add(&sources.into_inner().hex());
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The id and the name of a rule that another rule has, in another file of the pack or in another pack.
    fn clashes(&self, rule: &Rule, pack: &str, (path, pointer): (&Path, &str)) -> Vec<LoadError> {
        let file = show(path);
        let clash = |field: &'static str, value: &str, other: &Rule| {
            let first = match self.files.get(&other.id) {
                Some(first) if other.pack == pack => format!("`{first}`"),
                _ => format!("pack `{}`", other.pack),
            };
            let pointer = format!("{pointer}/{field}");
            LoadError::Clash { path: file.clone(), pointer, field, value: value.to_owned(), first }
        };
        let others = || self.rules().iter().filter(|other| self.files.get(&other.id) != Some(&file));
        let same_id = others().find(|other| other.id == rule.id).map(|other| clash("id", &rule.id, other));
        let same_name =
            others().find(|other| other.name == rule.name).map(|other| clash("name", &rule.name, other));
        same_id.into_iter().chain(same_name).collect()
    }

    /// The redirects of a pack, given as JSON, that lead to no rule.
    fn lost_redirects(&self, pack: &Value, path: &Path) -> Vec<LoadError> {
        let names = || self.rules().iter().flat_map(|rule| [rule.id.as_str(), rule.name.as_str()]);
        let lost = |(from, to): (&String, &Value)| {
            let to = to.as_str()?;
            let is_known = self.redirects.contains_key(to) || names().any(|name| name == to);
            (!is_known).then(|| LoadError::Redirect {
                path: show(path),
                pointer: format!("/redirects/{}", from.replace('~', "~0").replace('/', "~1")),
                rule: to.to_owned(),
                nearest: nearest(to, names()).map(str::to_owned),
            })
        };
        pack["redirects"].as_object().into_iter().flatten().filter_map(lost).collect()
    }

    fn add_redirects(&mut self, pack: &Value) {
        for (from, to) in pack["redirects"].as_object().into_iter().flatten() {
            self.redirects.insert(from.clone(), to.as_str().unwrap_or_default().to_owned());
        }
    }

    pub(super) fn seal(&mut self) {
        self.rules.change(|rules| rules.sort_by(|a, b| a.id.cmp(&b.id)));
        self.names = Once::new();
    }

    fn position(&self, name: &str) -> Option<usize> {
        let rules = self.rules().iter().enumerate();
        let made = || rules.flat_map(|(at, rule)| [(rule.id.clone(), at), (rule.name.clone(), at)]).collect();
        self.names.get_or_init(made).get(name).copied()
    }

    /// A copy with the rules of a further pack, which takes the place of one of the same name.
    #[must_use]
    #[doc(hidden)]
    pub fn extended(&self, pack: &Pack, rules: &[Rule]) -> Self {
        let keeps = |rule: &Rule| rule.pack != pack.name || !rules.iter().any(|new| new.id == rule.id);
        let mut ruleset = Self {
            base_kinds: self.base_kinds.clone(),
            kinds: self.kinds_besides(&pack.name).with(&pack.defines),
            packs: self.packs.iter().filter(|known| known.name != pack.name).cloned().collect(),
            rules: RuleList::Made(self.rules().iter().filter(|rule| keeps(rule)).cloned().collect()),
            redirects: self.redirects.clone(),
            help: self.help.clone(),
            files: self.files.clone(),
            written: self.written.clone(),
            sources: self.sources.clone(),
            ..Self::empty()
        };
        ruleset.packs.push(pack.clone());
        ruleset.rules.change(|all| all.extend(rules.iter().cloned().map(Arc::new)));
        ruleset.seal();
        ruleset
    }

    /// A rule as its file says it, as JSON; of a built-in one without explanation and examples.
    #[doc(hidden)]
    pub fn written(&self, rule: &Rule) -> Option<Value> {
        self.written.get(&rule.id).cloned().or_else(|| embedded::written(&rule.id))
    }

    /// A copy with one rule, given as JSON, in place of the one that has its id; nothing where it cannot be loaded.
    /// Examples stay as they are.
    #[doc(hidden)]
    pub fn with_rule(&self, pack: &str, written: &Value) -> Option<(Self, Arc<Rule>)> {
        let rule = Arc::new(loader::compile_one(written, self.pack(pack)?, &self.kinds)?);
        let replace = |old: &Arc<Rule>| Arc::clone(if old.id == rule.id { &rule } else { old });
        let ruleset = Self {
            base_kinds: self.base_kinds.clone(),
            kinds: self.kinds.clone(),
            packs: self.packs.clone(),
            rules: RuleList::Made(self.rules().iter().map(replace).collect()),
            redirects: self.redirects.clone(),
            sources: self.sources.clone(),
            ..Self::empty()
        };
        Some((ruleset, rule))
    }

    /// The examples of a rule given as JSON, with the files they name.
    #[doc(hidden)]
    pub fn examples(json: &Value, read: &dyn Fn(&str) -> std::io::Result<String>) -> Vec<Example> {
        compile_examples(json, read)
    }

    /// All kinds of document: the built-in ones, those that packs define and those that were registered.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The kinds that there are besides those that a pack defines.
    pub(super) fn kinds_besides(&self, pack: &str) -> Kinds {
        let others = self.packs.iter().filter(|other| other.name != pack);
        others.fold(self.base_kinds.clone(), |kinds, other| kinds.with(&other.defines))
    }

    /// The kind of this name.
    pub fn kind(&self, name: &str) -> Option<&Arc<dyn Kind>> {
        self.kinds.get(name)
    }

    /// All rules, ordered by id.
    #[doc(hidden)]
    pub fn rules(&self) -> &[Arc<Rule>] {
        self.rules.all()
    }

    /// The rules for documents of a kind, ordered by id. Built-in rules for other kinds need not be made for that.
    #[doc(hidden)]
    pub fn rules_for(&self, kind: &str) -> Vec<&Arc<Rule>> {
        self.rules.of_kind(kind)
    }

    /// Like [`Self::rules_for`], the rules of a pack.
    #[doc(hidden)]
    pub fn rules_of(&self, pack: &str) -> Vec<&Arc<Rule>> {
        self.rules.of_pack(pack)
    }

    /// Like [`Self::rules_for`], the rules that are for some files only.
    #[doc(hidden)]
    pub fn rules_for_some_files(&self) -> Vec<&Arc<Rule>> {
        self.rules.of_some_files()
    }

    /// Like [`Self::rules_for`], the rules that compare the documents of a project.
    pub(crate) fn comparing_rules(&self) -> Vec<&Arc<Rule>> {
        self.rules.comparing()
    }

    #[cfg(test)]
    pub(super) fn list(&self) -> &RuleList {
        &self.rules
    }

    /// All packs.
    #[doc(hidden)]
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The pack of this name.
    #[doc(hidden)]
    pub fn pack(&self, name: &str) -> Option<&Pack> {
        self.packs.iter().find(|pack| pack.name == name)
    }

    /// The rule of an id or name, old ones followed.
    #[doc(hidden)]
    pub fn find(&self, name: &str) -> Option<Redirect<'_>> {
        let mut name = name;
        let mut old = false;
        for _ in 0..8 {
            if let Some(rule) = self.position(name).map(|index| &self.rules()[index]) {
                return match &rule.status {
                    Status::Deprecated { replaced_by } if old && replaced_by != name => {
                        Some(Redirect { rule, old })
                    }
                    _ => Some(Redirect { rule, old }),
                };
            }
            name = self.redirects.get(name)?;
            old = true;
        }
        None
    }

    /// The rule that a person or an agent names: by its id in upper or lower case, by its name, or by both, as reports show
    /// them: `MM023 mermaid-quote-unclosed`.
    #[doc(hidden)]
    pub fn find_shown(&self, written: &str) -> Option<Redirect<'_>> {
        let written = written.trim();
        let first = written.split_whitespace().next()?.trim_end_matches(':');
        let find = |name: &str| self.find(name).or_else(|| self.find(&name.to_uppercase()));
        find(written).or_else(|| find(first))
    }

    /// The id most like `name`, for a "did you mean".
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let ids = self.rules().iter().map(|rule| rule.id.as_str());
        let names = self.rules().iter().map(|rule| rule.name.as_str());
        crate::text::nearest(name, ids.chain(names))
    }

    /// Old ids and names, and what they are now.
    #[doc(hidden)]
    pub fn redirects(&self) -> &BTreeMap<String, String> {
        &self.redirects
    }

    /// Explanation and examples of a rule.
    #[doc(hidden)]
    pub fn help(&self, rule: &Rule) -> Help {
        static HELP: Once<Value> = Once::new();
        if let Some(help) = self.help.get(&rule.id) {
            return help.clone();
        }
        let value = &HELP.get_or_init(embedded::help)[rule.id.as_str()];
        help_of(value, &|_| Err(std::io::Error::from(std::io::ErrorKind::NotFound)))
    }

    /// Sixteen hexadecimal digits that stay the same as long as the rules do.
    pub fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| {
            if self.sources == Fingerprint::new() {
                return proofmark_rules::fingerprint().to_owned();
            }
            let mut hash = self.sources.clone();
            hash.add(env!("CARGO_PKG_VERSION"))
                .add(proofmark_rules::packs())
                .add(proofmark_rules::texts())
                .hex()
        })
    }
}

fn help_of(rule: &Value, read: ReadFile<'_>) -> Help {
    Help {
        explain: rule["explain"].as_str().unwrap_or_default().to_owned(),
        examples: compile_examples(&rule["examples"], read),
    }
}

/// A path as messages show it.
pub(super) fn show(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The names of the rule files of a pack, in order.
fn rule_files(folder: &dyn Folder) -> std::io::Result<Vec<String>> {
    let is_yaml = |name: &str| {
        let extension = Path::new(name).extension();
        extension.is_some_and(|extension| extension == "yaml" || extension == "yml")
    };
    // A symbolic link is refused when it is read, and so reported.
    let entries = folder.entries()?.into_iter().filter(|entry| !entry.is_folder).map(|entry| entry.name);
    Ok(entries.filter(|name| is_yaml(name) && name != "pack.yaml" && !loader::is_kind_file(name)).collect())
}
