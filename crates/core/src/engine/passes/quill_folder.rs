use std::{
    path::{Component, Path},
    sync::Arc,
};

use crate::{
    engine::{
        contract::Contract,
        pass::{Pass, PassContext},
    },
    kinds::{
        Document, Kind as _, Observation, ParseOptions, ReadFile,
        markdown::Markdown,
        quill::{self, Quill, about, collections, fields, glue_names},
    },
    text::{Fragment, Source},
    tree::{Node, Tree},
};

/// Compares a manifest with the files of its folder.
pub(super) struct QuillFolderPass;

impl Pass for QuillFolderPass {
    fn kind(&self) -> &'static str {
        quill::NAME
    }

    fn observe(&self, document: &Document, context: &PassContext<'_>) -> Vec<Observation> {
        // A manifest without its folder has no files to compare it with.
        let own = Path::new(document.source().name()).file_name().unwrap_or_default().to_string_lossy();
        let read = context.options.read.filter(|read| quill::is_usable(document) && read(&own).is_ok());
        read.map(|read| observe(&document.tree, read)).unwrap_or_default()
    }
}

/// The layout of a bundle that names none.
const PLATE: &str = "plate.typ";

/// What does not fit in the folder of a quill: the layout is there and reads what is declared, and the
/// example meets the requirements of its own quill.
fn observe(tree: &Tree, read: ReadFile<'_>) -> Vec<Observation> {
    let mut observations = Vec::new();
    let quill = Quill::read(tree);
    let Some(place) = about(tree.root()) else { return observations };
    let text = |path: &str| read(inside(path)?).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let glue_path = quill.glue_file.as_deref().unwrap_or(PLATE);
    let node = |keys: [&str; 3]| keys.into_iter().find_map(|key| place.get(key)).unwrap_or(place);
    let plate = tree.at_pointer("/typst/plate_file").unwrap_or(place);
    let at = node(["glue_file", "glue", "plate_file"]);
    let at = if at.id() == place.id() { plate } else { at };
    match text(glue_path) {
        Some(glue) => observe_glue(tree, &quill, glue_path, &glue, at, &mut observations),
        None => {
            let observation = Observation::new("quill-missing-glue", at.span()).on(at.id());
            observations.push(observation.with("path", glue_path));
        }
    }
    if let Some(path) = quill.example_file.as_deref() {
        let at = node(["example_file", "example", "example_file"]);
        match text(path) {
            Some(example) => observe_example(&quill, path, example, at, &mut observations),
            None => {
                let observation = Observation::new("quill-missing-example", at.span()).on(at.id());
                observations.push(observation.with("path", path));
            }
        }
    }
    observations
}

/// The path, unless it leads out of the quill's folder.
fn inside(path: &str) -> Option<&str> {
    let down = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(path).components().all(down).then_some(path)
}

fn observe_glue(
    tree: &Tree,
    quill: &Quill,
    path: &str,
    glue: &str,
    at: Node<'_>,
    observations: &mut Vec<Observation>,
) {
    let root = tree.root();
    let template = glue.contains("{{") || glue.contains("{%");
    if template && !quill.fields.is_empty() {
        let known =
            |name: &str| name == "body" || quill.field(name).is_some() || quill.collection(name).is_some();
        for name in glue_names(glue).into_iter().filter(|name| !known(name)) {
            let line = glue.lines().position(|line| has_word(line, &name)).map_or(1, |index| index + 1);
            let observation = Observation::new("quill-undeclared-variable", at.span()).on(at.id());
            observations.push(observation.with("name", name).with("path", path).with("line", line));
        }
    }
    let lists = fields(root).into_iter().chain(collections(root).filter_map(|(_, fields)| fields));
    for entry in lists.flat_map(Node::entries).filter(|entry| !has_word(glue, entry.key())) {
        let observation = Observation::new("quill-unused-field", entry.key_span()).on(entry.value().id());
        observations.push(observation.with("field", entry.key()).with("path", path));
    }
}

/// Whether `text` contains this name, and not only as a part of a longer one.
fn has_word(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + name.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// What is wrong with the example: it does not meet the requirements of its own quill, or is one of another quill.
fn observe_example(
    quill: &Quill,
    path: &str,
    example: String,
    at: Node<'_>,
    observations: &mut Vec<Observation>,
) {
    let source = Arc::new(Source::new(path, example));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = Markdown.parse(&source, &fragment, &ParseOptions::default());
    let fact = |name: &'static str| Observation::new(name, at.span()).on(at.id()).with("path", path);
    match document.tree.at_pointer("/quill/name") {
        None => observations.push(fact("quill-example-without-quill").with("quill", quill.name.as_str())),
        Some(named) => {
            let name = named.as_str().unwrap_or_default();
            if name.split('@').next() != Some(&quill.name) {
                let fact = fact("quill-example-of-another").with("quill", quill.name.as_str());
                let line = source.position(named.span().start).line;
                observations.push(fact.with("named", name).with("line", line));
            }
        }
    }
    let mut wrong = Contract::Quill(quill).observe(&document.tree);
    wrong.retain(|seen| !TOLERABLE.contains(&&*seen.name));
    let Some(first) = wrong.first() else { return };
    let field = first.value("field").or_else(|| first.value("collection"));
    let fact = fact("quill-example-wrong").with("field", field.cloned());
    let line = source.position(first.span.start).line;
    observations.push(fact.with("line", line).with("count", wrong.len()));
}

/// What is worth reporting in the document, and is not an error of the quill.
const TOLERABLE: [&str; 2] = ["unknown-field", "deprecated-field"];
