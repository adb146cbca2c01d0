//! Public items as the source has them. The source is formatted, so that a member begins a line.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use regex::Regex;

use crate::modules::{Modules, Name, packages};

/// An item that the root of the crate, or its module `report`, exports.
pub(crate) struct Item {
    /// Its path from the root: `Outcome`, `report::Outcome`.
    pub(crate) path: String,
    /// `struct`, `enum`, `trait`, `type` or `fn`.
    pub(crate) keyword: String,
    /// The module that defines it.
    pub(crate) module: Name,
    non_exhaustive: bool,
    /// Fields, variants and methods, each with the module that it is written in.
    pub(crate) members: Vec<(Name, String)>,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note = if self.non_exhaustive { " (non-exhaustive)" } else { "" };
        writeln!(f, "{} {}{note}", self.keyword, self.path)?;
        self.members.iter().try_for_each(|(_, member)| writeln!(f, "  {member}"))
    }
}

/// The text of every module.
pub(crate) type Files = [(Name, String)];

/// The text of every module of every package.
pub(crate) fn files() -> Vec<(Name, String)> {
    let mut files = Vec::new();
    for package in packages() {
        read(&package.folder.join("src"), &mut vec![package.name], &mut files);
    }
    files.sort();
    files
}

/// Everything that the root of the crate and its module `report` export, without what is hidden.
pub(crate) fn exported(modules: &Modules) -> Vec<Item> {
    let files = files();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut items = BTreeMap::new();
    let declaration = Regex::new(r"(?m)^(#\[doc\(hidden\)\]\n)?pub use ([^;]+);").unwrap();
    for (file, prefix) in [("lib.rs", ""), ("report.rs", "report::")] {
        let text = fs::read_to_string(source.join(file)).unwrap();
        for found in declaration.captures_iter(&text).filter(|found| found.get(1).is_none()) {
            for path in paths(&found[2]) {
                let name = format!("{prefix}{}", path.last().unwrap());
                let full: Vec<String> = if path[0] == "crate" {
                    path
                } else {
                    ["crate".to_owned()].into_iter().chain(path).collect()
                };
                items.insert(name.clone(), Item::read(&name, modules, &full, &files));
            }
        }
    }
    items.into_values().collect()
}

/// The paths of a `use` tree.
fn paths(tree: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let (mut prefixes, mut path) = (Vec::new(), Vec::new());
    for token in Regex::new(r"\w+|[{},]").unwrap().find_iter(tree).map(|token| token.as_str()) {
        let ended = if token == "," || token == "}" { !path.is_empty() } else { false };
        if ended {
            found.push([prefixes.concat(), std::mem::take(&mut path)].concat());
        }
        match token {
            "{" => prefixes.push(std::mem::take(&mut path)),
            "}" => drop(prefixes.pop()),
            "," => {}
            name => path.push(name.to_owned()),
        }
    }
    if !path.is_empty() {
        found.push(path);
    }
    found
}

fn read(folder: &Path, name: &mut Name, files: &mut Vec<(Name, String)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            name.push(stem);
            read(&path, name, files);
            name.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "tests" {
            let own = (stem != "mod" && stem != "lib").then_some(stem);
            files.push((name.iter().cloned().chain(own).collect(), fs::read_to_string(&path).unwrap()));
        }
    }
}

impl Item {
    /// The item that `full` leads to, under the public name `path`.
    pub(crate) fn read(path: &str, modules: &Modules, full: &[String], files: &Files) -> Self {
        let root = vec![if full[0] == "crate" { "proofmark".to_owned() } else { full[0].clone() }];
        let module = modules.definition(&root, full).unwrap_or_else(|| panic!("`{path}` is not found"));
        let name = full.last().unwrap();
        let text = &files.iter().find(|(file, _)| *file == module).unwrap().1;
        let head = format!(r"(?m)^((?:#\[[^\n]*\]\n)*)pub (struct|enum|trait|type|fn) {name}\b");
        let found = Regex::new(&head).unwrap().captures(text);
        let found = found.unwrap_or_else(|| panic!("`{path}` is not in {module:?}"));
        let keyword = found[2].to_owned();
        let start = found.get(2).unwrap().start();
        let mut members = match keyword.as_str() {
            "struct" => fields(&text[start..]),
            "enum" => members(block(&text[start..]), r"[A-Z]"),
            "trait" => members(block(&text[start..]), r"fn |type |const "),
            _ => vec![signature(&text[start..])],
        };
        let mut own: Vec<(Name, String)> = members.drain(..).map(|member| (module.clone(), member)).collect();
        let inherent = Regex::new(&format!(r"(?m)^impl(?:<[^{{\n]*>)? {name}(?:<[^{{\n]*>)? \{{\n")).unwrap();
        for (file, text) in files {
            let same = *file == module
                || modules
                    .definition(file, std::slice::from_ref(name))
                    .is_some_and(|origin| origin == module);
            for found in inherent.find_iter(text).filter(|_| same) {
                let methods = members_of_impl(&text[found.start()..]);
                own.extend(methods.into_iter().map(|method| (file.clone(), method)));
            }
        }
        let non_exhaustive = found[1].contains("#[non_exhaustive]");
        Self { path: path.to_owned(), keyword, module, non_exhaustive, members: own }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit("::").next().unwrap()
    }
}

/// The public fields of a struct, by name or in parentheses.
fn fields(text: &str) -> Vec<String> {
    let line = text.lines().next().unwrap_or_default();
    match line.split_once('(') {
        Some((_, own)) if own.starts_with("pub ") => vec![format!("({}", own.trim_end_matches(';'))],
        Some(_) => Vec::new(),
        None => members(block(text), r"pub "),
    }
}

/// The lines between the braces that begin on the first line; nothing where there are none.
fn block(text: &str) -> &str {
    let first = text.lines().next().unwrap_or_default();
    if !first.ends_with('{') {
        return "";
    }
    let end = text.find("\n}").unwrap_or(text.len());
    &text[first.len()..end]
}

fn members_of_impl(text: &str) -> Vec<String> {
    members(block(text), r"pub (?:const )?fn |pub const ")
}

/// The members of a block that begin so, without hidden ones.
fn members(block: &str, start: &str) -> Vec<String> {
    let member = Regex::new(&format!(r"(?m)^((?:    #\[[^\n]*\]\n)*)    ({start})")).unwrap();
    let shown = member.captures_iter(block).filter(|found| !found[1].contains("doc(hidden)"));
    shown.map(|found| signature(&block[found.get(2).unwrap().start()..])).collect()
}

/// A declaration up to its body, on one line.
#[allow(clippy::match_same_arms, reason = "each has its own condition")]
fn signature(text: &str) -> String {
    let (mut depth, mut end) = (0_i32, text.len());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            // The fields of a variant belong to it.
            '{' if depth == 0 && !text[..at].starts_with(char::is_uppercase) => {
                end = at;
                break;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                end = at;
                break;
            }
            ',' if depth == 0 && !generic(&text[..at]) => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let note = Regex::new(r"(?m)^\s*(?://|#\[)[^\n]*\n|#\[[^\]\n]*\] ?").unwrap();
    let line = note.replace_all(&text[..end], "");
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace("( ", "(").replace(", )", ")").replace(",)", ")").replace(", }", " }")
}

/// Whether the text ends between angle brackets.
fn generic(text: &str) -> bool {
    let text = text.replace("->", "");
    text.matches('<').count() > text.matches('>').count()
}
