//! The lines of a document with what it includes, and text that was put together from them.

use std::sync::Arc;

use crate::{
    budget,
    kinds::quarto::{INCLUDE_DEPTH, INCLUDES},
    model::Place,
    syntax::pandoc,
    text::Source,
};

/// A line or the rest of one, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) source: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The sources of a document: its own, and those that it includes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    pub sources: Vec<Arc<Source>>,
}

impl Texts {
    pub(super) fn of(&self, line: Line) -> &str {
        &self.sources[line.source as usize].text()[line.start..line.end]
    }

    /// What is before the rest of a line on that line.
    pub(super) fn before(&self, line: Line) -> &str {
        let text = &self.sources[line.source as usize].text()[..line.start];
        &text[text.rfind('\n').map_or(0, |at| at + 1)..]
    }
}

/// Text of several lines, with the position of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Joined {
    pub(super) text: String,
    /// Offsets in the text and what is there in the sources.
    starts: Vec<(usize, Place)>,
}

impl Joined {
    pub(super) fn of(texts: &Texts, lines: &[Line]) -> Self {
        let mut out = Self::default();
        for line in lines {
            if !out.starts.is_empty() {
                out.text.push('\n');
            }
            out.starts.push((out.text.len(), Place { source: line.source, offset: line.start as u32 }));
            out.text.push_str(texts.of(*line));
        }
        out
    }

    /// A part of it, with its positions.
    pub(super) fn part(&self, range: std::ops::Range<usize>) -> Self {
        let mut starts = vec![(0, self.place(range.start))];
        let further = self.starts.partition_point(|(start, _)| *start <= range.start);
        let inside = self.starts[further..].iter().take_while(|(start, _)| *start < range.end);
        starts.extend(inside.map(|(start, place)| (start - range.start, *place)));
        Self { text: self.text[range].to_owned(), starts }
    }

    /// Text that is not part of a source, at one position.
    pub(super) fn at(text: &str, place: Place) -> Self {
        Self { text: text.to_owned(), starts: vec![(0, place)] }
    }

    /// The position of an offset.
    pub(super) fn place(&self, offset: usize) -> Place {
        let index = self.starts.partition_point(|(start, _)| *start <= offset);
        let Some((start, place)) = index.checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return Place::default();
        };
        Place { offset: place.offset + (offset - start) as u32, ..*place }
    }
}

/// Lines with an empty one after them, which ends their last block.
pub(super) fn ended(lines: &[Line]) -> Vec<Line> {
    let last = lines.last().map(|last| Line { start: last.end, ..*last });
    lines.iter().copied().chain(last).collect()
}

/// Reads a file that a document includes, by its path from the document's folder.
pub(crate) type Include<'f> = &'f dyn Fn(&str) -> Option<String>;

/// Steps that reading a line takes.
const LINE: u64 = 8;

/// The lines of a source with the files that it includes in their place.
pub(super) fn lines(source: Arc<Source>, include: Include<'_>) -> (Texts, Vec<Line>) {
    lines_after(Texts::default(), source, include)
}

/// Like [`lines`], with the sources of what is before it.
pub(super) fn lines_after(texts: Texts, source: Arc<Source>, include: Include<'_>) -> (Texts, Vec<Line>) {
    let most = texts.sources.len() + INCLUDES;
    let mut out = Gathered { texts, lines: Vec::new(), include, most };
    out.add(source, "", 0);
    (out.texts, out.lines)
}

/// The lines of a source that includes nothing.
pub(super) fn whole(source: Arc<Source>) -> (Texts, Vec<Line>) {
    lines(source, &|_| None)
}

struct Gathered<'f> {
    texts: Texts,
    lines: Vec<Line>,
    include: Include<'f>,
    /// Most sources before a file that is included.
    most: usize,
}

impl Gathered<'_> {
    fn add(&mut self, source: Arc<Source>, folder: &str, depth: usize) {
        let index = self.texts.sources.len() as u32;
        self.texts.sources.push(Arc::clone(&source));
        let text = source.text();
        let mut at = pandoc::body(text);
        for line in text[at..].split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']);
            if !budget::charge(LINE) {
                return;
            }
            let range = Line { source: index, start: at, end: at + content.len() };
            at += line.len();
            match included(content).filter(|_| depth < INCLUDE_DEPTH && self.texts.sources.len() <= self.most)
            {
                Some(path) => {
                    let full = joined(folder, path);
                    match (self.include)(&full) {
                        Some(text) => {
                            budget::allocate(text.len());
                            let folder = full.rfind('/').map_or("", |at| &full[..=at]).to_owned();
                            self.add(
                                Arc::new(source.sibling(full.trim_start_matches('/'), text)),
                                &folder,
                                depth + 1,
                            );
                            budget::push(
                                &mut self.lines,
                                Line { source: index, start: range.end, end: range.end },
                            );
                        }
                        None => budget::push(&mut self.lines, range),
                    }
                }
                None => budget::push(&mut self.lines, range),
            }
        }
    }
}

/// The path of a line that is nothing but an include.
fn included(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("{{<")?.strip_suffix(">}}")?.trim();
    let path = inner.strip_prefix("include")?.strip_prefix([' ', '\t'])?.trim();
    let path = path.trim_matches(['"', '\'']);
    (!path.is_empty() && !path.contains("{{<")).then_some(path)
}

/// A path from the document's folder to a file that a file in `folder` names; one that begins with `/` begins in the
/// folder of the project.
fn joined(folder: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{folder}{path}") }
}
