//! What belongs to the text around a diagram or to another language: fences, comments, placeholders, prose,
//! words and statements of other diagrams.

use super::Unread;
use crate::{
    Observation,
    mermaid::{
        diagram::Diagram,
        grammars::{DIAGRAMS, RECOGNIZED, SPELLINGS},
        surroundings,
    },
    text::Span,
};

/// Words of other diagram languages (`PlantUML`, Graphviz, pseudo code) at the start of a line.
const FOREIGN: &[&str] = &[
    "@startuml",
    "@enduml",
    "skinparam",
    "digraph",
    "rankdir",
    "group",
    "finally",
    "elseif",
    "elif",
    "endif",
    "foreach",
    "while",
    "endloop",
    "database",
    "queue",
    "boundary",
    "control",
    "entity",
    "collections",
    "return",
    "!include",
    "hide",
    "show",
    "package",
    "interface",
    "enum",
    "abstract",
    "component",
    "usecase",
    "start",
    "stop",
];

impl Unread<'_> {
    /// Marks of the text around a diagram: fences, Markdown, comments of other languages.
    pub(super) fn surrounding(&self) -> Option<Observation> {
        let text = self.text;
        let end = text.lines().next().map_or(0, |line| line.trim_end().len());
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if surroundings::is_fence(text) {
            return Some(self.at("err_fence", 0, end));
        }
        let marks = ["//", "#", "<!--", "/*", "%", "--"];
        if let Some(mark) = marks.into_iter().find(|mark| text.starts_with(mark) && !self.is_arrow(0)) {
            return Some(
                self.at("err_comment", 0, mark.len())
                    .with("mark", mark)
                    .with("text", text[mark.len()..].trim_end_matches("-->").trim()),
            );
        }
        if ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark)) {
            return Some(self.at("err_list_mark", 0, 2));
        }
        if digits > 0 && (text[digits..].starts_with(". ") || text[digits..].starts_with(") ")) {
            return Some(self.at("err_list_mark", 0, digits + 2));
        }
        if text.starts_with("**") || text.starts_with("__") {
            return Some(self.at("err_markdown", 0, 2));
        }
        if let Some(at) = text
            .find("//")
            .filter(|at| *at > 0 && !text[..*at].ends_with(':') && *at >= self.reach.saturating_sub(1))
        {
            return Some(
                self.at("err_inline_comment", at, end.max(at + 2)).with("text", text[at + 2..].trim()),
            );
        }
        if let Some(at) = text.find("%%").filter(|at| {
            let before = &text[..*at];
            let apart = before.ends_with(char::is_whitespace) && !self.is_quoted(*at);
            *at > 0 && (apart || *at + 2 >= self.reach)
        }) {
            return Some(
                self.at("err_inline_comment", at, end.max(at + 2)).with("text", text[at + 2..].trim()),
            );
        }
        if let Some(at) = text.find("**").filter(|at| *at + 2 >= self.reach) {
            return Some(self.at("err_markdown", at, at + 2));
        }
        None
    }

    /// `{body}`, `{{ name }}`, `${name}` or `...`, for which a template should have put something else.
    pub(super) fn placeholder(&self) -> Option<Observation> {
        if self.text.starts_with("...") || self.text == "…" {
            let dots = self.text.find(|c| c != '.' && c != '…').unwrap_or(self.text.len());
            return Some(self.at("err_placeholder", 0, dots));
        }
        // The first bracket of each run: what is after the run is the same for the others.
        let bytes = self.text.as_bytes();
        let opens = memchr::memchr_iter(b'{', bytes).filter(|at| *at == 0 || bytes[at - 1] != b'{');
        let quotes: Vec<usize> = memchr::memchr_iter(b'"', bytes).collect();
        let quoted = |at: usize| quotes.partition_point(|quote| *quote < at) % 2 == 1;
        let whole = |at: usize| {
            let inner = self.text[at..].trim_start_matches('{');
            let name =
                inner.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || "_.".contains(c));
            let closed = name.trim_start();
            let marks = closed.len() - closed.trim_start_matches('}').len();
            (marks > 0).then(|| (at, self.text.len() - closed.len() + marks.min(2)))
        };
        // Right after a name it may be a shape.
        let apart = |at: usize| {
            !self.text[..at]
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | ')' | ']' | '"'))
        };
        let (start, end) = opens.filter(|at| apart(*at) && !quoted(*at)).find_map(whole)?;
        let dollar = usize::from(self.text[..start].ends_with('$'));
        Some(self.at("err_placeholder", start - dollar, end))
    }

    pub(super) fn foreign(&self) -> Option<Observation> {
        let word = self.text.split_whitespace().next()?;
        if self.text.starts_with("==") {
            return Some(self.at("err_foreign_word", 0, 2).with("word", "=="));
        }
        // Whitespace that Mermaid does not skip may be before it.
        let at = self.text.find(word)?;
        FOREIGN.contains(&word).then(|| self.at("err_foreign_word", at, at + word.len()).with("word", word))
    }

    /// A statement that another type of diagram has.
    pub(super) fn other_diagram(&self) -> Option<Observation> {
        let word = self.first_word();
        let line = format!("{}\n", self.text);
        let other = RECOGNIZED.iter().map(|index| &DIAGRAMS[*index]).find(|other| {
            let has_word = other.statements.iter().any(|(known, _)| *known == word);
            let own = self.diagram.arrows;
            let mut foreign = other.arrows.iter().filter(|arrow| arrow.len() > 2 && !own.contains(arrow));
            let mut has_arrow = || foreign.any(|arrow| self.text.contains(arrow));
            other.name != self.diagram.name && (has_word || has_arrow()) && reads(other, &line)
        })?;
        let start = if other.statements.iter().any(|(known, _)| *known == word) { word.len() } else { 0 };
        let end =
            if start > 0 { start } else { self.text.lines().next().map_or(0, |line| line.trim_end().len()) };
        Some(self.at("err_other_diagram", 0, end).with("other", other.name))
    }

    pub(super) fn second_header(&self) -> Option<Observation> {
        let word = self.first_word();
        let header = SPELLINGS.contains(&word) && word.len() > 4;
        header.then(|| self.at("err_second_diagram", 0, word.len()).with("word", word))
    }

    /// Makes what is wrong below the header of a second diagram follow from it.
    pub(in super::super) fn follow_second_diagram(text: &str, observations: &mut Vec<Observation>) {
        let known = observations.iter().position(|observation| observation.name == "err_second_diagram");
        let Some(at) = known.or_else(|| {
            let header = second_diagram(text, observations)?;
            observations.push(header);
            Some(observations.len() - 1)
        }) else {
            return;
        };
        let start = observations[at].span.start;
        for (index, observation) in observations.iter_mut().enumerate() {
            if index != at && observation.span.start >= start && observation.cause.is_none() {
                observation.cause = Some(at);
            }
        }
    }

    pub(super) fn prose(&self) -> Option<Observation> {
        let first = self.text.lines().next()?;
        // Whitespace that Mermaid does not skip may be before it.
        let (start, line) = (first.len() - first.trim_start().len(), first.trim());
        let words = line.split_whitespace().count();
        let wordy = line
            .chars()
            .filter(|c| {
                c.is_alphabetic() || c.is_whitespace() || matches!(c, ',' | '.' | '\'' | ':' | '!' | '?')
            })
            .count();
        let sentence = words >= 3 && wordy == line.chars().count() && !line.contains("--");
        sentence.then(|| self.at("err_prose", start, start + line.len()))
    }
}

/// Whether a line is one statement of a diagram, without a fault.
fn reads(diagram: &Diagram, line: &str) -> bool {
    diagram.parse_statement(line).is_ok_and(|read| {
        let whole = read.all().next().is_some_and(|first| first.span().end as usize + 1 >= line.len());
        whole && read.all().all(|part| !["err_", "raw_"].iter().any(|mark| part.rule().starts_with(mark)))
    })
}

/// The header of a second diagram that was read as a statement, such as a node: a line that is only a header, no deeper than the
/// first one, with an error in it or below. That of the same type is one where all lines between are deeper. One that is an
/// ordinary word, such as `timeline`, may be the name of a node: the line below it must be deeper.
fn second_diagram(text: &str, observations: &[Observation]) -> Option<Observation> {
    let is_error =
        |observation: &&Observation| observation.name.starts_with("err_") || observation.name == "unexpected";
    let last =
        observations.iter().filter(is_error).map(|observation| observation.span.start as usize).max()?;
    let mut first: Option<(usize, &str)> = None;
    let mut are_deeper = true;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let indent = lead(line);
        let (start, body) = (at + indent, line.trim());
        at += line.len();
        let mut words = body.split_whitespace();
        let Some(word) = words.next() else { continue };
        let is_header = SPELLINGS.contains(&word);
        let Some((outer, own)) = first else {
            first = is_header.then_some((indent, word));
            continue;
        };
        let is_bare =
            words.all(|word| ["TB", "TD", "BT", "RL", "LR"].contains(&word.trim_end_matches([';', ':'])));
        let is_other = word != own || are_deeper;
        let is_word = word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_deeper = lines.peek().is_some_and(|below| !below.trim().is_empty() && lead(below) > indent);
        let fits = is_header && word.len() > 4 && is_bare && indent <= outer && is_other && last >= start;
        if fits && (is_deeper || !is_word) {
            let span = Span::new(start, start + word.len());
            let observation =
                Observation::new("err_second_diagram", span).with("word", word).with("found", word);
            return Some(observation.with("line", body).at("line", Span::new(start, start + body.len())));
        }
        are_deeper &= indent > outer;
    }
    None
}

/// Bytes of whitespace before the text of a line.
fn lead(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_named_like_a_diagram_does_not_begin_one() {
        let found = |text: &str| {
            let error = Observation::new("err_arrow", Span::at(text.len() - 1));
            second_diagram(text, &[error]).map(|header| header.span.of(text).to_owned())
        };
        assert_eq!(found("flowchart LR\ntimeline\nA -> B\n"), None);
        assert_eq!(found("flowchart LR\nA --> B\n\ntimeline\n\nA -> B\n"), None);
        assert_eq!(found("flowchart LR\n    sequenceDiagram\n    A -> B\n"), None, "it is deeper");
        assert_eq!(found("flowchart LR\nA --> B\ntimeline\n    2026 : x\n").as_deref(), Some("timeline"));
        assert_eq!(
            found("flowchart LR\nA --> B\nsequenceDiagram\nA->>B: x\n").as_deref(),
            Some("sequenceDiagram")
        );
        assert_eq!(found("block\n  a\nblock\n  b\n").as_deref(), Some("block"));
    }
}
