//! Reading a description and the files that its references lead to into one tree.

use std::sync::Arc;

use super::{
    files::Files,
    references::{file_of, references},
};
use crate::{
    Comment, Observation, ParseOptions, budget,
    syntax::{
        actions::{Language, Template},
        json,
        yaml::{self, Dialect, Documents, YamlOptions},
    },
    templated,
    text::{Fragment, Source, SourceId, io_reason},
    tree::{NodeId, Tree, TreeBuilder},
};

/// Most files that the references of a description may lead to. Large public descriptions have about 3,000.
const FILES: usize = 20_000;

/// A description with the files that it refers to.
pub(super) struct Loaded {
    pub(super) tree: Tree,
    pub(super) observations: Vec<Observation>,
    pub(super) comments: Vec<Comment>,
    /// The template that it is.
    pub(super) template: Option<Arc<Template>>,
    pub(super) files: Files,
}

/// Reads a description and, where files may be read, those that its references lead to.
pub(super) fn load(source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Loaded {
    let mut builder = TreeBuilder::new(Arc::clone(source));
    let mut observations = Vec::new();
    let trial = |fragment: &Fragment<'_>| {
        let mut seen = Vec::new();
        read(&mut TreeBuilder::new(Arc::clone(source)), source, fragment, options, &mut seen);
        seen
    };
    let language = if is_json(source, fragment.text()) { Language::Json } else { Language::Yaml };
    let view = templated::view((source.name(), source.text()), fragment, language, options, &trial);
    let fragment = view.fragment.as_ref();
    let comments = read(&mut builder, source, fragment, options, &mut observations);
    view.retain_certain(source.text(), &mut observations, 0);
    let template = view.template.clone();
    let tree = builder.finish();
    let own = source.name().rsplit('/').next().unwrap_or_default().to_owned();
    let mut files = Files { paths: vec![own], ..Files::default() };
    let asked = asked(&tree, &files, SourceId(0));
    if asked.is_empty() || options.read.is_none() {
        return Loaded { tree, observations, comments, template, files };
    }
    let tree = with_files(source, fragment, options, &mut files, asked);
    Loaded { tree, observations, comments, template, files }
}

/// Reads the text of one file; the comments of the main one may hold suppressions.
fn read(
    builder: &mut TreeBuilder,
    source: &Source,
    fragment: &Fragment<'_>,
    options: &ParseOptions<'_>,
    observations: &mut Vec<Observation>,
) -> Vec<Comment> {
    if is_json(source, fragment.text()) {
        return json::read(builder, fragment, options.limits.yaml_depth, false, observations).comments;
    }
    let yaml = YamlOptions {
        depth: options.limits.yaml_depth,
        alias_nodes: options.limits.alias_nodes,
        dialect: Dialect::Any,
        documents: Documents::One,
        ..YamlOptions::default()
    };
    yaml::read(builder, fragment, &yaml, observations).comments
}

/// JSON by the name of the file or, for text without a name, by its first character.
fn is_json(source: &Source, text: &str) -> bool {
    let extension = source.name().rsplit_once('.').map(|(_, extension)| extension);
    match extension {
        Some("json") => true,
        Some("yaml" | "yml") => false,
        _ => text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']),
    }
}

/// The paths of the files that references in a source lead to.
fn asked(tree: &Tree, files: &Files, source: SourceId) -> Vec<String> {
    let written = references(tree).filter(|(node, _)| node.source_id() == source);
    let named = written.filter_map(|(_, reference)| file_of(reference.as_str()?));
    named.map(|file| files.path(source, &file)).collect()
}

/// The description with the files that are asked for, and those that they ask for.
fn with_files(
    source: &Arc<Source>,
    fragment: &Fragment<'_>,
    options: &ParseOptions<'_>,
    files: &mut Files,
    mut waiting: Vec<String>,
) -> Tree {
    let mut builder = TreeBuilder::new(Arc::clone(source));
    // Another file may refer back to the description, which is not read a second time.
    files.by_path.extend(files.paths.first().map(|own| (own.clone(), Ok(builder.next_id()))));
    // The first reading has observed everything.
    read(&mut builder, source, fragment, options, &mut Vec::new());
    while let Some(path) = waiting.pop() {
        if files.by_path.contains_key(&path) {
            continue;
        }
        let text =
            if files.by_path.len() < FILES { open(&path, options) } else { Err("too many files".into()) };
        let root = match text {
            Ok(text) => {
                let file = Arc::new(source.sibling(&path, text));
                let id = builder.add_source(Arc::clone(&file));
                files.paths.push(path.clone());
                let root = read_file(&mut builder, &file, id, options);
                waiting.extend(asked_in(&file, files, id, options));
                Ok(root)
            }
            Err(why) => Err(why),
        };
        files.by_path.insert(path, root);
    }
    builder.finish()
}

/// Adds the value of a file beside the others. Its errors are reported where it is validated itself.
fn read_file(builder: &mut TreeBuilder, file: &Source, id: SourceId, options: &ParseOptions<'_>) -> NodeId {
    let root = builder.next_id();
    let outer = builder.set_source(id);
    let fragment = Fragment::contiguous(file.text(), file.span());
    read(builder, file, &fragment, options, &mut Vec::new());
    builder.set_source(outer);
    root
}

/// The files that another file asks for.
fn asked_in(file: &Arc<Source>, files: &Files, id: SourceId, options: &ParseOptions<'_>) -> Vec<String> {
    let mut builder = TreeBuilder::new(Arc::clone(file));
    let fragment = Fragment::contiguous(file.text(), file.span());
    read(&mut builder, file, &fragment, options, &mut Vec::new());
    let tree = builder.finish();
    let named = references(&tree).filter_map(|(_, reference)| file_of(reference.as_str()?));
    named.map(|file| files.path(id, &file)).collect()
}

/// The text of a file, or why it cannot be read.
fn open(path: &str, options: &ParseOptions<'_>) -> Result<String, String> {
    let too_large = || "the files are too large together".to_owned();
    let Some(read) = options.read.filter(|_| budget::is_left()) else { return Err(too_large()) };
    let bytes = read(path).map_err(|error| io_reason(&error))?;
    if bytes.len() > options.limits.text_bytes {
        return Err("it exceeds the size limit".to_owned());
    }
    if !budget::allocate(bytes.len()) {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
