use std::ops::Range;

use super::{
    fence::Fence,
    heading::Heading,
    link::{Definition, Link},
};

/// The parts of a document that rules speak of, in the order of the text.
#[derive(Debug, Default)]
pub struct Outline {
    pub headings: Vec<Heading>,
    pub fences: Vec<Fence>,
    pub links: Vec<Link>,
    /// Links of the form `[text][name]` whose name is defined nowhere: the link and the name.
    pub undefined: Vec<(Range<usize>, String)>,
    pub definitions: Vec<Definition>,
    /// HTML blocks and pieces of HTML within a line.
    pub html: Vec<Range<usize>>,
    /// Longer pieces of code within a line, with their marks.
    pub code: Vec<Range<usize>>,
    /// Paragraphs that are not quoted.
    pub paragraphs: Vec<Range<usize>>,
    /// Web addresses in plain text.
    pub bare_urls: Vec<Range<usize>>,
}

impl Outline {
    /// The code or comment around a place, where nothing is meant as metadata.
    pub fn literal_at(&self, text: &str, offset: usize) -> Option<Literal> {
        if let Some(fence) = last_from(&self.fences, offset, |fence| &fence.range) {
            return Some(Literal::Fence(fence.marker.clone()));
        }
        let html = last_from(&self.html, offset, |html| html)?;
        let opener = html.start..html.start + 4;
        (text.get(opener.clone()) == Some("<!--")).then_some(Literal::Comment(opener))
    }
}

/// The item around an offset, of items in the order of the text.
fn last_from<T>(items: &[T], offset: usize, range: impl Fn(&T) -> &Range<usize>) -> Option<&T> {
    let after = items.partition_point(|item| range(item).start <= offset);
    items[..after].last().filter(|item| range(item).end > offset)
}

/// Code or a comment, with its opening mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    Fence(Range<usize>),
    Comment(Range<usize>),
}

impl Literal {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fence(_) => "a code fence",
            Self::Comment(_) => "a comment",
        }
    }
}
