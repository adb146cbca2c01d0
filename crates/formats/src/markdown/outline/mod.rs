//! What the outline of Markdown adds to its document: headings, fences and links in the tree, and what is
//! likely not intended.

mod anchors;
pub(super) mod data;
pub(crate) mod fences;
mod headings;
mod links;
mod references;

use super::page::{Findings, Page};
use crate::{
    budget,
    syntax::commonmark::Outline,
    tree::{NodeId, TreeBuilder},
};

/// Observes what is likely not meant.
pub(super) fn observe(outline: &Outline, page: &Page<'_>, findings: &mut Findings) {
    fences::observe(outline, page, findings);
}

/// Adds (with `data`, the values of the fences) `headings`, `anchors`, `fences`, `links`, `definitions`, `references` and `urls` to the open mapping.
pub(super) fn write(outline: &Outline, data: &[Option<NodeId>], page: &Page<'_>, builder: &mut TreeBuilder) {
    let whole = page.span(0..page.text().len());
    headings::write(&outline.headings, page, builder);
    anchors::write(&outline.headings, page, builder);
    builder.key_static("fences");
    builder.open_sequence(whole);
    for (index, fence) in budget::within(&outline.fences).enumerate() {
        fences::write(fence, data.get(index).copied().flatten(), page, builder);
    }
    builder.close(None);
    builder.key_static("links");
    builder.open_sequence(whole);
    budget::within(&outline.links).for_each(|link| links::write(link, page, builder));
    builder.close(None);
    references::write(outline, page, builder);
    builder.key_static("urls");
    builder.open_sequence(whole);
    for url in budget::within(&outline.bare_urls) {
        page.item(builder, url.clone());
    }
    builder.close(None);
}
