//! Options that a call asks for: validated like those of a header, and reported where they were asked for.

use std::{fmt::Write as _, sync::Arc};

use serde_json::{Map, Value};

use super::{
    metadata::{parameter, set},
    model::Place,
};
use crate::{
    diagnostic::{Diagnostic, Location},
    engine::{Outcome, shown_line},
    text::{Source, SourceId, Span, clip, visible},
};

/// The index of the options among the sources of a document.
pub(super) const SOURCE: u32 = u32::MAX;

/// Most characters of an option that reports show.
const SHOWN: usize = 200;

/// The options of a call, as a source with one option on each line.
pub(super) struct Asked<'o> {
    options: &'o [(String, String)],
    source: Arc<Source>,
    lines: Vec<Span>,
}

impl<'o> Asked<'o> {
    /// `name` is what reports call the source, such as `--option`.
    pub(super) fn new(options: &'o [(String, String)], name: &str) -> Self {
        let mut text = String::new();
        let mut lines = Vec::with_capacity(options.len());
        for (key, value) in options {
            let start = text.len();
            text.push_str(&visible(&clip(&format!("{key}={value}"), SHOWN)));
            lines.push(Span::new(start, text.len()));
            text.push('\n');
        }
        Self { options, source: Arc::new(Source::new(name, text.as_str())), lines }
    }

    pub(super) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The keys of the options, with their positions.
    pub(super) fn places(&self) -> Vec<(String, Place)> {
        let keys = self.options.iter().map(|(key, _)| key.clone());
        keys.zip(&self.lines).map(|(key, line)| (key, Place { source: SOURCE, offset: line.start })).collect()
    }

    /// What rules report about the options when they are written in a header. `validate` validates a document.
    pub(super) fn validated(&self, validate: &dyn Fn(&str) -> Outcome) -> Vec<Diagnostic> {
        if self.options.is_empty() {
            return Vec::new();
        }
        let (text, of_lines) = self.header();
        let mut out = Vec::new();
        for mut found in validate(&text).diagnostics {
            // The first line opens the header.
            let line = (found.location.line as usize).checked_sub(2);
            let Some(index) = line.and_then(|line| of_lines.get(line)) else { continue };
            let span = self.lines[*index];
            found.location = Location::of(&self.source, SourceId::default(), span);
            found.context = Some(shown_line(&self.source, span));
            // Fixes change a document.
            found.fixes.clear();
            out.push(found);
        }
        out
    }

    /// A header with the options, and the option that each of its lines is about.
    fn header(&self) -> (String, Vec<usize>) {
        let mut values = Value::Object(Map::new());
        let mut firsts: Vec<(&str, usize)> = Vec::new();
        for (index, (key, value)) in self.options.iter().enumerate() {
            set(&mut values, key, parameter(value));
            let root = key.split('.').next().unwrap_or(key);
            if firsts.iter().all(|(known, _)| *known != root) {
                firsts.push((root, index));
            }
        }
        let mut text = "---\n".to_owned();
        let mut of_lines = Vec::new();
        for (root, index) in firsts {
            let Some(value) = values.get(root) else { continue };
            let _ = writeln!(text, "{}: {}", plain(root), written(value));
            of_lines.push(index);
        }
        text.push_str("---\n\nText.\n");
        (text, of_lines)
    }
}

/// A value on one line of YAML.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        other => other.to_string(),
    }
}

/// A string as it would be written in a header: without quotation marks where it can be.
fn plain(text: &str) -> String {
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || "-_./".contains(character));
    if is_plain { text.to_owned() } else { Value::String(text.to_owned()).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_the_lines_of_a_header() {
        let options = [("toc", "true"), ("crossref.fig-title", "Abb."), ("a", "x: y"), ("crossref.x", "1")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let asked = Asked::new(&options, "--option");
        let (text, of_lines) = asked.header();
        let expected =
            "---\ntoc: true\ncrossref: {\"fig-title\":\"Abb.\",\"x\":1}\na: \"x: y\"\n---\n\nText.\n";
        assert_eq!((text.as_str(), of_lines), (expected, vec![0, 1, 2]));
        assert_eq!(asked.source().text(), "toc=true\ncrossref.fig-title=Abb.\na=x: y\ncrossref.x=1\n");
        assert_eq!(asked.places()[1].1, Place { source: SOURCE, offset: 9 });
    }
}
