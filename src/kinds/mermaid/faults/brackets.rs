//! Brackets and quotes that are not closed, or not by their own kind.

use super::Unread;
use crate::{kinds::Observation, text::Span};

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
}

fn closer(opener: char) -> char {
    match opener {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}
