use std::ops::Range;

use memchr::memmem;
use pulldown_cmark::LinkType;

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    Inline,
    Reference,
    Autolink,
    Image,
}

impl LinkKind {
    pub fn of(link: LinkType, image: bool) -> Self {
        match link {
            _ if image => Self::Image,
            LinkType::Inline | LinkType::WikiLink { .. } => Self::Inline,
            LinkType::Autolink | LinkType::Email => Self::Autolink,
            _ => Self::Reference,
        }
    }

    /// Its name in the tree.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Reference => "reference",
            Self::Autolink => "autolink",
            Self::Image => "image",
        }
    }
}

/// A link or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub kind: LinkKind,
    pub range: Range<usize>,
    /// What is shown, as it is written; empty where there is nothing.
    pub words: Range<usize>,
    pub target: String,
    /// Where the target is, when it is in the link and written as it is read.
    pub place: Option<Range<usize>>,
    /// Name of the definition it refers to; empty for links that name their target.
    pub name: String,
}

/// A definition such as `[name]: target`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub range: Range<usize>,
    pub target: String,
}

impl Link {
    pub fn new(kind: LinkKind, range: Range<usize>, target: &str, name: &str) -> Self {
        let words = range.start..range.start;
        Self { kind, range, words, target: target.to_owned(), place: None, name: name.to_owned() }
    }

    /// Takes in a piece of what is shown.
    pub fn covers(&mut self, piece: &Range<usize>) {
        let start = if self.words.is_empty() { piece.start } else { self.words.start };
        self.words = start..piece.end.max(start);
    }

    #[must_use]
    pub fn finished(mut self, text: &str) -> Self {
        let from = if self.kind == LinkKind::Autolink { self.range.start } else { self.words.end };
        if !self.target.is_empty() && self.name.is_empty() {
            let found = find_target(&text.as_bytes()[from..self.range.end], self.target.as_bytes());
            self.place = found.map(|at| from + at..from + at + self.target.len());
        }
        self
    }

    /// Where the target is, or else the link.
    pub fn target_place(&self) -> Range<usize> {
        self.place.clone().unwrap_or_else(|| self.range.clone())
    }
}

/// Where a target is first written in the rest of a link. Mostly it is right after the words, and no search is needed.
fn find_target(rest: &[u8], target: &[u8]) -> Option<usize> {
    let is_next = rest.strip_prefix(b"](").is_some_and(|rest| rest.starts_with(target));
    if is_next && !matches!(target, [b'(' | b']', ..]) { Some(2) } else { memmem::find(rest, target) }
}

/// Where web addresses may begin in a part of the text, the first one last.
pub(super) fn urls(text: &str, part: Range<usize>) -> Vec<usize> {
    let bytes = &text.as_bytes()[..part.end];
    let mut starts: Vec<usize> = memmem::find_iter(&bytes[part.start..], b"://")
        .filter_map(|at| {
            let before = &bytes[..part.start + at];
            let scheme = [&b"https"[..], b"http"].into_iter().find(|scheme| before.ends_with(scheme))?;
            Some(before.len() - scheme.len()).filter(|start| *start >= part.start)
        })
        .collect();
    starts.reverse();
    starts
}

/// The web address that begins at a place of the text, if there is one.
pub(super) fn url(text: &str, start: usize) -> Option<Range<usize>> {
    let scheme = text[start..].find("://")?;
    let rest = &text[start + scheme..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"')).unwrap_or(rest.len());
    let address = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '*', '_']);
    (address.len() > 3).then_some(start..start + scheme + address.len())
}
