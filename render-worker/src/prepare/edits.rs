use std::ops::Range;

/// Replacements in Markdown. Where two overlap, the first one stays.
#[derive(Debug, Default)]
pub(super) struct Edits {
    list: Vec<(Range<usize>, String)>,
}

impl Edits {
    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        let overlaps = |known: &Range<usize>| range.start < known.end && known.start < range.end;
        if !self.list.iter().rev().any(|(known, _)| overlaps(known)) {
            self.list.push((range, text.into()));
        }
    }

    /// The text with all replacements.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let mut result = String::with_capacity(text.len() + 64);
        let mut done = 0;
        for (range, new) in &self.list {
            result.push_str(&text[done..range.start]);
            result.push_str(new);
            done = range.end;
        }
        result.push_str(&text[done..]);
        result
    }
}
