use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::super::difference::difference;
use crate::{
    kinds::org::{Headline, Outline, Setup},
    text::Edit,
};

/// A tab goes to the next multiple of this.
const TAB: usize = 8;

/// A document that is being edited. Its lines end in `\n`, as in Emacs, which remembers whether all of them end in
/// `\r\n` in the file.
pub(in super::super) struct Buffer {
    text: String,
    is_crlf: bool,
    /// Whether Emacs takes it for modified, be it by the same text.
    is_touched: bool,
    /// What it is read with.
    setup: Setup,
}

/// Where a headline and what belongs to it are.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Begin of its line.
    pub(super) start: usize,
    /// End of its line.
    pub(super) line_end: usize,
    pub(super) level: usize,
    pub(super) todo: Option<Range<usize>>,
    /// Whether the title begins with COMMENT.
    pub(super) is_commented: bool,
    /// The title without that word.
    pub(super) title: Range<usize>,
    /// Its own tags.
    pub(super) tags: Vec<String>,
    /// Begin of the next headline, or the end of the text; of an inline task, the end of its own text.
    pub(super) end: usize,
    /// End of what is below it.
    pub(super) section_end: usize,
    /// Position of the headline above it.
    pub(super) parent: Option<usize>,
    /// Its drawer of properties, from the begin of the first line to the end of the last.
    pub(super) drawer: Option<Range<usize>>,
}

impl Buffer {
    /// A document as Emacs opens it.
    pub(in super::super) fn new(text: &str, setup: &Setup) -> Self {
        let breaks = text.matches('\n').count();
        let is_crlf = breaks > 0 && text.matches("\r\n").count() == breaks;
        let text = if is_crlf { text.replace("\r\n", "\n") } else { text.to_owned() };
        Self { text, is_crlf, is_touched: false, setup: setup.clone() }
    }

    /// The text as Emacs saves it: a document that was changed ends in a line break.
    pub(in super::super) fn saved(mut self) -> String {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.written()
    }

    /// The text with the line breaks of the file.
    pub(in super::super) fn written(self) -> String {
        if self.is_crlf { self.text.replace('\n', "\r\n") } else { self.text }
    }

    /// What the document differs in from its old text.
    pub(super) fn edits(self, old: &str) -> Vec<Edit> {
        if self.is_touched { difference(old, &self.saved()) } else { Vec::new() }
    }

    pub(in super::super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn outline(&self) -> Outline<'_> {
        Outline::read_with(&self.text, &self.setup)
    }

    /// The headline at a position of the outline.
    pub(super) fn entry(&self, index: usize) -> Entry {
        let outline = self.outline();
        let headline = &outline.headlines[index];
        let next = outline.headlines.get(index + 1);
        Entry {
            start: headline.span.start as usize,
            line_end: headline.span.end as usize,
            level: headline.level,
            todo: headline.todo.map(|todo| self.range(todo)),
            is_commented: headline.commented,
            title: self.range(headline.title),
            tags: own_tags(headline),
            end: match headline.inline {
                Some(_) => headline.body.end as usize,
                None => next.map_or(self.text.len(), |next| next.span.start as usize),
            },
            section_end: headline.section.end as usize,
            parent: headline.parent,
            drawer: headline.properties.as_ref().map(|drawer| drawer.span.range()),
        }
    }

    /// The position of the headline that a line at `at` belongs to.
    pub(super) fn index_at(&self, at: usize) -> Option<usize> {
        let outline = self.outline();
        let mut index = outline.headlines.iter().rposition(|headline| headline.span.start as usize <= at)?;
        // What is below an inline task belongs to the headline above it.
        while outline.headlines[index].inline.is_some() && outline.headlines[index].section.end as usize <= at
        {
            index = outline.headlines[index].parent?;
        }
        Some(index)
    }

    /// Where a part of the text is.
    fn range(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + part.len()
    }

    pub(super) fn replace(&mut self, range: Range<usize>, new: &str) {
        self.is_touched |= !range.is_empty() || !new.is_empty();
        self.text.replace_range(range, new);
    }

    pub(super) fn insert(&mut self, at: usize, new: &str) {
        self.is_touched |= !new.is_empty();
        self.text.insert_str(at, new);
    }

    /// The end of the line that `at` is in.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |length| at + length)
    }

    /// The begin of the line that `at` is in.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |before| before + 1)
    }

    /// The begin of the line after the one that `at` is in, or the end of the text.
    pub(super) fn next_line(&self, at: usize) -> usize {
        (self.line_end(at) + 1).min(self.text.len())
    }

    /// Takes the list of local variables at the end of the file out of the text (`org-preserve-local-variables`).
    pub(in super::super) fn take_local_variables(&mut self) -> Option<String> {
        let mut from = self.text.len().saturating_sub(3000);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let lines = self.text[from..].split_inclusive('\n').rev();
        let mut start = self.text.len();
        for line in lines {
            start -= line.len();
            let rest = line.trim_start_matches([' ', '\t']).strip_prefix('#').unwrap_or_default();
            let is_first = rest.starts_with(' ')
                && rest.trim_start_matches(' ').to_lowercase().starts_with("local variables:");
            if is_first {
                self.is_touched = true;
                return Some(self.text.split_off(start));
            }
        }
        None
    }

    /// Adds lines at the end of the text.
    pub(in super::super) fn append(&mut self, lines: &str) {
        self.end_last_line();
        self.is_touched = true;
        self.text.push_str(lines);
    }

    /// Begins a new line at the end of the text, unless it ends in one.
    pub(super) fn end_last_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.is_touched = true;
            self.text.push('\n');
        }
    }
}

fn own_tags(headline: &Headline<'_>) -> Vec<String> {
    headline.tags.iter().filter(|tag| !tag.is_empty()).map(|&tag| tag.to_owned()).collect()
}

/// The column after what a line begins with (`current-column`).
pub(super) fn column(text: &str) -> usize {
    text.chars().fold(0, |column, c| match c {
        '\t' => (column / TAB + 1) * TAB,
        // Shown as ^X.
        c if c.is_ascii_control() => column + 2,
        c => column + c.width().unwrap_or(0),
    })
}

/// Whitespace up to a column (`indent-to`), with tabs as `indent-tabs-mode` has it.
pub(super) fn indentation(column: usize) -> String {
    "\t".repeat(column / TAB) + &" ".repeat(column % TAB)
}

/// The length of the whitespace that `text` begins with.
pub(super) fn leading(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}
