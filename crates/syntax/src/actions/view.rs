//! What a reader of the document's language gets: the text without its actions.

use super::scan::{Action, Role};
use crate::text::{Fragment, Span};

/// The language of the text between the actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// YAML
    Yaml,
    /// JSON
    Json,
    /// TOML
    Toml,
}

/// A fragment as it can be read: values stand for actions that leave text, and others are left out. `first_arms` says whether
/// each block has its first arm only. The spans of the actions are those of the fragment's text.
pub fn view(
    fragment: &Fragment<'_>,
    actions: &[Action],
    language: Language,
    first_arms: bool,
) -> Fragment<'static> {
    let text = fragment.text();
    let parts = parts(text, actions, first_arms);
    let mut written = Writer { text, language, parts: Vec::new(), quotes: 0, masked_to: usize::MAX };
    let mut rest = parts.as_slice();
    let mut line = 0;
    // Line by line: a line ends where it ends outside of actions.
    while line < text.len() {
        let (mut end, mut count) = (line, 0);
        loop {
            end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
            let mut goes_on = false;
            while let Some((span, _)) = rest.get(count).filter(|(span, _)| (span.start as usize) < end) {
                goes_on |= span.end as usize > end;
                end = end.max(span.end as usize);
                count += 1;
            }
            if !goes_on {
                break;
            }
        }
        let (own, further) = rest.split_at(count);
        written.line(line..end, own);
        rest = further;
        line = end;
    }
    fragment.rewritten(&written.parts)
}

/// What is not text of the document, as spans with whether they leave something: actions, and arms that are left out.
fn parts(text: &str, actions: &[Action], first_arms: bool) -> Vec<(Span, bool)> {
    let mut parts: Vec<(Span, bool)> = Vec::new();
    // For each open block, whether its current arm is left out.
    let mut blocks: Vec<bool> = Vec::new();
    let mut hidden_from: Option<u32> = None;
    for action in actions {
        match action.role {
            Role::Open => blocks.push(false),
            Role::OpenElsewhere => blocks.push(true),
            Role::Arm => {
                if let Some(hidden) = blocks.last_mut() {
                    *hidden |= first_arms;
                }
            }
            Role::Close => {
                blocks.pop();
            }
            Role::Output | Role::Silent => {}
        }
        let is_hidden = blocks.contains(&true);
        match hidden_from {
            None => {
                parts.push((action.span, action.role == Role::Output));
                hidden_from = is_hidden.then_some(action.span.end);
            }
            Some(from) if !is_hidden => {
                parts.push((Span { start: from, end: action.span.end }, false));
                hidden_from = None;
            }
            Some(_) => {}
        }
    }
    if let Some(from) = hidden_from {
        parts.push((Span { start: from, end: text.len() as u32 }, false));
    }
    parts
}

struct Writer<'t> {
    text: &'t str,
    language: Language,
    parts: Vec<(Span, Option<u8>)>,
    /// Double and single quotes in the line so far.
    quotes: usize,
    /// Where the last value ends that stands for an action.
    masked_to: usize,
}

impl Writer<'_> {
    fn line(&mut self, line: std::ops::Range<usize>, parts: &[(Span, bool)]) {
        self.quotes = 0;
        self.masked_to = usize::MAX;
        let mut at = line.start;
        let is_alone = !parts.is_empty() && self.is_blank_around(line.clone(), parts);
        let leaves_value = self.language == Language::Json && parts.iter().any(|(_, leaves)| *leaves);
        if is_alone && !leaves_value {
            // Only the end of the line is left.
            let ending = self.text[line.clone()].trim_end_matches(['\r', '\n']).len();
            let last = parts.last().map_or(line.start, |(span, _)| span.end as usize);
            self.keep((line.start + ending).max(last.min(line.end))..line.end);
            return;
        }
        for (span, leaves) in parts {
            self.keep(at..span.start as usize);
            if *leaves {
                self.mask(*span);
            }
            at = span.end as usize;
        }
        self.keep(at.min(line.end)..line.end);
    }

    fn is_blank_around(&self, line: std::ops::Range<usize>, parts: &[(Span, bool)]) -> bool {
        let mut at = line.start;
        for (span, _) in parts {
            if !self.text[at..(span.start as usize).max(at)].trim().is_empty() {
                return false;
            }
            at = span.end as usize;
        }
        self.text[at.min(line.end)..line.end].trim().is_empty()
    }

    fn keep(&mut self, range: std::ops::Range<usize>) {
        if range.start >= range.end {
            return;
        }
        let mut escaped = false;
        for byte in self.text[range.clone()].bytes() {
            match byte {
                b'\\' => escaped = !escaped,
                b'"' if !escaped => self.quotes += 1,
                b'\'' if self.language == Language::Toml => self.quotes += 1,
                _ => escaped = false,
            }
        }
        self.parts.push((Span::new(range.start, range.end), None));
    }

    /// A value that the language takes where the action is, also as a part of a string.
    fn mask(&mut self, span: Span) {
        let goes_on = self.masked_to == span.start as usize;
        self.masked_to = span.end as usize;
        let in_string = self.quotes % 2 == 1;
        match self.language {
            Language::Yaml => self.parts.push((span, Some(b'x'))),
            _ if in_string => self.parts.push((span, Some(b'x'))),
            Language::Json => self.parts.push((span, Some(b'1'))),
            Language::Toml if goes_on => self.parts.push((span, Some(b'1'))),
            // A number with a point is a value, and a key with a dot.
            Language::Toml => {
                let (start, end) = (span.start as usize, span.end as usize);
                self.parts.push((Span::new(start, start + 1), Some(b'1')));
                self.parts.push((Span::new(start + 1, start + 2), Some(b'.')));
                self.parts.push((Span::new(start + 2, end), Some(b'1')));
            }
        }
    }
}
