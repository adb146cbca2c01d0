//! Descriptions of diagram types as Rust source: `grammars/mermaid/*.yaml`.

mod description;
mod raw;
mod source;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

pub(crate) use self::description::{Problem, stem};
use self::{
    description::Description,
    raw::{RawCommon, RawDiagram},
};
use crate::entries;
use proofmark_peg::{
    Grammar,
    mapping::{self, Field, Mapping, NameRule, Source},
};

/// Name of the files with what all types have in common.
const COMMON: &str = "common";

/// The files of a folder with this extension, each of which is for one type.
pub(crate) fn files<'f>(folder: &Path, extension: &'f str) -> impl Iterator<Item = std::path::PathBuf> + 'f {
    let of_type = move |path: &std::path::PathBuf| {
        path.extension().is_some_and(|found| found == extension) && stem(path) != COMMON
    };
    entries(folder).into_iter().filter(of_type)
}

/// The tables of all types in a folder, or everything that is wrong with their descriptions. A type without
/// a grammar is known and not read.
pub(crate) fn source(folder: &Path, grammars: &HashMap<String, Grammar>) -> Result<String, Vec<Problem>> {
    let common: Description<RawCommon> =
        Description::read(folder.join(format!("{COMMON}.yaml"))).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let mut types: Vec<Description<RawDiagram>> = Vec::new();
    for path in files(folder, "yaml") {
        match Description::read(path) {
            Ok(description) => types.push(description),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    for name in grammars.keys().filter(|name| types.iter().all(|described| described.name() != **name)) {
        problems.push(Problem::whole(folder.join(format!("{name}.pest")), "the grammar has no description"));
    }
    problems.extend(same_orders(&types));
    types.sort_by_key(|described| (described.raw.rank, described.name()));
    let (read, unread): (Vec<_>, Vec<_>) =
        types.into_iter().partition(|described| grammars.contains_key(&described.name()));
    for described in unread.iter().filter(|described| described.raw.tree.is_some()) {
        problems.push(described.problem("/tree", "there is no grammar that makes this tree"));
    }
    let mut diagrams = String::new();
    for described in &read {
        let file = described.name();
        match (tree(described, &common.raw, &grammars[&file]), names(described, &grammars[&file])) {
            (Ok(tree), Ok(names)) => {
                diagrams += &source::diagram(&file, &described.raw, &grammars[&file], &tree, &names);
            }
            (tree, names) => problems.extend([tree.err(), names.err()].into_iter().flatten().flatten()),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(format!(
        "pub(crate) static DIAGRAMS: [Diagram; {}] = [\n{diagrams}];\n{}{}",
        read.len(),
        lists(&read, &unread),
        productions(grammars)
    ))
}

/// What the error productions of all grammars observe: those of the same name have the values and places of
/// all. An empty match that marks a position comes with the line ends that a line there needs.
fn productions(grammars: &HashMap<String, Grammar>) -> String {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for grammar in grammars.values() {
        let inside = grammar.inside();
        for (rule, name) in grammar.names().enumerate().filter(|(_, name)| name.starts_with("err_")) {
            let inner = inside[rule].iter().map(|inner| grammar.name(*inner));
            found.entry(name).or_default().extend(inner.filter(|inner| *inner != "EOI"));
        }
    }
    let row = |(name, places): (&str, BTreeSet<&str>)| {
        let mut values: Vec<&str> = places.iter().copied().collect();
        if places.contains("here") {
            values.extend(["lead", "tail"]);
        }
        let places: Vec<&str> = places.into_iter().collect();
        format!("    Observable::syntax({name:?}, &{values:?}, &{places:?}),\n")
    };
    let rows: String = found.into_iter().map(row).collect();
    format!("pub(crate) static PRODUCTIONS: &[Observable] = &[\n{rows}];\n")
}

/// The lists over all types: what diagrams begin with, and whose statements are recognized elsewhere.
fn lists(read: &[Description<RawDiagram>], unread: &[Description<RawDiagram>]) -> String {
    let mut headers = BTreeMap::new();
    let mut recognized = BTreeMap::new();
    for (index, described) in read.iter().enumerate() {
        headers.extend(described.raw.headers.iter().map(|raw| (raw.order, source::header(raw, Some(index)))));
        recognized.extend(described.raw.recognized.map(|order| (order, index)));
    }
    for described in unread {
        headers.extend(described.raw.headers.iter().map(|raw| (raw.order, source::header(raw, None))));
    }
    let spellings: Vec<&String> =
        read.iter().chain(unread).flat_map(|described| &described.raw.spellings).collect();
    let headers: String = headers.into_values().collect();
    let recognized: Vec<usize> = recognized.into_values().collect();
    format!(
        "pub(crate) static HEADERS: &[Header] = &[\n{headers}];\n\
         pub(crate) static SPELLINGS: &[&str] = &{spellings:?};\n\
         pub(crate) static RECOGNIZED: &[usize] = &{recognized:?};\n"
    )
}

/// Positions that are given twice, among the headers or among the types that are recognized elsewhere.
fn same_orders(types: &[Description<RawDiagram>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut taken: HashMap<(&str, u32), String> = HashMap::new();
    for described in types {
        let orders = described.raw.headers.iter().enumerate();
        let orders = orders.map(|(index, raw)| ("order", raw.order, format!("/headers/{index}/order")));
        let own = described.raw.recognized.map(|order| ("recognized", order, "/recognized".to_owned()));
        for (key, order, pointer) in orders.chain(own) {
            if let Some(other) = taken.insert((key, order), described.name()) {
                let what = format!("`{key}: {order}` is also in {other}.yaml");
                problems.push(described.problem(&pointer, what));
            }
        }
    }
    problems
}

/// The names in diagrams of a type.
fn names(described: &Description<RawDiagram>, grammar: &Grammar) -> Result<Vec<NameRule>, Vec<Problem>> {
    let Some(raw) = &described.raw.names else { return Ok(Vec::new()) };
    mapping::compile_names(raw, grammar).map_err(|faults| {
        let problem = |fault: &mapping::TreeFault| {
            described.problem(&format!("/names{}", fault.pointer), fault.problem.to_string())
        };
        faults.iter().map(problem).collect()
    })
}

/// A type's tree: the keys of all types, then its own.
fn tree(
    described: &Description<RawDiagram>,
    common: &RawCommon,
    grammar: &Grammar,
) -> Result<Mapping, Vec<Problem>> {
    let shared = common.tree.iter().filter_map(|(key, rule)| {
        let rules = vec![grammar.rule(rule)?].into();
        let source = Source::Scalar { rules, scalar: mapping::Scalar::String };
        Some(Field { key: key.clone().into(), about: "".into(), source })
    });
    let mut fields: Vec<Field> = shared.collect();
    if let Some(tree) = &described.raw.tree {
        let own = mapping::compile(tree, grammar).map_err(|faults| {
            let problem = |fault: &mapping::TreeFault| {
                described.problem(&format!("/tree{}", fault.pointer), fault.problem.to_string())
            };
            faults.iter().map(problem).collect::<Vec<_>>()
        })?;
        fields.extend(own.fields.into_owned());
    }
    if fields.len() > Mapping::ROOTS {
        return Err(vec![described.problem("/tree", "a tree has at most 64 keys")]);
    }
    Ok(Mapping::new(fields, grammar))
}
