//! Block quotes, and the whitespace after their marks.

use std::ops::Range;

use super::{
    blocks::{Blocks, Quote},
    lines::Part,
};
use crate::budget;

/// Whitespace after the mark of a quote, besides the first space.
#[derive(Debug)]
pub(super) struct QuoteIndent {
    pub(super) range: Range<usize>,
    /// Whether a list begins after it, or is around it.
    pub(super) list: bool,
}

impl Blocks<'_> {
    /// The blank lines between a quote and the next one beside it.
    pub(super) fn gap_after(&self, index: usize) -> Range<usize> {
        let quote = &self.quotes[index];
        let end = self.quote_end(quote);
        let next = self.quotes[index + 1..].iter().find(|next| next.range.start >= end);
        let Some(next) = next.filter(|next| next.depth == quote.depth && next.parent == quote.parent) else {
            return 0..0;
        };
        let last = self.lines.at(end.saturating_sub(1));
        let first = self.lines.at(next.range.start);
        let is_blank = (last + 1..first).all(|line| self.lines.text(line).trim().is_empty());
        if is_blank { last + 1..first } else { 0..0 }
    }

    /// The end of a quote's last line with a mark.
    fn quote_end(&self, quote: &Quote) -> usize {
        quote.range.start + self.text[quote.range.clone()].trim_end().len()
    }

    /// Whitespace after the marks of quotes that indents what they quote.
    pub(super) fn quote_indents(&self) -> Vec<QuoteIndent> {
        let mut found = Vec::new();
        let mut items: Vec<(usize, usize, usize)> = Vec::new();
        for list in &self.lists {
            for item in &list.items {
                items.push((
                    self.lines.at(item.range.start),
                    self.lines.at(item.end.saturating_sub(1)),
                    item.range.start,
                ));
            }
        }
        items.sort_unstable();
        for (index, quote) in self.quotes.iter().enumerate() {
            let first = self.lines.at(quote.range.start);
            let last = self.lines.at(self.quote_end(quote).saturating_sub(1));
            let mut inner = self.quotes[index + 1..]
                .iter()
                .take_while(|inner| inner.range.start < quote.range.end)
                .peekable();
            let mut inner_end = 0;
            for line in budget::within(first..=last) {
                while let Some(next) = inner.next_if(|next| self.lines.at(next.range.start) <= line) {
                    inner_end = inner_end.max(self.lines.at(self.quote_end(next).saturating_sub(1)) + 1);
                }
                if line < inner_end {
                    continue;
                }
                found.extend(self.indent_in_quote(quote, line, line == first, &items));
            }
        }
        found
    }

    fn indent_in_quote(
        &self,
        quote: &Quote,
        line: usize,
        is_first: bool,
        items: &[(usize, usize, usize)],
    ) -> Option<QuoteIndent> {
        let range = self.lines.range(line);
        let after = if is_first {
            quote.range.start + 1
        } else {
            after_marks(self.text, range.clone(), quote.depth)?
        };
        let after = after + usize::from(self.text[after..range.end].starts_with([' ', '\t']));
        let rest = &self.text[after..range.end];
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let is_code = self.lines.is(line, Part::CODE_CONTENT);
        let goes_on = |part| self.lines.is(line, part) && line > 0 && self.lines.is(line - 1, part);
        if spaces == 0 || is_code || goes_on(Part::HTML) {
            return None;
        }
        let begun = items.partition_point(|(first, ..)| *first < line);
        let in_item =
            items[..begun].iter().any(|(_, last, start)| *last >= line && *start > quote.range.start);
        let begins = items[begun..]
            .iter()
            .take_while(|(first, ..)| *first == line)
            .any(|(.., start)| *start == after + spaces);
        (!in_item).then(|| QuoteIndent { range: after..after + spaces, list: begins || quote.in_list })
    }
}

/// The offset after this many marks of quotes at the start of a line.
fn after_marks(text: &str, line: Range<usize>, marks: usize) -> Option<usize> {
    let mut rest = &text[line.clone()];
    for _ in 0..marks {
        rest = rest.trim_start_matches([' ', '\t']).strip_prefix('>')?;
    }
    Some(line.end - rest.len())
}
