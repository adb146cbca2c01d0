//! What happens to a diagram's text before its grammar reads it, in the reference's order, with a
//! way back: every offset of the prepared text leads to the one it came from.

use std::borrow::Cow;

use regex::Regex;

use crate::{budget::Once, text::Span};

/// The text a grammar reads, and what was taken out of it.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// The text, with a line end added.
    pub(super) text: String,
    /// (offset here, offset in the original) where a run of unchanged bytes starts, ascending.
    runs: Vec<(u32, u32)>,
    /// Length of the original.
    original: u32,
    /// Whether quotes were replaced, which keeps offsets as they are.
    requoted: bool,
    /// Front matter, in offsets of the original.
    pub(super) front_matter: Option<FrontMatter>,
    /// `%%{…}%%` directives, in offsets of the original.
    pub(super) directives: Vec<Span>,
    /// `%%` comment lines from their marks to the line end, in offsets of the original.
    pub(super) comments: Vec<Span>,
}

/// A YAML block at the top.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrontMatter {
    /// The YAML between the fences.
    pub(super) body: Span,
    /// How far the fences are indented.
    pub(super) indent: u32,
}

impl Prepared {
    /// Prepares `original`, the text of a fence or file.
    pub(super) fn new(original: &str) -> Self {
        let mut text = String::with_capacity(original.len() + 1);
        text.push_str(original);
        let mut this = Self { text, runs: vec![(0, 0)], original: original.len() as u32, ..Self::default() };
        this.unify_line_ends();
        this.requote_html_attributes();
        this.cut_front_matter();
        this.cut_directives();
        this.cut_comments();
        this.encode_entities();
        this.text.push('\n');
        this
    }

    /// Whether nothing was replaced: the text is the original, or the beginning of it, and the line end that was added.
    pub(super) fn is_original(&self) -> bool {
        matches!(self.runs.as_slice(), [(0, 0)]) && !self.requoted
    }

    /// Where a span of the prepared text lies in the original.
    pub(super) fn original(&self, span: Span) -> Span {
        if let [(0, 0)] = self.runs.as_slice() {
            return Span { start: span.start.min(self.original), end: span.end.min(self.original) };
        }
        let start = self.original_offset(span.start);
        // Replaced text may be longer than what it stands for: a span ends where the next text starts, at the latest.
        let last = |end: u32| (self.original_offset(end - 1) + 1).min(self.original_offset(end));
        let end = if span.is_empty() { start } else { last(span.end) };
        Span { start: start.min(self.original), end: end.clamp(start, self.original.max(start)) }
    }

    fn original_offset(&self, offset: u32) -> u32 {
        let index = self.runs.partition_point(|(local, _)| *local <= offset).saturating_sub(1);
        let (local, start) = self.runs.get(index).copied().unwrap_or_default();
        let linear = start + (offset - local);
        // Replaced text may be longer than what it stands for.
        let next = self.runs.get(index + 1).map_or(self.original, |(_, original)| *original);
        linear.min(next.max(start))
    }

    /// Replaces spans of the text, ascending and not overlapping, and keeps the way back.
    fn replace(&mut self, edits: &[(Span, String)]) {
        if edits.is_empty() {
            return;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut runs = Vec::with_capacity(self.runs.len() + edits.len() * 2);
        let mut done = 0;
        for (span, new) in edits {
            self.keep(done, span.start, &mut text, &mut runs);
            if !new.is_empty() {
                runs.push((text.len() as u32, self.original_offset(span.start)));
                text.push_str(new);
            }
            done = span.end;
        }
        self.keep(done, self.text.len() as u32, &mut text, &mut runs);
        if runs.is_empty() {
            runs.push((0, self.original_offset(done)));
        }
        self.text = text;
        self.runs = runs;
    }

    fn keep(&self, start: u32, end: u32, text: &mut String, runs: &mut Vec<(u32, u32)>) {
        if start == end && end != self.text.len() as u32 {
            return;
        }
        let here = text.len() as u32;
        runs.push((here, self.original_offset(start)));
        let first = self.runs.partition_point(|(local, _)| *local <= start);
        for (local, original) in self.runs[first..].iter().take_while(|(local, _)| *local < end) {
            runs.push((here + (local - start), *original));
        }
        text.push_str(Span { start, end }.of(&self.text));
    }

    fn cut(&mut self, spans: &[Span]) {
        let edits: Vec<_> = spans.iter().map(|span| (*span, String::new())).collect();
        self.replace(&edits);
    }

    fn unify_line_ends(&mut self) {
        let text = self.text.as_bytes();
        let edits: Vec<_> = memchr::memchr_iter(b'\r', text)
            .map(|at| {
                let new = if text.get(at + 1) == Some(&b'\n') { "" } else { "\n" };
                (Span::new(at, at + 1), new.to_owned())
            })
            .collect();
        self.replace(&edits);
    }

    /// `<a href="x">` → `<a href='x'>`: the double quotes would end a quoted label. Lengths stay.
    fn requote_html_attributes(&mut self) {
        static TAG: Once<Option<Regex>> = Once::new();
        static ATTRIBUTE: Once<Option<Regex>> = Once::new();
        if memchr::memmem::find(self.text.as_bytes(), b"=\"").is_none() {
            return;
        }
        let tag = TAG.get_or_init(|| Regex::new(r"<([A-Za-z0-9_]+)([^>]*)>").ok());
        let attribute = ATTRIBUTE.get_or_init(|| Regex::new(r#"="([^"]*)""#).ok());
        if let (Some(tag), Some(attribute)) = (tag, attribute) {
            let replaced = tag.replace_all(&self.text, |found: &regex::Captures<'_>| {
                format!("<{}{}>", &found[1], attribute.replace_all(&found[2], "='$1'"))
            });
            self.requoted = matches!(replaced, Cow::Owned(_));
            self.text = replaced.into_owned();
        }
    }

    fn cut_front_matter(&mut self) {
        let Some((body, end)) = front_matter(&self.text) else { return };
        let indent = self.text.len() - self.text.trim_start_matches(is_blank).len();
        let span = Span::new(0, end);
        self.front_matter = Some(FrontMatter { body: self.original(body), indent: indent as u32 });
        self.cut(&[span]);
    }

    fn cut_directives(&mut self) {
        let mut spans = Vec::new();
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(&self.text.as_bytes()[from..], b"%%{") {
            let start = from + at;
            from = start + 3;
            if let Some(end) = directive_end(&self.text, from) {
                spans.push(Span::new(start, end));
                from = end;
            }
        }
        self.directives = spans.iter().map(|span| self.original(*span)).collect();
        self.cut(&spans);
    }

    /// Comment lines go, with the blank lines before them; a lone `%%` and trailing comments stay.
    /// Whitespace at the top goes too.
    fn cut_comments(&mut self) {
        let mut spans: Vec<Span> = Vec::new();
        let mut blank_from = None;
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let body = line.trim_start_matches(is_space);
            let comment = body.strip_prefix("%%").is_some_and(|rest| {
                !rest.starts_with('{') && !rest.strip_suffix('\n').unwrap_or(rest).is_empty()
            });
            if comment {
                let start = at + line.len() - body.len();
                let text = body.strip_suffix('\n').unwrap_or(body);
                self.comments.push(self.original(Span::new(start, start + text.len())));
                spans.push(Span::new(blank_from.take().unwrap_or(at), at + line.len()));
            } else if body.is_empty() {
                blank_from = blank_from.or(Some(at));
            } else {
                blank_from = None;
            }
            at += line.len();
        }
        self.cut(&spans);
        let blank = self.text.len() - self.text.trim_start_matches(is_space).len();
        if blank > 0 {
            self.cut(&[Span::new(0, blank)]);
        }
    }

    /// `#name;` and `#123;` become other characters, which is why the `;` does not end a statement.
    fn encode_entities(&mut self) {
        if !self.text.contains('#') {
            return;
        }
        self.cut_style_semicolons();
        let mut edits = Vec::new();
        let mut from = 0;
        while let Some(at) = self.text[from..].find('#') {
            let start = from + at;
            let word = self.text[start + 1..].find(|c: char| !is_word(c)).unwrap_or(0);
            from = start + 1;
            let end = start + 1 + word;
            if word > 0 && self.text[end..].starts_with(';') {
                let name = &self.text[start + 1..end];
                let mark = if name.bytes().all(|b| b.is_ascii_digit()) { "ﬂ°°" } else { "ﬂ°" };
                edits.push((Span::new(start, end + 1), format!("{mark}{name}¶ß")));
                from = end + 1;
            }
        }
        self.replace(&edits);
    }

    /// `style x fill:#fff;` loses its `;`, so that `#fff;` is not an entity.
    fn cut_style_semicolons(&mut self) {
        static STYLE: Once<Option<Regex>> = Once::new();
        let style = STYLE.get_or_init(|| Regex::new(r"(?:style|classDef).*:\S*#.*;").ok());
        let Some(style) = style else { return };
        let spans: Vec<Span> =
            style.find_iter(&self.text).map(|found| Span::new(found.end() - 1, found.end())).collect();
        self.cut(&spans);
    }
}

/// Whitespace of JavaScript without line ends.
fn is_blank(c: char) -> bool {
    c != '\n' && (c.is_whitespace() || c == '\u{FEFF}') && c != '\u{85}'
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Body and end of the front matter at the very top: the longest run of blank lines opens it, the
/// first fence with the same indentation after that closes it.
pub(super) fn front_matter(text: &str) -> Option<(Span, usize)> {
    let indent = &text[..text.len() - text.trim_start_matches(is_blank).len()];
    let after = text[indent.len()..].strip_prefix("---")?;
    let opened = text.len() - after.len();
    let run = after.len() - after.trim_start().len();
    let openings: Vec<usize> =
        memchr::memchr_iter(b'\n', &after.as_bytes()[..run]).map(|at| opened + at).collect();
    let fence = format!("\n{indent}---");
    let first = *openings.first()? + 1;
    let closings: Vec<(usize, usize)> = text[first..]
        .match_indices(&fence)
        .filter_map(|(at, _)| {
            let start = first + at;
            let rest = &text[start + fence.len()..];
            let blank = rest.len() - rest.trim_start().len();
            let last = rest[..blank].rfind('\n')?;
            Some((start, start + fence.len() + last + 1))
        })
        .collect();
    let last = closings.last()?.0;
    let body = openings.iter().rev().find(|opening| **opening < last).copied()? + 1;
    let (end, whole) = closings.into_iter().find(|(start, _)| *start >= body)?;
    Some((Span::new(body, end), whole))
}

/// End of the directive whose `%%{` ends at `from`, if it is one.
fn directive_end(text: &str, from: usize) -> Option<usize> {
    let rest = text[from..].trim_start();
    let after = rest.trim_start_matches(is_word);
    if after.len() == rest.len() {
        return None;
    }
    let after = after.trim_start();
    let after = after.strip_prefix(':').unwrap_or(after).trim_start();
    let word = after.trim_start_matches(is_word);
    let after = if word.len() < after.len() {
        word.trim_start()
    } else {
        &after[after.find("}%%").unwrap_or(after.len())..]
    };
    Some(text.len() - after.strip_prefix("}%%").unwrap_or(after).len())
}

/// Whitespace as JavaScript's `\s` has it.
pub(super) fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{FEFF}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(original: &'t str, prepared: &Prepared, word: &str) -> &'t str {
        let at = prepared.text.find(word).expect("the word is there");
        prepared.original(Span::new(at, at + word.len())).of(original)
    }

    #[test]
    fn offsets_lead_back_over_everything_that_is_cut() {
        let text =
            "---\r\ntitle: x\r\n---\r\n%%{init: {}}%%\r\n%% note\r\ngraph TD\r\nA[a #amp; b] --> \"B\"\r\n";
        let prepared = Prepared::new(text);
        assert!(prepared.text.starts_with("graph TD\nA[a ﬂ°amp¶ß b]"));
        assert_eq!(found(text, &prepared, "graph TD"), "graph TD");
        assert_eq!(found(text, &prepared, "ﬂ°amp¶ß"), "#amp;");
        assert_eq!(found(text, &prepared, "\"B\""), "\"B\"");
        assert_eq!(prepared.front_matter.map(|f| f.body.of(text)), Some("title: x"));
        assert_eq!(prepared.comments.iter().map(|c| c.of(text)).collect::<Vec<_>>(), ["%% note"]);
    }

    #[test]
    fn a_directive_that_is_one_word_ends_after_it() {
        let prepared = Prepared::new("%%{wrap}%%\npie\n");
        assert_eq!(prepared.text, "pie\n\n");
    }
}
