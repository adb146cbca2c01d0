//! Brackets and quotes that are not closed, or not by their own kind.

use super::Unread;
use crate::{Observation, text::Span};

impl Unread<'_> {
    pub(super) fn quote(&self) -> Option<Observation> {
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

    pub(super) fn bracket(&self) -> Option<Observation> {
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut quoted = false;
        for (at, c) in self.text.char_indices() {
            match c {
                '"' => quoted = !quoted,
                _ if quoted => {}
                _ if self.is_cardinality(at) => {}
                '(' | '[' | '{' => open.push((at, c)),
                ')' | ']' | '}' => match open.pop() {
                    None => return Some(self.at("err_stray_closer", at, at + 1).with("opener", "")),
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
        // What ends the statement stays at its end.
        let end = self.span.start as usize + self.text.trim_end_matches([';', ' ', '\t']).len();
        Some(
            self.at("err_unclosed_bracket", at, at + 1)
                .with("opener", opener.to_string())
                .with("closer", closer)
                .at("end", Span::at(end)),
        )
    }

    /// Gives each closing bracket the line with the opening one that was meant: one that another error leaves open.
    pub(in super::super) fn pair(observations: &mut [Observation]) {
        let text = |observation: &Observation, name: &str| {
            observation
                .values
                .iter()
                .find(|(known, _)| known == name)
                .and_then(|(_, value)| value.as_str().map(str::to_owned))
        };
        let mut open: Vec<(u32, Option<String>, String)> = observations
            .iter()
            .filter(|observation| observation.name == "err_unclosed_bracket")
            .filter_map(|opener| Some((opener.span.start, text(opener, "closer"), text(opener, "line")?)))
            .collect();
        for closer in observations.iter_mut().filter(|observation| observation.name == "err_stray_closer") {
            let found = text(closer, "found");
            let Some(at) = open.iter().rposition(|(at, meant, _)| *at < closer.span.start && *meant == found)
            else {
                continue;
            };
            let (.., line) = open.remove(at);
            for (_, value) in closer.values.iter_mut().filter(|(name, _)| name == "opener") {
                *value = line.as_str().into();
            }
        }
    }

    /// Whether a brace is part of a cardinality, such as `o{` or `}|`.
    fn is_cardinality(&self, at: usize) -> bool {
        let (before, rest) = self.text.split_at(at);
        self.diagram.name == "er"
            && (rest.starts_with('{') && before.ends_with(['o', '|', '-', '.'])
                || ["}o", "}|", "}-", "}."].iter().any(|mark| rest.starts_with(mark)))
    }
}

fn closer(opener: char) -> char {
    match opener {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}
