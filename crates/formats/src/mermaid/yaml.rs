//! YAML in diagrams: front matter and the `@{ … }` of nodes, cards and participants.

use std::sync::Arc;

use super::{
    diagram::{Config, Findings, trimmed},
    prepare::Prepared,
    syntax::Part,
};
use crate::{
    Observation,
    syntax::yaml::{self, YamlOptions},
    text::{Fragment, Source, Span},
    tree::{Node, Tree, TreeBuilder},
};

const OPTIONS: YamlOptions = YamlOptions {
    schema: yaml::Schema::Core12,
    duplicate_keys: yaml::DuplicateKeys::Reject,
    depth: 64,
    alias_nodes: 10_000,
    merge_keys: false,
    report_traps: false,
    tags: yaml::Tags::Ignore,
    documents: yaml::Documents::One,
    dialect: yaml::Dialect::SerdeYaml,
};

/// Reads the front matter; its faults are findings, in offsets of the fence's or file's own text.
pub(super) fn front_matter(prepared: &Prepared, text: &str, findings: &mut Vec<Observation>) -> Config {
    let mut config = Config::default();
    for directive in &prepared.directives {
        config.main_branch = main_branch(directive.of(text)).or(config.main_branch);
    }
    let Some(block) = prepared.front_matter else { return config };
    let source = Arc::new(Source::new("", text));
    let lines = lines(text, block.body, block.indent as usize);
    let fragment = Fragment::pieces(source.text(), &lines);
    let (tree, faults) = parse(&source, &fragment);
    for (span, detail) in faults {
        findings.push(
            Observation::new("err_front_matter_yaml", span).with("detail", detail).at("block", block.body),
        );
    }
    let git = tree.root().get("config").and_then(|config| config.get("gitGraph"));
    let name = git.and_then(|git| git.get("mainBranchName")).and_then(Node::as_str);
    config.main_branch = name.map(str::to_owned).or(config.main_branch);
    config
}

/// The value of `mainBranchName` in a directive, which is JSON of a loose kind.
fn main_branch(directive: &str) -> Option<String> {
    let (_, rest) = directive.split_once("mainBranchName")?;
    let rest = rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(name, _)| name.to_owned())
}

/// The lines of a block without their indentation.
fn lines(text: &str, body: Span, indent: usize) -> Vec<Span> {
    let mut start = body.start as usize;
    let mut spans = Vec::new();
    for line in body.of(text).split_inclusive('\n') {
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        // A line of whitespace has no meaning, but YAML does not allow a tab in indentation.
        let is_blank = line.trim().is_empty() && line.contains('\t');
        let skip = match is_blank {
            true => blank,
            false if blank >= indent => indent,
            false => 0,
        };
        spans.push(Span::new(start + skip, start + line.len()));
        start += line.len();
    }
    if spans.is_empty() { vec![body] } else { spans }
}

fn parse(source: &Arc<Source>, fragment: &Fragment<'_>) -> (Tree, Vec<(Span, String)>) {
    let mut builder = TreeBuilder::new(Arc::clone(source));
    let mut observations = Vec::new();
    yaml::read(&mut builder, fragment, &OPTIONS, &mut observations);
    let faults = observations.into_iter().filter(|seen| !seen.name.contains('-')).map(|seen| {
        let detail = seen.value("detail").and_then(|detail| detail.as_str());
        let what =
            detail.map_or_else(|| seen.name.trim_start_matches("yaml_").replace('_', " "), str::to_owned);
        (seen.span, what)
    });
    (builder.finish(), faults.collect())
}

/// Reads the content of `@{ … }`: on one line it is a flow mapping, on several a block.
pub(super) fn metadata(part: Part<'_>, findings: &mut Findings) -> Option<Tree> {
    metadata_of(part, part.text(), findings)
}

/// Like [`metadata`], for a type that forgives commas at the ends of lines, where the text cannot be read otherwise.
pub(super) fn metadata_with_commas(part: Part<'_>, findings: &mut Findings) -> Option<Tree> {
    let before = findings.observations.len();
    let tree = metadata_of(part, part.text(), findings);
    if tree.is_some() || !part.text().contains('\n') {
        return tree;
    }
    let mut again = Findings::default();
    let tree = metadata_of(part, &without_commas(part.text()), &mut again)?;
    findings.observations.truncate(before);
    Some(tree)
}

/// A block without the commas at the ends of its lines, which become spaces; those within quotes, brackets
/// and literal strings stay.
fn without_commas(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut quote = None;
    let mut depth: usize = 0;
    let mut literal: Option<usize> = None;
    for line in body.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        if literal.is_some_and(|limit| line.trim().is_empty() || indent > limit) {
            text.push_str(line);
            continue;
        }
        literal = None;
        let mut comment = line.len();
        let mut escaped = false;
        for (at, c) in line.char_indices() {
            match (quote, c) {
                _ if escaped => escaped = false,
                (Some('"'), '\\') => escaped = true,
                (Some(open), _) if open == c => quote = None,
                (None, '"' | '\'') => quote = Some(c),
                (None, '#') if at == 0 || line[..at].ends_with([' ', '\t']) => {
                    comment = at;
                    break;
                }
                (None, '[' | '{') => depth += 1,
                (None, ']' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let code = line[..comment].trim_end();
        let mark = code.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
        if mark.strip_suffix(['|', '>']).is_some_and(|key| key.trim_end().ends_with(':')) {
            literal = Some(indent);
        }
        match code.strip_suffix(',').filter(|_| quote.is_none() && depth == 0 && literal.is_none()) {
            Some(kept) => {
                text.push_str(kept);
                text.push(' ');
                text.push_str(&line[code.len()..]);
            }
            None => text.push_str(line),
        }
    }
    text
}

fn metadata_of(part: Part<'_>, text: &str, findings: &mut Findings) -> Option<Tree> {
    let wrapped = if text.contains('\n') { format!("{text}\n") } else { format!("{{\n{text}\n}}") };
    let source = Arc::new(Source::new("", wrapped));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let (tree, faults) = parse(&source, &fragment);
    if let Some((span, detail)) = faults.into_iter().next() {
        let shift = if text.contains('\n') { 0 } else { 2 };
        let start = part.span().start as usize + (span.start as usize).saturating_sub(shift).min(text.len());
        let place = if text.contains('\n') { Span::new(start, start) } else { trimmed(part) };
        findings.push(
            Observation::new("err_metadata_yaml", place).with("detail", detail).with("text", text.trim()),
        );
        return None;
    }
    Some(tree)
}

/// Which shapes a diagram type has.
#[derive(Clone, Copy)]
pub(super) enum KnownShapes {
    /// Any name in small letters will do.
    Any,
    /// The shapes of flowcharts.
    Flowchart,
    /// The shapes of flowcharts, and these.
    And(&'static [&'static str]),
}

/// The shape that `@{ shape: … }` asks for must be one that there is.
pub(super) fn shape(part: Part<'_>, tree: &Tree, known: KnownShapes, findings: &mut Findings) {
    let Some(node) = tree.root().get("shape") else { return };
    let Some(shape) = node.as_str() else { return };
    let place = part.text().find(shape).map_or(trimmed(part), |at| {
        let start = part.span().start as usize + at;
        Span::new(start, start + shape.len())
    });
    let lower = !shape.contains(char::is_uppercase) && !shape.contains('_');
    let is_known = match known {
        KnownShapes::Any => true,
        KnownShapes::Flowchart => SHAPES.contains(&shape),
        KnownShapes::And(others) => SHAPES.contains(&shape) || others.contains(&shape),
    };
    if lower && is_known {
        return;
    }
    let mut observation = Observation::new("shape-unknown", place).with("shape", shape);
    let folded = shape.to_lowercase().replace('_', "-");
    let known = SHAPES.contains(&folded.as_str()).then_some(folded);
    let near = known.or_else(|| crate::text::nearest(shape, SHAPES.iter().copied()).map(str::to_owned));
    if let Some(near) = near {
        observation = observation.with("nearest", near);
    }
    findings.push(observation);
}

/// Names of the shapes that a node may have: short names and their aliases.
const SHAPES: &[&str] = &[
    "anchor",
    "bang",
    "bolt",
    "bow-rect",
    "bow-tie-rectangle",
    "bpmn-activity",
    "bpmn-annotation",
    "bpmn-boundary",
    "bpmn-data",
    "bpmn-data-store",
    "bpmn-end",
    "bpmn-gateway",
    "bpmn-intermediate",
    "bpmn-start",
    "brace",
    "brace-l",
    "brace-r",
    "braces",
    "browser",
    "bucket",
    "card",
    "choice",
    "circ",
    "circle",
    "cloud",
    "collate",
    "com-link",
    "comment",
    "composite",
    "console",
    "cross-circ",
    "crossed-circle",
    "curv-trap",
    "curved-trapezoid",
    "cyl",
    "cylinder",
    "das",
    "data-store",
    "database",
    "datastore",
    "db",
    "dbl-circ",
    "decision",
    "delay",
    "diam",
    "diamond",
    "directory",
    "disk",
    "display",
    "div-proc",
    "div-rect",
    "divided-process",
    "divided-rectangle",
    "doc",
    "docs",
    "document",
    "documents",
    "double-circle",
    "doublecircle",
    "event",
    "extract",
    "f-circ",
    "filled-circle",
    "flag",
    "flip-tri",
    "flipped-triangle",
    "folder",
    "fork",
    "fr-circ",
    "fr-rect",
    "framed-circle",
    "framed-rectangle",
    "h-cyl",
    "half-rounded-rectangle",
    "hex",
    "hexagon",
    "horizontal-cylinder",
    "hourglass",
    "icon",
    "in-out",
    "internal-storage",
    "inv-trapezoid",
    "join",
    "junction",
    "lean-l",
    "lean-left",
    "lean-r",
    "lean-right",
    "lightning-bolt",
    "lin-cyl",
    "lin-doc",
    "lin-proc",
    "lin-rect",
    "lined-cylinder",
    "lined-document",
    "lined-process",
    "lined-rectangle",
    "loop-limit",
    "manual",
    "manual-file",
    "manual-input",
    "notch-pent",
    "notch-rect",
    "notched-pentagon",
    "notched-rectangle",
    "note",
    "odd",
    "out-in",
    "paper-tape",
    "person",
    "pill",
    "prepare",
    "priority",
    "proc",
    "process",
    "processes",
    "procs",
    "question",
    "rect",
    "rectangle",
    "rounded",
    "shaded-process",
    "sl-rect",
    "sloped-rectangle",
    "sm-circ",
    "small-circle",
    "st-doc",
    "st-rect",
    "stacked-document",
    "stacked-rectangle",
    "stadium",
    "start",
    "state",
    "stop",
    "stored-data",
    "subproc",
    "subprocess",
    "subroutine",
    "summary",
    "tag-doc",
    "tag-proc",
    "tag-rect",
    "tagged-document",
    "tagged-process",
    "tagged-rectangle",
    "terminal",
    "text",
    "trap-b",
    "trap-t",
    "trapezoid",
    "trapezoid-bottom",
    "trapezoid-top",
    "tri",
    "triangle",
    "win-pane",
    "window-pane",
];
