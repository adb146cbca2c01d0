//! Why a statement could not be read: what no error production of a grammar says is looked for
//! here, from the most to the least particular, in the same way for all diagram types.

mod arrows;
mod brackets;
mod characters;
mod surroundings;
mod words;

pub(super) use self::arrows::arrow;
use super::{
    diagram::{Diagram, trimmed},
    syntax::Part,
};
use crate::{Observation, text::Span};

/// A statement that could not be read.
pub(super) struct Unread<'d> {
    diagram: &'d Diagram,
    text: &'d str,
    span: Span,
    /// Offset in `text` up to which the grammar came.
    reach: usize,
}

/// Whether an observation says hardly more than that something is wrong.
pub(super) fn is_vague(name: &str) -> bool {
    matches!(
        name,
        "unexpected"
            | "err_prose"
            | "err_character"
            | "err_stray_character"
            | "err_lone_word"
            | "err_stray_closer"
            | "err_placeholder"
    )
}

/// The comment at the end of a statement that includes its line end, so that `part`, the next line, continues it.
pub(super) fn comment_before(text: &str, part: Part<'_>) -> Option<Observation> {
    let before = text[..part.span().start as usize].trim_end_matches([' ', '\t']);
    let before = before.strip_suffix('\n')?.trim_end();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let outside_quotes = |at: &usize| before[line..line + at].matches('"').count() % 2 == 0;
    let at = before[line..].match_indices("%%").map(|(at, _)| at).find(outside_quotes)?;
    let comment = &before[line + at..];
    let found = Observation::new("err_inline_comment", Span::new(line + at, before.len()))
        .with("found", comment)
        .with("line", before[line..].trim_start())
        .with("text", comment[2..].trim())
        .at("line", Span::new(before.len() - before[line..].trim_start().len(), before.len()));
    (!before[line..line + at].trim().is_empty()).then_some(found)
}

impl<'d> Unread<'d> {
    pub(super) fn new(diagram: &'d Diagram, part: Part<'d>) -> Self {
        // Other whitespace may be the reason.
        let text = part.text().trim_matches([' ', '\t', '\r', '\n']);
        let lead = part.text().find(text).unwrap_or_default();
        let start = part.span().start as usize + lead;
        let span = Span::new(start, start + text.len());
        let line = format!("{text}\n");
        let reach = match diagram.parse_statement(&line) {
            Err(stuck) => stuck.at.min(text.len()),
            Ok(read) => read.all().next().map_or(0, |part| part.span().end as usize).min(text.len()),
        };
        let reach = (0..=reach).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        Self { diagram, text, span, reach }
    }

    /// The most particular observation there is.
    pub(super) fn explain(&self) -> Observation {
        self.lookalike()
            .or_else(|| self.double_arrow())
            .or_else(|| self.html_entity())
            .or_else(|| self.placeholder())
            .or_else(|| self.surrounding())
            .or_else(|| self.quote())
            .or_else(|| self.second_header())
            .or_else(|| if self.text.ends_with('{') { self.misspelled_statement() } else { None })
            .or_else(|| self.bracket())
            .or_else(|| self.keyword())
            .or_else(|| self.foreign())
            .or_else(|| self.html_tag())
            .or_else(|| self.arrow())
            .or_else(|| self.other_diagram())
            .or_else(|| self.misspelled())
            .or_else(|| self.prose())
            .or_else(|| self.character())
            .or_else(|| self.stray_character())
            .unwrap_or_else(|| self.unexpected())
    }

    /// A character that looks like another one, in what an error production matched.
    pub(super) fn odd_character(diagram: &'d Diagram, part: Part<'d>) -> Option<Observation> {
        Self { diagram, text: part.text().trim(), span: trimmed(part), reach: 0 }.lookalike()
    }

    /// What follows the end of a statement.
    pub(super) fn rest(diagram: &'d Diagram, part: Part<'d>) -> Observation {
        let this = Self { diagram, text: part.text().trim(), span: trimmed(part), reach: 0 };
        if this.text.starts_with(';') {
            return this.at("err_semicolon_end", 0, 1);
        }
        let end = this.text.lines().next().map_or(0, |line| line.trim_end().len());
        if let Some(entity) = this.html_entity() {
            return entity;
        }
        if this.text.starts_with("%%") {
            return this.at("err_inline_comment", 0, end).with("text", this.text[2..].trim());
        }
        if ["//", "#", "<!--"].iter().any(|mark| this.text.starts_with(mark)) {
            return this
                .at("err_inline_comment", 0, end)
                .with("text", this.text.trim_start_matches(['/', '#']).trim());
        }
        let odd = this.lookalike().or_else(|| this.html_tag());
        odd.unwrap_or_else(|| this.at("err_rest", 0, end))
    }

    fn at(&self, name: &'static str, start: usize, end: usize) -> Observation {
        let from = self.span.start as usize;
        let line = self.text.lines().next().unwrap_or_default();
        Observation::new(name, Span::new(from + start, from + end))
            .with("found", &self.text[start..end])
            .with("line", line)
            .at("line", self.span)
    }

    fn is_quoted(&self, at: usize) -> bool {
        self.text[..at].matches('"').count() % 2 == 1
    }

    fn unexpected(&self) -> Observation {
        let word = self.first_word();
        let statements: Vec<String> =
            self.diagram.statements.iter().map(|(word, _)| (*word).to_owned()).collect();
        if !word.is_empty() && self.reach <= word.len() && self.text.len() == word.len() {
            return self.at("err_lone_word", 0, word.len()).with("expected", statements);
        }
        self.at("unexpected", self.word_start(self.reach), self.word_end(self.reach))
            .with("expected", statements)
    }

    fn first_word(&self) -> &'d str {
        let end = self
            .text
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'))
            .unwrap_or(self.text.len());
        self.text[..end].trim_end_matches('-')
    }

    /// The word at `reach`, or the last one where nothing follows.
    fn word_start(&self, reach: usize) -> usize {
        let rest = self.text.get(reach..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        if blank < rest.len() {
            return reach + blank;
        }
        self.text
            .trim_end()
            .rfind(char::is_whitespace)
            .map_or(0, |at| self.text.len() - self.text[at..].trim_start().len())
    }

    fn word_end(&self, reach: usize) -> usize {
        let start = self.word_start(reach);
        let rest = &self.text[start..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        start + rest.find(char::is_whitespace).unwrap_or(rest.len()).max(first)
    }
}
