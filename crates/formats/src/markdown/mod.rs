//! Markdown: ordinary one with front matter, and the QUILL/SCOPE dialect of Quillmark with metadata blocks.
//!
//! A *metadata block* is YAML between two `---` lines, anywhere in the document. One with QUILL names
//! the format of the document (its *quill*), one with SCOPE adds an item to a *collection*, one with
//! neither is the *frontmatter*. Text below a block is a *body*. [`detection`] finds out whether a document has
//! such blocks; where it has none, [`frontmatter`] reads its first lines. [`blocks`] finds the blocks with the
//! grammar, [`metadata`] reads them, [`assembly`] puts them together, [`crate::syntax::commonmark`] reads
//! the text around them, [`outline`] looks at it, [`tree`] makes one tree of it all; [`near_miss`] looks for what the
//! dialect drops silently, [`unrendered`] for what pages do not show.

mod assembly;
mod blocks;
pub(super) mod characters;
pub(super) mod comments;
mod detection;
pub(super) mod diagrams;
mod dialect;
mod fields;
mod forms;
mod frontmatter;
mod generations;
mod grammar;
mod layout;
mod lexical;
mod metadata;
mod near_miss;
pub(super) mod observables;
pub(super) mod outline;
pub(super) mod page;
mod sections;
mod shown;
mod translation;
mod tree;
mod unrendered;

use std::{ops::Range, path::Path, sync::Arc};

pub use dialect::Dialect;
pub use fields::{fields, own_fields};
pub use translation::translate;

use self::{
    assembly::Assembly,
    metadata::{Block, BlockKind, Metadata},
    page::{Findings, Page},
    tree::Parts,
};
use super::{Document, Form, Kind, Observable, Observation, ParseOptions};
use crate::{
    budget,
    syntax::commonmark::{self, Fence, Literal, Outline},
    text::{Fragment, Source},
};

/// Name of the kind.
pub const NAME: &str = "markdown";

/// Markdown with metadata blocks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Markdown;

impl Kind for Markdown {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "Markdown with front matter, or with the metadata blocks QUILL and SCOPE"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.md", "*.markdown", "*.mdown", "*.mkd"]
    }

    fn detect(&self, path: &Path, text: &str) -> bool {
        let unnamed = path.extension().is_none_or(|extension| extension == "txt");
        unnamed
            && blocks::scan(text, Dialect::C2).blocks.iter().any(|block| {
                let content = &text[block.content.clone()];
                content.lines().any(|line| line.starts_with("QUILL:") || line.starts_with("SCOPE:"))
            })
    }

    fn resembles(&self, text: &str) -> bool {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        first == "---" || first.starts_with('#') || first.starts_with("```") || text.contains("\n```")
    }

    fn has_templates(&self) -> bool {
        true
    }

    fn observables(&self) -> &[Observable] {
        &observables::ALL
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/markdown.schema.json")
    }

    fn forms(&self) -> Vec<Form> {
        forms::all()
    }

    fn comment(&self, text: &str) -> String {
        format!("<!-- {text} -->")
    }

    fn page(&self, text: &str) -> Option<u64> {
        Some(shown::digest(text))
    }

    fn page_cuts(&self, text: &str) -> Vec<usize> {
        shown::cuts(text)
    }

    fn is_same_page(&self, before: &str, cuts: &[usize], after: &str) -> Option<bool> {
        shown::is_same(before, cuts, after)
    }

    fn optional_keys(&self) -> &[&'static str] {
        &[layout::KEY, sections::KEY]
    }

    fn dialects(&self) -> &[&str] {
        &Dialect::NAMES
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let page = Page::new(source, fragment, dialect(options.dialect, fragment.text()), options.limits);
        let mut findings = Findings::new(options.limits.diagnostics);
        characters::observe(&page, options.limits.line_bytes, &mut findings);
        let mut scan = match page.dialect {
            Dialect::CommonMark => frontmatter::scan(page.text()),
            Dialect::Cards | Dialect::Tildes => generations::scan(page.text(), page.dialect),
            Dialect::Seed | Dialect::C2 => blocks::scan(page.text(), page.dialect),
        };
        if let Some(meant) = near_miss::not_closed(&page, &scan, &mut findings)
            && scan.blocks.first().is_none_or(|first| first.start >= meant.end)
        {
            scan.blocks.insert(0, meant);
        }
        let (metadata, template) = match page.dialect {
            Dialect::CommonMark => frontmatter::read(&page, &scan, options, &mut findings),
            _ => (metadata::read(&page, &scan, &mut findings), None),
        };
        let outline = read_outline(&page, &metadata.blocks);
        let assembly = assembly::assemble(&page, &metadata, &outline, &mut findings);
        literal_blocks(&page, &metadata.blocks, &assembly, &outline, &mut findings);
        let is_literal = |offset| outline.literal_at(page.text(), offset).is_some();
        near_miss::in_text(&page, &metadata.blocks, is_literal, &mut findings);
        for block in &metadata.blocks {
            near_miss::in_block(&page, block, &mut findings);
        }
        generations::observe(&page, &metadata.blocks, &outline, &mut findings);
        outline::observe(&outline, &page, &mut findings);
        diagrams::observe(&page, &outline, options.fences, &mut findings);
        unrendered::observe(&page, &metadata.blocks, &mut findings);
        let Metadata { mut draft, blocks, comments, .. } = metadata;
        let data = outline::data::read(&outline, &page, &mut draft, &mut findings);
        let parts = Parts {
            page: &page,
            blocks: &blocks,
            assembly: &assembly,
            outline: &outline,
            data: &data,
            with_layout: options.asks_for(layout::KEY),
            with_sections: options.asks_for(sections::KEY),
        };
        let tree = tree::finish(draft, &parts);
        let mut observations = findings.list;
        for observation in &mut observations {
            observation.node = observation.node.filter(|node| tree.holds(*node));
        }
        let comments = comments::suppressions(&page, &outline, comments);
        let embedded = embedded(&page, &outline, options);
        let cursor = options.editor.cursor.filter(|_| page.dialect != Dialect::CommonMark);
        let cursor = cursor.and_then(|at| fragment.local(at)).map(|at| at as usize);
        let cursor = cursor.filter(|at| fragment.text().is_char_boundary(*at));
        let continuations = cursor.map(|at| lexical::continuations(fragment.text(), at)).unwrap_or_default();
        Document { observations, comments, template, continuations, embedded, ..Document::new(NAME, tree) }
    }
}

/// The dialect that is asked for, or that the text shows.
fn dialect(asked: Option<&str>, text: &str) -> Dialect {
    asked.and_then(Dialect::named).unwrap_or_else(|| match () {
        () if generations::shows_tildes(text) => Dialect::Tildes,
        () if detection::shows_metadata(text) => Dialect::C2,
        () => Dialect::CommonMark,
    })
}

/// The dialect of text that is validated against a quill, whether it names one or not.
pub fn dialect_with_quill(text: &str) -> Dialect {
    if generations::shows_tildes(text) { Dialect::Tildes } else { Dialect::C2 }
}

/// Reads the text around the blocks.
fn read_outline(page: &Page<'_>, blocks: &[Block]) -> Outline {
    let toml = frontmatter::toml(page.text()).filter(|_| !page.dialect.has_blocks());
    let blocks = blocks.iter().map(|block| block.raw.start..block.raw.end);
    let blocks: Vec<Range<usize>> = toml.into_iter().chain(blocks).collect();
    commonmark::read(page.text(), &blocks)
}

/// Observes blocks that are inside an example or a comment but are read as metadata.
fn literal_blocks(
    page: &Page<'_>,
    blocks: &[Block],
    assembly: &Assembly,
    outline: &Outline,
    findings: &mut Findings,
) {
    for (index, block) in blocks.iter().enumerate() {
        // A second frontmatter is an error already, and its position is reported.
        let surplus = block.kind == BlockKind::Frontmatter && assembly.frontmatter != Some(index);
        let Some(around) = outline.literal_at(page.text(), block.raw.start).filter(|_| !surplus) else {
            continue;
        };
        let lines = block.raw.start..block.raw.end;
        let opener = page.span(lines.start..lines.start + 3);
        let (name, place, range) = match around {
            Literal::Fence(marker) => ("block-inside-fence", "fence", marker),
            Literal::Comment(mark) => ("block-inside-comment", "comment", mark),
        };
        let mut observation = Observation::new(name, opener).with("kind", block.kind.name());
        if page.dialect == Dialect::C2 {
            // A space before both lines makes them text.
            let closer = lines.start + page.text()[lines.clone()].trim_end().len() - 3;
            observation = observation.at("mark", page.span(lines.start..lines.start));
            observation = observation.at("mark", page.span(closer..closer));
        }
        findings.add(observation.at(place, page.span(range)).at("block", page.span(lines)));
    }
}

/// The fences whose language some kind reads.
fn embedded(page: &Page<'_>, outline: &Outline, options: &ParseOptions<'_>) -> Vec<Document> {
    let Some(kinds) = options.fences else { return Vec::new() };
    let options = options.for_embedded();
    let read = |fence: &Fence| {
        let language = page.text()[fence.language.clone()].to_ascii_lowercase();
        let kind = kinds.for_language(&language)?;
        Some(kind.parse(page.source, &page.content(fence), &options))
    };
    let fences = outline.fences.iter().filter(|fence| !fence.language.is_empty());
    budget::within(fences).filter_map(read).collect()
}

#[cfg(test)]
mod tests;
