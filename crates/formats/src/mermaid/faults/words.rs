//! Statements of the diagram's own that are not well formed, and words that are nearly theirs.

use super::{
    super::{diagram::Diagram, syntax::Part},
    Unread,
};
use crate::{
    Observation,
    text::{Span, nearest},
};

impl Unread<'_> {
    /// A statement of the diagram's own that is not well formed.
    pub(super) fn keyword(&self) -> Option<Observation> {
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
        // The only thing wrong with an incomplete statement is that it ends.
        let incomplete = self.text[reach..].trim().is_empty();
        let (start, end) =
            if incomplete { (0, self.text.len()) } else { (self.word_start(reach), self.word_end(reach)) };
        Some(
            self.at("err_statement", start, end)
                .with("keyword", *known)
                .with("form", *form)
                .at("keyword", Span::new(self.span.start as usize, self.span.start as usize + word.len())),
        )
    }

    pub(super) fn misspelled(&self) -> Option<Observation> {
        let word = self.first_word();
        if word.len() < 3 {
            return None;
        }
        let keyword = nearest(word, self.diagram.statements.iter().map(|(keyword, _)| *keyword))?;
        // Short words resemble each other.
        let distance = strsim::osa_distance(&word.to_lowercase(), &keyword.to_lowercase());
        if distance > 1 + usize::from(word.len() > 5) {
            return None;
        }
        Some(self.at("err_keyword_misspelt", 0, word.len()).with("word", word).with("nearest", keyword))
    }

    /// The keyword that the first word of a line was meant to be, where the line was read as something else up to `part`:
    /// with that keyword, it is a statement.
    pub(in super::super) fn misspelled_line(
        diagram: &Diagram,
        text: &str,
        part: Part<'_>,
    ) -> Option<Observation> {
        let at = part.span().start as usize;
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let line = text[start..end].trim();
        let start = start + text[start..end].find(line)?;
        let this = Unread { diagram, text: line, span: Span::new(start, start + line.len()), reach: 0 };
        this.misspelled_statement()
    }

    /// A word that is near a keyword, where the line is a statement, or the first line of one, with that keyword.
    pub(super) fn misspelled_statement(&self) -> Option<Observation> {
        let (word, line) = (self.first_word(), self.text.lines().next().unwrap_or_default());
        if self.diagram.statements.iter().any(|(keyword, _)| *keyword == word) {
            return None;
        }
        let found = self.misspelled()?;
        let keyword = nearest(word, self.diagram.statements.iter().map(|(keyword, _)| *keyword))?;
        let meant = format!("{keyword}{}\n", &line[word.len()..]);
        let is_read = match self.diagram.parse_statement(&meant) {
            Ok(_) => true,
            Err(stuck) => line.ends_with('{') && stuck.at >= meant.trim_end().len(),
        };
        is_read.then_some(found)
    }
}
