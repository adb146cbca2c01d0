//! `kind.yaml`: kinds that packs define.

use std::sync::Arc;

use serde_json::Value;

use super::{ReadFile, grammar, schema_file::read_schema};
use crate::{
    checks::{Fault, Field},
    kinds::{
        Kind, Kinds,
        grammar::{CommentPattern, Definition, GrammarKind},
        openapi::ReferringKind,
    },
    peg::Grammar,
    rules::raw::RawKind,
    schema::impossible_name,
    syntax::mapping::{self, Mapping, NameRule, Problem, RawNames, RawTree, TreeFault},
    tree::JsonPath,
};

/// Compiles a `kind.yaml` given as JSON; `kinds` are those that there are already. There is no kind where
/// something is wrong.
pub(in crate::rules) fn compile_kind(
    json: &Value,
    kinds: &Kinds,
    read: ReadFile<'_>,
) -> (Option<Arc<dyn Kind>>, Vec<Fault>) {
    let raw = match serde_json::from_value::<RawKind>(json.clone()) {
        Ok(raw) => raw,
        Err(error) => {
            return (None, vec![Fault::new("undecodable-rule", "").with("detail", error.to_string())]);
        }
    };
    let mut faults = Vec::new();
    let root = Field::at("");
    if kinds.get(&raw.name).is_some() {
        faults.push(Fault::new("kind-exists", &root.key("name")).with("kind", raw.name.as_str()));
    }
    let globs = root.key("globs");
    for (index, glob) in raw.globs.iter().enumerate() {
        if glob.matches('*').count() > 1 || glob.contains(['/', '?', '[', '{']) {
            let detail = "a file name has at most one `*` and no other pattern";
            faults.push(Fault::new("bad-kind", &globs.index(index)).with("detail", detail));
        }
    }
    let comment = match &raw.comment {
        None => Some(CommentPattern::default()),
        Some(pattern) => CommentPattern::new(pattern),
    };
    if comment.is_none() {
        let detail = "a comment has a mark and then `{}` for its text, such as `# {}`";
        faults.push(Fault::new("bad-kind", &root.key("comment")).with("detail", detail));
    }
    let Some(file) = raw.grammar.clone().filter(|_| !raw.references) else {
        return compile_referring(raw, faults, read);
    };
    // Without a start rule of its own, the file lacks the usual one.
    let start = if json.get("start").is_some() { root.key("start") } else { root.key("grammar") };
    let places = (&root.key("grammar"), &start);
    let grammar = grammar::compile(&file, &raw.start, places, read, &mut faults);
    let tree = raw.tree.as_ref().zip(grammar.as_ref());
    let tree = tree.and_then(|(tree, grammar)| compile_tree(tree, grammar, &root.key("tree"), &mut faults));
    let names = raw.names.as_ref().zip(grammar.as_ref());
    let names = names.map(|(names, grammar)| compile_names(names, grammar, &root.key("names"), &mut faults));
    let at = root.key("schema");
    let schema = raw.schema.as_ref().and_then(|file| read_schema(file, &at, read, &mut faults));
    if let (Some(tree), Some(schema)) = (&tree, &schema) {
        faults.extend(outside(tree, schema));
    }
    let (Some(grammar), Some(comment), true) = (grammar, comment, faults.is_empty()) else {
        return (None, faults);
    };
    let lower = |names: Vec<String>| names.into_iter().map(|name| name.to_lowercase()).collect();
    let definition = Definition {
        name: raw.name,
        description: raw.description,
        globs: lower(raw.globs),
        fences: lower(raw.fences),
        comment,
        grammar,
        start: raw.start,
        tree,
        names: names.unwrap_or_default(),
        schema,
    };
    (Some(Arc::new(GrammarKind::new(definition))), faults)
}

/// A kind of YAML and JSON with references, which has no grammar.
fn compile_referring(
    raw: RawKind,
    mut faults: Vec<Fault>,
    read: ReadFile<'_>,
) -> (Option<Arc<dyn Kind>>, Vec<Fault>) {
    let root = Field::at("");
    let has_own = raw.grammar.is_some() || raw.tree.is_some() || raw.names.is_some() || raw.comment.is_some();
    let detail = match () {
        () if !raw.references => {
            "say which `grammar` reads the documents, or `references: true` for YAML and JSON with `$ref`"
        }
        () if has_own => "`references: true` takes the place of `grammar`, `tree`, `names` and `comment`",
        () => "",
    };
    if !detail.is_empty() {
        let at = if raw.references { root.key("references") } else { root.key("name") };
        faults.push(Fault::new("bad-kind", &at).with("detail", detail));
    }
    let at = root.key("schema");
    let schema = raw.schema.as_ref().and_then(|file| read_schema(file, &at, read, &mut faults));
    if !faults.is_empty() {
        return (None, faults);
    }
    let lower = |names: Vec<String>| names.into_iter().map(|name| name.to_lowercase()).collect();
    let kind = ReferringKind {
        name: raw.name,
        description: raw.description,
        globs: lower(raw.globs),
        fences: lower(raw.fences),
        schema: schema.map_or_else(|| "{}".to_owned(), |schema| schema.to_string()),
    };
    (Some(Arc::new(kind)), faults)
}

fn compile_tree(
    tree: &RawTree,
    grammar: &Grammar,
    at: &Field<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Mapping> {
    let found = match mapping::compile(tree, grammar) {
        Ok(mapping) => return Some(mapping),
        Err(found) => found,
    };
    report(found, grammar, at, faults);
    None
}

fn compile_names(
    names: &RawNames,
    grammar: &Grammar,
    at: &Field<'_>,
    faults: &mut Vec<Fault>,
) -> Vec<NameRule> {
    mapping::compile_names(names, grammar).unwrap_or_else(|found| {
        report(found, grammar, at, faults);
        Vec::new()
    })
}

/// Reports what is wrong with a description.
fn report(found: Vec<TreeFault>, grammar: &Grammar, at: &Field<'_>, faults: &mut Vec<Fault>) {
    for fault in found {
        let pointer = format!("{}{}", at.pointer(), fault.pointer);
        faults.push(match fault.problem {
            Problem::UnknownRule(rule) => Fault::new("unknown-grammar-rule", pointer)
                .with("rule", rule.as_str())
                .among(&rule, grammar.names().filter(|name| *name != "EOI")),
            Problem::Contradiction(detail) => Fault::new("bad-kind", pointer).with("detail", detail),
        });
    }
}

/// Keys of the tree that its schema rules out.
fn outside(tree: &Mapping, schema: &Value) -> Vec<Fault> {
    let ruled_out = |(pointer, path): (String, String)| {
        let miss = impossible_name(schema, &path.parse::<JsonPath>().ok()?)?;
        let detail = format!("the schema of the tree has no `{}`", miss.name);
        Some(Fault::new("bad-kind", format!("/tree{pointer}")).with("detail", detail))
    };
    tree.paths().into_iter().filter_map(ruled_out).collect()
}
