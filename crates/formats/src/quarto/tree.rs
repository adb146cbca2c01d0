//! The tree of a Quarto document.

use std::{collections::HashSet, io::ErrorKind, ops::Range};

use super::{
    bibliography::Bibliography,
    cells,
    files::{Part, ProjectFile},
    header,
    targets::{self, Prefixes, Target},
};
use crate::{
    Observation, ReadFile,
    markdown::page::{Findings, Page},
    syntax::pandoc::{Attributes, CodeBlock, Div, LinkKind, Pandoc},
    text::{SourceId, Span},
    tree::{Node, NodeId, Scalar, TreeBuilder},
};

/// What is known of the files around the document.
pub(super) struct Known<'k> {
    pub(super) project: &'k ProjectFile,
    pub(super) bibliography: Bibliography,
    pub(super) read: Option<ReadFile<'k>>,
}

/// Adds everything but the header to the open mapping.
pub(super) fn write(
    parts: &[Part<'_>],
    header: Option<NodeId>,
    known: &Known<'_>,
    builder: &mut TreeBuilder,
    findings: &mut Findings,
) {
    let Some(main) = parts.first() else { return };
    let whole = main.page.span(0..main.page.text().len());
    let prefixes = Prefixes::new(header.map(|header| builder.node(header)), &known.project.prefixes);
    let mut writer = Writer {
        page: main.page,
        scan: main.scan,
        whole,
        conditional: conditional(main.page.text(), main.scan),
        builder,
        findings,
        known,
        targets: Vec::new(),
        cells: HashSet::new(),
    };
    writer.formats(header);
    writer.project();
    writer.divs();
    writer.headings();
    writer.fences();
    writer.links();
    writer.code();
    writer.equations();
    writer.shortcodes();
    for part in &parts[1..] {
        writer.included(part);
    }
    for part in parts {
        targets::raw(part, &prefixes, &mut writer.targets);
        targets::unread(part, &prefixes, &mut writer.targets);
    }
    let Writer { targets, cells, .. } = writer;
    targets::write(&targets, &prefixes, whole, builder);
    references(parts, &prefixes, &cells, whole, builder);
    notes(parts, whole, builder);
    bibliography(&known.bibliography, whole, builder);
}

/// For each div, whether it or one around it is shown in some formats only.
fn conditional(text: &str, scan: &Pandoc) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::with_capacity(scan.divs.len());
    for div in &scan.divs {
        let own = is_conditional(text, div);
        let around = div.parent.is_some_and(|parent| all[parent]);
        all.push(own || around);
    }
    all
}

fn is_conditional(text: &str, div: &Div) -> bool {
    let named = |range: &Range<usize>| matches!(&text[range.clone()], "content-visible" | "content-hidden");
    div.word.as_ref().is_some_and(named)
        || div.attributes.as_ref().is_some_and(|attributes| {
            attributes.classes.iter().any(named)
                || attributes.pairs.iter().any(|pair| {
                    let key = &text[pair.key.clone()];
                    key.starts_with("when-") || key.starts_with("unless-")
                })
        })
}

struct Writer<'w> {
    page: &'w Page<'w>,
    scan: &'w Pandoc,
    whole: Span,
    /// For each div, whether only some formats show it.
    conditional: Vec<bool>,
    builder: &'w mut TreeBuilder,
    findings: &'w mut Findings,
    known: &'w Known<'w>,
    targets: Vec<Target>,
    /// Labels of cells.
    cells: HashSet<String>,
}

impl Writer<'_> {
    fn sequence(&mut self, key: &'static str, write: impl FnOnce(&mut Self)) {
        self.builder.key_static(key);
        self.builder.open_sequence(self.whole);
        write(self);
        self.builder.close(None);
    }

    fn is_conditional(&self, div: Option<usize>) -> bool {
        div.is_some_and(|div| self.conditional[div])
    }

    fn target(&mut self, name: &Range<usize>, of: &'static str, div: Option<usize>) {
        let name_text = self.page.text()[name.clone()].to_owned();
        let span = self.page.span(name.clone());
        let conditional = self.is_conditional(div);
        self.targets.push(Target { name: name_text, span, source: SourceId(0), of, conditional });
    }

    /// Adds `id`, `classes` and `attributes`.
    fn attributes(&mut self, attributes: Option<&Attributes>, word: Option<&Range<usize>>) {
        if let Some(word) = word {
            self.builder.key_static("classes");
            self.builder.open_sequence(self.page.span(word.clone()));
            self.builder.scalar(Scalar::Slice, self.page.span(word.clone()));
            self.builder.close(None);
        }
        let Some(attributes) = attributes else { return };
        if let Some(id) = &attributes.id {
            self.page.write(self.builder, "id", id.clone());
        }
        if let Some((first, last)) = attributes.classes.first().zip(attributes.classes.last()) {
            self.builder.key_static("classes");
            self.builder.open_sequence(self.page.span(first.start..last.end));
            for class in &attributes.classes {
                self.builder.scalar(Scalar::Slice, self.page.span(class.clone()));
            }
            self.builder.close(None);
        }
        if !attributes.pairs.is_empty() {
            self.builder.key_static("attributes");
            self.builder.open_mapping(self.page.span(attributes.range.clone()));
            for pair in &attributes.pairs {
                let key = self.page.span(pair.key.clone());
                self.builder.key_slice(key, crate::tree::KeyType::String);
                self.builder.scalar(Scalar::Slice, self.page.span(pair.value.clone()));
            }
            self.builder.close(None);
        }
    }

    /// The output formats that the header names.
    fn formats(&mut self, header: Option<NodeId>) {
        let mut names: Vec<(String, Span)> = Vec::new();
        if let Some(format) = header.and_then(|header| self.builder.node(header).get("format")) {
            if let Some(name) = format.as_str() {
                names.push((name.to_owned(), format.span()));
            }
            let named = |item: Node<'_>| Some((item.as_str()?.to_owned(), item.span()));
            names.extend(format.items().filter_map(named));
            names.extend(format.entries().map(|entry| (entry.key().to_owned(), entry.key_span())));
        }
        self.sequence("formats", |writer| {
            for (name, span) in &names {
                writer.builder.open_mapping(*span);
                writer.builder.field("name", Scalar::Text(name), *span);
                writer.builder.field("base", Scalar::Text(base(name)), *span);
                writer.builder.close(None);
            }
        });
    }

    fn project(&mut self) {
        let start = Span { end: self.whole.start, ..self.whole };
        let name = self.page.source.name().rsplit('/').next().unwrap_or_default();
        self.builder.field("partial", Scalar::Bool(name.starts_with('_')), start);
        if let Some(kind) = &self.known.project.kind {
            self.builder.key_static("project");
            self.builder.open_mapping(start);
            self.builder.field("type", Scalar::Text(kind), start);
            self.builder.close(None);
        }
    }

    fn divs(&mut self) {
        let scan = self.scan;
        self.sequence("divs", |writer| {
            for div in &scan.divs {
                let id = div.attributes.as_ref().and_then(|attributes| attributes.id.clone());
                if let Some(id) = &id {
                    writer.target(id, "div", div.parent);
                }
                writer.builder.open_mapping(writer.page.span(div.opener.clone()));
                writer.attributes(div.attributes.as_ref(), div.word.as_ref());
                let marker = writer.page.span(div.marker.clone());
                writer.builder.field("depth", Scalar::Integer(div.depth as i64), marker);
                writer.builder.field("closed", Scalar::Bool(div.closer.is_some()), marker);
                writer.builder.close(None);
            }
        });
    }

    fn headings(&mut self) {
        let scan = self.scan;
        self.sequence("headings", |writer| {
            for heading in &scan.headings {
                let id = heading.attributes.as_ref().and_then(|attributes| attributes.id.clone());
                if let Some(id) = &id {
                    writer.target(id, "heading", heading.div);
                }
                writer.builder.open_mapping(writer.page.span(heading.range.clone()));
                let start = writer.page.span(heading.range.start..heading.range.start);
                writer.builder.field("level", Scalar::Integer(heading.level.into()), start);
                writer.page.write(writer.builder, "text", heading.words.clone());
                writer.attributes(heading.attributes.as_ref(), None);
                writer.builder.close(None);
            }
        });
    }

    fn fences(&mut self) {
        let scan = self.scan;
        self.sequence("fences", |writer| {
            for code in &scan.code {
                writer.fence(code);
            }
        });
    }

    fn fence(&mut self, code: &CodeBlock) {
        let (page, fence) = (self.page, &code.fence);
        let info = page.span(fence.info.clone());
        self.builder.open_mapping(page.span(fence.range.clone()));
        page.write(self.builder, "language", fence.language.clone());
        page.write(self.builder, "info", fence.info.clone());
        let content = fence.content_range();
        if fence.content.len() < 2 {
            page.write(self.builder, "content", content);
        } else {
            let joined: String = fence.content.iter().map(|piece| &page.text()[piece.clone()]).collect();
            self.builder.field("content", Scalar::Text(&joined), page.span(content));
        }
        page.write(self.builder, "marker", fence.marker.clone());
        let executed = cells::is_executed(page, fence);
        self.builder.field("executable", Scalar::Bool(executed), info);
        self.builder.field("raw", Scalar::Bool(code.raw), info);
        self.builder.field("closed", Scalar::Bool(fence.closed), page.span(fence.marker.clone()));
        self.attributes(code.attributes.as_ref(), None);
        if let Some(id) = code.attributes.as_ref().and_then(|attributes| attributes.id.clone()) {
            self.target(&id, "listing", code.div);
        }
        if executed && let Some(label) = cells::header_label(page.text(), fence.info.clone()) {
            self.cells.insert(page.text()[label.clone()].to_owned());
            self.target(&label, "cell", code.div);
        }
        self.options(code, executed);
        self.builder.close(None);
    }

    /// The options in comments of a cell, or of code that shows one.
    fn options(&mut self, code: &CodeBlock, executed: bool) {
        let pieces = cells::options(self.page, &code.fence);
        if pieces.is_empty() {
            return;
        }
        let fragment = self.page.pieces(&pieces);
        self.builder.key_static("options");
        let before = self.findings.list.len();
        let read = header::read_yaml(&fragment, self.page.limits, self.builder, &mut self.findings.list);
        if !executed {
            self.findings.list.truncate(before);
            return;
        }
        let Some(options) = read.root.map(|root| self.builder.node(root)) else { return };
        let label = |key: &str| {
            let node = options.get(key)?;
            Some((node.as_str()?.to_owned(), node.span()))
        };
        let conditional = self.is_conditional(code.div);
        let labels = ["label", "lst-label"].map(label);
        for (name, span) in labels.into_iter().flatten() {
            self.cells.insert(name.clone());
            self.targets.push(Target { name, span, source: SourceId(0), of: "cell", conditional });
        }
    }

    fn links(&mut self) {
        let scan = self.scan;
        for (key, kind) in [("images", LinkKind::Image), ("links", LinkKind::Link), ("spans", LinkKind::Span)]
        {
            self.sequence(key, |writer| {
                for link in scan.links.iter().filter(|link| link.kind == kind) {
                    let id = link.attributes.as_ref().and_then(|attributes| attributes.id.clone());
                    if let Some(id) = &id {
                        writer.target(id, if kind == LinkKind::Image { "image" } else { "span" }, link.div);
                    }
                    let node = writer.builder.open_mapping(writer.page.span(link.range.clone()));
                    writer.page.write(writer.builder, "text", link.words.clone());
                    if let Some(target) = &link.target {
                        writer.page.write(writer.builder, "target", target.clone());
                        if kind == LinkKind::Image {
                            writer.image(target, node);
                        }
                    }
                    writer.attributes(link.attributes.as_ref(), None);
                    writer.builder.close(None);
                }
            });
        }
        for loose in &scan.loose {
            if let Some(id) = &loose.attributes.id {
                self.target(id, if loose.caption { "caption" } else { "text" }, loose.div);
            }
        }
    }

    /// Observes an image that is not there.
    fn image(&mut self, target: &Range<usize>, node: NodeId) {
        let path = &self.page.text()[target.clone()];
        let Some(read) = self.known.read else { return };
        let is_file = !path.is_empty()
            && !path.contains("://")
            && !path.starts_with("data:")
            && !path.contains(['{', '*', '%', '?', '#', '<'])
            && path.contains('.');
        if is_file
            && read(&self.known.project.resolve("", path)).is_err_and(|e| e.kind() == ErrorKind::NotFound)
        {
            let observation = Observation::new("image-not-found", self.page.span(target.clone()));
            self.findings.add(observation.with("file", path).on(node));
        }
    }

    fn code(&mut self) {
        let scan = self.scan;
        self.sequence("code", |writer| {
            for code in &scan.spans {
                writer.builder.open_mapping(writer.page.span(code.range.clone()));
                writer.page.write(writer.builder, "content", code.content.clone());
                if let Some(raw) = &code.raw {
                    writer.page.write(writer.builder, "raw", raw.clone());
                }
                writer.attributes(code.attributes.as_ref(), None);
                writer.builder.close(None);
            }
        });
    }

    fn equations(&mut self) {
        let scan = self.scan;
        self.sequence("equations", |writer| {
            for equation in &scan.equations {
                if let Some(id) = &equation.attributes.id {
                    writer.target(id, "equation", equation.div);
                }
                writer.builder.open_mapping(writer.page.span(equation.range.clone()));
                writer.attributes(Some(&equation.attributes), None);
                writer.builder.close(None);
            }
        });
    }

    fn shortcodes(&mut self) {
        let scan = self.scan;
        self.sequence("shortcodes", |writer| {
            for shortcode in &scan.shortcodes {
                writer.builder.open_mapping(writer.page.span(shortcode.range.clone()));
                writer.page.write(writer.builder, "name", shortcode.name.clone());
                writer.builder.key_static("arguments");
                writer.builder.open_sequence(writer.page.span(shortcode.range.clone()));
                for argument in &shortcode.arguments {
                    writer.builder.scalar(Scalar::Slice, writer.page.span(argument.clone()));
                }
                writer.builder.close(None);
                if !shortcode.options.is_empty() {
                    writer.builder.key_static("options");
                    writer.builder.open_mapping(writer.page.span(shortcode.range.clone()));
                    for (key, value) in &shortcode.options {
                        writer.builder.key_slice(writer.page.span(key.clone()), crate::tree::KeyType::String);
                        writer.builder.scalar(Scalar::Slice, writer.page.span(value.clone()));
                    }
                    writer.builder.close(None);
                }
                writer.builder.close(None);
            }
        });
    }

    /// The labels of an included file.
    fn included(&mut self, part: &Part<'_>) {
        let text = part.page.text();
        let conditional = conditional(text, part.scan);
        let scan = part.scan;
        let of = |attributes: &Option<Attributes>| attributes.as_ref().and_then(|found| found.id.clone());
        let divs = scan.divs.iter().map(|div| (of(&div.attributes), "div", div.parent));
        let headings = scan.headings.iter().map(|heading| (of(&heading.attributes), "heading", heading.div));
        let links = scan.links.iter().map(|link| (of(&link.attributes), "image", link.div));
        let equations =
            scan.equations.iter().map(|found| (found.attributes.id.clone(), "equation", found.div));
        let loose = scan.loose.iter().map(|found| (found.attributes.id.clone(), "caption", found.div));
        let code = scan.code.iter().map(|code| (of(&code.attributes), "listing", code.div));
        let all = divs.chain(headings).chain(links).chain(equations).chain(loose).chain(code);
        for (id, of, div) in all {
            let Some(id) = id else { continue };
            self.targets.push(Target {
                name: text[id.clone()].to_owned(),
                span: part.page.span(id),
                source: part.source,
                of,
                conditional: div.is_some_and(|div| conditional[div]),
            });
        }
        for code in scan.code.iter().filter(|code| cells::is_executed(part.page, &code.fence)) {
            self.included_cell(part, code);
        }
    }

    fn included_cell(&mut self, part: &Part<'_>, code: &CodeBlock) {
        let text = part.page.text();
        let mut labels: Vec<Range<usize>> =
            cells::header_label(text, code.fence.info.clone()).into_iter().collect();
        for line in cells::options(part.page, &code.fence) {
            let Some(value) =
                text[line.clone()].strip_prefix("label:").or(text[line.clone()].strip_prefix("lst-label:"))
            else {
                continue;
            };
            let name = value.trim().trim_matches(['"', '\'']);
            let start = line.end - value.len() + value.find(name).unwrap_or_default();
            labels.push(start..start + name.len());
        }
        for label in labels {
            let name = text[label.clone()].to_owned();
            self.cells.insert(name.clone());
            let span = part.page.span(label);
            self.targets.push(Target { name, span, source: part.source, of: "cell", conditional: false });
        }
    }
}

/// Extensions of Pandoc that a format can be written without, as in `gfm-emoji`. Others have an underscore.
const EXTENSIONS: &[&str] =
    &["smart", "emoji", "footnotes", "citations", "attributes", "mark", "alerts", "sourcepos"];

/// The format that a format is a variant of: `pdf` for `acm-pdf`, `gfm` for `gfm+smart-raw_html`.
fn base(name: &str) -> &str {
    let mut name = name.split('+').next().unwrap_or_default();
    while let Some((format, last)) = name.rsplit_once('-') {
        if !last.contains('_') && !EXTENSIONS.contains(&last) {
            return last;
        }
        name = format;
    }
    name
}

/// Adds `references` and `citations`.
fn references(
    parts: &[Part<'_>],
    prefixes: &Prefixes,
    cells: &HashSet<String>,
    whole: Span,
    builder: &mut TreeBuilder,
) {
    let citations =
        || parts.iter().flat_map(|part| part.scan.citations.iter().map(move |citation| (part, citation)));
    let name = |part: &Part<'_>, key: Range<usize>| {
        let written = &part.page.text()[key];
        // `@Fig-x` begins a sentence.
        let mut chars = written.chars();
        let first = chars.next().map(|c| c.to_ascii_lowercase());
        let lower: String = first.into_iter().chain(chars).collect();
        if prefixes.of(&lower).is_some() { lower } else { written.to_owned() }
    };
    builder.key_static("references");
    builder.open_sequence(whole);
    for (part, citation) in citations() {
        let name = name(part, citation.key.clone());
        let Some(prefix) = prefixes.of(&name) else { continue };
        builder.set_source(part.source);
        let span = part.page.span(citation.key.clone());
        builder.open_mapping(span);
        builder.field("name", Scalar::Text(&name), span);
        builder.field("type", Scalar::Text(prefix), span);
        builder.field("computed", Scalar::Bool(is_computed(&name, cells)), span);
        builder.close(None);
    }
    builder.set_source(SourceId(0));
    builder.close(None);
    builder.key_static("citations");
    builder.open_sequence(whole);
    for (part, citation) in citations() {
        let name = name(part, citation.key.clone());
        if prefixes.of(&name).is_some() {
            continue;
        }
        builder.set_source(part.source);
        let span = part.page.span(citation.key.clone());
        builder.open_mapping(span);
        builder.field("key", Scalar::Text(&name), span);
        builder.field("bracketed", Scalar::Bool(citation.bracketed), span);
        builder.close(None);
    }
    builder.set_source(SourceId(0));
    builder.close(None);
}

/// Whether a label is a numbered part of a cell's output: `fig-plots-2` of the cell `fig-plots`.
fn is_computed(name: &str, cells: &HashSet<String>) -> bool {
    let Some((cell, number)) = name.rsplit_once('-') else { return false };
    number.bytes().all(|byte| byte.is_ascii_digit()) && cells.contains(cell)
}

/// Adds `notes` and `note_definitions`.
fn notes(parts: &[Part<'_>], whole: Span, builder: &mut TreeBuilder) {
    let lists = [("notes", false), ("note_definitions", true)];
    for (key, definitions) in lists {
        builder.key_static(key);
        builder.open_sequence(whole);
        for part in parts {
            builder.set_source(part.source);
            let notes = if definitions { &part.scan.note_definitions } else { &part.scan.notes };
            for note in notes {
                builder.open_mapping(part.page.span(note.range.clone()));
                part.page.write(builder, "name", note.name.clone());
                builder.close(None);
            }
        }
        builder.set_source(SourceId(0));
        builder.close(None);
    }
}

fn bibliography(found: &Bibliography, whole: Span, builder: &mut TreeBuilder) {
    let start = Span { end: whole.start, ..whole };
    builder.key_static("bibliography");
    builder.open_mapping(start);
    builder.field("present", Scalar::Bool(found.present), start);
    builder.field("complete", Scalar::Bool(found.complete), start);
    builder.key_static("keys");
    builder.open_sequence(start);
    for key in &found.keys {
        builder.scalar(Scalar::Text(key), start);
    }
    builder.close(None);
    builder.close(None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_variants_of_others() {
        let names =
            ["acm-pdf", "gfm+smart-raw_html", "beamer-smart", "hugo-md", "jats_publishing", "a-b-html"];
        assert_eq!(names.map(base), ["pdf", "gfm", "beamer", "md", "jats_publishing", "html"]);
    }
}
