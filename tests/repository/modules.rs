//! The modules of all packages and which of them import which, found by reading the source.
//!
//! A path counts wherever it is written: in a `use`, in a re-export's place of origin, in the middle of an
//! expression. A re-export is followed to the module that defines the item, so that going through a `mod.rs`
//! hides nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;

/// Comments, and literals of strings and characters.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| {
    let comment = r"//[^\n]*|/\*.*?\*/";
    let string = r##"\bb?r#".*?"#|\bb?r"[^"]*"|"(?:\\.|[^"\\])*""##;
    let character = r"'(?:\\.[^']*|[^\\'])'";
    Regex::new(&format!("(?s){comment}|{string}|{character}")).unwrap()
});
/// The declaration of a submodule.
static CHILD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);").unwrap());
/// An import, with its visibility.
static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t]*(pub(?:\([^)]*\))? )?use ([^;]+);").unwrap());
/// A path in the middle of code.
static PATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\w+(?:::\w+)+").unwrap());

/// A module by the name of its crate and its names below it: `["proofmark_formats", "markdown", "tree"]`.
pub(crate) type Name = Vec<String>;

/// What one file says.
#[derive(Default)]
struct Module {
    /// What names of this file refer to, from its `use` declarations.
    names: BTreeMap<String, Vec<String>>,
    /// The names that it hands on with `pub use`.
    exported: BTreeSet<String>,
    /// Its own submodules.
    children: BTreeSet<String>,
    /// Paths in its code.
    paths: Vec<Vec<String>>,
}

/// A package of the workspace.
pub(crate) struct Package {
    /// The name that code uses: `proofmark_base`.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// The packages that it depends on, without those that only its tests and its build script use.
    pub(crate) dependencies: BTreeSet<String>,
}

/// The packages of the workspace.
pub(crate) fn packages() -> Vec<Package> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(top.join("crates")).unwrap().flatten().map(|entry| entry.path());
    let others = ["", "render-protocol", "render-worker", "bindings/python"].map(|folder| top.join(folder));
    let mut found: Vec<Package> = crates.chain(others).map(package).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn package(folder: PathBuf) -> Package {
    let manifest = format!("\n{}", fs::read_to_string(folder.join("Cargo.toml")).unwrap());
    let section = |name: &str| {
        let start = manifest.find(&format!("\n[{name}]\n"));
        let rest = start.map_or("", |start| &manifest[start + 1..]);
        rest.split("\n[").next().unwrap_or_default()
    };
    let code = |name: &str| name.replace('-', "_");
    let name = section("package").lines().find_map(|line| line.strip_prefix("name = ")).unwrap();
    let own = |line: &str| {
        line.split(['.', ' ', '=']).next().filter(|name| name.starts_with("proofmark")).map(code)
    };
    Package {
        name: code(name.trim_matches('"')),
        dependencies: section("dependencies").lines().filter_map(own).collect(),
        folder,
    }
}

impl Package {
    /// The code of the package without its tests: the files as `PACKAGE/PATH`, and their text.
    pub(crate) fn code(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        read_code(&self.folder.join("src"), &self.name, &mut found);
        found
    }
}

fn read_code(folder: &Path, name: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let file = entry.file_name().to_string_lossy().into_owned();
        let own = format!("{name}/{file}");
        if path.is_dir() && file != "tests" {
            read_code(&path, &own, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && file != "tests.rs" {
            let text = fs::read_to_string(&path).unwrap();
            found.push((own, without_tests(&text).to_owned()));
        }
    }
}

/// The text of a file above its tests.
pub(crate) fn without_tests(text: &str) -> &str {
    &text[..text.find("\nmod tests {").unwrap_or(text.len())]
}

/// All modules of some crates.
pub(crate) struct Modules(BTreeMap<Name, Module>);

impl Modules {
    /// Reads the source of all packages; unit tests are left out.
    pub(crate) fn of_workspace() -> Self {
        let mut modules = BTreeMap::new();
        for package in packages() {
            read_folder(&package.folder.join("src"), &mut vec![package.name], &mut modules);
        }
        Self(modules)
    }

    /// The modules from `(name, text)`, for tests of this file.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let name = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self(files.iter().map(|(path, text)| (name(path), Module::read(text))).collect())
    }

    /// The names of all modules.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.keys()
    }

    /// Every pair of modules of which the first one needs the second one.
    pub(crate) fn imports(&self) -> BTreeSet<(Name, Name)> {
        let mut found = BTreeSet::new();
        for (name, module) in &self.0 {
            for path in module.names.values().chain(&module.paths) {
                let target = self.absolute(name, path).and_then(|path| self.origin(path, 8));
                found.extend(target.filter(|target| target != name).map(|target| (name.clone(), target)));
            }
        }
        found
    }

    /// The module that defines what a path in a module leads to.
    pub(crate) fn definition(&self, from: &Name, path: &[String]) -> Option<Name> {
        self.origin(self.absolute(from, path)?, 8)
    }

    /// The path of the `use` declaration that brings a name into a module.
    pub(crate) fn imported(&self, module: &Name, name: &str) -> Option<&[String]> {
        self.0.get(module)?.names.get(name).map(Vec::as_slice)
    }

    /// The path from the crate on, where it leads into one that has been read.
    fn absolute(&self, from: &Name, path: &[String]) -> Option<Vec<String>> {
        let module = self.0.get(from)?;
        let (first, rest) = path.split_first()?;
        let join = |start: &[String], rest: &[String]| [start, rest].concat();
        match first.as_str() {
            "crate" => self.below_root(&from[..1], rest),
            name if self.0.contains_key(&path[..1]) && !module.children.contains(name) => {
                self.below_root(&path[..1], rest)
            }
            "self" => Some(join(from, rest)),
            "super" => {
                let levels = path.iter().take_while(|part| *part == "super").count();
                let base = from.len().checked_sub(levels)?;
                if base == 1 {
                    self.below_root(&from[..1], &path[levels..])
                } else {
                    Some(join(&from[..base], &path[levels..]))
                }
            }
            name if module.children.contains(name) => Some(join(from, path)),
            name => {
                let start = module.names.get(name).filter(|start| start.first() != Some(first))?;
                self.absolute(from, &join(start, rest))
            }
        }
    }

    /// A path below the root of a crate, which may be a name that the root gives to something else.
    fn below_root(&self, root: &[String], rest: &[String]) -> Option<Vec<String>> {
        let module = self.0.get(root)?;
        let own = || [root, rest].concat();
        let Some(first) = rest.first().filter(|first| !module.children.contains(*first)) else {
            return Some(own());
        };
        match module.names.get(first).filter(|start| start.first() != Some(first)) {
            Some(start) => self.absolute(&root.to_vec(), &[&start[..], &rest[1..]].concat()),
            None => Some(own()),
        }
    }

    /// The module that defines what a path leads to.
    fn origin(&self, path: Vec<String>, hops: usize) -> Option<Name> {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]))?;
        let (name, item) = (path[..length].to_vec(), path.get(length));
        let module = &self.0[&name];
        let exported = item.filter(|item| module.exported.contains(*item) && hops > 0);
        match exported.and_then(|item| self.absolute(&name, &module.names[item])) {
            Some(origin) => self.origin([&origin[..], &path[length + 1..]].concat(), hops - 1),
            None => Some(name),
        }
    }
}

fn read_folder(folder: &Path, name: &mut Name, modules: &mut BTreeMap<Name, Module>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            name.push(stem);
            read_folder(&path, name, modules);
            name.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "tests" {
            let own = if ["mod", "lib", "main"].contains(&stem.as_str()) { None } else { Some(stem) };
            let name = name.iter().cloned().chain(own).collect();
            let Ok(text) = fs::read_to_string(&path) else { continue };
            modules.entry(name).or_default().add(&text);
        }
    }
}

impl Module {
    fn read(text: &str) -> Self {
        let mut module = Self::default();
        module.add(text);
        module
    }

    fn add(&mut self, text: &str) {
        let code = LITERAL.replace_all(text, "");
        let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        self.children.extend(CHILD.captures_iter(code).map(|found| found[1].to_owned()));
        for found in USE.captures_iter(code) {
            for (path, name) in expanded(&[], &found[2]) {
                if found.get(1).is_some() {
                    self.exported.insert(name.clone());
                }
                self.names.insert(name, path);
            }
        }
        let rest = USE.replace_all(code, "");
        self.paths.extend(PATH.find_iter(&rest).map(|path| parts(path.as_str())));
    }
}

/// The paths of a `use` tree, each with the name that it gets.
fn expanded(start: &[String], tree: &str) -> Vec<(Vec<String>, String)> {
    let tree = tree.trim();
    if let Some((head, rest)) = tree.split_once('{') {
        let start = [start, &parts(head)].concat();
        let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
        return members(inner).iter().flat_map(|member| expanded(&start, member)).collect();
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let mut path = [start, &parts(path)].concat();
    path.pop_if(|last| last == "self");
    let name =
        alias.map_or_else(|| path.last().cloned().unwrap_or_default(), |alias| alias.trim().to_owned());
    vec![(path, name)]
}

fn parts(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The parts between commas that are in no inner braces.
fn members(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            found.push(&text[from..at]);
            from = at + 1;
        }
    }
    found.push(&text[from..]);
    found.retain(|member| !member.trim().is_empty());
    found
}
