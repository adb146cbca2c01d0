//! Lines of an Org text, and the shapes of line that give it structure.

use crate::text::Span;

/// A line without its line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    /// Offset of its first byte.
    pub(super) start: usize,
}

/// What looking at a line costs, in steps, besides a step for each [`BYTES_OF_STEP`].
const LINE: u64 = 8;

/// Bytes of a line that are looked at in a step.
const BYTES_OF_STEP: usize = 8;

impl<'t> Line<'t> {
    /// Steps that looking at the line costs.
    pub(super) fn steps(self) -> u64 {
        LINE + (self.text.len() / BYTES_OF_STEP) as u64
    }

    pub(super) fn end(self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn span(self) -> Span {
        Span::new(self.start, self.end())
    }

    /// The span of a part of this line's text.
    pub(super) fn span_of(self, part: &str) -> Span {
        let at = self.start + (part.as_ptr() as usize - self.text.as_ptr() as usize);
        Span::new(at, at + part.len())
    }

    /// The line without spaces and tabs at its start.
    pub(super) fn unindented(self) -> &'t str {
        self.text.trim_start_matches([' ', '\t'])
    }

    /// Number of stars of a headline: stars at the start of the line and one space after them.
    pub(super) fn stars(self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let stars = bytes.iter().take_while(|byte| **byte == b'*').count();
        (stars > 0 && bytes.get(stars) == Some(&b' ')).then_some(stars)
    }

    /// `#+KEY: value`, with the value trimmed.
    pub(super) fn keyword(self) -> Option<(&'t str, &'t str)> {
        let rest = self.unindented().strip_prefix("#+")?;
        let end = rest.find([':', ' ', '\t'])?;
        let (key, rest) = rest.split_at(end);
        let value = rest.strip_prefix(':')?;
        (!key.is_empty()).then(|| (key, value.trim_matches([' ', '\t'])))
    }

    /// `#+begin_NAME arguments`: name and arguments.
    pub(super) fn block_begin(self) -> Option<(&'t str, &'t str)> {
        let rest = strip_prefix_ignore_case(self.unindented(), "#+begin_")?;
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let (name, arguments) = rest.split_at(end);
        (!name.is_empty()).then(|| (name, arguments.trim_matches([' ', '\t'])))
    }

    /// `#+end_NAME`.
    pub(super) fn block_end(self) -> Option<&'t str> {
        let rest = strip_prefix_ignore_case(self.unindented(), "#+end_")?;
        let name = rest.trim_end_matches([' ', '\t']);
        (!name.is_empty() && !name.contains([' ', '\t'])).then_some(name)
    }

    /// Arguments of `#+BEGIN: arguments`, which opens a dynamic block.
    pub(super) fn dynamic_begin(self) -> Option<&'t str> {
        let rest = strip_prefix_ignore_case(self.unindented(), "#+begin:")?;
        Some(rest.trim_matches([' ', '\t']))
    }

    /// Whether this is `#+END:`, which closes a dynamic block.
    pub(super) fn is_dynamic_end(self) -> bool {
        strip_prefix_ignore_case(self.unindented(), "#+end:").is_some_and(|rest| rest.trim().is_empty())
    }

    /// Whether this is `:END:`, which closes a drawer.
    pub(super) fn is_drawer_end(self) -> bool {
        self.drawer_mark().is_some_and(|name| name.eq_ignore_ascii_case("END"))
    }

    /// The name in `\begin{NAME}`, which opens a LaTeX environment.
    pub(super) fn latex_begin(self) -> Option<&'t str> {
        let rest = self.unindented().strip_prefix("\\begin{")?;
        let name = &rest[..rest.find('}')?];
        (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '*')).then_some(name)
    }

    /// The name in `\end{NAME}`, where nothing follows it.
    pub(super) fn latex_end(self) -> Option<&'t str> {
        self.unindented().strip_prefix("\\end{")?.trim_end_matches([' ', '\t']).strip_suffix('}')
    }

    /// The label of a footnote definition, `[fn:label]` at the start of the line.
    pub(super) fn footnote(self) -> Option<&'t str> {
        let rest = self.text.strip_prefix("[fn:")?;
        let label = &rest[..rest.find(']')?];
        let word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        (!label.is_empty() && label.chars().all(word)).then_some(label)
    }

    /// Number of spaces and tabs at its start.
    pub(super) fn indent(self) -> usize {
        self.text.len() - self.unindented().len()
    }

    /// `:NAME:` alone on the line, as drawers begin and end.
    pub(super) fn drawer_mark(self) -> Option<&'t str> {
        let name = self.text.trim_matches([' ', '\t']).strip_prefix(':')?.strip_suffix(':')?;
        let word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        (!name.is_empty() && name.chars().all(word)).then_some(name)
    }

    /// `:KEY: value`, as in a drawer of properties.
    pub(super) fn property(self) -> Option<(&'t str, &'t str)> {
        let rest = self.unindented().strip_prefix(':')?;
        let word = &rest[..rest.find([' ', '\t']).unwrap_or(rest.len())];
        let key = word.strip_suffix(':')?;
        (!key.is_empty()).then(|| (key, rest[word.len()..].trim_matches([' ', '\t'])))
    }

    /// A comment: `#` alone or with a space after it.
    pub(super) fn comment(self) -> Option<&'t str> {
        let rest = self.unindented().strip_prefix('#')?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
    }

    pub(super) fn is_empty(self) -> bool {
        self.unindented().is_empty()
    }
}

/// The rest of `text` after `prefix`, whatever the case of its ASCII letters.
pub(super) fn strip_prefix_ignore_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// The lines of a document; a clone looks ahead.
///
/// A carriage return belongs to the line break only where every line has one: Emacs reads a file with
/// mixed line breaks as one whose lines end in `^M`. A byte order mark is not part of the first line.
#[derive(Debug, Clone)]
pub(super) struct Lines<'t> {
    text: &'t str,
    /// Offset of the next line.
    at: usize,
    /// Number of lines already given.
    given: u32,
    crlf: bool,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut breaks = memchr::memchr_iter(b'\n', bytes).peekable();
        let crlf = breaks.peek().is_some() && breaks.all(|at| at > 0 && bytes[at - 1] == b'\r');
        Self::of_part(text, crlf, true)
    }

    /// The lines of a part of a document. `crlf` says whether every line of the document ends with a carriage return, and
    /// `is_first` whether the part is its beginning.
    pub(super) fn of_part(text: &'t str, crlf: bool, is_first: bool) -> Self {
        let has_mark = is_first && text.starts_with('\u{feff}');
        Self { text, at: if has_mark { '\u{feff}'.len_utf8() } else { 0 }, given: 0, crlf }
    }

    /// The lines from one offset to another, both at the start of a line or the end of the text.
    pub(super) fn between(&self, start: usize, end: usize) -> Self {
        Self { text: &self.text[..end], at: start, given: 0, crlf: self.crlf }
    }

    /// Skips the lines before `offset`, which is at the start of a line.
    pub(super) fn skip_to(&mut self, offset: usize) {
        self.at = self.at.max(offset);
    }

    /// Where the line after another one begins.
    pub(super) fn after(&self, line: Line<'_>) -> usize {
        line.end() + self.line_break().len()
    }

    /// How lines end.
    pub(super) fn line_break(&self) -> &'static str {
        if self.crlf { "\r\n" } else { "\n" }
    }

    /// Offset after the last line.
    pub(super) fn end(&self) -> usize {
        self.text.len()
    }

    /// Whether the last line has a line break.
    pub(super) fn are_ended(&self) -> bool {
        self.text.ends_with('\n')
    }

    /// Offset of the next line.
    pub(super) fn offset(&self) -> usize {
        self.at.min(self.text.len())
    }

    /// Number of the line that was given last, from 1.
    pub(super) fn number(&self) -> u32 {
        self.given
    }

    /// The next line, without taking it.
    pub(super) fn peek(&self) -> Option<Line<'t>> {
        self.clone().next()
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        let rest = &self.text.as_bytes()[start..];
        let (end, next) = match memchr::memchr(b'\n', rest) {
            Some(length) => (start + length - usize::from(self.crlf), start + length + 1),
            None => (self.text.len(), self.text.len()),
        };
        self.at = next;
        self.given += 1;
        Some(Line { text: &self.text[start..end], start })
    }
}
