//! Mermaid diagrams: text to tree, with the errors of their syntax and the facts of their semantics.
//!
//! The text is prepared ([`prepare`]: front matter, directives, comments and entities are replaced, with
//! a mapping back to the file), its type is found ([`detect`]), the type's grammar reads it into a flat
//! [`syntax`], error productions and checks of the [`diagrams`] observe, [`faults`] explains what is
//! left, and [`tree`] writes the diagram as data.

mod assembly;
mod detect;
mod diagram;
mod diagrams;
mod faults;
mod grammars;
mod header;
mod headers;
mod indentation;
mod labels;
mod lexical;
mod observables;
mod prepare;
mod schema;
mod surroundings;
mod syntax;
mod tree;
mod versions;
mod yaml;

use std::{path::Path, sync::Arc};

use self::{
    detect::Detected,
    diagram::{Diagram, Findings},
    faults::Unread,
    prepare::Prepared,
    syntax::{Part, Syntax},
    tree::TreeWriter,
};
use super::{Comment, Document, Form, Kind, Layer, Observable, Observation, ParseOptions};
use crate::{
    budget,
    text::{Fragment, Source, Span},
    tree::{Node, Scalar, TreeBuilder},
};

/// Name of the kind.
pub const NAME: &str = "mermaid";

/// The kind `mermaid`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mermaid;

/// The diagrams of a document: itself, or those in it.
pub fn diagrams(document: &Document) -> impl Iterator<Item = &Document> {
    let is_one = |document: &&Document| document.kind == NAME;
    let inner = if is_one(&document) { &[][..] } else { &document.embedded[..] };
    std::iter::once(document).chain(inner).filter(is_one)
}

/// The word that begins a line, if it is one that begins a diagram.
pub(super) fn header_word(line: &str) -> Option<&str> {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(line.len());
    let word = &line[..end];
    // The shortest is `pie`, the longest `sequenceDiagram` or `requirementDiagram`.
    ((3..=18).contains(&end) && grammars::SPELLINGS.contains(&word)).then_some(word)
}

/// Whether `text` is a diagram without errors.
pub(super) fn is_diagram(text: &str) -> bool {
    let prepared = Prepared::new(text);
    let Some(diagram) = detect::diagram(&prepared.text) else { return false };
    diagram.parse(&prepared.text).is_ok_and(|syntax| diagram.errors(&syntax).next().is_none())
}

/// Deepest nesting of brackets that those may have.
const NESTING_LIMIT: usize = 128;

/// How deep brackets are nested, quotes left aside.
fn nesting(text: &str) -> usize {
    let mut depth: usize = 0;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl Kind for Mermaid {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "Mermaid diagrams of every type"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.mmd", "*.mermaid"]
    }

    fn languages(&self) -> Vec<&str> {
        vec!["mermaid"]
    }

    fn detect(&self, _: &Path, text: &str) -> bool {
        let start = text.trim_start();
        grammars::SPELLINGS.iter().any(|word| {
            word.len() > 4
                && start.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace))
        })
    }

    fn observables(&self) -> &'static [Observable] {
        observables::all()
    }

    fn productions(&self) -> Vec<&str> {
        grammars::PRODUCTIONS.iter().map(|production| &*production.name).collect()
    }

    fn tree_schema(&self) -> &'static str {
        schema::text()
    }

    fn forms(&self) -> Vec<Form> {
        let form = |diagram: &Diagram| Form {
            name: diagram.name,
            about: diagram.about,
            headers: diagram.spellings.to_vec(),
            statements: diagram.statements,
            connectors: diagram.arrows,
        };
        grammars::DIAGRAMS.iter().map(form).collect()
    }

    fn comment(&self, text: &str) -> String {
        format!("%% {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let limit = options.limits.diagram_bytes;
        let mut builder = TreeBuilder::new(Arc::clone(source));
        if fragment.text().len() > limit {
            let span = fragment.host(Span::new(0, fragment.text().len()));
            builder.scalar(Scalar::Null, span);
            let mut document = Document::new("mermaid", builder.finish());
            let size = fragment.text().len();
            let observation = Observation::new("diagram_too_large", Span { end: span.start, ..span });
            document.observations.push(observation.with("size", size).with("limit", limit));
            return document;
        }
        budget::charge(BYTE * fragment.text().len() as u64);
        let prepared = Prepared::new(fragment.text());
        let mut findings = Findings::default();
        let mut block = Vec::new();
        let config = yaml::front_matter(&prepared, fragment.text(), &mut block);
        let writer = TreeWriter::new(&mut builder, &prepared, fragment, &config);
        read(&prepared, writer, &mut findings);
        let mut document = finish(&prepared, fragment, builder, findings);
        for mut fault in block {
            fault.span = fragment.host(fault.span);
            document.observations.push(fault);
        }
        document.observations.sort_by_key(|observation| observation.span);
        if options.editor.lexemes || options.editor.names {
            document.lexemes = lexical::lexemes(&prepared, fragment, options.editor);
        }
        if let Some(at) = options.editor.cursor.and_then(|at| fragment.local(at)) {
            document.continuations = lexical::continuations(&prepared, fragment.text(), at);
        }
        document
    }
}

/// What a byte of a diagram costs, in steps, besides the effort that its grammar charges.
const BYTE: u64 = 4;

/// Reads a prepared diagram into the tree and the findings.
fn read(prepared: &Prepared, mut writer: TreeWriter<'_>, findings: &mut Findings) {
    let text = prepared.text.as_str();
    let diagram = match detect::detect(text) {
        Some(Detected::Error) => return writer.nothing("error"),
        None | Some(Detected::Fence) => {
            header::explain(prepared, findings);
            return writer.nothing("unknown");
        }
        Some(Detected::Diagram(diagram)) => Some(diagram),
        Some(Detected::Unread) => None,
    };
    let Some(diagram) = diagram else {
        let end = text.find('\n').unwrap_or(text.len());
        let header = text[..end].trim_end();
        findings
            .push(Observation::new("unchecked_diagram", Span::new(0, header.len())).with("header", header));
        return writer.nothing("unchecked");
    };
    if diagram.recursive && nesting(text) > NESTING_LIMIT {
        let line = Span::new(0, text.find('\n').unwrap_or(text.len()));
        findings.push(Observation::new("nesting_too_deep", line).with("limit", NESTING_LIMIT));
        return writer.nothing(diagram.name);
    }
    match diagram.parse(text) {
        Ok(syntax) => {
            observe(diagram, &syntax, findings);
            assembly::write(diagram, &syntax, &mut writer);
        }
        Err(stuck) if stuck.exhausted => {
            let line = Span::new(0, text.find('\n').unwrap_or(text.len()));
            findings.push(Observation::new("diagram_too_complex", line).with("type", diagram.name));
            writer.nothing(diagram.name);
        }
        Err(stuck) => {
            let end = text[stuck.at..].find(char::is_whitespace).map_or(text.len(), |at| stuck.at + at);
            let found = &text[stuck.at..end];
            findings.push(
                Observation::new("unexpected", Span::new(stuck.at, end))
                    .with("found", found)
                    .with("expected", vec![diagram.grammar.name(stuck.rule).to_owned()]),
            );
            assembly::write(diagram, &Syntax::empty(diagram.grammar, text), &mut writer);
        }
    }
}

/// Error productions whose observations say more than what they match.
const EXPLAINED: &[&str] =
    &["err_header", "err_rest", "err_link_missing", "err_arrow", "err_cardinality", "err_unquoted"];

fn observe<'t>(diagram: &'static Diagram, syntax: &'t Syntax<'t>, findings: &mut Findings) {
    diagram::error_productions(diagram, syntax, findings, EXPLAINED);
    for part in diagram.errors(syntax) {
        match part.rule() {
            rule if EXPLAINED.contains(&rule) && !budget::describe(rule) => findings.further(part),
            "err_header" => findings.push(header::explain_header(diagram, syntax.text(), part.span())),
            "err_rest" => findings.push(
                Unread::misspelled_line(diagram, syntax.text(), part)
                    .or_else(|| faults::comment_before(syntax.text(), part))
                    .unwrap_or_else(|| Unread::rest(diagram, part)),
            ),
            "err_link_missing" => findings.push(
                Unread::misspelled_line(diagram, syntax.text(), part)
                    .unwrap_or_else(|| diagram::error_production(syntax, part)),
            ),
            "err_arrow" | "err_cardinality" => findings.push(faults::arrow(diagram, part)),
            "err_unquoted" => unquoted(diagram, part, findings),
            // Why it could not be read is not known before it is read again.
            "unread" if !budget::describe("unexpected") => findings.further(part),
            "unread" => {
                let explained = Unread::new(diagram, part).explain();
                let header = header::rest(diagram, syntax, part);
                findings.push(header.filter(|_| faults::is_vague(&explained.name)).unwrap_or(explained));
            }
            _ => {}
        }
    }
    Unread::pair(&mut findings.observations);
    if let Some(check) = diagrams::check(diagram) {
        check(syntax, findings);
    }
    Unread::follow_second_diagram(syntax.text(), &mut findings.observations);
}

/// A string without quotes; often it has some, but not those of ASCII.
fn unquoted(diagram: &'static Diagram, part: Part<'_>, findings: &mut Findings) {
    let bare = part.children().next().unwrap_or(part);
    let text = bare.text().trim().replace('"', "'");
    let observation = Unread::odd_character(diagram, bare).unwrap_or_else(|| {
        Observation::new("err_unquoted", diagram::trimmed(bare))
            .with("bare", bare.text().trim())
            .with("quoted", format!("\"{text}\""))
    });
    findings.push(observation);
}

/// Syntax errors after which the rest of the diagram was read as part of something that is not closed.
const OPEN_ENDED: &[&str] =
    &["err_description_unclosed", "err_missing_end", "err_unclosed_body", "err_unclosed_braces"];

/// The parts that could not be read: of a diagram whose statements were read, the rest of each line
/// with an error, else the whole.
fn unread(observations: &[Observation], root: Node<'_>, fragment: &Fragment<'_>) -> Vec<Span> {
    let whole = fragment.host(Span::new(0, fragment.text().len()));
    let read = root.entries().nth(1).is_some();
    let end = |observation: &Observation| {
        let text = root.source().text();
        let line = text[observation.span.end as usize..].find('\n');
        line.map_or(whole.end, |at| observation.span.end + at as u32)
    };
    // Most observations of a diagram with many have the same name.
    let mut last: (&str, bool) = ("", false);
    let syntax = observations.iter().filter(|observation| {
        if observation.name != last.0 {
            let known = observables::all().iter().find(|known| known.name == observation.name);
            last = (&observation.name, known.is_some_and(|known| known.layer == Layer::Syntax));
        }
        last.1
    });
    syntax
        .map(|observation| match OPEN_ENDED.contains(&&*observation.name) {
            _ if !read => whole,
            true => Span { start: observation.span.start, end: whole.end },
            false => Span { start: observation.span.start, end: end(observation) },
        })
        .collect()
}

/// Puts the findings in the order of the file, with spans of the file, and the comments beside them.
fn finish(
    prepared: &Prepared,
    fragment: &Fragment<'_>,
    builder: TreeBuilder,
    findings: Findings,
) -> Document {
    let host = |span: Span| fragment.host(prepared.original(span));
    let mut document = Document::new("mermaid", builder.finish());
    document.observations = findings.observations;
    for observation in &mut document.observations {
        observation.span = host(observation.span);
        for (_, place) in &mut observation.places {
            *place = host(*place);
        }
    }
    let mut unread = unread(&document.observations, document.tree.root(), fragment);
    // Errors that are only counted may be anywhere between the first of them and the end.
    let end = fragment.host(Span::new(0, fragment.text().len())).end;
    unread.extend(findings.further.map(|first| Span { start: host(first).start, end }));
    document.unread = Some(unread);
    document.comments = prepared
        .comments
        .iter()
        .map(|span| {
            let text = Span { start: span.start + 2, ..*span };
            Comment { span: fragment.host(*span), text: fragment.host(text) }
        })
        .collect();
    document
}

#[cfg(test)]
mod tests;
