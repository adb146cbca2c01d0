//! Words, names and continuations of diagrams.

use super::{
    detect,
    diagram::Diagram,
    grammars::SPELLINGS,
    prepare::{Prepared, is_space},
};
use crate::{
    Continuation, EditorQuestions, Lexeme,
    lexical::{Language, TRIED, unread_bytes},
    text::{Fragment, Span},
};

impl Diagram {
    fn language(&self) -> Language<'static> {
        let (grammar, names) = (self.grammar, self.names);
        Language { grammar, start: "document", names, statements: self.statements, connectors: self.arrows }
    }
}

/// The words and names of a diagram, with spans of the file.
pub(super) fn lexemes(prepared: &Prepared, fragment: &Fragment<'_>, asked: EditorQuestions) -> Vec<Lexeme> {
    let Some(diagram) = detect::diagram(&prepared.text) else { return Vec::new() };
    let Ok(syntax) = diagram.parse(&prepared.text) else { return Vec::new() };
    let mut all = diagram.language().lexemes(&syntax, asked);
    for lexeme in &mut all {
        lexeme.span = fragment.host(prepared.original(lexeme.span));
    }
    all
}

/// What may come at an offset of a diagram.
pub(super) fn continuations(prepared: &Prepared, text: &str, at: u32) -> Vec<Continuation> {
    let Some(before) = text.get(..at as usize) else { return Vec::new() };
    let is_inside = |span: &Span| span.start <= at && at <= span.end;
    let is_front_matter = prepared.front_matter.is_some_and(|block| is_inside(&block.body));
    if is_front_matter || prepared.comments.iter().chain(&prepared.directives).any(is_inside) {
        return Vec::new();
    }
    let mut prepared_before = Prepared::new(before).text;
    // A line ending is added where text is prepared.
    prepared_before.pop();
    // What is there of a word is replaced by it.
    let rest = text[at as usize..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let with = |word: &str| Prepared::new(&format!("{before}{word}{rest}")).text;
    if prepared_before.trim_matches(is_space).is_empty() {
        return headers(with);
    }
    let diagram = detect::diagram(&prepared.text).or_else(|| detect::diagram(&prepared_before));
    diagram.map(|diagram| diagram.language().continuations(&prepared_before, with)).unwrap_or_default()
}

/// The words that a diagram may begin with, each with how much of the text is not read as a diagram of its type.
fn headers(with: impl Fn(&str) -> String) -> Vec<Continuation> {
    let header = |word: &&str| {
        let text = with(word);
        let unread = match detect::diagram(&text) {
            Some(diagram) if text.len() < TRIED => unread_bytes(diagram.grammar, "document", &text),
            _ => 0,
        };
        Continuation::Word { word: (*word).to_owned(), form: String::new(), unread }
    };
    SPELLINGS.iter().map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    #[test]
    fn what_may_come_next_takes_little_more_than_reading_the_text() {
        let line = |number: usize| format!("    node{number}[Step {number}] --> node{}\n", number + 1);
        let (one, other): (String, String) = ((0..250).map(line).collect(), (250..500).map(line).collect());
        let text = format!("flowchart LR\n{one}    node250 \n{other}");
        let at = text.find(" \n").unwrap() + 1;
        let prepared = Prepared::new(&text);
        let steps = |work: &dyn Fn()| Budget::default().spend(work).1.steps;
        let diagram = detect::diagram(&prepared.text).unwrap();
        let reading = steps(&|| assert!(!diagram.grammar.words("document", &prepared.text).is_empty()));
        let next = steps(&|| assert!(continuations(&prepared, &text, at as u32).len() > 20));
        assert!(next < 4 * reading, "{next} steps after {reading}");
    }
}
