//! What CommonMark makes of the text between the metadata blocks: headings, fences, links.

mod collect;
mod fences;
mod headings;
mod links;

use std::ops::Range;

pub(super) use fences::Fence;
pub(super) use headings::Heading;
pub(super) use links::{Definition, Link};

use super::{
    metadata::Block,
    page::{Findings, Page},
};
use crate::tree::TreeBuilder;

/// The parts of a document that rules speak of, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) headings: Vec<Heading>,
    pub(super) fences: Vec<Fence>,
    pub(super) links: Vec<Link>,
    /// Links of the form `[text][name]` whose name is defined nowhere: the link and the name.
    pub(super) undefined: Vec<(Range<usize>, String)>,
    pub(super) definitions: Vec<Definition>,
    /// HTML blocks and pieces of HTML within a line.
    pub(super) html: Vec<Range<usize>>,
    /// Longer pieces of code within a line, with their marks.
    pub(super) code: Vec<Range<usize>>,
    /// Paragraphs that are not quoted.
    pub(super) paragraphs: Vec<Range<usize>>,
    /// Web addresses in plain text, when they were looked for.
    pub(super) bare_urls: Vec<Range<usize>>,
}

impl Outline {
    /// Reads the text of a page, around its blocks.
    pub(super) fn read(page: &Page<'_>, blocks: &[Block]) -> Self {
        let blocks: Vec<Range<usize>> = blocks.iter().map(|block| block.raw.start..block.raw.end).collect();
        collect::outline(page.text(), &blocks)
    }

    /// Observes what is likely not meant.
    pub(super) fn observe(&self, page: &Page<'_>, findings: &mut Findings) {
        fences::observe(self, page, findings);
        headings::observe(&self.headings, page, findings);
        links::observe(self, page, findings);
    }

    /// The code or comment around a place, where nothing is meant as metadata.
    pub(super) fn literal_at(&self, text: &str, offset: usize) -> Option<Literal> {
        if let Some(fence) = last_from(&self.fences, offset, |fence| &fence.range) {
            return Some(Literal::Fence(fence.marker.clone()));
        }
        let html = last_from(&self.html, offset, |html| html)?;
        let opener = html.start..html.start + 4;
        (text.get(opener.clone()) == Some("<!--")).then_some(Literal::Comment(opener))
    }

    /// Adds `headings`, `fences` and `links` to the open mapping.
    pub(super) fn write(&self, page: &Page<'_>, builder: &mut TreeBuilder) {
        let whole = page.span(0..page.text().len());
        builder.key_static("headings");
        builder.open_sequence(whole);
        self.headings.iter().for_each(|heading| heading.write(page, builder));
        builder.close(None);
        builder.key_static("fences");
        builder.open_sequence(whole);
        self.fences.iter().for_each(|fence| fence.write(page, builder));
        builder.close(None);
        builder.key_static("links");
        builder.open_sequence(whole);
        self.links.iter().for_each(|link| link.write(page, builder));
        builder.close(None);
    }
}

/// The item around an offset, of items in the order of the text.
fn last_from<T>(items: &[T], offset: usize, range: impl Fn(&T) -> &Range<usize>) -> Option<&T> {
    let after = items.partition_point(|item| range(item).start <= offset);
    items[..after].last().filter(|item| range(item).end > offset)
}

/// Code or a comment, with its opening mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Fence(Range<usize>),
    Comment(Range<usize>),
}

impl Literal {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Fence(_) => "a code fence",
            Self::Comment(_) => "a comment",
        }
    }
}
