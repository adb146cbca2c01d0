use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::super::recorded::Recorded;
use crate::{
    kinds::org::{Edited, Headline, Setup},
    text::{Edit, Span},
};

/// A tab goes to the next multiple of this.
const TAB: usize = 8;

/// A document that is being edited. Its lines end in `\n`, as in Emacs, which remembers whether all of them end in
/// `\r\n` in the file.
pub(in super::super) struct Buffer {
    document: Edited,
    is_crlf: bool,
    /// Whether Emacs takes it for modified, be it by the same text.
    is_touched: bool,
    /// What differs from the text that it was opened with.
    recorded: Recorded,
    /// How to take back what is done by a change that may turn out not to be wanted.
    undo: Option<Vec<Undo>>,
}

/// How an edit is taken back.
struct Undo {
    range: Range<usize>,
    old: String,
    /// Number of line breaks in the new text.
    added: usize,
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
        let lines = breaks(text);
        let is_crlf = lines > 0 && text.matches("\r\n").count() == lines;
        let document = if is_crlf {
            Edited::read(&text.replace("\r\n", "\n"), setup)
        } else {
            Edited::read(text, setup)
        };
        Self { document, is_crlf, is_touched: false, recorded: Recorded::default(), undo: None }
    }

    /// What the document differs in from its old text, as Emacs saves it: a document that was changed ends in a line break.
    pub(in super::super) fn saved(mut self, old: &str) -> Vec<Edit> {
        self.save();
        self.written(old)
    }

    /// Ends the last line of a document that was changed, as Emacs does before it saves one.
    pub(in super::super) fn save(&mut self) {
        if self.is_touched {
            self.end_last_line();
        }
    }

    /// What the document differs in from its old text, with the line breaks of the file.
    pub(in super::super) fn written(&self, old: &str) -> Vec<Edit> {
        if !self.is_crlf {
            return self.recorded.edits(old, self.text());
        }
        let lines = old.replace("\r\n", "\n");
        let (mut at, mut before) = (0, 0);
        let mut in_file = |offset: u32| {
            before += breaks(&lines[at..offset as usize]);
            at = offset as usize;
            at + before
        };
        let edits = self.recorded.edits(&lines, self.text()).into_iter();
        edits
            .map(|edit| {
                let (start, end) = (in_file(edit.span.start), in_file(edit.span.end));
                Edit { span: Span::new(start, end), new: edit.new.replace('\n', "\r\n") }
            })
            .collect()
    }

    pub(in super::super) fn text(&self) -> &str {
        self.document.text()
    }

    /// The document with its outline.
    pub(in super::super) fn document(&self) -> &Edited {
        &self.document
    }

    /// The headline at a position of the outline.
    pub(in super::super) fn headline(&self, index: usize) -> Headline<'_> {
        self.document.headline(index)
    }

    /// The headline at a position of the outline.
    pub(super) fn entry(&self, index: usize) -> Entry {
        let headline = &self.headline(index);
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
                None => self.document.start(index + 1),
            },
            section_end: headline.section.end as usize,
            parent: headline.parent,
            drawer: headline.properties.as_ref().map(|drawer| drawer.span.range()),
        }
    }

    /// The position of the headline that a line at `at` belongs to.
    pub(super) fn index_at(&self, at: usize) -> Option<usize> {
        self.document.index_at(at)
    }

    /// Makes a change, unless it adds lines: then the document stays as it is. Whether the change was made.
    pub(in super::super) fn change_within_lines(&mut self, change: impl FnOnce(&mut Self)) -> bool {
        self.undo = Some(Vec::new());
        change(self);
        let done = self.undo.take().unwrap_or_default();
        let (removed, added) =
            done.iter().fold((0, 0), |(old, new), undo| (old + breaks(&undo.old), new + undo.added));
        if added <= removed {
            return true;
        }
        for Undo { range, old, .. } in done.into_iter().rev() {
            self.replace(range, &old);
        }
        false
    }

    /// Where a part of the text is.
    fn range(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr() as usize - self.text().as_ptr() as usize;
        start..start + part.len()
    }

    pub(in super::super) fn replace(&mut self, range: Range<usize>, new: &str) {
        if range.is_empty() && new.is_empty() {
            return;
        }
        self.is_touched = true;
        if let Some(undo) = &mut self.undo {
            let old = self.document.text()[range.clone()].to_owned();
            undo.push(Undo { range: range.start..range.start + new.len(), old, added: breaks(new) });
        }
        self.recorded.replace(&range, new.len());
        self.document.replace(range, new);
    }

    pub(super) fn insert(&mut self, at: usize, new: &str) {
        self.replace(at..at, new);
    }

    /// The end of the line that `at` is in.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.text()[at..].find('\n').map_or(self.text().len(), |length| at + length)
    }

    /// The begin of the line that `at` is in.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text()[..at].rfind('\n').map_or(0, |before| before + 1)
    }

    /// The begin of the line after the one that `at` is in, or the end of the text.
    pub(super) fn next_line(&self, at: usize) -> usize {
        (self.line_end(at) + 1).min(self.text().len())
    }

    /// Takes the list of local variables at the end of the file out of the text (`org-preserve-local-variables`).
    pub(in super::super) fn take_local_variables(&mut self) -> Option<String> {
        let mut from = self.text().len().saturating_sub(3000);
        while !self.text().is_char_boundary(from) {
            from += 1;
        }
        let lines = self.text()[from..].split_inclusive('\n').rev();
        let mut start = self.text().len();
        for line in lines {
            start -= line.len();
            let rest = line.trim_start_matches([' ', '\t']).strip_prefix('#').unwrap_or_default();
            let is_first = rest.starts_with(' ')
                && rest.trim_start_matches(' ').to_lowercase().starts_with("local variables:");
            if is_first {
                let variables = self.text()[start..].to_owned();
                self.replace(start..self.text().len(), "");
                return Some(variables);
            }
        }
        None
    }

    /// Adds lines at the end of the text.
    pub(in super::super) fn append(&mut self, lines: &str) {
        self.end_last_line();
        self.insert(self.text().len(), lines);
    }

    /// Begins a new line at the end of the text, unless it ends in one.
    pub(super) fn end_last_line(&mut self) {
        if !self.text().is_empty() && !self.text().ends_with('\n') {
            self.insert(self.text().len(), "\n");
        }
    }
}

/// Number of line breaks.
fn breaks(text: &str) -> usize {
    text.matches('\n').count()
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
