//! What there is to know about a diagram type: its grammar, its words, its tree and its checks.

use serde_json::Value;

use super::{
    indentation::{self, Closer, Event, end_of_block, only_wrong_closer},
    syntax::{Part, Syntax},
};
use crate::{
    Observation, budget,
    peg::{Grammar, Stuck},
    syntax::mapping::{Mapping, NameRule},
    text::Span,
};

/// A diagram type, as `grammars/mermaid/*.yaml` describe it.
pub(super) struct Diagram {
    /// Name in the tree and in messages, such as `flowchart`.
    pub(super) name: &'static str,
    /// One line on what it shows.
    pub(super) about: &'static str,
    /// The grammar of `grammars/mermaid`.
    pub(super) grammar: &'static Grammar,
    /// The words that begin a diagram as users write them, the usual one first.
    pub(super) spellings: &'static [&'static str],
    /// Words that begin a statement, with the form of the statement.
    pub(super) statements: &'static [(&'static str, &'static str)],
    /// Arrows and other connectors, for suggestions.
    pub(super) arrows: &'static [&'static str],
    /// Whether the grammar follows nested brackets by recursion.
    pub(super) recursive: bool,
    /// What the tree has.
    pub(super) tree: Mapping,
    /// The names in diagrams.
    pub(super) names: &'static [NameRule],
    /// For each rule of the grammar, by its number, whether its matches are errors: error productions, and what no statement
    /// matches.
    pub(super) errors: &'static [bool],
}

impl Diagram {
    /// Reads a whole prepared text.
    pub(super) fn parse<'t>(&self, text: &'t str) -> Result<Syntax<'t>, Stuck> {
        Syntax::new(self.grammar, "document", text)
    }

    /// The parts that are errors.
    pub(super) fn errors<'s>(&self, syntax: &'s Syntax<'s>) -> impl Iterator<Item = Part<'s>> {
        syntax.all().filter(|part| self.errors[usize::from(part.number())])
    }

    /// Reads one statement.
    pub(super) fn parse_statement<'t>(&self, text: &'t str) -> Result<Syntax<'t>, Stuck> {
        Syntax::new(self.grammar, "statement", text)
    }
}

/// What was observed in a diagram so far, with spans of the prepared text.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) observations: Vec<Observation>,
    /// The first error that is only counted, since there are very many.
    pub(super) further: Option<Span>,
}

/// What the front matter and the directives set that a check needs to know.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// Name of the first branch of a gitGraph.
    pub(super) main_branch: Option<String>,
}

impl Findings {
    /// Adds an observation.
    pub(super) fn push(&mut self, observation: Observation) {
        self.observations.push(observation);
    }

    /// Notes an error that is only counted.
    pub(super) fn further(&mut self, part: Part<'_>) {
        let first = self.further.get_or_insert(part.span());
        first.start = first.start.min(part.span().start);
    }

    /// Adds an observation at a part.
    pub(super) fn at(&mut self, name: &'static str, part: Part<'_>) {
        self.push(Observation::new(name, part.span()).with("text", part.text().trim()));
    }

    /// Whether an error production matched or a statement could not be read.
    pub(super) fn has_faults(&self) -> bool {
        !self.observations.is_empty()
    }
}

/// The observations that a grammar's error productions made: each part whose rule starts with
/// `err_` and is not among the `others`. Its children are the values and places; the child `wrong`, if any, is the place.
pub(super) fn error_productions(
    diagram: &Diagram,
    syntax: &Syntax<'_>,
    findings: &mut Findings,
    others: &[&str],
) {
    let is_error = |part: &Part<'_>| part.rule().starts_with("err_") && !others.contains(&part.rule());
    for part in diagram.errors(syntax).filter(is_error) {
        if !budget::describe(part.rule()) {
            findings.further(part);
            continue;
        }
        findings.push(error_production(syntax, part));
    }
}

/// The observation of an error production, with what it matched.
pub(super) fn error_production(syntax: &Syntax<'_>, part: Part<'_>) -> Observation {
    let place = part.children().find(|child| child.is("wrong")).unwrap_or(part);
    let mut observation = Observation::new(part.rule(), place_of(place));
    for child in part.children() {
        observation.values.push((child.rule().into(), Value::from(child.text().trim())));
        observation.places.push((child.rule().into(), trimmed(child)));
        if child.is("here") {
            let (lead, tail) = around(syntax.text(), child.span().start as usize);
            observation = observation.with("lead", lead).with("tail", tail);
        }
    }
    if part.is("err_unclosed_body") {
        end_by_indentation(syntax.text(), part, &mut observation);
    }
    observation
}

/// Where the body of an element ends that nothing closes, where the indentation of its lines shows it.
fn end_by_indentation(text: &str, part: Part<'_>, observation: &mut Observation) {
    let start = part.span().start as usize;
    let brace = if part.text().starts_with('{') { Some(start) } else { text[..start].rfind('{') };
    let Some(brace) = brace else { return };
    let line = text[..brace].rfind('\n').map_or(0, |end| end + 1);
    let opener = line + text[line..].len() - text[line..].trim_start().len();
    let Some(end) = end_of_block(text, opener, Closer::Brace, &[]).filter(|end| !end.last) else { return };
    for (name, value) in &mut observation.values {
        match name.as_ref() {
            "lead" => *value = format!("\n{}", &text[line..opener]).into(),
            "tail" => *value = "".into(),
            _ => {}
        }
    }
    for (name, place) in &mut observation.places {
        if *name == "here" {
            *place = Span::at(end.at);
        }
    }
    observation.places.extend(end.wrong.map(|wrong| ("wrong".into(), wrong)));
}

/// Line ends that a line of its own needs before and after it at this place of a prepared text, which
/// ends with a line end of its own.
fn around(text: &str, at: usize) -> (&'static str, String) {
    let before = &text[..at.min(text.len().saturating_sub(1))];
    let indent = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let after = text[at.min(text.len())..].trim_start_matches([' ', '\t']);
    if !indent.is_empty() && indent.trim().is_empty() && !after.is_empty() && !after.starts_with('\n') {
        return ("", format!("\n{indent}"));
    }
    match (at >= text.len().saturating_sub(1), before.ends_with('\n') || before.is_empty()) {
        (_, true) => ("", "\n".to_owned()),
        (true, false) => ("\n", String::new()),
        (false, false) if text[at..].starts_with('\n') => ("\n", String::new()),
        (false, false) => ("", String::new()),
    }
}

/// A diagram of a type that must have a statement has none.
pub(super) fn require_statement(syntax: &Syntax<'_>, statements: usize, findings: &mut Findings) {
    if statements == 0
        && !findings.has_faults()
        && let Some(header) = syntax.named("header_word").next()
    {
        findings.at("err_empty_diagram", header);
    }
}

/// A part's span without whitespace around it; all of it where it is only whitespace.
fn place_of(part: Part<'_>) -> Span {
    if part.text().trim().is_empty() { part.span() } else { trimmed(part) }
}

/// A part's span without whitespace around it.
pub(super) fn trimmed(part: Part<'_>) -> Span {
    trimmed_text(part).1
}

/// A part's text without whitespace around it, with its span.
pub(super) fn trimmed_text(part: Part<'_>) -> (&str, Span) {
    let (text, span) = (part.text(), part.span());
    // Most parts begin and end with a letter or a mark.
    let is_mark = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    if is_mark(text.as_bytes().first()) && is_mark(text.as_bytes().last()) {
        return (text, span);
    }
    let start = span.start as usize + text.len() - text.trim_start().len();
    let text = text.trim();
    (text, Span::new(start, start + text.len()))
}

/// Blocks that are opened by one statement and closed by another, for grammars that read them flat.
pub(super) struct Blocks<'s> {
    open: Vec<Opened<'s>>,
    /// What opened and closed so far.
    events: Vec<Event<'s>>,
    /// Statements so far.
    statements: usize,
    missing: &'static str,
    surplus: &'static str,
}

/// A block that is open, and how many statements there were when it was opened.
struct Opened<'s> {
    part: Part<'s>,
    statements: usize,
}

impl<'s> Blocks<'s> {
    /// No block is open; the names are those of the observations for a block that is not closed and
    /// an end without a block.
    pub(super) fn new(missing: &'static str, surplus: &'static str) -> Self {
        Self { open: Vec::new(), events: Vec::new(), statements: 0, missing, surplus }
    }

    /// Blocks that statements of these rules open and those of `closer` close.
    pub(super) fn check(
        mut self,
        syntax: &'s Syntax<'s>,
        openers: &[&str],
        closer: &str,
        findings: &mut Findings,
    ) {
        for part in syntax.children() {
            if openers.contains(&part.rule()) {
                self.open(part);
            } else if part.is(closer) {
                self.close(part, findings);
            }
        }
        self.finish(syntax.text(), findings);
    }

    /// A statement begins, for those who ask whether a block is empty.
    pub(super) fn statement(&mut self, part: Part<'s>) {
        self.statements += usize::from(!matches!(part.rule(), "EOI" | "header_word"));
    }

    /// How many statements there were.
    pub(super) fn statements(&self) -> usize {
        self.statements
    }

    /// A block opens.
    pub(super) fn open(&mut self, part: Part<'s>) {
        self.open.push(Opened { part, statements: self.statements });
        self.events.push(Event::Open(part, trimmed(part).start as usize));
    }

    /// A block that the grammar reads as a whole, up to what closes it: a line of another block may close it.
    pub(super) fn whole(&mut self, part: Part<'s>, closer: usize) {
        self.events.extend([Event::Open(part, trimmed(part).start as usize), Event::Close(closer)]);
    }

    /// The innermost open block.
    pub(super) fn innermost(&self) -> Option<Part<'s>> {
        self.open.last().map(|opened| opened.part)
    }

    /// Whether this statement is the first one of the innermost block.
    pub(super) fn is_first(&self) -> bool {
        self.open.last().is_some_and(|opened| opened.statements + 1 == self.statements)
    }

    /// A block closes.
    pub(super) fn close(&mut self, part: Part<'s>, findings: &mut Findings) {
        self.events.push(Event::Close(trimmed(part).start as usize));
        if self.open.pop().is_none() {
            findings.push(Observation::new(self.surplus, trimmed(part)).with("text", part.text().trim()));
        }
    }

    /// A block closes that must not be empty.
    pub(super) fn close_filled(&mut self, part: Part<'s>, findings: &mut Findings) {
        if self.is_first()
            && let Some(opened) = self.innermost()
        {
            findings.push(empty_block(opened, part));
        }
        self.close(part, findings);
    }

    /// Ends the text: what is open stays open. Where several blocks may be the open one, it is the one that the
    /// indentation shows.
    pub(super) fn finish(self, text: &str, findings: &mut Findings) {
        for found in findings.observations.iter_mut().filter(|found| found.name == self.surplus) {
            name_opener(text, found);
        }
        if self.open.is_empty() {
            return;
        }
        let open: Vec<Part<'s>> = self.open.iter().map(|opened| opened.part).collect();
        let shown = indentation::unclosed(text, &self.events);
        let unclosed = if shown.len() == open.len() { shown } else { open };
        let only = unclosed.len() == 1;
        for part in unclosed {
            findings.push(self.unclosed(text, part, only));
        }
    }

    /// A block that nothing closes, the `only` one or one of several.
    fn unclosed(&self, text: &str, part: Part<'s>, only: bool) -> Observation {
        let span = trimmed(part);
        let start = span.start as usize;
        let opener = part.text().trim().lines().next().unwrap_or_default().to_owned();
        let word = opener.split_whitespace().next().unwrap_or_default().to_owned();
        // What closes the block is indented like what opens it.
        let indent = indentation::indentation(text, start).unwrap_or_default();
        let closer = if self.missing == "err_missing_end" { Closer::End } else { Closer::Brace };
        let shown = end_of_block(text, start, closer, SECTIONS);
        let wrong = match shown {
            Some(end) if !end.last => end.wrong,
            // Looked for once: where several blocks are open, the line could close any of them.
            _ if only => only_wrong_closer(text, start, closer),
            _ => None,
        };
        let (at, lead, tail) = match shown.filter(|end| !end.last) {
            Some(end) => (end.at, "\n", String::new()),
            None => {
                let (lead, tail) = around(text, text.len());
                (text.len().saturating_sub(1), lead, tail)
            }
        };
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let closed = match wrong {
            Some(wrong) => wrong.of(text).trim().to_owned(),
            // `end loop` is read as two statements.
            None if text[line..start].trim() == "end" => format!("end {opener}"),
            None => String::new(),
        };
        let observation = Observation::new(self.missing, first_line(span, part))
            .with("closed", closed)
            .with("opener", opener)
            .with("keyword", word)
            .at("opener", span)
            .with("lead", format!("{lead}{indent}"))
            .with("tail", tail)
            .at("end", Span::at(at));
        match wrong {
            Some(wrong) => observation.at("wrong", wrong),
            None => observation,
        }
    }
}

/// Names the line that a brace without a block was meant to close, where the indentation shows one.
fn name_opener(text: &str, stray: &mut Observation) {
    let at = stray.span.start as usize;
    if text.get(at..).is_some_and(|rest| rest.starts_with('}'))
        && let Some(opener) = indentation::without_brace(text, at)
    {
        let named = stray.clone().with("opener", opener.of(text)).at("opener", opener);
        *stray = named;
    }
}

/// Words that divide a block and are indented like what opens it.
const SECTIONS: &[&str] = &["else", "and", "option", "--"];

/// A block without content, from the statement that opens it to the one that closes it.
pub(super) fn empty_block(opened: Part<'_>, closed: Part<'_>) -> Observation {
    let block = Span { end: trimmed(closed).end, ..trimmed(opened) };
    Observation::new("err_block_empty", opened.span()).with("text", opened.text().trim()).at("block", block)
}

fn first_line(span: Span, part: Part<'_>) -> Span {
    let line = part.text().trim().lines().next().unwrap_or_default();
    Span::new(span.start as usize, span.start as usize + line.trim_end().len())
}

/// The pieces of `text` between marks, without whitespace around them, with their spans; `start` is
/// where the text starts.
pub(super) fn pieces(text: &str, start: usize, mark: char) -> impl Iterator<Item = (&str, Span)> {
    let mut at = start;
    text.split(mark).map(move |piece| {
        let from = at + piece.len() - piece.trim_start().len();
        at += piece.len() + mark.len_utf8();
        (piece.trim(), Span::new(from, from + piece.trim().len()))
    })
}
