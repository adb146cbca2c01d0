//! Runs of arrow characters that are not an arrow of the diagram.

use super::Unread;
use crate::{
    Observation,
    mermaid::{
        diagram::{Diagram, trimmed},
        syntax::Part,
    },
};

impl Unread<'_> {
    /// A run of arrow characters that is not an arrow of the diagram.
    pub(super) fn arrow(&self) -> Option<Observation> {
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

    /// Two arrows with nothing between them, outside of labels.
    pub(super) fn double_arrow(&self) -> Option<Observation> {
        let mut depth = 0_usize;
        let mut last: Option<usize> = None;
        let mut at = 0;
        while at < self.text.len() {
            let rest = &self.text[at..];
            let c = rest.chars().next()?;
            let arrows =
                self.diagram.arrows.iter().filter(|arrow| arrow.len() > 2 && rest.starts_with(**arrow));
            let length = arrows.map(|arrow| arrow.len()).max().filter(|_| depth == 0 && !self.is_quoted(at));
            match (length, last) {
                (Some(_), Some(first)) => {
                    let end = self.text[..at].trim_end().len();
                    return Some(self.at("err_arrow_without_target", first, end));
                }
                (Some(length), None) => {
                    last = Some(at);
                    at += length;
                    continue;
                }
                _ => {}
            }
            depth = match c {
                '[' | '(' | '{' => depth + 1,
                ']' | ')' | '}' => depth.saturating_sub(1),
                _ => depth,
            };
            if !c.is_whitespace() {
                last = None;
            }
            at += c.len_utf8();
        }
        None
    }

    pub(super) fn is_arrow(&self, at: usize) -> bool {
        self.diagram.arrows.iter().any(|arrow| self.text[at..].starts_with(arrow))
    }
}

/// What is written in place of an arrow of the diagram.
pub(in crate::mermaid) fn arrow(diagram: &Diagram, part: Part<'_>) -> Observation {
    let found = part.text().trim();
    let expected: Vec<String> = diagram.arrows.iter().map(|arrow| (*arrow).to_owned()).collect();
    Observation::new(part.rule(), trimmed(part))
        .with("found", found)
        .with("line", found)
        .with("nearest", nearest_arrow(found, diagram.arrows))
        .with("expected", expected)
        .at("line", trimmed(part))
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
