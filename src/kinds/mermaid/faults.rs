//! Why a statement could not be read: what no error production of a grammar says is looked for
//! here, from the most to the least particular, in the same way for all diagram types.

use super::{
    detect::{DiagramType, HEADER_WORDS},
    diagram::{Diagram, trimmed},
    diagrams::diagram,
    syntax::Part,
};
use crate::{
    kinds::Observation,
    text::{Span, nearest},
};

/// A statement that could not be read.
pub(super) struct Unread<'d> {
    diagram: &'d Diagram,
    text: &'d str,
    span: Span,
    /// Offset in `text` up to which the grammar came.
    reach: usize,
}

/// Characters that word processors and input methods put in place of ASCII ones.
const LOOKALIKES: &[(char, &str)] = &[
    ('“', "\""),
    ('”', "\""),
    ('„', "\""),
    ('«', "\""),
    ('»', "\""),
    ('‘', "'"),
    ('’', "'"),
    ('（', "("),
    ('）', ")"),
    ('［', "["),
    ('］', "]"),
    ('｛', "{"),
    ('｝', "}"),
    ('【', "["),
    ('】', "]"),
    ('：', ":"),
    ('；', ";"),
    ('，', ","),
    ('＞', ">"),
    ('＜', "<"),
    ('＝', "="),
    ('｜', "|"),
    ('、', ","),
    ('→', "-->"),
    ('⟶', "-->"),
    ('➔', "-->"),
    ('➜', "-->"),
    ('⇒', "==>"),
    ('←', "<--"),
    ('↔', "<-->"),
    ('—', "--"),
    ('–', "--"),
    ('−', "-"),
    ('‐', "-"),
    ('‑', "-"),
    ('\u{A0}', " "),
    ('\u{200B}', ""),
    ('\u{200C}', ""),
    ('\u{200D}', ""),
    ('\u{2060}', ""),
    ('\u{FEFF}', ""),
    ('\u{202F}', " "),
    ('\u{2009}', " "),
    ('\u{3000}', " "),
];

/// Entities of HTML that stand for characters of the language, and what they stand for.
const HTML_ENTITIES: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&#34;", "\""),
    ("&#60;", "<"),
    ("&#62;", ">"),
    ("&nbsp;", " "),
];

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

/// Tags of HTML that labels may hold.
const HTML_TAGS: &[&str] = &[
    "a", "b", "br", "center", "code", "div", "em", "hr", "i", "img", "li", "p", "pre", "small", "span",
    "strong", "sub", "sup", "table", "td", "tr", "u", "ul",
];

/// Diagrams whose statements are found in others; those that take nearly any line are not among them.
const OTHERS: &[DiagramType] = &[
    DiagramType::Flowchart,
    DiagramType::Sequence,
    DiagramType::Class,
    DiagramType::Er,
    DiagramType::State,
    DiagramType::Gantt,
    DiagramType::GitGraph,
    DiagramType::Requirement,
    DiagramType::C4,
    DiagramType::Architecture,
    DiagramType::XyChart,
];

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

/// Whether a line is one statement of a diagram, without a fault.
fn reads(diagram: &Diagram, line: &str) -> bool {
    diagram.parse_statement(line).is_ok_and(|read| {
        let whole = read.all().next().is_some_and(|first| first.span().end as usize + 1 >= line.len());
        whole && read.all().all(|part| !["err_", "raw_"].iter().any(|mark| part.rule().starts_with(mark)))
    })
}

impl<'d> Unread<'d> {
    pub(super) fn new(diagram: &'d Diagram, part: Part<'d>) -> Self {
        let span = trimmed(part);
        let text = part.text().trim();
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
            .or_else(|| self.html_entity())
            .or_else(|| self.placeholder())
            .or_else(|| self.surrounding())
            .or_else(|| self.quote())
            .or_else(|| self.second_header())
            .or_else(|| self.bracket())
            .or_else(|| self.keyword())
            .or_else(|| self.foreign())
            .or_else(|| self.html_tag())
            .or_else(|| self.arrow())
            .or_else(|| self.other_diagram())
            .or_else(|| self.misspelt())
            .or_else(|| self.prose())
            .or_else(|| self.character())
            .or_else(|| self.stray_character())
            .unwrap_or_else(|| self.unexpected())
    }

    /// A character that looks like another one, in a text that an error production found.
    pub(super) fn odd_character(diagram: &'d Diagram, part: Part<'d>) -> Option<Observation> {
        Self { diagram, text: part.text().trim(), span: trimmed(part), reach: 0 }.lookalike()
    }

    /// What stands after the end of a statement.
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

    fn lookalike(&self) -> Option<Observation> {
        let from = self.reach.saturating_sub(self.reach.min(4));
        let window = self.text.char_indices().filter(|(at, _)| *at >= from);
        let first = window
            .chain(self.text.char_indices().filter(|(at, _)| *at < from))
            .find_map(|(at, c)| Some((at, c, LOOKALIKES.iter().find(|(odd, _)| *odd == c)?.1)))?;
        let (at, c, plain) = first;
        let name = match c {
            '“' | '”' | '„' | '«' | '»' | '‘' | '’' => "err_smart_quote",
            '\u{A0}'
            | '\u{200B}'..='\u{200D}'
            | '\u{2060}'
            | '\u{FEFF}'
            | '\u{202F}'
            | '\u{2009}'
            | '\u{3000}' => "err_invisible_character",
            '→' | '⟶' | '➔' | '➜' | '⇒' | '←' | '↔' | '—' | '–' | '−' | '‐' | '‑' => {
                "err_unicode_arrow"
            }
            _ => "err_full_width",
        };
        let mut observation = self.at(name, at, at + c.len_utf8()).with("plain", plain);
        let alike = |c: char| LOOKALIKES.iter().any(|(odd, other)| *odd == c && *other == plain);
        for (other, c) in self.text.char_indices().filter(|(_, other)| alike(*other)) {
            let start = self.span.start as usize + other;
            observation.places.push(("all", Span::new(start, start + c.len_utf8())));
        }
        Some(observation)
    }

    /// `&lt;` and the like, which a text has that was copied out of a web page.
    fn html_entity(&self) -> Option<Observation> {
        let places = |entity: &str| -> Vec<usize> {
            self.text.match_indices(entity).map(|(at, _)| at).filter(|at| !self.is_quoted(*at)).collect()
        };
        let (entity, plain, places) = HTML_ENTITIES
            .iter()
            .map(|(entity, plain)| (*entity, *plain, places(entity)))
            .filter(|(_, _, places)| !places.is_empty())
            .min_by_key(|(_, _, places)| places[0])?;
        let mut observation =
            self.at("err_html_entity", places[0], places[0] + entity.len()).with("plain", plain);
        for at in places {
            let start = self.span.start as usize + at;
            observation.places.push(("all", Span::new(start, start + entity.len())));
        }
        Some(observation)
    }

    /// `{body}`, `{{ name }}`, `${name}` or `...`, for which a template should have put something else.
    fn placeholder(&self) -> Option<Observation> {
        if self.text.starts_with("...") || self.text == "…" {
            let dots = self.text.find(|c| c != '.' && c != '…').unwrap_or(self.text.len());
            return Some(self.at("err_placeholder", 0, dots));
        }
        let opens = self.text.match_indices('{').map(|(at, _)| at);
        let whole = |at: usize| {
            let inner = self.text[at..].trim_start_matches('{');
            let name =
                inner.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || "_.".contains(c));
            let closed = name.trim_start();
            let marks = closed.len() - closed.trim_start_matches('}').len();
            (marks > 0).then(|| (at, self.text.len() - closed.len() + marks.min(2)))
        };
        // One that stands where a shape does may be a shape.
        let apart = |at: usize| {
            !self.text[..at]
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | ')' | ']' | '"'))
        };
        let (start, end) = opens.filter(|at| apart(*at) && !self.is_quoted(*at)).find_map(whole)?;
        let dollar = usize::from(self.text[..start].ends_with('$'));
        Some(self.at("err_placeholder", start - dollar, end))
    }

    /// `<br/>` or `<b>` outside of a text.
    fn html_tag(&self) -> Option<Observation> {
        let tag = |at: usize| {
            let inner = self.text[at + 1..].trim_start_matches('/');
            let name = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
            let rest = inner[name..].trim_start_matches([' ', '/']);
            let is_tag =
                HTML_TAGS.contains(&inner[..name].to_ascii_lowercase().as_str()) && rest.starts_with('>');
            is_tag.then(|| (at, self.text.len() - rest.len() + 1))
        };
        let mut tags = memchr::memchr_iter(b'<', self.text.as_bytes()).filter_map(tag);
        let (start, end) = tags.find(|(start, end)| !self.is_quoted(*start) && self.reach <= *end)?;
        Some(self.at("err_html_tag", start, end))
    }

    /// A statement that another type of diagram has.
    fn other_diagram(&self) -> Option<Observation> {
        let word = self.first_word();
        let line = format!("{}\n", self.text);
        let other = OTHERS.iter().filter_map(|kind| diagram(*kind)).find(|other| {
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

    /// A sign where none can stand.
    fn stray_character(&self) -> Option<Observation> {
        let c = self.text[self.reach..].chars().next().filter(char::is_ascii_punctuation)?;
        let after = self.text[self.reach + 1..].chars().next();
        let is_alone = after.is_none_or(|after| after.is_whitespace() || after.is_alphanumeric());
        (is_alone && !matches!(c, '"' | '\'' | '-' | '<' | '>' | '_'))
            .then(|| self.at("err_stray_character", self.reach, self.reach + 1))
    }

    fn is_quoted(&self, at: usize) -> bool {
        self.text[..at].matches('"').count() % 2 == 1
    }

    /// A sign within a name, or in place of one, where the language takes letters and digits.
    fn character(&self) -> Option<Observation> {
        let c = self.text[self.reach..].chars().next()?;
        let before = self.text[..self.reach].chars().next_back();
        let beside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let after = self.text[self.reach + c.len_utf8()..].chars().next();
        let is_sign = !c.is_alphanumeric() && !c.is_whitespace() && !"()[]{}<>\"|_-".contains(c);
        // A name may have been read up to its sign.
        let in_name = beside(after) && (beside(before) || self.reach == 0);
        (is_sign && (in_name || !c.is_ascii()))
            .then(|| self.at("err_character", self.reach, self.reach + c.len_utf8()))
    }

    /// Marks of the text around a diagram: fences, Markdown, comments of other languages.
    fn surrounding(&self) -> Option<Observation> {
        let text = self.text;
        let end = text.lines().next().map_or(0, |line| line.trim_end().len());
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if text.starts_with("```") || text.starts_with("~~~") {
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

    fn quote(&self) -> Option<Observation> {
        let quotes: Vec<usize> = memchr::memchr_iter(b'"', self.text.as_bytes()).collect();
        if self.text.contains("\\\"") {
            let at = self.text.find("\\\"")?;
            return Some(self.at("err_escaped_quote", at, at + 2));
        }
        let last = *quotes.last()?;
        if quotes.len() % 2 == 1 {
            return Some(
                self.at("err_unclosed_quote", last, last + 1).at("end", Span::at(self.span.end as usize)),
            );
        }
        None
    }

    fn second_header(&self) -> Option<Observation> {
        let word = self.first_word();
        let header = HEADER_WORDS.contains(&word) && word.len() > 4;
        header.then(|| self.at("err_second_diagram", 0, word.len()).with("word", word))
    }

    fn bracket(&self) -> Option<Observation> {
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut quoted = false;
        for (at, c) in self.text.char_indices() {
            match c {
                '"' => quoted = !quoted,
                _ if quoted => {}
                '(' | '[' | '{' => open.push((at, c)),
                ')' | ']' | '}' => match open.pop() {
                    None => return Some(self.at("err_stray_closer", at, at + 1)),
                    Some((start, opener)) if closer(opener) != c => {
                        return Some(
                            self.at("err_mismatched_closer", at, at + 1)
                                .with("opener", opener.to_string())
                                .with("closer", closer(opener).to_string())
                                .at("opener", Span::at(self.span.start as usize + start)),
                        );
                    }
                    Some(_) => {}
                },
                _ => {}
            }
        }
        let (at, opener) = open.pop()?;
        let closer = closer(opener).to_string();
        Some(
            self.at("err_unclosed_bracket", at, at + 1)
                .with("opener", opener.to_string())
                .with("closer", closer)
                .at("end", Span::at(self.span.end as usize)),
        )
    }

    /// A statement of the diagram's own that is not well formed.
    fn keyword(&self) -> Option<Observation> {
        let word = self.first_word();
        let folded = |known: &str| known.eq_ignore_ascii_case(word);
        let (known, form) = self.diagram.statements.iter().find(|(known, _)| folded(known))?;
        if *known != word && self.diagram.statements.iter().any(|(exact, _)| *exact == word) {
            return None;
        }
        if *known != word && !self.diagram.statements.is_empty() {
            let right = self.text.replacen(word, known, 1);
            if self.diagram.parse_statement(&format!("{right}\n")).is_ok() {
                return Some(
                    self.at("err_keyword_case", 0, word.len()).with("word", word).with("keyword", *known),
                );
            }
        }
        let reach = self.reach.max(word.len());
        Some(
            self.at("err_statement", self.word_start(reach), self.word_end(reach))
                .with("keyword", *known)
                .with("form", *form)
                .at("keyword", Span::new(self.span.start as usize, self.span.start as usize + word.len())),
        )
    }

    fn misspelt(&self) -> Option<Observation> {
        let word = self.first_word();
        if word.len() < 3 {
            return None;
        }
        let keyword = nearest(word, self.diagram.statements.iter().map(|(keyword, _)| *keyword))?;
        Some(self.at("err_keyword_misspelt", 0, word.len()).with("word", word).with("nearest", keyword))
    }

    /// A run of arrow characters that is no arrow of the diagram.
    fn arrow(&self) -> Option<Observation> {
        let arrows = self.diagram.arrows;
        if arrows.is_empty() {
            return None;
        }
        let mut quoted = false;
        let mut at = 0;
        while at < self.text.len() {
            let c = self.text[at..].chars().next()?;
            quoted ^= c == '"';
            let run: usize = self.text[at..].bytes().take_while(|b| b"-=<>.~|*+\\/".contains(b)).count();
            let token = &self.text[at..at + run];
            if !quoted
                && run >= 2
                && token.contains(['-', '=', '.', '~'])
                && token.contains(['>', '<', '-', '='])
            {
                if !arrows.contains(&token) {
                    let expected: Vec<String> = arrows.iter().map(|arrow| (*arrow).to_owned()).collect();
                    let best = nearest_arrow(token, arrows);
                    return Some(
                        self.at("err_arrow", at, at + run).with("nearest", best).with("expected", expected),
                    );
                }
                if self.text[at + run..].trim().is_empty() {
                    return Some(self.at("err_arrow_without_target", at, at + run));
                }
            }
            at += run.max(c.len_utf8());
        }
        None
    }

    fn foreign(&self) -> Option<Observation> {
        let word = self.text.split_whitespace().next()?;
        if self.text.starts_with("==") {
            return Some(self.at("err_foreign_word", 0, 2).with("word", "=="));
        }
        FOREIGN.contains(&word).then(|| self.at("err_foreign_word", 0, word.len()).with("word", word))
    }

    fn prose(&self) -> Option<Observation> {
        let line = self.text.lines().next()?.trim();
        let words = line.split_whitespace().count();
        let wordy = line
            .chars()
            .filter(|c| {
                c.is_alphabetic() || c.is_whitespace() || matches!(c, ',' | '.' | '\'' | ':' | '!' | '?')
            })
            .count();
        let sentence = words >= 3 && wordy == line.chars().count() && !line.contains("--");
        sentence.then(|| self.at("err_prose", 0, line.len()))
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

    fn is_arrow(&self, at: usize) -> bool {
        self.diagram.arrows.iter().any(|arrow| self.text[at..].starts_with(arrow))
    }

    /// The word at `reach`, or the last character where nothing follows.
    fn word_start(&self, reach: usize) -> usize {
        let rest = self.text.get(reach..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        if blank < rest.len() {
            return reach + blank;
        }
        self.text.trim_end().char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn word_end(&self, reach: usize) -> usize {
        let start = self.word_start(reach);
        let rest = &self.text[start..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        start + rest.find(char::is_whitespace).unwrap_or(rest.len()).max(first)
    }
}
/// What stands where an arrow of the diagram should.
pub(super) fn arrow(diagram: &Diagram, part: Part<'_>) -> Observation {
    let found = part.text().trim();
    let expected: Vec<String> = diagram.arrows.iter().map(|arrow| (*arrow).to_owned()).collect();
    Observation::new(part.rule(), trimmed(part))
        .with("found", found)
        .with("line", found)
        .with("nearest", nearest_arrow(found, diagram.arrows))
        .with("expected", expected)
        .at("line", trimmed(part))
}

fn closer(opener: char) -> char {
    match opener {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// The arrow that shares most with what was written: same line style and head.
fn nearest_arrow(token: &str, arrows: &[&'static str]) -> &'static str {
    let score = |arrow: &str| {
        let distance = strsim::levenshtein(token, arrow) * 2;
        let line = usize::from(token.contains('=') != arrow.contains('='))
            + usize::from(token.contains('.') != arrow.contains('.'));
        distance + line * 3 + usize::from(token.ends_with('>') != arrow.ends_with('>')) * 2
    };
    arrows.iter().min_by_key(|arrow| score(arrow)).copied().unwrap_or("-->")
}
