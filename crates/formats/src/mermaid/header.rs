//! Why text is not a known diagram.

use super::{
    diagram::{Diagram, Findings, trimmed},
    grammars::SPELLINGS,
    prepare::Prepared,
    surroundings,
    syntax::{Part, Syntax},
};
use crate::{
    Observation,
    text::{Span, nearest},
};

/// A line of the text, with where it starts.
struct Line<'t> {
    start: usize,
    text: &'t str,
}

impl Line<'_> {
    fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    fn word(&self) -> &str {
        let end = self.text.find(|c: char| c.is_whitespace() || matches!(c, ':' | ';' | '(' | '[' | '{'));
        &self.text[..end.unwrap_or(self.text.len())]
    }
}

/// Explains why the type of a diagram is not known.
pub(super) fn explain(prepared: &Prepared, findings: &mut Findings) {
    let lines = lines(&prepared.text);
    let Some(first) = lines.first() else {
        findings.push(Observation::new("err_empty_diagram", Span::at(0)));
        return;
    };
    findings.push(observe(first, &lines));
}

fn observe(first: &Line<'_>, lines: &[Line<'_>]) -> Observation {
    let word = first.word();
    let at_word = Span::new(first.start, first.start + word.len());
    let headed = lines.iter().skip(1).find(|line| is_header(line));
    if surroundings::is_fence(first.text) {
        return Observation::new("err_fence", first.span())
            .with("found", first.text)
            .with("line", first.text)
            .at("line", first.span());
    }
    if first.text.starts_with("---") {
        return front_matter(first, &lines[1..]);
    }
    if surroundings::is_language(first.text.trim_end_matches(':')) {
        let rest = first.text[word.len()..].trim_start_matches(':').trim_start();
        let gap = Span::new(first.start, first.start + first.text.len() - rest.len());
        return Observation::new("err_header_mermaid", at_word)
            .with("alone", rest.is_empty())
            .at("line", first.span())
            .at("word", gap);
    }
    if let Some(header) = SPELLINGS.iter().find(|header| header.eq_ignore_ascii_case(word)) {
        return Observation::new("err_header_case", at_word).with("word", word).with("header", *header);
    }
    if let Some(header) = glued(word) {
        return Observation::new("err_header_misspelt", at_word).with("word", word).with("nearest", header);
    }
    if let Some((header, length)) = spaced(first.text) {
        let words = Span::new(first.start, first.start + length);
        return Observation::new("err_header_misspelt", words)
            .with("word", &first.text[..length])
            .with("nearest", header);
    }
    let meant = if headed.is_none() { same_stem(word, SPELLINGS.iter().copied()) } else { None };
    if let Some(header) = meant.or_else(|| spelling(word)) {
        return Observation::new("err_header_misspelt", at_word).with("word", word).with("nearest", header);
    }
    if let Some(header) = headed {
        let before = Span::new(first.start, header.start);
        let is_above = |line: &&Line<'_>| line.start < header.start;
        return Observation::new("err_prose_before", first.span())
            .with("front_matter", lines.iter().take_while(is_above).any(is_of_front_matter))
            .with("header", header.word())
            .with("line", first.text)
            .at("before", before);
    }
    match guess(lines) {
        Some(header) => Observation::new("err_header_missing", first.span())
            .with("header", header)
            .at("start", Span::at(first.start)),
        None => Observation::new("unknown_diagram", at_word).with("word", word),
    }
}

/// What lines of front matter begin with.
const FRONT_MATTER: &[&str] = &["title:", "config:", "displayMode:", "theme:", "look:", "layout:"];

/// Whether a line begins with a key of front matter. A rule such as `---` alone may be below a title.
fn is_of_front_matter(line: &Line<'_>) -> bool {
    FRONT_MATTER.iter().any(|key| line.text.starts_with(key))
}

/// `---` at the top that is not read as front matter: never closed, or not the first line. The place
/// `header` is the first line that cannot belong to it.
fn front_matter(first: &Line<'_>, rest: &[Line<'_>]) -> Observation {
    let observation = Observation::new("err_front_matter_unclosed", first.span());
    let Some(header) = rest.iter().position(is_header) else { return observation };
    let before = &rest[..header];
    if before.iter().any(|line| line.text.starts_with("---")) {
        return observation;
    }
    let end = before.iter().position(|line| line.text.starts_with("%%")).unwrap_or(header);
    observation.at("header", Span::at(rest[end].start))
}

/// A header of a flowchart with its direction written as one word, such as `graphTD`: with a space between them.
fn glued(word: &str) -> Option<String> {
    let directions = ["TB", "TD", "BT", "LR", "RL"];
    let split = |direction: &str| Some((word.strip_suffix(direction)?, direction.to_owned()));
    let (header, direction) = directions.into_iter().find_map(split)?;
    let is_flowchart = matches!(header, "flowchart" | "graph" | "flowchart-elk");
    is_flowchart.then(|| format!("{header} {direction}"))
}

/// A header written as two words, such as `flow chart`, with the length of both.
fn spaced(line: &str) -> Option<(&'static str, usize)> {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    let joined = format!("{first}{second}");
    let header = SPELLINGS.iter().find(|header| header.eq_ignore_ascii_case(&joined))?;
    Some((header, line.find(second)? + second.len()))
}

fn spelling(word: &str) -> Option<&'static str> {
    let word = word.trim_end_matches([':', ';', ',']);
    (word.len() > 2).then(|| nearest(word, SPELLINGS.iter().copied())).flatten()
}

/// What diagram types are also called, in lower case and without what names add to them.
const ALIASES: &[(&str, &str)] = &[
    ("bpmn", "flowchart"),
    ("component", "flowchart"),
    ("entityrelation", "er"),
    ("entityrelationship", "er"),
    ("fishbone", "ishikawa"),
    ("git", "gitgraph"),
    ("radarchart", "radar"),
    ("uml", "class"),
    ("usecases", "usecase"),
    ("userjourney", "journey"),
];

/// What names of diagram types end with, beside the word that says which one it is.
const ENDINGS: &[&str] = &["beta", "v2", "diagram", "chart", "framework", "map"];

/// The word in the name of a diagram type that says which one it is: `class` of `classDiagram-v2`.
fn stem(name: &str) -> String {
    let mut stem: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    stem.make_ascii_lowercase();
    while let Some(shorter) =
        ENDINGS.iter().find_map(|ending| stem.strip_suffix(ending)).filter(|s| s.len() > 1)
    {
        stem.truncate(shorter.len());
    }
    stem
}

/// The first of the headers for the diagram type that a word says: one that differs only in what names add to
/// such a word, or in what is left out at its end.
fn same_stem(word: &str, headers: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    let own = stem(word.trim_end_matches([':', ';', ',']));
    let own = ALIASES.iter().find(|(alias, _)| *alias == own).map_or(own.as_str(), |(_, name)| *name);
    if own.len() < 2 || own.len() > 32 {
        return None;
    }
    let is_long = own.len() > 2 || own == "c4";
    let begins = |header: &&str| {
        *header != word && (stem(header).starts_with(own) || header.to_ascii_lowercase().starts_with(own))
    };
    let equal = headers.clone().find(|header| *header != word && stem(header) == own);
    // `flowchar` lacks less of `flowchart` than of `flowchart-elk`.
    equal.or_else(|| headers.clone().filter(|_| is_long).filter(begins).min_by_key(|header| header.len()))
}

fn is_header(line: &Line<'_>) -> bool {
    SPELLINGS.contains(&line.word())
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if !body.is_empty() {
            lines.push(Line { start: at + line.len() - line.trim_start().len(), text: body });
        }
        at += line.len();
    }
    lines
}

/// The type that the statements look like.
fn guess(lines: &[Line<'_>]) -> Option<&'static str> {
    let any = |marks: &[&str]| lines.iter().any(|line| marks.iter().any(|mark| line.text.contains(mark)));
    let starts = |words: &[&str]| lines.iter().any(|line| words.contains(&line.word()));
    if starts(&["participant", "actor", "activate", "autonumber"]) || any(&["->>"]) {
        Some("sequenceDiagram")
    } else if any(&["||--", "}o--", "}|--", "|o--", "--o{", "--|{"]) {
        Some("erDiagram")
    } else if any(&["<|--", "*--", "o--", "..|>"]) || starts(&["class"]) && any(&["{"]) {
        Some("classDiagram")
    } else if any(&["[*]"]) {
        Some("stateDiagram-v2")
    } else if starts(&["commit", "branch", "checkout"]) {
        Some("gitGraph")
    } else if starts(&["dateFormat"]) {
        Some("gantt")
    } else if let Some(header) = guess_by_words(&starts, &any) {
        Some(header)
    } else if any(&["-->", "---", "==>", "-.->"]) || starts(&["subgraph"]) {
        Some("flowchart TD")
    } else {
        None
    }
}

/// The type whose statements begin with characteristic words.
fn guess_by_words(starts: &dyn Fn(&[&str]) -> bool, any: &dyn Fn(&[&str]) -> bool) -> Option<&'static str> {
    if starts(&["axis"]) && starts(&["curve"]) {
        Some("radar-beta")
    } else if starts(&["quadrant-1", "quadrant-2", "quadrant-3", "quadrant-4"]) {
        Some("quadrantChart")
    } else if starts(&["x-axis", "y-axis"]) && starts(&["bar", "line"]) {
        Some("xychart-beta")
    } else if any(&["Person(", "System(", "Container(", "Component("]) {
        Some("C4Context")
    } else if starts(&["service"]) && any(&[")["]) {
        Some("architecture-beta")
    } else if starts(&["requirement", "functionalRequirement"]) && any(&["{"]) {
        Some("requirementDiagram")
    } else {
        None
    }
}

/// What follows the header on its line and does not begin a statement.
pub(super) fn rest(diagram: &Diagram, syntax: &Syntax<'_>, unread: Part<'_>) -> Option<Observation> {
    let header = syntax.named("header_word").next()?;
    let between = syntax.text().get(header.span().end as usize..unread.span().start as usize)?;
    let is_rest = between.trim().is_empty() && !between.contains('\n');
    is_rest.then(|| header_rest(diagram, header.text(), unread.text().trim(), trimmed(unread)))
}

/// Text after the header: its direction in a flowchart, and the rest as a statement or a title, as far
/// as it looks like one.
fn header_rest(diagram: &Diagram, header: &str, found: &str, at: Span) -> Observation {
    let word = found.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
    let direction = word.to_ascii_uppercase();
    let is_direction = diagram.name == "flowchart" && matches!(&*direction, "TB" | "TD" | "BT" | "LR" | "RL");
    let direction = if is_direction { direction.as_str() } else { "" };
    let rest = found[direction.len()..].trim_start_matches(|c: char| c.is_whitespace() || c == ';');
    let is_statement = rest.contains(['[', '(', '{', '<', '>', ';']) || rest.contains("--");
    let title = rest.strip_prefix("title").map_or(rest, |title| title.trim_start_matches(':'));
    let title = title.trim().trim_matches('"');
    Observation::new("err_header_rest", at)
        .with("header", header)
        .with("found", found)
        .with("diagram", diagram.name)
        .with("direction", direction)
        .with("rest", rest)
        .with("statement", if is_statement { rest } else { "" })
        .with("title", if is_statement || title.contains(['"', ':', '#', '%']) { "" } else { title })
}

/// Explains a header line that names a known type but is not one of its headers: the part
/// `err_header` that every grammar has.
pub(super) fn explain_header(diagram: &Diagram, text: &str, span: Span) -> Observation {
    let line = span.of(text).trim_end();
    let first = Line { start: span.start as usize, text: line };
    let word = first.word();
    let at_word = Span::new(first.start, first.start + word.len());
    let rest = line[word.len()..].trim_start();
    if let Some(header) = SPELLINGS.iter().find(|header| **header == word) {
        let start = first.start + line.len() - rest.len();
        return header_rest(diagram, header, rest, Span::new(start, first.start + line.len()));
    }
    let observation =
        Observation::new("err_header_misspelt", at_word).with("word", word).with("diagram", diagram.name);
    if let Some(header) = glued(word) {
        return observation.with("nearest", header);
    }
    match own_header(diagram, word).filter(|_| !word.starts_with("---")) {
        Some(header) => observation.with("nearest", header),
        None => observation,
    }
}

/// The header of a diagram type that is spelled most like a word, or else its usual one.
fn own_header(diagram: &Diagram, word: &str) -> Option<&'static str> {
    let own = diagram.spellings.iter().copied();
    same_stem(word, own.clone()).or_else(|| nearest(word, own)).or_else(|| diagram.spellings.first().copied())
}
