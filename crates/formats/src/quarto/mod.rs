//! Quarto documents: Pandoc's Markdown with a YAML header, divs, cross-references, shortcodes and cells.
//!
//! [`crate::syntax::pandoc`] reads the text, [`files`] what it includes and refers to, [`tree`] makes one tree of
//! it all, and [`slips`] and [`divs`] observe what is not what its author meant. The language itself (options,
//! shortcodes, kinds of cross-references) is data of the pack `quarto`.

mod bibliography;
mod cells;
mod divs;
mod files;
mod forms;
mod header;
mod observables;
mod slips;
mod targets;
mod tree;

use std::sync::Arc;

pub use self::files::{INCLUDE_DEPTH, INCLUDES, PROJECT_FILES, nearest};
use self::{
    files::{Files, Part},
    tree::Known,
};
use super::{
    Document, Form, Kind, Observable, ParseOptions,
    markdown::{
        Dialect, characters, comments, diagrams,
        outline::fences,
        page::{Findings, Page},
    },
};
use crate::{
    budget,
    syntax::{commonmark::Outline, pandoc},
    text::{Fragment, Source, SourceId},
    tree::TreeBuilder,
};

/// Name of the kind.
pub const NAME: &str = "quarto";

/// The kind of Quarto documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quarto;

impl Kind for Quarto {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "Quarto documents: YAML header, divs, callouts, cross-references, citations, shortcodes, code cells"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.qmd"]
    }

    fn resembles(&self, text: &str) -> bool {
        text.contains("\n:::")
            || text.contains("{{<")
            || text.contains("```{r}")
            || text.contains("```{python}")
    }

    fn observables(&self) -> &[Observable] {
        &observables::ALL
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/quarto.schema.json")
    }

    fn forms(&self) -> Vec<Form> {
        forms::all()
    }

    fn comment(&self, text: &str) -> String {
        format!("<!-- {text} -->")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let page = Page::new(source, fragment, Dialect::CommonMark, options.limits);
        let mut findings = Findings::new(options.limits.diagnostics);
        characters::observe(&page, options.limits.line_bytes, &mut findings);
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let scan = pandoc::read(page.text());
        slips::observe(&page, &scan, &mut findings);
        divs::observe(&page, &scan, &mut findings);
        let files = Files::read(&page, &scan, options, &mut builder, &mut findings);
        let root = builder.open_mapping(page.span(0..page.text().len()));
        let header = header::write(&page, &scan, &mut builder, &mut findings);
        let bibliography =
            bibliography::read(header.node, &builder, files.project(), options.read, &mut findings);
        let known = Known { project: files.project(), bibliography, read: options.read };
        let fragments = files.fragments();
        let pages = files.pages(&fragments, options.limits);
        let mut parts = vec![Part { page: &page, scan: &scan, source: SourceId(0) }];
        parts.extend(files.parts(&pages));
        tree::write(&parts, header.node, &known, &mut builder, &mut findings);
        builder.close(None);
        let tree = builder.finish_at(root);
        fences::observe(&scan.outline, &page, &mut findings);
        diagrams::observe(&page, &scan.outline, options.fences, &mut findings);
        let mut observations = findings.list;
        for observation in &mut observations {
            observation.node = observation.node.filter(|node| tree.holds(*node));
        }
        let comments = comments::suppressions(&page, &scan.outline, header.comments);
        let embedded = embedded(&page, &scan.outline, options);
        Document { observations, comments, embedded, ..Document::new(NAME, tree) }
    }
}

/// The code blocks whose language some kind reads.
fn embedded(page: &Page<'_>, outline: &Outline, options: &ParseOptions<'_>) -> Vec<Document> {
    let Some(kinds) = options.fences else { return Vec::new() };
    let options = ParseOptions { dialect: None, ..*options };
    let fences = outline.fences.iter().filter(|fence| !fence.language.is_empty());
    let read = budget::within(fences).filter_map(|fence| {
        let language = page.text()[fence.language.clone()].to_ascii_lowercase();
        let kind = kinds.for_language(&language)?;
        Some(kind.parse(page.source, &cells::content(page, fence), &options))
    });
    read.collect()
}

#[cfg(test)]
mod tests;
