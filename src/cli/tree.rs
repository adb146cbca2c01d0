//! The tree of a document, as selectors of rules see it.

use std::{fmt::Write as _, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    kinds::Document,
    project::{Input, NotOpened, Overrides},
    text::{clip, nearest, visible},
    tree::{JsonPath, Node},
};

use super::{
    Global,
    arguments::OutputFormat,
    console::{Console, plural},
    exit::{Exit, Fault},
    input::KindArguments,
    project::{open, report_left_out},
    style::Style,
};

/// Show the tree of a document that rules see, or the nodes that a selector selects in it
///
/// Rules do not look at text but at a tree: mappings, lists and scalars, whatever the kind of the document is. A
/// selector (`given:`) is a JSONPath in this tree. Every node is shown with its line and column. A place such as
/// `/headings/0`, as `expect: [{at: …}]` and JSON reports have it, can be given instead of a selector.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark tree docs/a.md                              the upper levels of the tree
  proofmark tree docs/a.md --all                        all of it
  proofmark tree docs/a.md '$.headings[*]'              what a rule with this `given` looks at
  proofmark tree k8s.yaml '$..containers[?!@.resources]'   a filter: containers without resources
  proofmark tree k8s.yaml /spec/replicas                the node at a place
  proofmark tree docs/a.md --embedded 1                 the tree of the first diagram or data block in it
  proofmark tree docs/a.md '$.links[*]' --format json   with byte ranges, for programs

Exit codes: 0 nodes are shown, 1 the selector selects nothing, 2 a mistake in the command.
`proofmark kinds NAME` says which nodes documents of a kind can have. Quote a selector in single quotes:
the shell changes `$`, `*` and `?`.")]
pub(super) struct Arguments {
    /// The document
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A JSONPath, as in `given:`, or a place such as `/headings/0` [default: the whole tree]
    #[arg(value_name = "PATH")]
    path: Option<String>,
    #[command(flatten)]
    kind: KindArguments,
    /// Show all levels and all items
    #[arg(long)]
    all: bool,
    /// Show the tree of an embedded document, by its number
    #[arg(long, value_name = "NUMBER")]
    embedded: Option<usize>,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Most levels that are shown without `--all`.
const LEVELS: usize = 4;

/// Most items of a list that are shown without `--all`.
const ITEMS: usize = 8;

/// Most characters of a value on one line.
const WIDTH: usize = 88;

/// Most characters of a string among others.
const STRING: usize = 60;

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open(global, arguments.kind.with(Overrides::default()))?;
    report_left_out(&project);
    if arguments.file.symlink_metadata().is_err() {
        return Err(Fault::usage(format!("there is no `{}`", visible(&arguments.file.to_string_lossy()))));
    }
    let listed = project.listed(Input::file(&arguments.file));
    let subject = match project.subject(listed.input.clone()) {
        Ok(subject) => subject,
        Err(NotOpened::UnknownKind) => return Err(Fault::unknown_kind(&listed.name, "--kind", &project)),
        Err(NotOpened::Unreadable { outcome, .. }) => {
            return Err(Fault::findings(&outcome.diagnostics, outcome.document.tree.sources()));
        }
    };
    let whole = subject.read_whole();
    let inner = embedded(&whole);
    let document = match arguments.embedded {
        None => &whole,
        Some(number) => {
            number.checked_sub(1).and_then(|index| inner.get(index).copied()).ok_or_else(|| {
                let count = plural(inner.len(), "embedded document");
                Fault::usage(format!("`{}` has {count}, and no number {number}", visible(&listed.name)))
            })?
        }
    };
    let view = View { document, all: arguments.all, style: Style::new(console.color()) };
    let nodes = match &arguments.path {
        None => vec![document.tree.root()],
        Some(path) => selected(document, path)?,
    };
    let text = match (arguments.format, &arguments.path) {
        (OutputFormat::Json, path) => view.json(&listed.name, path.as_deref(), &nodes),
        (OutputFormat::Text, None) => {
            let mut text = format!("{}  {}\n", view.style.bold(&visible(&listed.name)), document.kind);
            view.tree(nodes[0], "$", 0, &mut text);
            if arguments.embedded.is_none() {
                view.embedded(&inner, &mut text);
            }
            text
        }
        (OutputFormat::Text, Some(path)) => view.selection(path, &nodes),
    };
    Console::print(&text)?;
    if nodes.is_empty()
        && let Some(path) = &arguments.path
    {
        Console::note(&why_nothing(document, path));
    }
    Ok(Exit::findings(nodes.is_empty()))
}

/// The documents inside of a document, with those inside of these.
fn embedded(document: &Document) -> Vec<&Document> {
    document.embedded.iter().flat_map(|inner| [vec![inner], embedded(inner)].concat()).collect()
}

/// The nodes that a JSONPath or a JSON Pointer leads to.
fn selected<'t>(document: &'t Document, path: &str) -> Result<Vec<Node<'t>>, Fault> {
    if path.starts_with('/') {
        return Ok(document.tree.at_pointer(path).into_iter().collect());
    }
    match path.parse::<JsonPath>() {
        Ok(path) => Ok(path.select(document.tree.root())),
        Err(error) => Err(Fault::with_hint(
            format!("`{}` is not a JSONPath: {}", visible(path), error.message),
            "follow RFC 9535, as in '$.headings[*]', '$..price' or '$.fences[?@.language == \"mermaid\"]'",
        )),
    }
}

/// How far a path leads, and what there is instead.
fn why_nothing(document: &Document, path: &str) -> String {
    let root = document.tree.root();
    let reached = |end: &usize| -> Option<Node<'_>> {
        let part = path.get(..*end)?;
        if path.starts_with('/') {
            document.tree.at_pointer(part)
        } else {
            part.parse::<JsonPath>().ok()?.first(root)
        }
    };
    let last = (0..path.len()).rev().find_map(|end| Some((end, reached(&end)?)));
    let Some((end, node)) = last else { return "hint: a selector begins with `$`, the document".to_owned() };
    let (part, rest) = path.split_at(end);
    let part = if part.is_empty() { "the document" } else { part };
    let keys: Vec<&str> = node.entries().map(|entry| entry.key()).collect();
    let word: String = rest
        .chars()
        .skip_while(|c| !c.is_alphanumeric())
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let meant = nearest(&word, keys.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
    let there = match (node.is_mapping(), node.is_sequence()) {
        (true, _) if keys.is_empty() => "an empty mapping".to_owned(),
        (true, _) => format!("a mapping with {}", clip(&keys.join(", "), WIDTH)),
        (_, true) => format!("a list of {}, which `[*]` selects", plural(node.len(), "item")),
        _ => format!("the scalar {}", value(node, STRING)),
    };
    format!("hint: `{}` is {}{}", visible(part), visible(&there), meant.unwrap_or_default())
}

/// What is shown of a document.
struct View<'d> {
    document: &'d Document,
    all: bool,
    style: Style,
}

impl View<'_> {
    /// A node with what is in it, one line for each node that does not fit on the line of its parent.
    fn tree(&self, node: Node<'_>, label: &str, level: usize, text: &mut String) {
        let indent = "  ".repeat(level);
        let at = self.position(node);
        let whole = value(node, STRING);
        let fits = whole.chars().count() + indent.len() + label.len() <= WIDTH && !whole.contains('…');
        let is_flat = node.children().all(|child| child.is_empty());
        if node.is_empty() || level > 0 && is_flat && fits {
            let _ = writeln!(text, "{at:>9}  {indent}{}  {}", self.style.bold(label), clip(&whole, WIDTH));
            return;
        }
        let what = if node.is_sequence() { format!("  [{}]", node.len()) } else { String::new() };
        let _ = writeln!(text, "{at:>9}  {indent}{}{what}", self.style.bold(label));
        let mut hidden = 0;
        for (index, child) in node.children().enumerate() {
            if !self.all && (level + 1 >= LEVELS || node.is_sequence() && index >= ITEMS) {
                hidden += 1;
                continue;
            }
            let label = child.key().map_or_else(|| format!("[{index}]"), |key| visible(key).into_owned());
            self.tree(child, &label, level + 1, text);
        }
        if hidden > 0 {
            let more = if hidden == node.len() { "" } else { " more" };
            let _ = writeln!(text, "{:>9}  {indent}  … {hidden}{more} (--all shows them)", "");
        }
    }

    /// The nodes that were selected, one line each.
    fn selection(&self, path: &str, nodes: &[Node<'_>]) -> String {
        let mut text = format!("{} at {}\n", plural(nodes.len(), "node"), self.style.bold(&visible(path)));
        let places: Vec<String> = nodes.iter().map(|node| visible(&node.pointer()).into_owned()).collect();
        let width = places.iter().map(|place| place.chars().count()).max().unwrap_or_default().min(40);
        for (node, place) in nodes.iter().zip(&places) {
            let place = if place.is_empty() { "(document)" } else { place };
            let limit = if self.all { usize::MAX } else { WIDTH };
            let shown = value(*node, limit);
            let _ = writeln!(text, "{:>9}  {place:<width$}  {}", self.position(*node), clip(&shown, limit));
        }
        text
    }

    /// The documents inside of the document.
    fn embedded(&self, inner: &[&Document], text: &mut String) {
        for (index, document) in inner.iter().enumerate() {
            let at = self.position(document.tree.root());
            let _ =
                writeln!(text, "{at:>9}  a document of kind {} (--embedded {})", document.kind, index + 1);
        }
    }

    /// Where a node is: `line:column`, in another file after its name.
    fn position(&self, node: Node<'_>) -> String {
        let position = node.source().position(node.span().start);
        let place = format!("{}:{}", position.line, position.column);
        let own = self.document.source().name();
        if node.source().name() == own { place } else { format!("{}:{place}", visible(node.source().name())) }
    }

    fn json(&self, name: &str, path: Option<&str>, nodes: &[Node<'_>]) -> String {
        let node = |node: &Node<'_>| {
            let (source, span) = (node.source(), node.span());
            let (start, end) = (source.position(span.start), source.position(span.end));
            json!({
                "path": node.pointer(),
                "type": node.node_type().name(),
                "file": source.name(),
                "line": start.line,
                "column": start.column,
                "end_line": end.line,
                "end_column": end.column,
                "byte_start": span.start,
                "byte_end": span.end,
                "value": node.to_json(),
            })
        };
        let nodes: Vec<Value> = nodes.iter().map(node).collect();
        let kind = self.document.kind.as_ref();
        format!(
            "{:#}\n",
            json!({"file": name, "kind": kind, "selector": path.unwrap_or("$"), "nodes": nodes})
        )
    }
}

/// A value on one line, in the notation of flows in YAML; strings of more than `limit` characters are clipped.
fn value(node: Node<'_>, limit: usize) -> String {
    if node.is_mapping() {
        let entries =
            node.entries().map(|entry| format!("{}: {}", visible(entry.key()), value(entry.value(), limit)));
        return format!("{{{}}}", joined(entries));
    }
    if node.is_sequence() {
        return format!("[{}]", joined(node.items().map(|item| value(item, limit))));
    }
    match node.as_str() {
        Some(text) => format!("{:?}", clip(text, limit)),
        None => node.scalar_text().map_or_else(|| "null".to_owned(), |text| text.into_owned()),
    }
}

/// Parts of a value, as many as anyone reads.
fn joined(parts: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push_str(", ");
        }
        if text.len() > WIDTH * 8 {
            text.push('…');
            break;
        }
        text.push_str(&part);
    }
    text
}
