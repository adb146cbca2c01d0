use std::collections::BTreeSet;

use serde_json::Value;

use super::{Fault, Field, OneOrMany, Vocabulary};
use crate::{
    expressions::{self, Base, Condition, FILE_NAMES, Place, Route, Template},
    kinds::{Layer, Observable},
    schema::impossible_member,
    text::Span,
    tree::JsonPath,
};

/// Placeholders that every template may use, with what each one is.
pub const PLACEHOLDERS: &[(&str, &str)] = &[
    (
        "value",
        "the selected scalar as text, or else the source text of the location, clipped to 80 characters",
    ),
    ("found", "the source text at the location of the diagnostic, clipped to 80 characters"),
    ("key", "the key of the selected node"),
    ("path", "the JSON Pointer of the selected node"),
    ("self", "the selected node as data: `{{ self.name }}`"),
    ("parent", "the mapping or sequence around the selected node, as data: `{{ parent.id }}`"),
    ("root", "the whole document as data"),
    ("ancestor", "`ancestor.NAME`: the nearest ancestor that the pack calls NAME, as data"),
    (
        "file",
        "the file of the document: `file.path` (relative to the folder of `proofmark.toml`), `file.name`, `file.stem` \
         (without the extension), `file.folder`; undefined for text that is not in a file",
    ),
    (
        "lookup",
        "`lookup.TABLE[name]`: the declarations of a name in all documents of the project, as a list of their `values` \
         with `file`",
    ),
    ("options", "`options.NAME`: an option of the rule"),
    ("nearest", "the candidate most similar to the value; undefined where there is none"),
    ("expected", "the candidates as a list, for checks that have candidates"),
];

/// What expressions and templates look up values of other documents in.
const LOOKUP: &str = "lookup";

/// Keys of trees that kinds make only if a rule mentions them anywhere: see `Kind::optional_keys`. What a selector begins with is
/// known to the plan.
const OPTIONAL: &[&str] = &["sections"];

/// What conditions call a declaration that was looked up.
const OTHER: &str = "other";

/// What rules are compiled with: the names they may use, and the faults found so far.
///
/// What the JSON Schema of rule files says – the shape, and that expressions can be read – is not looked at
/// again: where it does not hold, something is left out without a fault.
#[derive(Debug)]
pub struct Compiler<'a> {
    /// The names of the pack.
    pub vocabulary: &'a Vocabulary,
    /// Whether to compile and look up now what is otherwise left for its first use.
    pub deep: bool,
    /// Names of the document kinds that the rule is for.
    pub kinds: Vec<String>,
    /// What these kinds can observe; nothing when one of them is unknown.
    pub observables: Option<Vec<&'a Observable>>,
    /// The schemas of the trees of these kinds; none where one of them is unknown.
    pub trees: Vec<Value>,
    /// The paths to the nodes that conditions are about; none where these are not the selected nodes.
    pub selected: Vec<JsonPath>,
    /// Names of the rule's options.
    pub options: Vec<String>,
    /// Names of values that templates may use besides [`PLACEHOLDERS`].
    pub values: Vec<String>,
    /// Whether the check adds values and places that are not known, since the kind is not.
    pub has_unknown_values: bool,
    /// Names of places that the check adds.
    pub places: Vec<String>,
    /// The keys of trees that are made only for rules which mention them, of those that some kind has.
    pub optional: BTreeSet<&'static str>,
    /// Symbol tables in which values of other documents are looked up.
    pub lookups: BTreeSet<String>,
    /// What `other` has in conditions on a declaration that was looked up.
    pub other: Option<Vec<String>>,
    /// What is wrong with the rule.
    pub faults: Vec<Fault>,
}

impl<'a> Compiler<'a> {
    /// A compiler for one rule of a pack.
    pub fn new(vocabulary: &'a Vocabulary, deep: bool) -> Self {
        Self {
            vocabulary,
            deep,
            kinds: Vec::new(),
            observables: None,
            trees: Vec::new(),
            selected: Vec::new(),
            options: Vec::new(),
            values: Vec::new(),
            has_unknown_values: false,
            places: Vec::new(),
            optional: BTreeSet::new(),
            lookups: BTreeSet::new(),
            other: None,
            faults: Vec::new(),
        }
    }

    pub fn report(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Notes the optional parts of a tree that a path, an expression or a template mentions.
    pub fn mention(&mut self, source: &str) {
        self.optional.extend(Self::mentioned(source));
    }

    /// The optional parts of a tree that a path, an expression or a template mentions.
    pub fn mentioned(source: &str) -> impl Iterator<Item = &'static str> {
        let follows = |at: usize| source[..at].ends_with(['.', '\'', '"']);
        let mentions =
            move |key: &&str| has(source, key) && source.match_indices(*key).any(|(at, _)| follows(at));
        OPTIONAL.iter().copied().filter(mentions)
    }

    pub fn path(&mut self, source: &str, at: &Field<'_>) -> Option<JsonPath> {
        self.mention(source);
        compile_path(source, at, self.deep, &mut self.faults)
    }

    pub fn paths(&mut self, paths: Option<&OneOrMany<String>>, at: &Field<'_>) -> Vec<JsonPath> {
        paths.iter().flat_map(|paths| paths.to_vec()).for_each(|path| self.mention(&path));
        compile_paths(paths, at, self.deep, &mut self.faults)
    }

    pub fn route(&mut self, source: &str, at: &Field<'_>) -> Option<Route> {
        self.mention(source);
        let route = if self.deep { source.parse() } else { Ok(Route::deferred(source)) };
        match route {
            Ok(route) => {
                for table in route.hops.iter().flat_map(|hop| &hop.tables) {
                    self.symbol(table, at);
                }
                if let Some(name) = &route.from {
                    self.ancestor(name, at)?;
                }
                Some(route)
            }
            Err(error) => {
                let fault = Fault::new("bad-jsonpath", at).with("path", source);
                self.report(fault.with("detail", error.message));
                None
            }
        }
    }

    /// Several routes; those that do not compile are left out.
    pub fn routes(&mut self, routes: Option<&OneOrMany<String>>, at: &Field<'_>) -> Vec<Route> {
        let routes = routes.map(OneOrMany::to_vec).unwrap_or_default();
        routes.iter().filter_map(|route| self.route(route, at)).collect()
    }

    pub fn condition(&mut self, source: &str, at: &Field<'_>) -> Condition {
        self.mention(source);
        let condition = Condition::new(source);
        if has(source, LOOKUP) {
            self.note_lookups(condition.members().into_iter());
        }
        if !self.deep {
            return condition;
        }
        let (variables, functions) = condition.unknown_names();
        let known = [(variables, expressions::NAMES), (functions, expressions::FUNCTIONS)];
        for (names, known) in known {
            let other = (self.other.is_none() && condition.uses_unbound(OTHER)).then(|| OTHER.to_owned());
            for name in names.into_iter().chain(other.filter(|_| known.contains(&OTHER))) {
                let mut fault = Fault::new("unknown-cel-name", at).with("name", name.as_str());
                fault.part = source.find(&name).map(|start| Span::new(start, start + name.len()));
                let here = |name: &&str| *name != OTHER || self.other.is_some();
                let fault = fault.among(&name, known.iter().copied().filter(here));
                self.report(fault);
            }
        }
        for path in condition.members() {
            if let Some((at_name, known)) = self.unknown_member(&path) {
                let (written, name) = (path.join("."), path[at_name].as_str());
                let mut fault = Fault::new("unknown-member", at).with("path", written.as_str());
                fault.part = part_of_path(source, &path, at_name);
                self.report(fault.with("name", name).among(name, known.iter().map(String::as_str)));
            }
        }
        if condition.uses_unbound(LOOKUP) && !condition.members().iter().any(|path| path[0] == LOOKUP) {
            let known = self.vocabulary.symbols.keys().map(String::as_str);
            let mut fault = Fault::new("unknown-member", at).with("path", LOOKUP).with("name", LOOKUP);
            fault.part = source.find(LOOKUP).map(|start| Span::new(start, start + LOOKUP.len()));
            self.report(fault.with("nearest", Value::Null).with("known", known.collect::<Vec<_>>()));
        }
        condition
    }

    /// Notes the symbol tables of paths that begin with `lookup`.
    fn note_lookups(&mut self, paths: impl Iterator<Item = Vec<String>>) {
        let tables = paths.filter(|path| path[0] == LOOKUP).filter_map(|path| path.into_iter().nth(1));
        self.lookups.extend(tables);
    }

    /// The number of the first name in a path of names that cannot lead to anything, with the names that can.
    fn unknown_member(&self, path: &[String]) -> Option<(usize, Vec<String>)> {
        let (variable, names) = path.split_first()?;
        let first = names.first()?;
        let missing = |known: Vec<&String>| {
            let known: Vec<String> = known.into_iter().cloned().collect();
            (!known.contains(first)).then_some((1, known))
        };
        match variable.as_str() {
            "options" => missing(self.options.iter().collect()),
            "file" => {
                let known = || FILE_NAMES.iter().map(|name| (*name).to_owned());
                (!FILE_NAMES.contains(&first.as_str())).then(|| (1, known().collect()))
            }
            OTHER => missing(self.other.iter().flatten().collect()).filter(|_| self.other.is_some()),
            "symbols" | LOOKUP => missing(self.vocabulary.symbols.keys().collect()),
            "ancestor" => match self.vocabulary.ancestors.get(first) {
                None => missing(self.vocabulary.ancestors.keys().collect()),
                Some(path) => self.impossible(std::slice::from_ref(path), false, &names[1..], 2),
            },
            "root" => {
                let root = "$".parse().ok()?;
                self.impossible(&[root], false, names, 1)
            }
            "self" | "parent" => self.impossible(&self.selected, variable == "parent", names, 1),
            _ => None,
        }
    }

    /// Like [`Self::unknown_member`], for names below the nodes that paths lead to, as far as the schemas of all trees
    /// say. The first of the names has the number `start`.
    fn impossible(
        &self,
        paths: &[JsonPath],
        up: bool,
        names: &[String],
        start: usize,
    ) -> Option<(usize, Vec<String>)> {
        let mut first = None;
        for tree in &self.trees {
            for path in paths {
                let miss = impossible_member(tree, path, up, names)?;
                first = first.or_else(|| {
                    let at = names.iter().position(|name| *name == miss.name)?;
                    Some((start + at, miss.known))
                });
            }
        }
        first
    }

    pub fn template(&mut self, source: &str, at: &Field<'_>) -> Template {
        self.mention(source);
        let template = Template::new(source);
        if has(source, LOOKUP) {
            let names = template.placeholders().into_iter();
            self.note_lookups(names.map(|name| name.split('.').map(str::to_owned).collect()));
        }
        if !self.deep {
            return template;
        }
        for name in template.placeholders() {
            if let Some((name, known)) = self.unknown_placeholder(&name) {
                let mut fault = Fault::new("unknown-placeholder", at).with("name", name);
                fault.part = source.find(name).map(|start| Span::new(start, start + name.len()));
                let fault = fault.among(name, known);
                self.report(fault);
            }
        }
        template
    }

    /// The part of a placeholder that has no value, with the names that have one.
    fn unknown_placeholder<'s>(&'s self, placeholder: &'s str) -> Option<(&'s str, Vec<&'s str>)> {
        let mut parts = placeholder.split('.');
        let first = parts.next().unwrap_or_default();
        let ancestors = &self.vocabulary.ancestors;
        let common = PLACEHOLDERS.iter().map(|(name, _)| *name);
        match (first, parts.next()) {
            ("options", Some(option)) if !self.options.iter().any(|known| known == option) => {
                Some((option, self.options.iter().map(String::as_str).collect()))
            }
            (LOOKUP, table) if !table.is_some_and(|table| self.vocabulary.symbols.contains_key(table)) => {
                Some((table.unwrap_or(first), self.vocabulary.symbols.keys().map(String::as_str).collect()))
            }
            ("ancestor", Some(ancestor)) if !ancestors.contains_key(ancestor) => {
                Some((ancestor, ancestors.keys().map(String::as_str).collect()))
            }
            _ if common.clone().chain(self.values.iter().map(String::as_str)).any(|name| name == first) => {
                None
            }
            _ if self.has_unknown_values => None,
            _ => Some((first, common.chain(self.values.iter().map(String::as_str)).collect())),
        }
    }

    pub fn place(&mut self, source: &str, at: &Field<'_>) -> Option<Place> {
        match source.parse::<Place>() {
            Err(_) => None,
            Ok(Place { base: Base::Named(name), .. })
                if self.deep
                    && !self.has_unknown_values
                    && !self.places.contains(&name)
                    && !self.vocabulary.ancestors.contains_key(&name) =>
            {
                let known = ["self", "key", "entry", "parent", "root"].into_iter();
                let known = known.chain(self.places.iter().map(String::as_str));
                let fault = Fault::new("unknown-place", at).with("name", name.as_str());
                let fault = fault.among(&name, known);
                self.report(fault);
                None
            }
            Ok(place) => Some(place),
        }
    }

    /// Checks that the pack has a symbol table of this name.
    pub fn symbol(&mut self, name: &str, at: &Field<'_>) {
        if self.deep && !self.vocabulary.symbols.contains_key(name) {
            let fault = Fault::new("unknown-symbol", at).with("symbol", name);
            self.report(fault.among(name, self.vocabulary.symbols.keys().map(String::as_str)));
        }
    }

    /// The path to the nodes that the pack calls `name`.
    pub fn ancestor(&mut self, name: &str, at: &Field<'_>) -> Option<JsonPath> {
        let found = self.vocabulary.ancestors.get(name).cloned();
        if found.is_none() {
            let fault = Fault::new("unknown-ancestor", at).with("ancestor", name);
            self.report(fault.among(name, self.vocabulary.ancestors.keys().map(String::as_str)));
        }
        found
    }

    /// Checks that the rule has an option of this name.
    pub fn option(&mut self, name: &str, at: &Field<'_>) {
        if !self.options.iter().any(|option| option == name) {
            let fault = Fault::new("unknown-option", at).with("option", name);
            let fault = fault.among(name, self.options.iter().map(String::as_str));
            self.report(fault);
        }
    }

    /// The declarations of an observation; nothing where the names of a kind are not known.
    pub fn observable(&self, layer: Layer, name: &str) -> Vec<&'a Observable> {
        let all = self.observables.iter().flatten().copied();
        all.filter(|observable| observable.layer == layer && observable.name == name).collect()
    }
}

/// Whether a source has a word: rules have thousands of sources, and few have one of these words.
fn has(source: &str, word: &str) -> bool {
    memchr::memmem::find(source.as_bytes(), word.as_bytes()).is_some()
}

/// Where a name of a path is in an expression or a template that follows the path.
pub fn part_of_path(source: &str, path: &[String], name: usize) -> Option<Span> {
    let written = path[..=name].join(".");
    let ends = |end: usize| !source[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let found = source.match_indices(&written).map(|(at, _)| at + written.len()).find(|end| ends(*end));
    found.map(|end| Span::new(end - path[name].len(), end))
}

/// Compiles a path, now when `deep`.
pub fn compile_path(source: &str, at: &Field<'_>, deep: bool, faults: &mut Vec<Fault>) -> Option<JsonPath> {
    if !deep {
        return Some(JsonPath::deferred(source));
    }
    match source.parse::<JsonPath>() {
        Ok(path) => Some(path),
        Err(error) => {
            let mut fault = Fault::new("bad-jsonpath", at).with("path", source).with("detail", error.message);
            fault.part = Some(Span::new(error.offset.min(source.len()), source.len()));
            faults.push(fault);
            None
        }
    }
}

/// Compiles several paths; those that do not compile are left out.
pub fn compile_paths(
    paths: Option<&OneOrMany<String>>,
    at: &Field<'_>,
    deep: bool,
    faults: &mut Vec<Fault>,
) -> Vec<JsonPath> {
    match paths {
        None => Vec::new(),
        Some(OneOrMany::One(path)) => compile_path(path, at, deep, faults).into_iter().collect(),
        Some(OneOrMany::Many(paths)) => paths
            .iter()
            .enumerate()
            .filter_map(|(index, path)| compile_path(path, &at.index(index), deep, faults))
            .collect(),
    }
}
