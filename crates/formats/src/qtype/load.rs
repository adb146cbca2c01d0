//! From YAML to the document as QType loads it: environment variables, includes, dates.
//!
//! The YAML is read into a tree, which is the result for most documents. Only a document with something to
//! replace is copied into a second tree. Included files are copied into it from their own sources, so that
//! every value keeps its location.

use std::{collections::HashSet, mem, sync::Arc};

use super::{
    environment::{self, Substituted},
    timestamp::{Timestamp, timestamp},
};
use crate::{
    Comment, Name, Observation, ParseOptions, budget,
    syntax::yaml::{self, Tags, YamlOptions},
    text::{Fragment, Source, SourceId, Span, io_reason, joined},
    tree::{KeyType, Node, NodeId, Scalar, Tree, TreeBuilder},
};

/// Maximum nesting depth of includes.
const INCLUDE_DEPTH: usize = 32;

/// Maximum number of files that a document may include.
const INCLUDES: usize = 1000;

/// The tag that includes a file as YAML.
const INCLUDE: &str = "!include";

/// The tag that includes a file as a string.
const INCLUDE_RAW: &str = "!include_raw";

/// A loaded document.
pub(super) struct Loaded {
    pub(super) tree: Tree,
    pub(super) observations: Vec<Observation>,
    pub(super) comments: Vec<Comment>,
    /// The strings with values of the environment.
    pub(super) unknown: Vec<NodeId>,
}

/// Reads a document with everything it includes.
pub(super) fn load(source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Loaded {
    let mut loader = Loader {
        options,
        observations: Vec::new(),
        unknown: Vec::new(),
        chain: vec![file_name(source.name())],
        files: 0,
        is_limited: false,
        tagged: HashSet::new(),
    };
    let read = loader.read(source, fragment, SourceId(0));
    let Some(tree) = read.tree else {
        // Malformed YAML has no further findings.
        let tree = TreeBuilder::new(Arc::clone(source)).finish();
        return Loaded {
            tree,
            observations: loader.observations,
            comments: read.comments,
            unknown: Vec::new(),
        };
    };
    // An escape may encode a dollar sign.
    let dollars = has_reference(source.text()) || source.text().contains('\\');
    let tree = if may_need_rewrite(source.text()) && needs_rewrite(tree.root(), dollars) {
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let folder = String::new();
        loader.copy(tree.root(), &mut Target { builder: &mut builder, folder, span: None });
        builder.finish()
    } else {
        tree
    };
    if read.empty {
        loader.observe(Observation::new("empty-document", Span::at(0)), SourceId(0));
    }
    Loaded { tree, observations: loader.observations, comments: read.comments, unknown: loader.unknown }
}

struct Read {
    tree: Option<Tree>,
    comments: Vec<Comment>,
    /// Whether the document is empty.
    empty: bool,
}

struct Loader<'o> {
    options: &'o ParseOptions<'o>,
    observations: Vec<Observation>,
    unknown: Vec<NodeId>,
    /// The files being read, the innermost last.
    chain: Vec<String>,
    files: usize,
    /// Whether there are more includes than are read.
    is_limited: bool,
    /// What was observed of tags, by its place: aliases repeat values.
    tagged: HashSet<(Name, Span, SourceId)>,
}

/// The destination of copies.
struct Target<'b> {
    builder: &'b mut TreeBuilder,
    /// Folder of the copied file, relative to that of the document.
    folder: String,
    /// The span of the topmost copied value, if not its own.
    span: Option<Span>,
}

impl Loader<'_> {
    fn observe(&mut self, observation: Observation, source: SourceId) {
        self.observations.push(observation.in_source(source));
    }

    /// Observes something at a tag, once for each place.
    fn observe_tag(&mut self, observation: Observation, source: SourceId) {
        if self.tagged.insert((observation.name.clone(), observation.span, source)) {
            self.observe(observation, source);
        }
    }

    /// Reads the YAML of one file; malformed YAML has no tree.
    fn read(&mut self, source: &Arc<Source>, fragment: &Fragment<'_>, id: SourceId) -> Read {
        let yaml = YamlOptions {
            depth: self.options.limits.yaml_depth,
            alias_nodes: self.options.limits.alias_nodes,
            tags: Tags::Wrap,
            ..YamlOptions::py_yaml()
        };
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let mut observations = Vec::new();
        let read = yaml::read(&mut builder, fragment, &yaml, &mut observations);
        let sound = read.complete && observations.iter().all(|observation| observation.name.contains('-'));
        // The tab because of which the lines below do not fit to the line that it indents.
        let mut tab = None;
        for observation in observations {
            let is_tab = observation.name == "yaml_tab_indentation";
            let follows = observation.name == "yaml_key_inside_text";
            if !follows {
                tab = is_tab.then_some(self.observations.len());
            }
            if let Some(mut observation) = renamed(observation, id != SourceId(0)) {
                observation.cause = tab.filter(|_| follows);
                self.observe(observation, id);
            }
        }
        let tree = builder.finish();
        let empty = sound && tree.root().is_null();
        Read { tree: read.whole.then_some(tree), comments: read.comments, empty }
    }

    /// Copies a value and replaces its environment variables, includes and dates.
    fn copy(&mut self, node: Node<'_>, target: &mut Target<'_>) {
        if node.is_sequence() {
            let span = target.span.take().unwrap_or(node.span());
            target.builder.open_sequence(span);
            for item in node.items() {
                self.copy(item, target);
            }
            target.builder.close(None);
        } else if let Some((tag, value, place)) = tagged(node) {
            self.copy_tagged(tag, value, node, place, target);
        } else if node.is_mapping() {
            let span = target.span.take().unwrap_or(node.span());
            target.builder.open_mapping(span);
            self.copy_entries(node, target);
            target.builder.close(None);
        } else {
            self.copy_scalar(node, target);
        }
    }

    fn copy_entries(&mut self, node: Node<'_>, target: &mut Target<'_>) {
        for entry in node.entries() {
            let (key, span, key_type) = (entry.key(), entry.key_span(), entry.key_type());
            let replaced = if key_type == KeyType::String { self.key(key, span, target) } else { None };
            target.builder.key(replaced.as_deref().unwrap_or(key), span, key_type);
            self.copy(entry.value(), target);
        }
    }

    /// A key with its environment variables replaced. A missing variable is reported on the whole key, because
    /// the variable changes the key.
    fn key(&mut self, key: &str, span: Span, target: &Target<'_>) -> Option<String> {
        let before = self.observations.len();
        let replaced = self.text(key, span, target).map(|substituted| substituted.text);
        for observation in &mut self.observations[before..] {
            observation.span = span;
        }
        replaced
    }

    fn copy_scalar(&mut self, node: Node<'_>, target: &mut Target<'_>) {
        let span = target.span.take();
        let place = span.unwrap_or(node.span());
        let Some(text) = node.as_str() else {
            let scalar = node.scalar().unwrap_or(Scalar::Null);
            target.builder.scalar(scalar, place);
            return;
        };
        let raw = node.raw();
        let plain = raw == text;
        if plain && text == "=" {
            let node = target.builder.scalar(Scalar::Null, place);
            self.observe(Observation::new("unknown_tag", place).with("tag", "=").on(node), here(target));
            return;
        }
        match if plain { timestamp(text) } else { Timestamp::None } {
            Timestamp::None => {}
            Timestamp::Days(days) => {
                target.builder.scalar(Scalar::Integer(days), place);
                return;
            }
            Timestamp::Impossible => {
                let observation = Observation::new("impossible-scalar", place).with("type", "timestamp");
                self.observe(observation, here(target));
            }
        }
        match self.text(text, place, target) {
            Some(replaced) => {
                let node = target.builder.scalar(Scalar::Text(&replaced.text), place);
                self.unknown.extend(replaced.unknown.then_some(node));
                node
            }
            None if plain && span.is_none() => target.builder.scalar(Scalar::Slice, place),
            None => target.builder.scalar(Scalar::Text(text), place),
        };
    }

    /// A string with its environment variables replaced; `None` if it has none.
    fn text(&mut self, text: &str, place: Span, target: &Target<'_>) -> Option<Substituted> {
        if !environment::refers(text) {
            return None;
        }
        let options = self.options;
        let is_set = |name: &str| options.environment.is_some_and(|environment| environment(name).is_some());
        let mut substituted = environment::substitute(text, &is_set);
        let name = if options.strict_environment { "required-environment" } else { "unset-environment" };
        // Without a known environment, missing variables are not reported.
        let known = options.environment.is_some() || options.strict_environment;
        for variable in mem::take(&mut substituted.missing).into_iter().filter(|_| known) {
            let source = target.builder.source(here(target));
            let written = format!("${{{variable}}}");
            let found = source.slice(place).find(&written);
            let span = found.map_or(place, |at| Span::at(at + place.start as usize));
            let length = if found.is_some() { written.len() as u32 } else { 0 };
            let span = Span { start: span.start, end: span.end + length };
            self.observe(Observation::new(name, span).with("variable", variable), here(target));
        }
        budget::charge(1 + text.len() as u64 / 64);
        Some(substituted)
    }

    /// Copies a value with a tag: an include, or an unknown tag.
    fn copy_tagged(
        &mut self,
        tag: &str,
        value: Node<'_>,
        node: Node<'_>,
        place: Span,
        target: &mut Target<'_>,
    ) {
        let whole = target.span.take().unwrap_or(node.span());
        if tag != INCLUDE && tag != INCLUDE_RAW {
            let node = target.builder.scalar(Scalar::Null, whole);
            let observation = Observation::new("unknown_tag", whole).with("tag", tag).at("tag", place);
            self.observe_tag(observation.on(node), here(target));
            return;
        }
        let Some(path) = value.scalar_text() else {
            let node = target.builder.scalar(Scalar::Null, whole);
            let observation = Observation::new("include-of-collection", whole).with("tag", tag);
            self.observe_tag(observation.on(node), here(target));
            return;
        };
        let path = if value.is_null() { "" } else { path.as_ref() };
        let before = self.observations.len();
        if !self.include(path, tag == INCLUDE_RAW, whole, target) {
            let node = target.builder.scalar(Scalar::Null, whole);
            let source = here(target);
            for observation in self.observations[before..].iter_mut().filter(|o| o.source == source) {
                observation.node = Some(node);
            }
        }
    }

    /// Inserts an included file; observes why if that is not possible.
    fn include(&mut self, path: &str, raw: bool, whole: Span, target: &mut Target<'_>) -> bool {
        let observed = |name: &'static str| Observation::new(name, whole).with("file", path);
        let full = match resolve(&target.folder, path) {
            Ok(full) => full,
            Err(name) => {
                let scheme = path.split_once("://").map_or("", |(scheme, _)| scheme);
                self.observe_tag(observed(name).with("scheme", scheme), here(target));
                return false;
            }
        };
        if !raw && self.chain.contains(&full) {
            let mut chain = self.chain.clone();
            chain.push(full);
            self.observe_tag(observed("include-cycle").with("chain", chain.join(" → ")), here(target));
            return false;
        }
        self.files += 1;
        if self.files > INCLUDES || self.chain.len() > INCLUDE_DEPTH {
            // Once: what is left out after the first one has the same cause.
            if !mem::replace(&mut self.is_limited, true) {
                self.observe(observed("include-limit").with("limit", INCLUDES), here(target));
            }
            return false;
        }
        match self.open(&full) {
            Ok(text) if raw => {
                target.builder.scalar(Scalar::Text(&text), whole);
                true
            }
            Ok(text) => self.splice(full, text, target),
            Err(problem) => {
                let observation = observed(problem.name);
                let observation = match problem.detail {
                    Some(detail) => observation.with("detail", detail),
                    None => observation,
                };
                self.observe_tag(observation, here(target));
                false
            }
        }
    }

    fn open(&self, path: &str) -> Result<String, Problem> {
        use std::io::ErrorKind;
        let Some(read) = self.options.read else {
            return Err(Problem::missing("files are not available here"));
        };
        let too_large = || Problem::missing("the included files are too large together");
        if !budget::is_left() {
            return Err(too_large());
        }
        let bytes = read(path).map_err(|error| match error.kind() {
            ErrorKind::IsADirectory => Problem { name: "include-of-folder", detail: None },
            ErrorKind::PermissionDenied => Problem { name: "include-outside", detail: None },
            _ => Problem::missing(&io_reason(&error)),
        })?;
        if !budget::allocate(bytes.len()) {
            return Err(too_large());
        }
        if bytes.len() > self.options.limits.text_bytes {
            return Err(Problem::missing("it exceeds the size limit"));
        }
        let text = String::from_utf8(bytes);
        text.map_err(|_| Problem { name: "include-not-utf8", detail: None })
    }

    /// Copies the value of an included file.
    fn splice(&mut self, path: String, text: String, target: &mut Target<'_>) -> bool {
        let source = Arc::new(target.builder.source(SourceId(0)).sibling(&path, text));
        let id = target.builder.add_source(Arc::clone(&source));
        let fragment = Fragment::contiguous(source.text(), source.span());
        let Some(tree) = self.read(&source, &fragment, id).tree else { return false };
        let folder = path.rfind('/').map_or_else(String::new, |at| path[..=at].to_owned());
        self.chain.push(path);
        let outer = target.builder.set_source(id);
        self.copy(tree.root(), &mut Target { builder: &mut *target.builder, folder, span: None });
        target.builder.set_source(outer);
        self.chain.pop();
        true
    }
}

/// Why a file cannot be included.
struct Problem {
    name: &'static str,
    detail: Option<String>,
}

impl Problem {
    fn missing(detail: &str) -> Self {
        Self { name: "include-not-found", detail: Some(detail.to_owned()) }
    }
}

/// An observation of the YAML reader under the name of this kind; `None` if loading makes an equivalent
/// observation.
fn renamed(mut observation: Observation, included: bool) -> Option<Observation> {
    let tag = |observation: &Observation| {
        observation.value("tag").and_then(|tag| tag.as_str()).unwrap_or_default().to_owned()
    };
    let own = observation.name.clone();
    let name: Name = match own.as_ref() {
        "yaml-overridden-key" => own,
        trap if trap.contains('-') => return None,
        "yaml_unknown_tag" => {
            let tag = tag(&observation);
            // Custom tags and `=` are observed when the tree is copied.
            if tag.starts_with('!') || tag.ends_with(":value") {
                return None;
            }
            "unknown_tag".into()
        }
        "yaml_tag_mismatch" => "impossible-scalar".into(),
        "yaml_unknown_anchor"
        | "yaml_duplicate_anchor"
        | "yaml_recursive_alias"
        | "yaml_alias_limit"
        | "yaml_too_deep"
        | "yaml_several_documents"
        | "yaml_control_character"
        | "yaml_collection_key"
        | "yaml_merge_value" => own,
        fault => {
            let name = if included { "included_syntax" } else { "malformed_yaml" };
            let mut observation = observation.with("fault", fault);
            observation.name = name.into();
            return Some(observation);
        }
    };
    // A node would be that of the tree before the copy.
    observation.node = None;
    observation.name = name;
    Some(observation)
}

/// The source of the copies.
fn here(target: &Target<'_>) -> SourceId {
    target.builder.current_source()
}

/// Whether text may refer to a variable of the environment.
fn has_reference(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"${").is_some()
}

/// Whether the values of a document may have something to replace: most have not, and then no value is looked at.
fn may_need_rewrite(text: &str) -> bool {
    let bytes = text.as_bytes();
    // A tag or the special value `=`, or an escape of any character; a variable; a date.
    memchr::memchr3(b'!', b'=', b'\\', bytes).is_some()
        || has_reference(text)
        || memchr::memchr_iter(b'-', bytes).any(|at| at > 0 && bytes[at - 1].is_ascii_digit())
}

/// Whether a tree has something to replace; without `dollars` it has no environment variables.
fn needs_rewrite(node: Node<'_>, dollars: bool) -> bool {
    if let Some(text) = node.as_str() {
        return (dollars && text.contains("${")) || text == "=" || timestamp(text) != Timestamp::None;
    }
    let special = |key: &str| key.starts_with('!') || (dollars && key.contains("${"));
    node.items().any(|item| needs_rewrite(item, dollars))
        || node.entries().any(|entry| special(entry.key()) || needs_rewrite(entry.value(), dollars))
}

/// Tag, value and position of the tag, if the mapping represents a tagged value.
fn tagged(node: Node<'_>) -> Option<(&str, Node<'_>, Span)> {
    let entry = node.entries().next().filter(|_| node.len() == 1)?;
    let key = entry.key();
    // A key can begin with `!` only if it is quoted, and a tag cannot be quoted.
    let is_tag = key.starts_with('!') && node.source().slice(entry.key_span()).starts_with('!');
    is_tag.then(|| (key, entry.value(), entry.key_span()))
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// The path relative to the document's folder, or the name of the observation of its error.
fn resolve(folder: &str, path: &str) -> Result<String, &'static str> {
    if let Some((scheme, _)) = path.split_once("://") {
        let remote = ["http", "https", "s3", "gs", "gcs", "ftp", "sftp", "file", "abfs", "az"];
        return Err(if remote.contains(&scheme) { "include-remote" } else { "include-scheme" });
    }
    if path.trim().is_empty() {
        return Err("include-of-folder");
    }
    if path.starts_with('/') {
        return Err("include-outside");
    }
    Ok(joined(folder, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_including_file() {
        assert_eq!(resolve("inc/", "../a.yaml"), Ok("a.yaml".into()));
        assert_eq!(resolve("", "../a.yaml"), Ok("../a.yaml".into()));
        assert_eq!(resolve("inc/", "b/./c.yaml"), Ok("inc/b/c.yaml".into()));
        assert_eq!(resolve("", "/etc/passwd"), Err("include-outside"));
        assert_eq!(resolve("", "https://example.org/a"), Err("include-remote"));
        assert_eq!(resolve("", "foo://a"), Err("include-scheme"));
    }
}
